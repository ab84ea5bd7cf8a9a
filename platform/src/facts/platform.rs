//! Which distribution this is, by the files that distributions leave; the first that says something counts.

use super::Roots;

/// A distribution; empty texts where nothing tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Distribution {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) family: String,
}

pub(super) fn detect(roots: &Roots) -> Distribution {
    let release = OsRelease::read(roots);
    let (name, version) = named(roots, &release).unwrap_or_default();
    let family = family(&name).or_else(|| release.get("ID_LIKE").split(' ').find_map(family)).unwrap_or_default();
    Distribution { name, version, family: family.to_owned() }
}

/// Name and version.
fn named(roots: &Roots, release: &OsRelease) -> Option<(String, String)> {
    let said = |file: &str| roots.etc(file).filter(|text| !text.trim().is_empty());
    for file in ["oracle-release", "enterprise-release"] {
        if let Some(text) = said(file) {
            return Some(("oracle".to_owned(), version_of(&text)));
        }
    }
    if let Some(text) = said("slackware-version") {
        return Some(("slackware".to_owned(), first_line(&text).to_ascii_lowercase().replace("slackware ", "")));
    }
    if let Some(text) = said("debian_version") {
        return Some(debian(roots, release, &text));
    }
    for file in ["neokylin-release", "redhat-release", "system-release"] {
        if let Some(text) = said(file) {
            return Some((red_hat(&text), version_of(&text)));
        }
    }
    if let Some(text) = said("gentoo-release") {
        return Some(("gentoo".to_owned(), version_of(&text)));
    }
    if let Some(text) = said("SuSE-release") {
        return Some(suse(&text));
    }
    if said("arch-release").is_some() {
        return Some((
            "arch".to_owned(),
            OsRelease::parse(&said("lsb-release").unwrap_or_default()).get("DISTRIB_RELEASE").to_owned(),
        ));
    }
    if let Some(text) = said("alpine-release") {
        return Some(("alpine".to_owned(), first_line(&text).to_owned()));
    }
    by_release_files(roots, release)
}

/// What `os-release` says, or the files from before there was one.
fn by_release_files(roots: &Roots, release: &OsRelease) -> Option<(String, String)> {
    let pair =
        |release: &OsRelease, name, version| (release.get(name).to_ascii_lowercase(), release.get(version).to_owned());
    let (name, version) = match release.get("ID") {
        "" => ["lsb-release", "openwrt_release"].iter().find_map(|file| {
            let found = pair(&OsRelease::parse(&roots.etc(file)?), "DISTRIB_ID", "DISTRIB_RELEASE");
            Some(found).filter(|(name, _)| !name.is_empty())
        })?,
        "amzn" => ("amazon".to_owned(), release.get("VERSION_ID").to_owned()),
        name => (name.to_owned(), release.get("VERSION_ID").to_owned()),
    };
    Some((name, version))
}

/// Debian, or one of those that kept its file and tell their own name elsewhere.
fn debian(roots: &Roots, release: &OsRelease, text: &str) -> (String, String) {
    let lsb = OsRelease::parse(&roots.etc("lsb-release").unwrap_or_default());
    let own = match lsb.get("DISTRIB_ID") {
        "Ubuntu" => "ubuntu",
        "LinuxMint" => "linuxmint",
        "Kylin" => "Kylin",
        id if id.contains("Cumulus") => "cumuluslinux",
        "uos" => "uos",
        "Deepin" => "Deepin",
        _ => "",
    };
    if !own.is_empty() {
        return (own.to_owned(), lsb.get("DISTRIB_RELEASE").to_owned());
    }
    // Small images leave lsb-release out.
    if let id @ ("ubuntu" | "linuxmint") = release.get("ID") {
        return (id.to_owned(), release.get("VERSION_ID").to_owned());
    }
    let raspbian = std::fs::metadata(format!("{}/usr/bin/raspi-config", roots.root)).is_ok();
    (if raspbian { "raspbian" } else { "debian" }.to_owned(), first_line(text).to_owned())
}

fn red_hat(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    if text.contains("red hat") { "redhat".to_owned() } else { text.split_whitespace().next().unwrap_or("").to_owned() }
}

/// The version after `release `.
fn version_of(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    if text.contains("rawhide") {
        return "rawhide".to_owned();
    }
    let after = text.split_once("release ").map_or("", |(_, after)| after);
    after[..after.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(after.len())].to_owned()
}

fn suse(text: &str) -> (String, String) {
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.split_once('=').filter(|(key, _)| key.trim() == name));
        line.map(|(_, value)| value.trim().to_owned())
    };
    let name = if text.to_ascii_lowercase().contains("opensuse") { "opensuse" } else { "suse" };
    let version = [value("VERSION"), value("PATCHLEVEL")].into_iter().flatten().collect::<Vec<_>>().join(".");
    (name.to_owned(), version)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("").trim()
}

/// The family of a distribution, or of one it says it is like.
fn family(name: &str) -> Option<&'static str> {
    Some(match name {
        "debian" | "ubuntu" | "linuxmint" | "raspbian" | "Kylin" | "cumuluslinux" | "uos" | "Deepin" => "debian",
        "fedora" => "fedora",
        "oracle"
        | "centos"
        | "redhat"
        | "rhel"
        | "scientific"
        | "enterpriseenterprise"
        | "amazon"
        | "xenserver"
        | "cloudlinux"
        | "ibm_powerkvm"
        | "rocky"
        | "almalinux" => "rhel",
        "suse"
        | "opensuse"
        | "opensuse-leap"
        | "opensuse-tumbleweed"
        | "opensuse-tumbleweed-kubic"
        | "sles"
        | "sled"
        | "caasp" => "suse",
        "gentoo" => "gentoo",
        "slackware" => "slackware",
        "arch" => "arch",
        "exherbo" => "exherbo",
        "alpine" => "alpine",
        "coreos" => "coreos",
        "solus" => "solus",
        "neokylin" => "neokylin",
        "anolis" => "anolis",
        "openwrt" | "lede" => "openwrt",
        _ => return None,
    })
}

/// Lines of `NAME=value`, the value perhaps in quotes of either kind.
pub(super) struct OsRelease(Vec<(String, String)>);

impl OsRelease {
    pub(super) fn read(roots: &Roots) -> Self {
        let text = roots.etc("os-release").or_else(|| super::text(&format!("{}/usr/lib/os-release", roots.root)));
        Self::parse(&text.unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let (name, value) = line.trim().split_once('=')?;
            let quoted = |quote| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
            let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
            Some((name.to_owned(), value.to_owned()))
        };
        Self(text.lines().filter(|text| !text.starts_with('#')).filter_map(line).collect())
    }

    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn red_hat_style_files_name_and_number() {
        let text = "Red Hat Enterprise Linux release 9.3 (Plow)";
        assert_eq!((red_hat(text).as_str(), version_of(text).as_str()), ("redhat", "9.3"));
        assert_eq!(version_of("Fedora release 41 (Rawhide)"), "rawhide");
        assert_eq!(version_of("nothing"), "");
    }

    #[test]
    fn suse_has_its_version_in_two_lines() {
        let text = "SUSE Linux Enterprise Server 11 (x86_64)\nVERSION = 11\nPATCHLEVEL = 4\n";
        assert_eq!(suse(text), ("suse".to_owned(), "11.4".to_owned()));
    }

    #[test]
    fn quotes_of_both_kinds_are_stripped() {
        let release = OsRelease::parse("# image\nID='buildroot'\nNAME=\"B\"\nVERSION_ID=1\n\0\n");
        assert_eq!((release.get("ID"), release.get("NAME"), release.get("VERSION_ID")), ("buildroot", "B", "1"));
    }
}
