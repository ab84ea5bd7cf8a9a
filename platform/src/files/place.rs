//! A name in a directory that is held open: where a change happens, whatever is renamed meanwhile.

use std::os::fd::{AsFd, OwnedFd};

use ccm_core::error::Cause;
use ccm_core::{Error, Result};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, OpenHow, ResolveFlag, open, openat, openat2, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat};
use nix::unistd::geteuid;

use crate::errno::{fault, refusal};

/// The directory of a path and its last name.
pub(crate) struct Place<'a> {
    pub(super) directory: OwnedFd,
    pub(super) name: &'a str,
    /// As it was asked for, to be named in errors.
    pub(super) path: &'a str,
}

/// Symlinks on the way to a directory, after which somebody must be playing.
const LINKS: usize = 40;

impl<'a> Place<'a> {
    /// Opens the directory of a path, with care for symlinks on the way.
    pub(super) fn of(path: &'a str) -> Result<Self> {
        let (parent, name) = match path.trim_end_matches('/').rsplit_once('/') {
            Some(("", name)) => ("/", name),
            Some((parent, name)) => (parent, name),
            None => (".", path.trim_end_matches('/')),
        };
        if matches!(name, "" | "." | "..") {
            return Err(Error::invalid(format!("{path} names no file in a directory")));
        }
        Ok(Self { directory: open_directory(parent)?, name, path })
    }

    /// What is there, a symlink itself included.
    pub(super) fn stat(&self) -> Result<Option<FileStat>> {
        match fstatat(&self.directory, self.name, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::ENOENT) => Ok(None),
            Err(errno) => Err(fault("stat", self.path, errno)),
        }
    }

    /// Opens what is there, never a symlink's target.
    pub(super) fn open(&self, flags: OFlag) -> nix::Result<OwnedFd> {
        let always = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        openat(&self.directory, self.name, flags | always, Mode::empty())
    }

    /// Makes the directory's names last. File systems that cannot are believed to need no flush.
    pub(super) fn flush(&self) -> Result<()> {
        match nix::unistd::fsync(&self.directory) {
            Ok(()) | Err(Errno::EINVAL | Errno::EBADF | Errno::EROFS | Errno::EOPNOTSUPP) => Ok(()),
            Err(errno) => Err(fault("fsync", self.path, errno)),
        }
    }
}

/// A directory, in one system call where no symlink is on the way, which is nearly always.
pub(crate) fn open_directory(path: &str) -> Result<OwnedFd> {
    let how = |flags| OpenHow::new().flags(flags).resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    match openat2(AT_FDCWD, path, how(READABLE)) {
        Ok(directory) => Ok(directory),
        // A directory that may be entered but not listed can be worked in all the same.
        Err(Errno::EACCES) => openat2(AT_FDCWD, path, how(ENTERABLE)).map_err(|errno| fault("open", path, errno)),
        Err(Errno::ELOOP | Errno::ENOSYS | Errno::EPERM | Errno::EINVAL | Errno::EAGAIN) => walk(path),
        Err(errno) => Err(fault("open", path, errno)),
    }
}

const READABLE: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_CLOEXEC);
const ENTERABLE: OFlag = READABLE.union(OFlag::O_PATH);
/// Whatever it is, a symlink itself included.
const ANYTHING: OFlag = OFlag::O_PATH.union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);

/// The same one name at a time, following the symlinks that may be trusted: those of root or of this user, in
/// a directory where nobody else could have put them.
fn walk(path: &str) -> Result<OwnedFd> {
    let fail = |errno| fault("open", path, errno);
    let mut left: Vec<String> = names(path).collect();
    let mut here = start(path).map_err(fail)?;
    let mut links = 0;
    while let Some(name) = left.pop() {
        let next = openat(&here, name.as_str(), ANYTHING, Mode::empty()).map_err(fail)?;
        let stat = fstat(&next).map_err(fail)?;
        match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
            SFlag::S_IFDIR => here = next,
            SFlag::S_IFLNK => {
                links += 1;
                if links > LINKS {
                    return Err(fail(Errno::ELOOP));
                }
                trust(path, &name, &stat, &fstat(&here).map_err(fail)?)?;
                let target = readlinkat(&next, "").map_err(fail)?.to_string_lossy().into_owned();
                if target.starts_with('/') {
                    here = start(&target).map_err(fail)?;
                }
                left.extend(names(&target));
            }
            _ => return Err(fail(Errno::ENOTDIR)),
        }
    }
    Ok(openat(here.as_fd(), ".", READABLE, Mode::empty()).unwrap_or(here))
}

fn start(path: &str) -> nix::Result<OwnedFd> {
    open(if path.starts_with('/') { "/" } else { "." }, ENTERABLE, Mode::empty())
}

/// The names of a path, the last one first.
fn names(path: &str) -> impl Iterator<Item = String> {
    path.split('/').rev().filter(|name| !name.is_empty() && *name != ".").map(str::to_owned)
}

fn trust(path: &str, name: &str, link: &FileStat, directory: &FileStat) -> Result<()> {
    let ours = |uid: u32| uid == 0 || uid == geteuid().as_raw();
    let open_to_all = directory.st_mode & 0o1002 == 0o0002;
    if ours(link.st_uid) && ours(directory.st_uid) && !open_to_all {
        return Ok(());
    }
    let text = format!(
        "{name} on the way is a symlink that user {} can move",
        if ours(link.st_uid) { directory.st_uid } else { link.st_uid }
    );
    Err(refusal("open", path, Cause::Symlink, text))
}
