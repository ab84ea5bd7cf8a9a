//! Files and directories.
//!
//! Looking goes by path, since a wrong answer harms nobody. Changing goes through a descriptor of the
//! directory ([`place::Place`]), so that nobody who may write in it can lead the change elsewhere.

use std::io::{ErrorKind, Read};

use ccm_core::error::Cause;
use ccm_core::host::{Attributes, Content, FileKind, Files, Stat, Timestamp, Written};
use ccm_core::{Error, Result};
use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, lstat, stat};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::Linux;
use crate::errno::{fault, io_fault, refusal};

mod attributes;
pub(crate) mod place;
mod remove;
mod replace;

use place::Place;

impl Files for Linux {
    fn stat(&self, path: &str) -> Result<Option<Stat>> {
        found(path, lstat(path))
    }

    fn stat_target(&self, path: &str) -> Result<Option<Stat>> {
        found(path, stat(path))
    }

    fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>> {
        let (file, stat) = open_regular(path)?;
        if stat.st_size as u64 > limit {
            return Err(too_large(path, limit));
        }
        let mut bytes = Vec::new();
        let room = usize::try_from(stat.st_size).unwrap_or(usize::MAX).saturating_add(1);
        // More than an address space of 32 bits is a large file, not a crash.
        bytes.try_reserve_exact(room).map_err(|_| too_large(path, isize::MAX as u64))?;
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| io_fault("read", path, &error))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(path, limit));
        }
        Ok(bytes)
    }

    /// One `open`, one `read` and one `close` for a file of ordinary size: the heart of a converged run.
    fn holds(&self, path: &str, content: &[u8]) -> Result<bool> {
        // Not nix: the C library behind it may follow each open with a call for the descriptor's flag.
        let quietly = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, quietly, rustix::fs::Mode::empty())
            .map_err(|error| fault("open", path, Errno::from_raw(error.raw_os_error())))?;
        let mut scratch = self.scratch.borrow_mut();
        let mut left = content;
        loop {
            let count = match nix::unistd::read(&file, &mut scratch) {
                Err(Errno::EINTR) => continue,
                read => read.map_err(|errno| fault("read", path, errno))?,
            };
            match left.strip_prefix(&scratch[..count]) {
                None => return Ok(false),
                // A short read of a regular file is its end.
                Some([]) if count < scratch.len() => return Ok(true),
                Some(_) if count == 0 => return Ok(false),
                Some(rest) => left = rest,
            }
        }
    }

    fn digest(&self, path: &str) -> Result<String> {
        let (mut file, _) = open_regular(path)?;
        let mut scratch = self.scratch.borrow_mut();
        let mut hasher = Sha256::new();
        loop {
            match file.read(&mut scratch) {
                Ok(0) => break,
                Ok(count) => hasher.update(&scratch[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(io_fault("read", path, &error)),
            }
        }
        Ok(hexadecimal(&hasher.finalize()))
    }

    fn same(&self, path: &str, other: &str) -> Result<bool> {
        let (mut other_file, _) = open_regular(other)?;
        let file =
            open(path, QUIETLY | OFlag::O_NOFOLLOW, Mode::empty()).map_err(|errno| fault("open", path, errno))?;
        let mut ours = self.scratch.borrow_mut();
        let mut theirs = vec![0; ours.len()];
        loop {
            let count = match nix::unistd::read(&file, &mut ours) {
                Err(Errno::EINTR) => continue,
                read => read.map_err(|errno| fault("read", path, errno))?,
            };
            match other_file.read_exact(&mut theirs[..count]) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
                read => read.map_err(|error| io_fault("read", other, &error))?,
            }
            if ours[..count] != theirs[..count] {
                return Ok(false);
            }
            if count == 0 {
                let more = other_file.read(&mut theirs).map_err(|error| io_fault("read", other, &error))?;
                return Ok(more == 0);
            }
        }
    }

    fn list(&self, path: &str) -> Result<Vec<String>> {
        let fail = |error: std::io::Error| io_fault("list", path, &error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(fail)? {
            names.push(entry.map_err(fail)?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        Ok(names)
    }

    fn read_link(&self, path: &str) -> Result<String> {
        let target = std::fs::read_link(path).map_err(|error| io_fault("readlink", path, &error))?;
        Ok(target.to_string_lossy().into_owned())
    }

    fn write(&mut self, path: &str, content: Content<'_>, attributes: &Attributes) -> Result<Written> {
        self.accounts.doubt_after(path);
        replace::replace(&Place::of(path)?, content, attributes, self.sync)
    }

    fn set_attributes(&mut self, path: &str, attributes: &Attributes) -> Result<()> {
        attributes::set_in_place(&Place::of(path)?, attributes)
    }

    fn make_directory(&mut self, path: &str, attributes: &Attributes) -> Result<()> {
        replace::make_directory(&Place::of(path)?, attributes, self.sync)
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        remove::remove(path, self.sync)
    }

    fn remove_directory(&mut self, path: &str, recursive: bool) -> Result<()> {
        remove::remove_directory(path, recursive, self.sync)
    }
}

/// How a file is opened to be read: not blocking, should a FIFO have come into its place since it was looked at.
const QUIETLY: OFlag = OFlag::O_RDONLY.union(OFlag::O_NONBLOCK).union(OFlag::O_NOCTTY).union(OFlag::O_CLOEXEC);

/// A regular file opened for reading, symlinks followed, and its size. Nothing else is opened: a FIFO would
/// wait for its writer, a device might do anything.
pub(crate) fn open_regular(path: &str) -> Result<(std::fs::File, FileStat)> {
    regular(path, &stat(path).map_err(|errno| fault("open", path, errno))?)?;
    let file = open(path, QUIETLY, Mode::empty()).map_err(|errno| fault("open", path, errno))?;
    let stat = fstat(&file).map_err(|errno| fault("stat", path, errno))?;
    regular(path, &stat)?;
    Ok((file.into(), stat))
}

fn regular(path: &str, stat: &FileStat) -> Result<()> {
    match kind(stat) {
        FileKind::Regular => Ok(()),
        FileKind::Directory => Err(fault("read", path, Errno::EISDIR)),
        _ => Err(refusal("read", path, Cause::Unsupported, "not a regular file")),
    }
}

/// The answer of `stat`: a path that leads nowhere is an answer, not an error.
fn found(path: &str, answer: nix::Result<FileStat>) -> Result<Option<Stat>> {
    match answer {
        Ok(stat) => Ok(Some(shown(&stat))),
        Err(Errno::ENOENT | Errno::ENOTDIR) => Ok(None),
        Err(errno) => Err(fault("stat", path, errno)),
    }
}

fn shown(stat: &FileStat) -> Stat {
    Stat {
        kind: kind(stat),
        mode: mode(stat),
        uid: stat.st_uid,
        gid: stat.st_gid,
        size: stat.st_size as u64,
        #[allow(clippy::useless_conversion, reason = "32-bit targets have narrower fields")]
        modified: Timestamp { seconds: i64::from(stat.st_mtime), nanos: stat.st_mtime_nsec as u32 },
    }
}

fn kind(stat: &FileStat) -> FileKind {
    match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => FileKind::Regular,
        SFlag::S_IFDIR => FileKind::Directory,
        SFlag::S_IFLNK => FileKind::Symlink,
        _ => FileKind::Special,
    }
}

fn mode(stat: &FileStat) -> u32 {
    stat.st_mode & 0o7777
}

fn too_large(path: &str, limit: u64) -> Error {
    Error::limit(format!("{path} is larger than the limit of {limit} bytes"))
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

#[cfg(test)]
mod tests;
