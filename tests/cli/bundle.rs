//! Signed bundles from end to end: made, verified, applied, and refused.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::call::{Ended, command, ended};
use super::support::Folder;

/// Runs as a user, whose keys, policy and state lie in the folder; root would use those of the machine.
fn user(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = command(folder, arguments);
    command.env("XDG_CONFIG_HOME", folder.path("config")).env("XDG_STATE_HOME", folder.path("state"));
    if is_root(folder) {
        command.uid(65534).gid(65534);
    }
    command.stdin(Stdio::null());
    command
}

fn is_root(folder: &Folder) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder.file("probe", "")).unwrap().uid() == 0
}

fn ccm(folder: &Folder, arguments: &[&str]) -> Ended {
    ended(user(folder, arguments).output().unwrap())
}

#[track_caller]
fn well(folder: &Folder, line: &str) -> String {
    let ended = ccm(folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!(ended.code, 0, "{line}: {}{}", ended.stdout, ended.stderr);
    ended.stdout
}

#[track_caller]
fn refused(folder: &Folder, line: &str, why: &str) {
    let ended = ccm(folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{line}");
    assert!(ended.stderr.contains(why), "{line}: {}", ended.stderr);
}

/// A folder with keys `s` and `p`, a site that runs a nested manifest, and version 1 of its bundle.
fn site() -> Folder {
    let folder = Folder::new();
    if is_root(&folder) {
        std::os::unix::fs::chown(folder.path(""), Some(65534), Some(65534)).unwrap();
    }
    for directory in ["site/web", "config/choria/ccm/keys"] {
        std::fs::create_dir_all(folder.path(directory)).unwrap();
    }
    folder
        .file("site/manifest.yaml", "ccm: {resources: [apply: {name: web/inner.yaml}, exec: {name: /bin/echo one}]}\n");
    folder.file("site/web/inner.yaml", "ccm: {resources: [exec: {name: /bin/echo two}]}\n");
    assert!(well(&folder, "bundle keygen -s s -p p").starts_with("key "));
    well(&folder, "bundle create site -o site.ccm --key s");
    folder
}

fn trust(folder: &Folder) {
    std::fs::write(folder.path("config/choria/ccm/keys/site.pub"), std::fs::read(folder.path("p")).unwrap()).unwrap();
}

#[test]
fn a_bundle_is_made_verified_and_applied() {
    let folder = site();
    assert!(well(&folder, "bundle verify site.ccm --key p").starts_with("site version 1, 2 files, signed with key "));
    assert!(well(&folder, "apply site.ccm --key p").contains("Changed Resources: "));
    refused(&folder, "apply site.ccm", "trusted is none");
    trust(&folder);
    well(&folder, "bundle verify site.ccm");
    well(&folder, "apply site.ccm");
    let mut piped = user(&folder, &["apply", "-"]);
    piped.stdin(std::fs::File::open(folder.path("site.ccm")).unwrap());
    assert_eq!(ended(piped.output().unwrap()).code, 0);
    let left: Vec<String> = folder.names().into_iter().filter(|name| name.starts_with("manifest-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_older_bundle_is_refused_unless_it_is_asked_for() {
    let folder = site();
    trust(&folder);
    std::fs::copy(folder.path("site.ccm"), folder.path("old.ccm")).unwrap();
    assert!(well(&folder, "bundle create site -o site.ccm --key s").contains("site version 2"));
    well(&folder, "apply --noop site.ccm");
    well(&folder, "apply old.ccm");
    well(&folder, "apply site.ccm");
    assert_eq!(std::fs::read_to_string(folder.path("state/ccm/bundles/site")).unwrap(), "2\n");
    refused(&folder, "apply old.ccm", "version 1 of bundle site is older than version 2");
    refused(&folder, "apply --noop old.ccm", "--allow-rollback");
    well(&folder, "apply site.ccm");
    well(&folder, "apply old.ccm --allow-rollback");
    assert_eq!(std::fs::read_to_string(folder.path("state/ccm/bundles/site")).unwrap(), "1\n");
}

#[test]
fn what_was_tampered_with_is_refused_before_it_is_read() {
    let folder = site();
    let bytes = std::fs::read(folder.path("site.ccm")).unwrap();
    let replaced = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).rposition(|window| window == from.as_bytes()).unwrap();
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        folder.file("bad.ccm", bytes);
    };
    replaced("/bin/echo two", "/bin/echo 2wo");
    refused(&folder, "apply bad.ccm --key p", "web/inner.yaml is not what was signed");
    replaced("version 1\nfile", "version 9\nfile");
    refused(&folder, "apply bad.ccm --key p", "its signature is not that of key");
    let mut longer = bytes[..bytes.len() - 1024].to_vec();
    longer.extend_from_slice(&bytes[..512]);
    longer.extend([0; 1024]);
    folder.file("bad.ccm", longer);
    refused(&folder, "apply bad.ccm --key p", "does not list");
    folder.file("bad.ccm", &bytes[..bytes.len() - 600]);
    refused(&folder, "apply bad.ccm --key p", "truncated");
    folder.file("bad.ccm", "ccm: {resources: []}\n".repeat(30));
    refused(&folder, "apply bad.ccm --key p", "no bundle");
    well(&folder, "bundle keygen -s s2 -p p2");
    refused(&folder, "apply site.ccm --key p2", "signed with key");
    refused(&folder, "bundle keygen -s s -p other", "exists already");
}

#[test]
fn a_policy_demands_signatures_of_everything_but_what_was_signed() {
    let folder = site();
    trust(&folder);
    folder.file("config/choria/ccm/policy.yaml", "require_signature: true\n");
    refused(&folder, "apply site/manifest.yaml", "only signed bundles");
    refused(&folder, "apply --render site/manifest.yaml", "only signed bundles");
    well(&folder, "apply site.ccm");
    folder.file(
        "site/manifest.yaml",
        format!("ccm: {{resources: [apply: {{name: {}}}]}}\n", folder.path("site/web/inner.yaml")),
    );
    well(&folder, "bundle create site -o site.ccm --key s");
    let outside = ccm(&folder, &["apply", "site.ccm"]);
    assert!(outside.code == 4 && outside.stdout.contains("only signed bundles"), "{}", outside.stdout);
    folder.file("config/choria/ccm/policy.yaml", "require_signatures: true\n");
    refused(&folder, "apply site.ccm", "policy.yaml");
    std::fs::remove_file(folder.path("config/choria/ccm/policy.yaml")).unwrap();
    refused(&folder, "apply site/manifest.yaml --key p", "only signed bundles");
}

/// minisign itself, where it is installed, reads our keys and signatures, and we read its own.
#[test]
fn minisign_and_ccm_read_each_other() {
    let folder = site();
    let minisign = |line: &str| {
        let output = Command::new("minisign").args(line.split(' ')).current_dir(folder.path("")).output().ok()?;
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        Some(())
    };
    Command::new("tar").args(["-xf", "site.ccm"]).current_dir(folder.path("")).status().unwrap();
    if minisign("-V -p p -m bundle.index").is_none() {
        return;
    }
    minisign("-S -s s -m probe");
    minisign("-V -p p -m probe");
    // It asks for no password with -W, and wants no answer.
    minisign("-G -W -s ms -p mp");
    if is_root(&folder) {
        std::os::unix::fs::chown(folder.path("ms"), Some(65534), None).unwrap();
    }
    well(&folder, "bundle create site -o other.ccm --key ms --name web --counter 5");
    assert!(well(&folder, "bundle verify other.ccm --key mp").starts_with("web version 5, "));
}

#[test]
fn the_page_about_bundles_does_what_it_says() {
    let folder = site();
    std::fs::remove_file(folder.path("site.ccm")).unwrap();
    let page = include_str!("../../docs/bundles.md");
    let calls: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ ccm ")).collect();
    assert_eq!(calls.len(), 5);
    for call in calls {
        well(&folder, call);
    }
}
