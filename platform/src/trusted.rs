//! Files that steer this program: whoever could write them could take the machine over, so they are looked at
//! through descriptors before they are read.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;

use ccm_core::error::Cause;
use ccm_core::{Error, Result};
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fstat};
use nix::unistd::geteuid;

use crate::errno::{fault, io_fault, refusal};
use crate::facts::files::is_missing;
use crate::files::place::open_directory;

/// The directories of keys and of the policy: the system's, and for a user who is not root then his own.
#[must_use]
pub fn directories() -> Vec<String> {
    let own = || base("XDG_CONFIG_HOME", ".config").map(|base| format!("{base}/choria/ccm"));
    let own = if geteuid().is_root() { None } else { own() };
    std::iter::once("/etc/choria/ccm".to_owned()).chain(own).collect()
}

/// The directory for what outlives a run; none for a user without a home.
#[must_use]
pub fn state() -> Option<String> {
    match geteuid().is_root() {
        true => Some("/var/lib/ccm".to_owned()),
        false => base("XDG_STATE_HOME", ".local/state").map(|base| format!("{base}/ccm")),
    }
}

fn base(variable: &str, in_home: &str) -> Option<String> {
    let absolute = |name: &str| std::env::var(name).ok().filter(|path| path.starts_with('/'));
    let base = absolute(variable).or_else(|| absolute("HOME").map(|home| format!("{home}/{in_home}")))?;
    Some(base.trim_end_matches('/').to_owned())
}

/// The text of a file in one of the [`directories`]; `None` where there is none.
///
/// # Errors
/// When somebody else could have put it there, or it cannot be read.
pub fn text(directory: &str, name: &str, limit: u64) -> Result<Option<String>> {
    let descriptor = match open_directory(directory) {
        Ok(descriptor) => descriptor,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let path = format!("{directory}/{name}");
    let Some(file) = open(&descriptor, name, &path)? else { return Ok(None) };
    contents(file, &path, limit).map(Some)
}

/// Opens a regular file that belongs to root or oneself; none where there is none, or a directory.
pub(crate) fn open(directory: &OwnedFd, name: &str, path: &str) -> Result<Option<OwnedFd>> {
    let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let file = match openat(directory, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::ENOENT) => return Ok(None),
        Err(Errno::ELOOP) => return Err(refusal("open", path, Cause::Symlink, "is a symlink")),
        Err(errno) => return Err(fault("open", path, errno)),
    };
    let stat = fstat(&file).map_err(|errno| fault("stat", path, errno))?;
    let refuse = |why: &str| Err(refusal("read", path, Cause::Denied, why));
    match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFDIR => return Ok(None),
        SFlag::S_IFREG => {}
        _ => return refuse("is no regular file"),
    }
    if stat.st_uid != 0 && stat.st_uid != geteuid().as_raw() {
        return refuse(&format!("belongs to user {}: only root's files and one's own are trusted", stat.st_uid));
    }
    if stat.st_mode & 0o002 != 0 {
        return refuse("may be written by everyone");
    }
    Ok(Some(file))
}

/// The text of an open file, no longer than a limit.
pub(crate) fn contents(file: OwnedFd, path: &str, limit: u64) -> Result<String> {
    let mut bytes = Vec::new();
    let read = File::from(file).take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| io_fault("read", path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(Error::limit(format!("{path} is larger than {limit} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{path} is not UTF-8 text")))
}
