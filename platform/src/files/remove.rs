//! Removing files and trees, by descriptors all the way down.

use std::os::fd::OwnedFd;

use ccm_core::Result;
use ccm_core::error::{Cause, Kind, System};
use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::libc::dev_t;
use nix::sys::stat::{Mode, SFlag, fstat, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::place::Place;
use crate::errno::{fault, refusal};

/// How deep a tree may be: each level holds a descriptor open, of which a process has 1,024.
const DEPTH: usize = 400;

/// Removes anything but a directory.
pub(super) fn remove(path: &str, sync: bool) -> Result<()> {
    let Some(place) = existing(path)? else { return Ok(()) };
    match unlinkat(&place.directory, place.name, UnlinkatFlags::NoRemoveDir) {
        Ok(()) if sync => place.flush(),
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(errno) => Err(fault("remove", path, errno)),
    }
}

/// Removes a directory, with `recursive` all that is in it.
pub(super) fn remove_directory(path: &str, recursive: bool, sync: bool) -> Result<()> {
    let Some(place) = existing(path)? else { return Ok(()) };
    if recursive {
        match open_directory(&place.directory, place.name) {
            Ok(directory) => empty(directory, None, path, DEPTH)?,
            Err(Errno::ENOENT) => return Ok(()),
            Err(errno) => return Err(fault("remove", path, errno)),
        }
    }
    match unlinkat(&place.directory, place.name, UnlinkatFlags::RemoveDir) {
        Ok(()) if sync => place.flush(),
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(errno) => Err(fault("remove", path, errno)),
    }
}

/// The place of a path, unless its directory is missing and with it everything in it.
fn existing(path: &str) -> Result<Option<Place<'_>>> {
    match Place::of(path) {
        Ok(place) => Ok(Some(place)),
        Err(error) => match error.kind() {
            Kind::System(System { cause: Cause::NotFound | Cause::NotDirectory, .. }) => Ok(None),
            _ => Err(error),
        },
    }
}

/// Empties a directory. Symlinks are removed, not followed; a file system mounted below is left alone, with an
/// error, as nobody who removes a tree means the disk that happens to be mounted in it.
fn empty(directory: OwnedFd, device: Option<dev_t>, path: &str, depth: usize) -> Result<()> {
    let fail = |errno| fault("remove", path, errno);
    let here = fstat(&directory).map_err(fail)?.st_dev;
    if device.is_some_and(|device| device != here) {
        return Err(refusal("remove", path, Cause::Busy, "another file system is mounted there"));
    }
    if depth == 0 {
        return Err(refusal("remove", path, Cause::Other, format!("has more than {DEPTH} levels of directories")));
    }
    let mut listing = Dir::from_fd(directory.try_clone().map_err(|_| fail(Errno::EMFILE))?).map_err(fail)?;
    for entry in listing.iter() {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let inner = || format!("{path}/{}", name.to_string_lossy());
        match fstatat(&directory, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Err(Errno::ENOENT) => continue,
            Err(errno) => return Err(fault("stat", inner(), errno)),
            Ok(stat) if SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFDIR => {
                let below = openat(&directory, name, DIRECTORY, Mode::empty());
                empty(below.map_err(|errno| fault("open", inner(), errno))?, Some(here), &inner(), depth - 1)?;
                unlinkat(&directory, name, UnlinkatFlags::RemoveDir)
            }
            Ok(_) => unlinkat(&directory, name, UnlinkatFlags::NoRemoveDir),
        }
        .map_err(|errno| fault("remove", inner(), errno))?;
    }
    Ok(())
}

fn open_directory(parent: &OwnedFd, name: &str) -> nix::Result<OwnedFd> {
    openat(parent, name, DIRECTORY, Mode::empty())
}

const DIRECTORY: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);
