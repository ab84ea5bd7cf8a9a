//! Unpacking a tarball of a manifest into a private folder that is gone when it is no longer needed.
//!
//! The folder is 0700 and nothing in it is a link, so a member can only land in it. Members are checked one by
//! one: regular files and directories, names that do not climb, sizes within the limits. Nothing of a tarball
//! that is damaged or cut is used (`resources.md` 3.2, F28 to F31, S36).

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ccm_core::host::Processes;
use ccm_core::{Error, Result};
use tar::{Archive, Entry, EntryType};

use crate::Linux;
use crate::errno::io_fault;

pub(crate) mod gzip;

/// How much a tarball may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all members together.
    pub bytes: u64,
    /// Members.
    pub members: u32,
    /// Directories above a member.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 256 << 20, members: 20_000, depth: 64 }
    }
}

/// What was unpacked; dropping it removes the folder.
#[derive(Debug)]
pub struct Unpacked {
    folder: Scratch,
    /// The members that are regular files, in the order of the archive, relative to the folder.
    files: Vec<String>,
}

impl Unpacked {
    /// An empty folder.
    pub(crate) fn empty() -> Result<Self> {
        Ok(Self { folder: Scratch::new("manifest")?, files: Vec::new() })
    }

    /// Makes a directory in it, and those above.
    fn directory(&self, name: &str) -> Result<()> {
        let path = self.folder.0.join(name);
        DirBuilder::new().recursive(true).mode(0o755).create(&path).map_err(|error| io_fault("mkdir", name, &error))
    }

    /// Puts a file in it. The name is one that cannot climb.
    pub(crate) fn add(&mut self, name: &str, mode: u32, fill: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<()> {
        if let Some((parent, _)) = name.rsplit_once('/') {
            self.directory(parent)?;
        }
        let path = self.folder.0.join(name);
        let fail = |error: std::io::Error| io_fault("write", name, &error);
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path).map_err(fail)?;
        fill(&mut file)?;
        // What others may read is of no concern in a private folder; what may be executed is kept.
        file.set_permissions(Permissions::from_mode(mode & 0o755 | 0o600)).map_err(fail)?;
        self.files.push(name.to_owned());
        Ok(())
    }

    /// The path of the first member of this base name, in archive order.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<PathBuf> {
        let found = self.files.iter().find(|file| file.rsplit('/').next() == Some(name))?;
        Some(self.folder.0.join(found))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder.0
    }
}

/// Unpacks a tar stream, named in errors.
///
/// # Errors
/// [`ccm_core::error::Kind::Limit`] past a limit; otherwise what is wrong with which member. Nothing stays then.
pub fn unpack(machine: &Linux, name: &str, tar: &mut dyn Read, limits: &Limits) -> Result<Unpacked> {
    let mut stream = Stream { inner: tar, zeros: 0 };
    let mut unpacking = Unpacking { tree: Unpacked::empty()?, left: *limits, limits };
    let mut archive = Archive::new(&mut stream);
    let broken = |error: &std::io::Error| Error::invalid(format!("cannot unpack {name}: {}", reason(error)));
    for entry in archive.entries().map_err(|error| broken(&error))? {
        if machine.stop_requested().is_some() {
            return Err(Error::invalid(format!("unpacking {name} was interrupted")));
        }
        let entry = entry.map_err(|error| broken(&error))?;
        unpacking.member(entry).map_err(|error| error.doing(format!("unpacking {name}")))?;
    }
    // Two blocks of zeros end an archive; a check sum may follow them.
    let padding = std::io::copy(&mut (&mut stream).take(limits.bytes), &mut std::io::sink());
    padding.map_err(|error| broken(&error))?;
    if stream.zeros < 1024 {
        return Err(Error::invalid(format!("cannot unpack {name}: its end is missing: it is truncated")));
    }
    Ok(unpacking.tree)
}

/// The members so far.
struct Unpacking<'a> {
    tree: Unpacked,
    left: Limits,
    limits: &'a Limits,
}

impl Unpacking<'_> {
    fn member(&mut self, entry: Entry<'_, impl Read>) -> Result<()> {
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::XGlobalHeader) {
            return Ok(());
        }
        let name = member_name(&entry)?;
        self.left.members = self
            .left
            .members
            .checked_sub(1)
            .ok_or_else(|| Error::limit(format!("it has more than {} members", self.limits.members)))?;
        if name.split('/').count() as u32 > self.limits.depth {
            return Err(Error::limit(format!("member {name} lies deeper than {} directories", self.limits.depth)));
        }
        match kind {
            EntryType::Directory => self.tree.directory(&name),
            EntryType::Regular | EntryType::Continuous => self.file(&name, entry),
            other => Err(Error::invalid(format!(
                "member {name} is {}: only regular files and directories are supported",
                kind_name(other)
            ))),
        }
    }

    fn file(&mut self, name: &str, mut entry: Entry<'_, impl Read>) -> Result<()> {
        if name.is_empty() {
            return Err(Error::invalid("a regular file in it has no name"));
        }
        let size = entry.size();
        let header = entry.header().size().unwrap_or(size);
        if header != size && header != 0 {
            return Err(Error::invalid(format!("member {name} has two sizes, {header} and {size}")));
        }
        self.left.bytes = self
            .left
            .bytes
            .checked_sub(size)
            .ok_or_else(|| Error::limit(format!("it holds more than {} MiB", self.limits.bytes >> 20)))?;
        let mode = entry.header().mode().unwrap_or(0o644);
        self.tree.add(name, mode, &mut |file| match copy(&mut entry, file, name)? {
            copied if copied == size => Ok(()),
            copied => Err(Error::invalid(format!("member {name} is cut short: {copied} of {size} bytes"))),
        })
    }
}

fn copy(from: &mut dyn Read, to: &mut File, name: &str) -> Result<u64> {
    let mut buffer = [0; 16 * 1024];
    let mut copied = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(count) => {
                to.write_all(&buffer[..count]).map_err(|error| io_fault("write", name, &error))?;
                copied += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::invalid(format!("member {name} cannot be read: {}", reason(&error)))),
        }
    }
}

/// The path of a member below the folder: without a leading `/`, without `.`, and never with `..`.
fn member_name(entry: &Entry<'_, impl Read>) -> Result<String> {
    let bytes = entry.path_bytes();
    let name = str::from_utf8(&bytes)
        .map_err(|_| Error::invalid(format!("member {} has a name that is not UTF-8", bytes.escape_ascii())))?;
    if name.split('/').any(|part| part == "..") {
        return Err(Error::invalid(format!("member {name} would lie outside")));
    }
    if name.contains(|character: char| character.is_control()) {
        return Err(Error::invalid(format!("member {name:?} has control characters in its name")));
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.iter().any(|part| part.len() > 255) || name.len() > 4000 {
        return Err(Error::invalid("a member has a name that is too long for a file system"));
    }
    Ok(parts.join("/"))
}

fn kind_name(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Symlink => "a symbolic link",
        EntryType::Link => "a hard link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a FIFO",
        EntryType::GNUSparse => "a sparse file",
        _ => "of an unknown kind",
    }
}

/// The innermost text of an error of the tar crate, which wraps the reader's.
fn reason(error: &std::io::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// A stream that knows how many zeros it ended with.
struct Stream<'a> {
    inner: &'a mut dyn Read,
    zeros: u64,
}

impl Read for Stream<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(out)?;
        let zeros = out[..count].iter().rev().take_while(|byte| **byte == 0).count();
        self.zeros = if zeros == count { self.zeros + zeros as u64 } else { zeros as u64 };
        Ok(count)
    }
}

/// A private folder for as long as this value lives.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Scratch {
    /// Makes one where temporary things go; on a rescue system without /tmp, in the next best place.
    fn new(prefix: &str) -> Result<Self> {
        let chosen = std::env::var("TMPDIR").ok().filter(|path| path.starts_with('/'));
        let mut refused = None;
        for parent in chosen.iter().map(String::as_str).chain(["/tmp", "/run", "/dev/shm", "/var/tmp", "/"]) {
            let mut random = [0; 8];
            crate::clock::random(&mut random);
            let path = Path::new(parent).join(format!("{prefix}-{:016x}", u64::from_le_bytes(random)));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) => refused = refused.or(Some(io_fault("make a temporary folder in", parent, &error))),
            }
        }
        Err(refused.unwrap_or_else(|| Error::invalid("there is no place for a temporary folder")))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _nobody_to_tell = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests;
