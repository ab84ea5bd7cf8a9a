//! Putting a file or directory in place: complete under another name first, then renamed.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use ccm_core::Result;
use ccm_core::error::Cause;
use ccm_core::host::{Attributes, Content, FileKind, Written};
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat, renameat};
use nix::sys::stat::{FileStat, Mode, fstat, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use rustix::fs::{RenameFlags, renameat_with};

use super::attributes::{Goal, copy_extended};
use super::place::Place;
use super::{kind, open_regular};
use crate::errno::{fault, io_fault, refusal};

/// Puts a regular file at a place, whatever stood there but a directory.
pub(super) fn replace(place: &Place<'_>, content: Content<'_>, wanted: &Attributes, sync: bool) -> Result<Written> {
    let old = place.stat()?;
    if old.as_ref().is_some_and(|old| kind(old) == FileKind::Directory) {
        return Err(fault("write", place.path, Errno::EISDIR));
    }
    let old = old.filter(|old| kind(old) == FileKind::Regular);
    let temporary = match Temporary::file(place) {
        Ok(temporary) => temporary,
        // The directory is on a read-only system; the file itself may be mounted writable.
        Err(Errno::EROFS) if old.is_some() => return in_place(place, content, wanted, sync),
        Err(errno) => return Err(fault("create a file beside", place.path, errno)),
    };
    fill(&temporary.file, content, place.path)?;
    finish(place, &temporary.file, old.as_ref(), wanted)?;
    flush(&temporary.file, place.path, sync)?;
    match renameat(&place.directory, temporary.name.as_str(), &place.directory, place.name) {
        Ok(()) => temporary.keep(),
        Err(Errno::EBUSY | Errno::EXDEV) if old.is_some() => {
            drop(temporary);
            return in_place(place, content, wanted, sync);
        }
        Err(errno) => return Err(fault("rename into", place.path, errno)),
    }
    if sync {
        place.flush()?;
    }
    Ok(Written::Atomically)
}

/// Makes a directory that appears with its owner and mode.
pub(super) fn make_directory(place: &Place<'_>, wanted: &Attributes, sync: bool) -> Result<()> {
    if place.stat()?.is_some() {
        return Err(fault("mkdir", place.path, Errno::EEXIST));
    }
    let temporary = Temporary::directory(place).map_err(|errno| fault("mkdir", place.path, errno))?;
    let made = fstat(&temporary.file).map_err(|errno| fault("stat", place.path, errno))?;
    Goal::of(wanted, &made).change(&temporary.file, &made, place.path)?;
    let (from, to) = (temporary.name.as_str(), place.name);
    let renamed = renameat_with(&place.directory, from, &place.directory, to, RenameFlags::NOREPLACE);
    let renamed = match renamed.map_err(|error| Errno::from_raw(error.raw_os_error())) {
        // A file system or kernel that cannot refuse to replace: an empty directory is all that could be lost.
        Err(Errno::EINVAL | Errno::ENOSYS) => renameat(&place.directory, from, &place.directory, to),
        renamed => renamed,
    };
    renamed.map_err(|errno| fault("mkdir", place.path, errno))?;
    temporary.keep();
    if sync { place.flush() } else { Ok(()) }
}

/// Owner, mode and extended attributes, on the file that is still hidden. The access list comes before the
/// mode, which is the last word; capabilities come after the owner, whose change would drop them.
fn finish(place: &Place<'_>, new: &File, old: Option<&FileStat>, wanted: &Attributes) -> Result<()> {
    let made = fstat(new).map_err(|errno| fault("stat", place.path, errno))?;
    let goal = Goal::of(wanted, old.unwrap_or(&made));
    goal.change(new, &made, place.path)?;
    if old.is_some() {
        if let Ok(old) = place.open(OFlag::O_RDONLY) {
            copy_extended(old, new, place.path)?;
        }
        goal.set_on(new, place.path)?;
    }
    Ok(())
}

/// Writes over the file that is there: on a bind mount nothing else can work. The attributes are set before,
/// so that new content is never open to more people than it should be, and after, since writing drops
/// special bits.
fn in_place(place: &Place<'_>, content: Content<'_>, wanted: &Attributes, sync: bool) -> Result<Written> {
    let fail = |operation, errno| fault(operation, place.path, errno);
    let file = File::from(place.open(OFlag::O_WRONLY).map_err(|errno| fail("open", errno))?);
    let stat = fstat(&file).map_err(|errno| fail("stat", errno))?;
    if kind(&stat) != FileKind::Regular {
        return Err(refusal("write", place.path, Cause::Busy, "was replaced meanwhile by something that is no file"));
    }
    let goal = Goal::of(wanted, &stat);
    goal.change(&file, &stat, place.path)?;
    file.set_len(0).map_err(|error| io_fault("truncate", place.path, &error))?;
    fill(&file, content, place.path)?;
    goal.set_on(&file, place.path)?;
    flush(&file, place.path, sync)?;
    Ok(Written::InPlace)
}

fn fill(mut file: &File, content: Content<'_>, path: &str) -> Result<()> {
    let source = match content {
        Content::Bytes(bytes) => return file.write_all(bytes).map_err(|error| io_fault("write", path, &error)),
        Content::CopyOf(source) => source,
    };
    let (mut from, _) = open_regular(source)?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => file.write_all(&buffer[..count]).map_err(|error| io_fault("write", path, &error))?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_fault("read", source, &error)),
        }
    }
}

fn flush(file: &File, path: &str, sync: bool) -> Result<()> {
    if sync { file.sync_all().map_err(|error| io_fault("fsync", path, &error)) } else { Ok(()) }
}

/// Something under a name of its own beside its place, removed again unless it is kept.
struct Temporary<'a> {
    directory: &'a OwnedFd,
    name: String,
    file: File,
    remove: Option<UnlinkatFlags>,
}

impl<'a> Temporary<'a> {
    /// A new file that only this user can read.
    fn file(place: &'a Place<'_>) -> nix::Result<Self> {
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let (name, descriptor) =
            unused(place.name, |name| openat(&place.directory, name, flags, Mode::S_IRUSR | Mode::S_IWUSR))?;
        let remove = Some(UnlinkatFlags::NoRemoveDir);
        Ok(Self { directory: &place.directory, name, file: descriptor.into(), remove })
    }

    /// A new directory that only this user can enter.
    fn directory(place: &'a Place<'_>) -> nix::Result<Self> {
        let (name, ()) = unused(place.name, |name| mkdirat(&place.directory, name, Mode::S_IRWXU))?;
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        match openat(&place.directory, name.as_str(), flags, Mode::empty()) {
            Ok(descriptor) => {
                let remove = Some(UnlinkatFlags::RemoveDir);
                Ok(Self { directory: &place.directory, name, file: descriptor.into(), remove })
            }
            Err(errno) => {
                let _lost = unlinkat(place.directory.as_fd(), name.as_str(), UnlinkatFlags::RemoveDir);
                Err(errno)
            }
        }
    }

    /// It has found its place.
    fn keep(mut self) {
        self.remove = None;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(how) = self.remove {
            let _already_failing = unlinkat(self.directory, self.name.as_str(), how);
        }
    }
}

/// Makes something under a hidden name derived from this one, that nothing has yet.
fn unused<T>(name: &str, make: impl Fn(&str) -> nix::Result<T>) -> nix::Result<(String, T)> {
    // A name may have 255 bytes; what is added takes 14.
    let mut end = name.len().min(255 - 14);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    for _ in 0..32 {
        let mut random = [0; 4];
        crate::clock::random(&mut random);
        let candidate = format!(".{}.{:08x}.ccm", &name[..end], u32::from_le_bytes(random));
        match make(&candidate) {
            Err(Errno::EEXIST) => {}
            made => return made.map(|made| (candidate, made)),
        }
    }
    Err(Errno::EEXIST)
}
