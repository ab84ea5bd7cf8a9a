//! Packages for those who install with a package manager.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::archive::{Entry, Style, ar, gzip, tar};
use super::{Release, Target, hex, write};
use crate::Outcome;

const SUMMARY: &str = "Configuration manager in one small static binary";
const MAINTAINER: &str = "ccm developers <ccm@localhost>";
const DEBIAN: Style = Style { dotted: true, alpine_sums: false, ends: true };

/// A tarball, a `.deb`, an `.ipk` and an `.apk`.
pub fn all(release: &Release, target: &Target, binary: &[u8], out: &Path) -> Outcome {
    let name = |suffix: &str| out.join(format!("ccm-{}-{}{suffix}", release.version, target.triple));
    write(&name(".tar.gz"), &tarball(release, target, binary), 0o644)?;
    write(&out.join(format!("ccm_{}_{}.deb", release.version, target.debian)), &deb(release, target, binary), 0o644)?;
    write(&out.join(format!("ccm_{}_{}.ipk", release.version, target.openwrt)), &ipk(release, target, binary), 0o644)?;
    write(&out.join(format!("ccm-{}-r0.{}.apk", release.version, target.alpine)), &apk(release, target, binary), 0o644)
}

fn with_binary(release: &Release, binary: &[u8]) -> Vec<Entry> {
    let mut entries = release.extras.clone();
    entries.push(Entry { path: "usr/bin/ccm".into(), mode: 0o755, data: binary.to_vec() });
    entries
}

/// One folder with everything in it, for machines without a package manager.
fn tarball(release: &Release, target: &Target, binary: &[u8]) -> Vec<u8> {
    let top = format!("ccm-{}-{}", release.version, target.triple);
    let mut entries: Vec<Entry> = with_binary(release, binary);
    for entry in &mut entries {
        let name = match &*entry.path {
            "usr/bin/ccm" => "ccm",
            "usr/share/doc/ccm/copyright" => "LICENSE",
            "usr/share/doc/ccm/README.md" => "README.md",
            "usr/share/bash-completion/completions/ccm" => "completions/ccm.bash",
            other => match other.rsplit_once('/') {
                Some((folder, file)) if folder.contains("completions") => &format!("completions/{file}"),
                Some((_, file)) => file,
                None => other,
            },
        };
        entry.path = format!("{top}/{name}");
    }
    gzip(&tar(&entries, release.time, Style { dotted: false, alpine_sums: false, ends: true }))
}

/// Kibibytes that the files take when installed.
fn installed(entries: &[Entry]) -> usize {
    entries.iter().map(|entry| entry.data.len().div_ceil(1024)).sum()
}

fn deb(release: &Release, target: &Target, binary: &[u8]) -> Vec<u8> {
    let entries = with_binary(release, binary);
    let control = format!(
        "Package: ccm\nVersion: {}\nArchitecture: {}\nMaintainer: {MAINTAINER}\nInstalled-Size: {}\nSection: admin\n\
         Priority: optional\nDescription: {SUMMARY}\n Brings a machine to the state that a YAML manifest describes, on \
         systems\n where larger tools do not fit or do not start.\n",
        release.version,
        target.debian,
        installed(&entries)
    );
    let control = [Entry { path: "control".into(), mode: 0o644, data: control.into_bytes() }];
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzip(&tar(&control, release.time, DEBIAN))),
        ("data.tar.gz", gzip(&tar(&entries, release.time, DEBIAN))),
    ];
    ar(&members, release.time)
}

/// OpenWrt: as Debian's, in a tarball instead of an ar archive, and only the binary, since flash is small.
fn ipk(release: &Release, target: &Target, binary: &[u8]) -> Vec<u8> {
    let entries = [Entry { path: "usr/bin/ccm".into(), mode: 0o755, data: binary.to_vec() }];
    let control = format!(
        "Package: ccm\nVersion: {}\nDepends:\nSource: ccm\nLicense: Apache-2.0\nSection: admin\nArchitecture: {}\n\
         Maintainer: {MAINTAINER}\nInstalled-Size: {}\nDescription: {SUMMARY}\n",
        release.version,
        target.openwrt,
        binary.len()
    );
    let control = [Entry { path: "control".into(), mode: 0o644, data: control.into_bytes() }];
    let member = |path: &str, data: Vec<u8>| Entry { path: path.into(), mode: 0o644, data };
    let members = [
        member("debian-binary", b"2.0\n".to_vec()),
        member("control.tar.gz", gzip(&tar(&control, release.time, DEBIAN))),
        member("data.tar.gz", gzip(&tar(&entries, release.time, DEBIAN))),
    ];
    gzip(&tar(&members, release.time, DEBIAN))
}

/// Alpine: two gzip streams one after the other. Not signed, so it is installed with `--allow-untrusted`.
fn apk(release: &Release, target: &Target, binary: &[u8]) -> Vec<u8> {
    let entries = with_binary(release, binary);
    let data = gzip(&tar(&entries, release.time, Style { dotted: false, alpine_sums: true, ends: true }));
    let info = format!(
        "pkgname = ccm\npkgver = {}-r0\npkgdesc = {SUMMARY}\nbuilddate = {}\n\
         packager = {MAINTAINER}\nsize = {}\narch = {}\norigin = ccm\nlicense = Apache-2.0\ndatahash = {}\n",
        release.version,
        release.time,
        installed(&entries) * 1024,
        target.alpine,
        hex(&Sha256::digest(&data))
    );
    let control = [Entry { path: ".PKGINFO".into(), mode: 0o644, data: info.into_bytes() }];
    let mut out = gzip(&tar(&control, release.time, Style { dotted: false, alpine_sums: false, ends: false }));
    out.extend(data);
    out
}
