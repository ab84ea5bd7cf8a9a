//! The examples for systems that start: each is run on a root made of a folder, with stand-ins for the tools of
//! its distribution.

use std::path::Path;
use std::process::Command;

use ccm_core::span::Source;
use ccm_core::value::Value;
use ccm_core::yaml::{self, Limits};

use super::call::{Ended, ended};
use super::support::Folder;

/// The text of an example.
fn example(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)).unwrap()
}

/// A manifest of an example as whoever runs this may apply it: files are his own.
fn own(manifest: &str) -> String {
    use std::os::unix::fs::MetadataExt;
    let folder = Folder::new();
    let stat = std::fs::metadata(folder.file("probe", "")).unwrap();
    let owner = manifest.replace("owner: \"0\"", &format!("owner: \"{}\"", stat.uid()));
    owner.replace("group: \"0\"", &format!("group: \"{}\"", stat.gid()))
}

/// A machine in a folder: `bin` with ccm and a `mount` that notes what it was asked for, `host/etc/ccm` with the site,
/// an empty initramfs, and the root that it starts.
fn machine() -> Folder {
    let folder = Folder::new();
    for directory in ["bin", "host/etc/ccm", "initramfs/etc", "new_root/etc"] {
        std::fs::create_dir_all(folder.path(directory)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ccm"), folder.path("bin/ccm")).unwrap();
    program(&folder, "mount", &format!("echo \"$*\" >>{}", folder.path("mounts")));
    program(&folder, "logger", "true");
    folder.file("host/etc/ccm/early.yaml", own(&example("early/early.yaml")));
    folder
}

/// A script on the machine's PATH. `sh` is asked to run it, so that it is never written and started at once.
fn program(folder: &Folder, name: &str, does: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.file(&format!("bin/{name}"), format!("#!/bin/sh\n{does}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn shell(folder: &Folder, shell: &str, script: &str) -> Ended {
    let mut command = Command::new(shell);
    command.args(["-c", script]).current_dir(folder.path("")).env_clear();
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.path("bin"))).env("TMPDIR", folder.path(""));
    command.env("XDG_RUNTIME_DIR", folder.path("")).env("rootmnt", folder.path("new_root"));
    ended(command.env("NEWROOT", folder.path("new_root")).env("DESTDIR", folder.path("initramfs")).output().unwrap())
}

#[track_caller]
fn well(folder: &Folder, with: &str, script: &str) {
    let ended = shell(folder, with, script);
    assert!(ended.code == 0 && !ended.stderr.contains("ccm:"), "{}{}", ended.stdout, ended.stderr);
}

#[track_caller]
fn prepared(folder: &Folder, remounts: usize) {
    let motd = std::fs::read_to_string(folder.path("new_root/etc/motd")).unwrap();
    assert_eq!(motd, "Prepared by ccm before the system started.\n");
    assert_eq!(std::fs::read_to_string(folder.path("mounts")).unwrap().lines().count(), remounts);
}

#[test]
fn every_script_is_one() {
    for (name, shell) in [
        ("initramfs-tools/hook", "sh"),
        ("initramfs-tools/init-bottom", "sh"),
        ("dracut/module-setup.sh", "bash"),
        ("dracut/ccm-apply.sh", "sh"),
        ("mkinitcpio/install", "bash"),
        ("mkinitcpio/hook", "sh"),
        ("openwrt/uci-defaults", "sh"),
    ] {
        let output = Command::new(shell).args(["-n", "-c", &example(name)]).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn initramfs_tools_carries_ccm_and_applies_the_site() {
    let folder = machine();
    let functions =
        folder.file("functions", "copy_exec() { mkdir -p \"$DESTDIR/usr/bin\"; cp \"$1\" \"$DESTDIR$2\"; }\n");
    let hook = example("initramfs-tools/hook").replace("/usr/share/initramfs-tools/hook-functions", &functions);
    well(&folder, "sh", &hook.replace("\"/$directory", "\"host/$directory"));
    assert!(Path::new(&folder.path("initramfs/usr/bin/ccm")).is_file());
    let boot = example("initramfs-tools/init-bottom").replace("/etc/ccm", &folder.path("initramfs/etc/ccm"));
    well(&folder, "sh", &boot);
    prepared(&folder, 2);
}

#[test]
fn a_boot_goes_on_when_the_site_fails() {
    let folder = machine();
    let boot = example("initramfs-tools/init-bottom").replace("/etc/ccm", &folder.path("nowhere"));
    let ended = shell(&folder, "sh", &boot);
    assert!(ended.code == 0 && ended.stderr.contains("was not applied as a whole"), "{}", ended.stderr);
}

#[test]
fn dracut_carries_ccm_and_applies_the_site() {
    let folder = machine();
    let (host, initramfs) = (folder.path("host"), folder.path("initramfs"));
    let functions = format!(
        "dracutsysrootdir={host} moddir=/m\nrequire_binaries() {{ command -v \"$1\" >/dev/null; }}\n\
         inst_multiple() {{ for name; do command -v \"$name\" >>installed; done; }}\n\
         inst_simple() {{ mkdir -p \"{initramfs}${{2%/*}}\"; cp \"$1\" \"{initramfs}$2\"; }}\n\
         inst_hook() {{ echo \"$*\" >>installed; }}\n"
    );
    well(&folder, "bash", &format!("{functions}{}\ncheck && depends && install", example("dracut/module-setup.sh")));
    let installed = std::fs::read_to_string(folder.path("installed")).unwrap();
    assert!(installed.contains("bin/ccm\n") && installed.ends_with("pre-pivot 50 /m/ccm-apply.sh\n"), "{installed}");
    let boot = example("dracut/ccm-apply.sh").replace("/etc/ccm", &folder.path("initramfs/etc/ccm"));
    well(&folder, "sh", &format!("{boot}\ntrue"));
    prepared(&folder, 2);
}

#[test]
fn mkinitcpio_carries_ccm_and_applies_the_site() {
    let folder = machine();
    let (host, initramfs) = (folder.path("host"), folder.path("initramfs"));
    let functions = format!(
        "add_binary() {{ command -v \"$1\" >>installed; }}\nadd_runscript() {{ echo runscript >>installed; }}\n\
         add_file() {{ local to=\"{initramfs}${{2#{host}}}\"; mkdir -p \"${{to%/*}}\"; cp \"$1\" \"$to\"; }}\n"
    );
    let install =
        example("mkinitcpio/install").replace("find /etc/ccm /etc", &format!("find {host}/etc/ccm {host}/etc"));
    well(&folder, "bash", &format!("{functions}{install}\nbuild && help"));
    assert!(std::fs::read_to_string(folder.path("installed")).unwrap().ends_with("bin/ccm\nrunscript\n"));
    let hook = example("mkinitcpio/hook").replace("/etc/ccm", &folder.path("initramfs/etc/ccm"));
    well(&folder, "sh", &format!("{}\nrun_latehook", hook.replace("/new_root", &folder.path("new_root"))));
    prepared(&folder, 1);
}

#[test]
fn the_first_boot_of_a_router_ends_with_the_code_of_ccm() {
    let folder = machine();
    let script = example("openwrt/uci-defaults").replace("/tmp/", &folder.path(""));
    let script = script.replace("/etc/ccm", &folder.path("etc"));
    assert_eq!(shell(&folder, "sh", &script).code, 1, "there is no site: it is run again at the next boot");
    std::fs::create_dir_all(folder.path("etc")).unwrap();
    folder.file("etc/site.yaml", "ccm: {resources: [exec: {name: /bin/true}]}\n");
    assert_eq!(shell(&folder, "sh", &script).code, 0);
    let log = std::fs::read_to_string(folder.path("ccm-first-boot.log")).unwrap();
    assert!(log.contains("exec#/bin/true changed"), "{log}");
}

/// What cloud-init would do with the user data: write the files, run the commands.
#[test]
fn the_user_data_of_a_cloud_machine_brings_it_to_its_state() {
    let folder = machine();
    std::fs::create_dir_all(folder.path("etc/ccm")).unwrap();
    let text = example("cloud-init/user-data");
    assert!(text.starts_with("#cloud-config\n"));
    let text = own(&text).replace("/etc/ccm", &folder.path("etc/ccm"));
    let data = yaml::read(&Source::new("user-data", text), &Limits::default()).unwrap().root().to_value();
    let list = |value: &Value, key: &str| -> Vec<Value> {
        match value.as_map().unwrap().get(key) {
            Some(Value::List(list)) => list.iter().cloned().collect(),
            other => panic!("{key}: {other:?}"),
        }
    };
    let text = |value: &Value| match value {
        Value::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    };
    for file in list(&data, "write_files") {
        let file = file.as_map().unwrap();
        std::fs::write(text(file.get("path").unwrap()), text(file.get("content").unwrap())).unwrap();
    }
    // One script of all commands, as cloud-init makes it.
    let mut script = String::new();
    for command in list(&data, "runcmd") {
        script += &match command {
            Value::List(words) => words.iter().map(|word| format!("'{}' ", text(word))).collect(),
            line => text(&line),
        };
        script.push('\n');
    }
    well(&folder, "sh", &script);
    let motd = std::fs::read_to_string(folder.path("etc/ccm/motd")).unwrap();
    assert!(motd.starts_with("Welcome to "), "{motd}");
}

/// cloud-init itself, where it is installed, finds nothing wrong with it.
#[test]
fn cloud_init_accepts_the_user_data() {
    let folder = Folder::new();
    let file = folder.file("user-data", example("cloud-init/user-data"));
    let Ok(output) = Command::new("cloud-init").args(["schema", "--config-file", &file]).output() else { return };
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
}

/// And does with it what the test above supposes. Only root can lend it a system to write to.
#[test]
fn cloud_init_brings_a_machine_to_its_state() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/support/cloud-init.sh");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/cloud-init/user-data");
    if Command::new("cloud-init").arg("--version").output().is_err() {
        return;
    }
    let mut command = Command::new("unshare");
    command.args(["-m", "-u", "sh"]).arg(script).arg(env!("CARGO_BIN_EXE_ccm")).arg(data);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => assert_eq!(said, "Welcome to cloudy.\n"),
        // unshare itself was refused, or the overlay.
        Some(77) => {}
        Some(1) if said.is_empty() => {}
        _ => panic!("{said}{}", String::from_utf8_lossy(&output.stderr)),
    }
}
