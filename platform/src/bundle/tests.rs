use super::*;
use crate::support::Folder;

fn key(seed: u8) -> SecretKey {
    SecretKey::new([seed; 32], [seed; 8])
}

/// A bundle of two files, in a folder.
fn made(folder: &Folder) -> Vec<u8> {
    std::fs::create_dir_all(folder.path("site/files")).unwrap();
    folder.file("site/manifest.yaml", "ccm: {}\n");
    folder.file("site/files/motd", vec![b'x'; 700]);
    let (from, output) = (folder.path("site"), folder.path("site.ccm"));
    let plan = Plan { folder: &from, output: &output, name: None, version: Some(7) };
    create(&Linux::new(), &plan, &key(1)).unwrap();
    std::fs::read(output).unwrap()
}

fn verified(bytes: &[u8]) -> Result<Seal> {
    verify(&Linux::new(), "site.ccm", &mut { bytes }, &[key(2).public(), key(1).public()])
}

#[test]
fn what_was_made_is_verified_and_unpacked() {
    let folder = Folder::new();
    let bytes = made(&folder);
    assert!(begins(&bytes));
    let seal = Seal { name: "site".into(), version: 7, key: key(1).public().id, files: 2 };
    assert_eq!(verified(&bytes).unwrap(), seal);
    let (tree, unpacked) = unpack(&Linux::new(), "site.ccm", &mut &*bytes, &[key(1).public()]).unwrap();
    assert_eq!(unpacked, seal);
    assert_eq!(std::fs::read(tree.folder().join("files/motd")).unwrap(), vec![b'x'; 700]);
    assert_eq!(made(&Folder::new()), bytes, "the same folder gives the same bytes");
}

/// Headers, digests, the signature and its base64: on a machine of either byte order.
#[test]
fn a_bundle_has_the_same_bytes_on_every_machine() {
    let sum: String = Sha256::digest(made(&Folder::new())).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(sum, "881fdc45d611ba9ead5d6c065a815ff7a59ce141d0eb3a85c1456a88b5eef625");
}

#[test]
fn a_bundle_changed_or_cut_anywhere_is_refused() {
    let bytes = made(&Folder::new());
    for at in (0..bytes.len()).step_by(7).chain(0..600) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        // The untrusted comment of the signature is the one thing that nobody vouches for.
        let comment = bytes.windows(18).position(|window| window == b"untrusted comment:").unwrap() + 19;
        let line = bytes[comment..].iter().position(|byte| *byte == b'\n').unwrap();
        if !(comment..comment + line).contains(&at) {
            assert!(verified(&changed).is_err(), "{at}: {:?}", bytes[at].escape_ascii().to_string());
        }
        assert!(verified(&bytes[..at]).is_err(), "{at}");
    }
}

#[test]
fn what_is_not_listed_is_refused() {
    let bytes = made(&Folder::new());
    let mut longer = bytes[..bytes.len() - 1024].to_vec();
    longer.extend(header("extra", 0, 0o644).unwrap());
    longer.extend([0; 1024]);
    assert!(verified(&longer).unwrap_err().to_string().contains("does not list"));
    let behind = [bytes.as_slice(), &header("extra", 0, 0o644).unwrap()].concat();
    assert!(verified(&behind).unwrap_err().to_string().contains("does not list"));
    assert!(verified(&[bytes.as_slice(), &[0; 5000]].concat()).is_ok(), "tar pads to its own block size");
}

#[test]
fn a_key_that_is_not_trusted_is_named() {
    let bytes = made(&Folder::new());
    let error = verify(&Linux::new(), "b", &mut &*bytes, &[key(2).public()]).unwrap_err().to_string();
    assert!(error.contains("0101010101010101") && error.contains("0202020202020202"), "{error}");
    // Another pair with the same number.
    let forged = SecretKey::new([9; 32], [1; 8]);
    let error = verify(&Linux::new(), "b", &mut &*bytes, &[forged.public()]).unwrap_err().to_string();
    assert!(error.contains("not that of key"), "{error}");
}

#[test]
fn the_next_version_is_counted_from_the_bundle_that_is_replaced() {
    let folder = Folder::new();
    made(&folder);
    let (from, output) = (folder.path("site"), folder.path("site.ccm"));
    let plan = Plan { folder: &from, output: &output, name: None, version: None };
    assert_eq!(create(&Linux::new(), &plan, &key(1)).unwrap().version, 8);
    assert!(create(&Linux::new(), &plan, &key(2)).is_err(), "somebody else's bundle");
    std::os::unix::fs::symlink("x", folder.path("site/link")).unwrap();
    assert!(create(&Linux::new(), &plan, &key(1)).unwrap_err().to_string().contains("site/link"));
}
