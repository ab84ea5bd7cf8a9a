//! Owner, group, mode and extended attributes, set on descriptors.

use std::os::fd::AsFd;

use ccm_core::error::Cause;
use ccm_core::host::{Attributes, FileKind};
use ccm_core::{Error, Result};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, fchmod, fchmodat, fstat};
use nix::sys::statfs::fstatfs;
use nix::unistd::{Gid, Uid, fchown, fchownat};

use super::place::Place;
use super::{kind, mode};
use crate::errno::{fault, refusal};

/// What something is to have.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    uid: u32,
    gid: u32,
    mode: u32,
}

impl Goal {
    /// The attributes wanted, the rest as it stands.
    pub(super) fn of(wanted: &Attributes, now: &FileStat) -> Self {
        Self {
            uid: wanted.uid.unwrap_or(now.st_uid),
            gid: wanted.gid.unwrap_or(now.st_gid),
            mode: wanted.mode.unwrap_or(mode(now)) & 0o7777,
        }
    }

    /// Sets what differs on an open file or directory.
    pub(super) fn set_on(self, descriptor: impl AsFd, path: &str) -> Result<()> {
        let now = fstat(&descriptor).map_err(|errno| fault("stat", path, errno))?;
        self.change(descriptor, &now, path)
    }

    /// Sets what differs from `now`. The owner comes first, since changing it drops the special bits of the mode.
    pub(super) fn change(self, descriptor: impl AsFd, now: &FileStat, path: &str) -> Result<()> {
        let owner = self.differs_in_owner(now);
        if owner {
            fchown(&descriptor, Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid)))
                .map_err(|errno| unsettable("chown", path, errno, &descriptor))?;
        }
        if self.differs_in_mode(now, owner) {
            fchmod(&descriptor, Mode::from_bits_truncate(self.mode))
                .map_err(|errno| unsettable("chmod", path, errno, &descriptor))?;
        }
        Ok(())
    }

    fn differs_in_owner(self, now: &FileStat) -> bool {
        (self.uid, self.gid) != (now.st_uid, now.st_gid)
    }

    fn differs_in_mode(self, now: &FileStat, owner_changed: bool) -> bool {
        self.mode != mode(now) || (owner_changed && self.mode & 0o6000 != 0)
    }
}

/// Sets attributes of what is at a place, on that very inode, and never of a symlink or its target.
pub(super) fn set_in_place(place: &Place<'_>, attributes: &Attributes) -> Result<()> {
    // O_PATH opens anything without touching it: a device is not started, a FIFO not waited for.
    let found = place.open(OFlag::O_PATH).map_err(|errno| fault("open", place.path, errno))?;
    let now = fstat(&found).map_err(|errno| fault("stat", place.path, errno))?;
    if kind(&now) == FileKind::Symlink {
        return Err(refusal("chmod", place.path, Cause::Symlink, "is a symlink, whose target is not to be touched"));
    }
    let goal = Goal::of(attributes, &now);
    let owner = goal.differs_in_owner(&now);
    if owner {
        let (uid, gid) = (Uid::from_raw(goal.uid), Gid::from_raw(goal.gid));
        fchownat(&found, "", Some(uid), Some(gid), AtFlags::AT_EMPTY_PATH)
            .map_err(|errno| unsettable("chown", place.path, errno, &found))?;
    }
    if goal.differs_in_mode(&now, owner) {
        change_mode(place, &found, &now, goal.mode)?;
    }
    Ok(())
}

/// The mode of an O_PATH descriptor cannot be set before Linux 6.6, but through its name in /proc; without
/// /proc the same inode is opened once more.
fn change_mode(place: &Place<'_>, found: &std::os::fd::OwnedFd, now: &FileStat, wanted: u32) -> Result<()> {
    use std::os::fd::AsRawFd;
    let wanted = Mode::from_bits_truncate(wanted);
    let by_number = format!("/proc/self/fd/{}", found.as_raw_fd());
    let changed = match fchmodat(AT_FDCWD, by_number.as_str(), wanted, FchmodatFlags::FollowSymlink) {
        Err(Errno::ENOENT | Errno::ENOTDIR) => place.open(OFlag::O_RDONLY).and_then(|again| {
            let stat = fstat(&again)?;
            if (stat.st_dev, stat.st_ino) != (now.st_dev, now.st_ino) {
                return Err(Errno::EBUSY);
            }
            fchmod(&again, wanted)
        }),
        changed => changed,
    };
    changed.map_err(|errno| unsettable("chmod", place.path, errno, found))
}

/// The error names the file system when that may be the reason: vfat and FUSE have no owners to set.
#[cold]
fn unsettable(operation: &'static str, path: &str, errno: Errno, descriptor: impl AsFd) -> Error {
    let refused = matches!(errno, Errno::EPERM | Errno::EOPNOTSUPP | Errno::EINVAL);
    let magic = fstatfs(&descriptor).map(|stat| stat.filesystem_type().0 as u64 & 0xffff_ffff).unwrap_or(0);
    match WITHOUT_OWNERS.iter().find(|(known, _)| refused && *known == magic) {
        Some((_, name)) => fault(operation, format!("{path} on a file system of type {name}"), errno),
        None => fault(operation, path, errno),
    }
}

const WITHOUT_OWNERS: [(u64, &str); 7] = [
    (0x4d44, "vfat"),
    (0x2011_bab0, "exfat"),
    (0x6573_5546, "fuse"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb3"),
    (0x6969, "nfs"),
    (0x0102_1997, "9p"),
];

/// Copies the extended attributes of the file that is replaced: its SELinux label, access list and
/// capabilities, and what users keep there. What the kernel computes itself over the content is left out.
pub(super) fn copy_extended(from: impl AsFd, to: impl AsFd, path: &str) -> Result<()> {
    let fail = |operation, errno: rustix::io::Errno| fault(operation, path, Errno::from_raw(errno.raw_os_error()));
    let mut names = vec![0; 4096];
    let length = match rustix::fs::flistxattr(&from, &mut names) {
        Ok(0) => return Ok(()),
        Ok(length) => length,
        Err(rustix::io::Errno::RANGE) => {
            names.resize(64 * 1024, 0);
            rustix::fs::flistxattr(&from, &mut names).map_err(|errno| fail("listxattr", errno))?
        }
        // No such attributes on this file system, or on this kernel.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => return Ok(()),
        Err(errno) => return Err(fail("listxattr", errno)),
    };
    let mut value = vec![0; 64 * 1024];
    for name in names[..length].split(|&byte| byte == 0) {
        if name.is_empty() || COMPUTED.contains(&name) {
            continue;
        }
        let Ok(size) = rustix::fs::fgetxattr(&from, name, &mut value) else { continue };
        match rustix::fs::fsetxattr(&to, name, &value[..size], rustix::fs::XattrFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::OPNOTSUPP) => {}
            // Only root may set what is not the user's own; for others the kernel's default stays.
            Err(rustix::io::Errno::PERM | rustix::io::Errno::ACCESS) if !name.starts_with(b"user.") => {}
            Err(errno) => return Err(fail("setxattr", errno)),
        }
    }
    Ok(())
}

const COMPUTED: [&[u8]; 2] = [b"security.ima", b"security.evm"];
