//! What only root can show of the Linux host: mounts, owners, links that others put in the way.
//!
//! Each test passes over itself when it is not run by root, or when mounting is not allowed.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "../support/mod.rs"]
#[allow(dead_code, unreachable_pub)]
mod support;
mod wide;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use ccm_core::error::{Cause, Kind};
use ccm_core::host::{Attributes, Content, Files, Written};
use ccm_platform::Linux;
use support::Folder;

const SOMEBODY: u32 = 54321;
const NOTHING: Attributes = Attributes { uid: None, gid: None, mode: None };

fn is_root() -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        eprintln!("passed over: not root");
    }
    root
}

fn machine() -> Linux {
    Linux::new().without_sync()
}

fn write(path: &str, text: &str) -> ccm_core::Result<Written> {
    machine().write(path, Content::Bytes(text.as_bytes()), &NOTHING)
}

fn cause(error: &ccm_core::Error) -> Option<Cause> {
    match error.kind() {
        Kind::System(system) => Some(system.cause),
        _ => None,
    }
}

/// A mount that ends with the test.
struct Mount(String);

impl Mount {
    fn new(options: &[&str], on: &str) -> Option<Self> {
        let mounted = Command::new("mount").args(options).arg(on).output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("passed over: no mounting here");
        }
        mounted.then(|| Self(on.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_bind_mounted_file_is_written_in_place() {
    let folder = Folder::new();
    let path = folder.file("hosts", "old and longer\n");
    if !is_root() {
        return;
    }
    let Some(_mount) = Mount::new(&["--bind", &path], &path) else { return };
    assert_eq!(write(&path, "new\n").unwrap(), Written::InPlace);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
    assert_eq!(folder.names(), ["hosts"]);
}

#[test]
fn a_writable_mount_in_a_read_only_directory_is_written_in_place() {
    let (folder, outside) = (Folder::new(), Folder::new());
    let path = folder.file("hosts", "old\n");
    if !is_root() {
        return;
    }
    let Some(_directory) = Mount::new(&["-t", "tmpfs", "none"], &folder.path("")) else { return };
    folder.file("hosts", "");
    folder.file("other", "");
    let Some(_file) = Mount::new(&["--bind", &outside.file("hosts", "old\n")], &path) else { return };
    assert!(Command::new("mount").args(["-o", "remount,ro", &folder.path("")]).status().unwrap().success());
    assert_eq!(write(&path, "new\n").unwrap(), Written::InPlace);
    assert_eq!(cause(&write(&folder.path("other"), "x").unwrap_err()), Some(Cause::ReadOnly));
}

#[test]
fn a_full_disk_fails_the_write_and_leaves_the_old_file_alone() {
    let folder = Folder::new();
    if !is_root() {
        return;
    }
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "-o", "size=64k", "none"], &folder.path("")) else { return };
    let path = folder.file("f", "old");
    assert_eq!(cause(&write(&path, &"x".repeat(1 << 20)).unwrap_err()), Some(Cause::Full));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.names(), ["f"]);
}

#[test]
fn a_tree_with_another_file_system_in_it_is_not_emptied_there() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("tree/disk")).unwrap();
    if !is_root() {
        return;
    }
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "none"], &folder.path("tree/disk")) else { return };
    folder.file("tree/disk/precious", "");
    let error = machine().remove_directory(&folder.path("tree"), true).unwrap_err();
    assert_eq!(cause(&error), Some(Cause::Busy));
    assert!(fs::exists(folder.path("tree/disk/precious")).unwrap());
}

#[test]
fn a_link_of_somebody_else_on_the_way_is_not_followed() {
    let (folder, victim) = (Folder::new(), Folder::new());
    if !is_root() {
        return;
    }
    symlink(victim.path(""), folder.path("way")).unwrap();
    lchown(folder.path("way"), Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    let error = write(&folder.path("way/passwd"), "x").unwrap_err();
    assert_eq!(cause(&error), Some(Cause::Symlink), "{error}");
    assert!(error.to_string().contains("54321"), "{error}");
    // Nor is root's own link, where somebody else could have moved it.
    lchown(folder.path("way"), Some(0), Some(0)).unwrap();
    chown(folder.path(""), Some(SOMEBODY), None).unwrap();
    assert_eq!(cause(&write(&folder.path("way/passwd"), "x").unwrap_err()), Some(Cause::Symlink));
    assert!(victim.names().is_empty());
}

#[test]
fn a_directory_swapped_for_a_link_leads_nobody_astray() {
    let (folder, victim) = (Folder::new(), Folder::new());
    victim.file("f", "untouched");
    if !is_root() {
        return;
    }
    let [way, real, link] = ["way", "real", "link"].map(|name| folder.path(name));
    fs::create_dir(&way).unwrap();
    symlink(victim.path(""), &link).unwrap();
    lchown(&link, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::rename(&way, &real).and_then(|()| fs::rename(&link, &way));
                let _ = fs::rename(&way, &link).and_then(|()| fs::rename(&real, &way));
            }
        });
        let path = format!("{way}/f");
        let every = Attributes { uid: Some(SOMEBODY), gid: Some(SOMEBODY), mode: Some(0o666) };
        for _ in 0..2000 {
            let _ = write(&path, "x");
            let _ = machine().set_attributes(&path, &every);
            let _ = machine().remove(&path);
        }
        done.store(true, Ordering::Relaxed);
    });
    let after = fs::metadata(victim.path("f")).unwrap();
    assert_eq!((after.uid(), after.mode() & 0o777), (nix::unistd::geteuid().as_raw(), 0o644));
    assert_eq!(fs::read_to_string(victim.path("f")).unwrap(), "untouched");
    assert_eq!(victim.names(), ["f"]);
}

#[test]
fn a_replaced_file_keeps_its_owner_and_a_new_owner_keeps_special_bits() {
    let folder = Folder::new();
    let path = folder.file("tool", "old");
    if !is_root() {
        return;
    }
    chown(&path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
    write(&path, "new").unwrap();
    let seen = |path: &str| fs::metadata(path).map(|meta| (meta.uid(), meta.gid(), meta.mode() & 0o7777)).unwrap();
    assert_eq!(seen(&path), (SOMEBODY, SOMEBODY, 0o4755));
    machine().set_attributes(&path, &Attributes { uid: Some(0), ..NOTHING }).unwrap();
    assert_eq!(seen(&path), (0, SOMEBODY, 0o4755));
}

#[test]
fn a_directory_appears_with_its_owner() {
    let folder = Folder::new();
    if !is_root() {
        return;
    }
    let attributes = Attributes { uid: Some(SOMEBODY), gid: Some(SOMEBODY), mode: Some(0o2750) };
    machine().make_directory(&folder.path("d"), &attributes).unwrap();
    let meta = fs::metadata(folder.path("d")).unwrap();
    assert_eq!((meta.uid(), meta.gid(), meta.mode() & 0o7777), (SOMEBODY, SOMEBODY, 0o2750));
    assert_eq!(folder.names(), ["d"]);
}
