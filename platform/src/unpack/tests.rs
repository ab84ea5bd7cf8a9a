use super::*;

/// A member: name, type, content.
fn tarball(members: &[(&str, EntryType, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, kind, content) in members {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o4777);
        header.set_cksum();
        out.extend(header.as_bytes());
        out.extend(content.as_bytes());
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

fn unpacked(tar: &[u8]) -> Result<Unpacked> {
    unpack(&Linux::new(), "m.tar", &mut { tar }, &Limits { bytes: 1000, members: 4, depth: 3 })
}

fn refusal(members: &[(&str, EntryType, &str)]) -> String {
    unpacked(&tarball(members)).unwrap_err().to_string()
}

const FILE: EntryType = EntryType::Regular;

#[test]
fn files_land_in_a_private_folder_that_vanishes() {
    let members =
        [("/top/./manifest.yaml", FILE, "m"), ("top/x/data", FILE, "d"), ("empty/", EntryType::Directory, "")];
    let tree = unpacked(&tarball(&members)).unwrap();
    let manifest = tree.first("manifest.yaml").unwrap();
    assert_eq!(fs::read(&manifest).unwrap(), b"m");
    assert_eq!(fs::metadata(&manifest).unwrap().permissions().mode() & 0o7777, 0o755);
    assert_eq!(fs::metadata(tree.folder()).unwrap().permissions().mode() & 0o7777, 0o700);
    assert_eq!(fs::read(tree.folder().join("top/x/data")).unwrap(), b"d");
    assert!(tree.folder().join("empty").is_dir());
    let folder = tree.folder().to_owned();
    drop(tree);
    assert!(!folder.exists());
}

#[test]
fn the_first_manifest_in_archive_order_is_taken() {
    let tree = unpacked(&tarball(&[("z/manifest.yaml", FILE, ""), ("a/manifest.yaml", FILE, "")])).unwrap();
    assert!(tree.first("manifest.yaml").unwrap().ends_with("z/manifest.yaml"));
    assert!(tree.first("other").is_none());
}

#[test]
fn what_is_no_file_and_no_directory_is_refused() {
    for kind in [EntryType::Symlink, EntryType::Link, EntryType::Char, EntryType::Block, EntryType::Fifo] {
        assert!(refusal(&[("odd", kind, "")]).contains("member odd is a"), "{kind:?}");
    }
}

#[test]
fn names_that_climb_are_refused_and_dots_inside_names_are_not() {
    assert!(refusal(&[("../escape", FILE, "")]).contains("../escape"));
    assert!(refusal(&[("x/../../escape", FILE, "")]).contains("escape"));
    assert!(unpacked(&tarball(&[("a..b", FILE, "")])).unwrap().first("a..b").is_some());
}

#[test]
fn limits_are_named() {
    assert!(refusal(&[("big", FILE, &"x".repeat(1001))]).contains("more than"));
    assert!(refusal(&[("a/b/c/d", FILE, "")]).contains("deeper than 3"));
    assert!(refusal(&[("a", FILE, ""); 5]).contains("more than 4 members"));
}

/// A file named `f` with four bytes of content and a size that somebody else has written down.
fn sized(write: impl FnOnce(&mut tar::Header)) -> Vec<u8> {
    let mut tar = tarball(&[("f", FILE, "text")]);
    let mut header = tar::Header::new_old();
    header.as_mut_bytes().copy_from_slice(&tar[..512]);
    write(&mut header);
    header.set_cksum();
    tar[..512].copy_from_slice(header.as_bytes());
    tar
}

#[test]
fn a_size_of_more_than_32_bits_keeps_its_upper_half() {
    for size in [(1_u64 << 32) + 4, (1 << 40) + 4] {
        let refused = unpacked(&sized(|header| header.set_size(size))).unwrap_err();
        assert!(refused.to_string().contains("more than"), "{size}: {refused}");
    }
}

#[test]
fn a_binary_size_begins_with_its_largest_byte() {
    let binary = |size: [u8; 12]| sized(|header| header.as_mut_bytes()[124..136].copy_from_slice(&size));
    let tree = unpacked(&binary([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4])).unwrap();
    assert_eq!(fs::read(tree.first("f").unwrap()).unwrap(), b"text");
    assert!(unpacked(&binary([0x80, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0])).is_err());
}

#[test]
fn a_cut_archive_is_refused() {
    let whole = tarball(&[("manifest.yaml", FILE, "text")]);
    for length in [0, 100, 512, 600, 1024, 1536] {
        assert!(unpacked(&whole[..length]).is_err(), "{length}");
    }
    let zipped = gzip::tests::gzip(&whole);
    assert!(unpack(&Linux::new(), "m.tgz", &mut gzip::Gunzip::new(&mut &*zipped), &Limits::default()).is_ok());
    let mut cut = &zipped[..zipped.len() - 4];
    assert!(
        unpack(&Linux::new(), "m.tgz", &mut gzip::Gunzip::new(&mut cut), &Limits::default())
            .unwrap_err()
            .to_string()
            .contains("truncated")
    );
}

#[test]
fn a_file_where_a_directory_is_cannot_be_unpacked() {
    assert!(refusal(&[("a/b", FILE, ""), ("a", FILE, "")]).contains("write a"));
    assert!(refusal(&[("a", FILE, ""), ("a/b", FILE, "")]).contains("mkdir a"));
}

#[test]
fn damaged_archives_are_unpacked_or_refused_but_always_end() {
    let members = [
        ("d/", EntryType::Directory, ""),
        ("d/manifest.yaml", FILE, "text"),
        ("x", EntryType::XHeader, "12 path=abc\n"),
        ("y", FILE, ""),
    ];
    let whole = tarball(&members);
    let zipped = gzip::tests::gzip(&whole);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
    for _ in 0..400 {
        for bytes in [&whole, &zipped] {
            let mut damaged = bytes.clone();
            for _ in 0..=random(3) {
                let at = random(damaged.len());
                damaged[at] = random(256) as u8;
            }
            damaged.truncate(damaged.len() - if random(4) == 0 { random(600) } else { 0 });
            let _either = unpacked(&damaged);
            let limits = Limits { bytes: 1000, members: 4, depth: 3 };
            let _either = unpack(&Linux::new(), "m.tgz", &mut gzip::Gunzip::new(&mut &*damaged), &limits);
        }
    }
}
