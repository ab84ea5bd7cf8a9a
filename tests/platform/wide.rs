//! What a machine of 32 bits, or one that starts numbers at the other end, gets wrong first. Every target's emulation
//! runs these (`cargo xtask emulate`).

use std::fs::{File, FileTimes};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, UNIX_EPOCH};

use ccm_core::host::{Attributes, Content, Files};
use ccm_platform::Linux;

use crate::support::Folder;

/// A second of the year 2100, past what 32 bits count.
const YEAR_2100: i64 = 4_102_444_800;

#[test]
fn seconds_have_64_bits() {
    assert_eq!(size_of::<nix::libc::time_t>(), 8);
}

#[test]
fn a_file_of_the_year_2100_keeps_its_time() {
    let folder = Folder::new();
    let path = folder.path("later");
    File::create(&path).unwrap();
    // By a command: the standard library of a 32-bit machine sets no such time.
    let touched = std::process::Command::new("touch").args(["-d", "@4102444800", &path]).status().unwrap();
    assert!(touched.success());
    let stat = Linux::new().stat(&path).unwrap().unwrap();
    assert_eq!(stat.modified.seconds, YEAR_2100);
}

#[test]
fn a_file_over_4_gib_has_its_size_and_is_refused_as_too_large() {
    let folder = Folder::new();
    let path = folder.path("sparse");
    let file = File::create(&path).unwrap();
    let size = (5 << 30) + 7;
    file.set_len(size).unwrap();
    let machine = Linux::new();
    assert_eq!(machine.stat(&path).unwrap().unwrap().size, size);
    assert!(machine.read(&path, 1 << 20).is_err());
    assert!(!machine.holds(&path, b"").unwrap());
    if cfg!(target_pointer_width = "32") {
        assert!(machine.read(&path, u64::MAX).is_err(), "more than the address space");
    }
}

#[test]
fn a_write_over_a_sparse_file_over_4_gib_replaces_it() {
    let folder = Folder::new();
    let path = folder.path("sparse");
    File::create(&path).unwrap().set_len(5 << 30).unwrap();
    let mut machine = Linux::new().without_sync();
    machine.write(&path, Content::Bytes(b"small"), &Attributes { uid: None, gid: None, mode: None }).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().size(), 5);
}

#[test]
fn a_digest_is_the_same_from_either_end() {
    let folder = Folder::new();
    let path = folder.path("abc");
    std::fs::write(&path, "abc").unwrap();
    let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(Linux::new().digest(&path).unwrap(), sum);
}

#[test]
fn the_clock_and_the_clock_of_files_agree() {
    let folder = Folder::new();
    let path = folder.path("now");
    File::create(&path).unwrap();
    let stat = Linux::new().stat(&path).unwrap().unwrap();
    assert!((stat.modified.seconds - ccm_platform::now().seconds).abs() < 10);
}

#[test]
fn times_before_1970_stay_before_it() {
    let folder = Folder::new();
    let path = folder.path("old");
    let time = UNIX_EPOCH - Duration::from_secs(86_400);
    File::create(&path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
    assert_eq!(Linux::new().stat(&path).unwrap().unwrap().modified.seconds, -86_400);
}
