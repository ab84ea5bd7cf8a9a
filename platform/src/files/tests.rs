use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use ccm_core::error::{Cause, Kind};
use ccm_core::host::{Attributes, Content, FileKind, Files, Written};

use crate::Linux;
use crate::support::Folder;

fn machine() -> Linux {
    Linux::new().without_sync()
}

fn cause(error: &ccm_core::Error) -> Cause {
    match error.kind() {
        Kind::System(system) => system.cause,
        other => panic!("{other:?}"),
    }
}

const MODE_640: Attributes = Attributes { uid: None, gid: None, mode: Some(0o640) };

#[test]
fn a_new_file_has_its_mode_and_nothing_stands_beside_it() {
    let folder = Folder::new();
    let path = folder.path("motd");
    assert_eq!(machine().write(&path, Content::Bytes(b"hello\n"), &MODE_640).unwrap(), Written::Atomically);
    assert_eq!(std::fs::read(&path).unwrap(), b"hello\n");
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
    assert_eq!(folder.names(), ["motd"]);
}

#[test]
fn a_replaced_file_keeps_the_mode_nobody_asked_to_change() {
    let folder = Folder::new();
    let path = folder.file("f", "old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    machine().write(&path, Content::Bytes(b"new"), &Attributes::default()).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o751);
}

#[test]
fn a_link_is_replaced_and_its_target_never_touched() {
    let folder = Folder::new();
    let victim = folder.file("victim", "v");
    let link = folder.path("link");
    symlink(&victim, &link).unwrap();
    machine().write(&link, Content::Bytes(b"x"), &MODE_640).unwrap();
    assert_eq!(std::fs::read(&victim).unwrap(), b"v");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_file());
}

#[test]
fn attributes_are_set_in_place_and_never_through_a_link() {
    let folder = Folder::new();
    let path = folder.file("f", "");
    let inode = std::fs::metadata(&path).unwrap().ino();
    machine().set_attributes(&path, &MODE_640).unwrap();
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.mode() & 0o7777, after.ino()), (0o640, inode));
    let link = folder.path("link");
    symlink(&path, &link).unwrap();
    let every = Attributes { mode: Some(0o777), ..MODE_640 };
    assert_eq!(cause(&machine().set_attributes(&link, &every).unwrap_err()), Cause::Symlink);
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn a_file_over_a_directory_is_refused_and_leaves_nothing() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    let error = machine().write(&folder.path("d"), Content::Bytes(b""), &MODE_640).unwrap_err();
    assert_eq!(cause(&error), Cause::IsDirectory);
    assert_eq!(folder.names(), ["d"]);
}

#[test]
fn a_source_that_cannot_be_read_leaves_nothing() {
    let folder = Folder::new();
    let missing = folder.path("missing");
    let error = machine().write(&folder.path("f"), Content::CopyOf(&missing), &MODE_640).unwrap_err();
    assert_eq!(cause(&error), Cause::NotFound);
    assert!(error.to_string().contains("missing"), "{error}");
    assert!(folder.names().is_empty());
}

#[test]
fn a_long_name_still_has_room_for_its_temporary() {
    let folder = Folder::new();
    let path = folder.path(&"é".repeat(127));
    machine().write(&path, Content::Bytes(b"x"), &MODE_640).unwrap();
    assert_eq!(std::fs::read(path).unwrap(), b"x");
}

#[test]
fn content_is_compared_to_the_last_byte() {
    let folder = Folder::new();
    let long = "x".repeat(Linux::CHUNK);
    let machine = machine();
    for (name, text) in [("empty", ""), ("short", "abc"), ("chunk", long.as_str())] {
        let path = folder.file(name, text);
        assert!(machine.holds(&path, text.as_bytes()).unwrap(), "{name}");
        assert!(!machine.holds(&path, format!("{text}y").as_bytes()).unwrap(), "{name}");
        assert!(!machine.holds(&path, b"ab").unwrap(), "{name}");
    }
}

#[test]
fn only_regular_files_are_read() {
    let folder = Folder::new();
    let fifo = folder.path("fifo");
    nix::unistd::mkfifo(fifo.as_str(), nix::sys::stat::Mode::S_IRUSR).unwrap();
    assert_eq!(cause(&machine().read(&fifo, 10).unwrap_err()), Cause::Unsupported);
    assert_eq!(cause(&machine().read(&folder.path(""), 10).unwrap_err()), Cause::IsDirectory);
    assert_eq!(machine().stat(&fifo).unwrap().unwrap().kind, FileKind::Special);
    machine().remove(&fifo).unwrap();
    assert!(folder.names().is_empty());
}

#[test]
fn reading_stops_at_the_limit() {
    let folder = Folder::new();
    let path = folder.file("f", "12345");
    assert_eq!(machine().read(&path, 5).unwrap(), b"12345");
    assert!(matches!(machine().read(&path, 4).unwrap_err().kind(), Kind::Limit(_)));
}

#[test]
fn a_directory_appears_with_its_mode() {
    let folder = Folder::new();
    let path = folder.path("d");
    let sticky = Attributes { mode: Some(0o1777), ..MODE_640 };
    machine().make_directory(&path, &sticky).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o1777);
    assert_eq!(cause(&machine().make_directory(&path, &sticky).unwrap_err()), Cause::Exists);
    assert_eq!(folder.names(), ["d"]);
}

#[test]
fn a_tree_is_removed_without_following_links() {
    let folder = Folder::new();
    let kept = folder.file("kept", "k");
    std::fs::create_dir_all(folder.path("tree/a/b")).unwrap();
    folder.file("tree/a/b/c", "");
    symlink(&kept, folder.path("tree/link")).unwrap();
    symlink(folder.path(""), folder.path("tree/up")).unwrap();
    let tree = folder.path("tree");
    assert_eq!(cause(&machine().remove_directory(&tree, false).unwrap_err()), Cause::NotEmpty);
    machine().remove_directory(&tree, true).unwrap();
    assert_eq!(folder.names(), ["kept"]);
    machine().remove_directory(&tree, true).unwrap();
    machine().remove(&folder.path("missing/x")).unwrap();
}

#[test]
fn the_digest_is_that_of_the_bytes() {
    let folder = Folder::new();
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(machine().digest(&folder.file("f", "abc")).unwrap(), expected);
}

#[test]
fn a_trusted_link_on_the_way_is_followed() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("real")).unwrap();
    symlink("real", folder.path("alias")).unwrap();
    machine().write(&folder.path("alias/f"), Content::Bytes(b"x"), &MODE_640).unwrap();
    assert_eq!(std::fs::read(folder.path("real/f")).unwrap(), b"x");
    symlink("loop", folder.path("loop")).unwrap();
    let error = machine().write(&folder.path("loop/f"), Content::Bytes(b"x"), &MODE_640).unwrap_err();
    assert_eq!(cause(&error), Cause::Symlink);
}

#[test]
fn extended_attributes_survive_new_content() {
    let folder = Folder::new();
    let path = folder.file("f", "old");
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(path.as_str(), "user.note", b"kept", flags).is_err() {
        return; // This file system has none.
    }
    machine().write(&path, Content::Bytes(b"new"), &MODE_640).unwrap();
    let mut value = [0; 8];
    let size = rustix::fs::getxattr(path.as_str(), "user.note", &mut value).unwrap();
    assert_eq!(&value[..size], b"kept");
}

#[test]
fn two_files_are_compared_to_their_ends() {
    let folder = Folder::new();
    let large = "x".repeat(200_000);
    let (a, b) = (folder.file("a", &large), folder.file("b", &large));
    let (longer, other) =
        (folder.file("longer", format!("{large}y")), folder.file("other", large.replacen('x', "y", 1)));
    let same = |a: &str, b: &str| machine().same(a, b).unwrap();
    assert!(same(&a, &b) && !same(&a, &longer) && !same(&longer, &a) && !same(&a, &other));
}
