//! `cargo xtask packages`: our packages in the hands of the real package managers.
//!
//! Each installs one version into a root of its own, runs it, upgrades to a later one and removes it. `dpkg` is part of
//! Debian; `opkg` and `apk` are taken from the path where they are there, and said to be missing otherwise.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::{Release, package};
use crate::{Outcome, dist, shell};

/// A package manager: the ending of what it installs, and its commands for a root.
struct Manager {
    program: &'static str,
    ending: &'static str,
    command: fn(&Path) -> Command,
    prepare: fn(&Path) -> std::io::Result<()>,
    install: &'static [&'static str],
    list: &'static [&'static str],
    remove: &'static [&'static str],
}

const MANAGERS: &[Manager] = &[
    Manager {
        program: "dpkg",
        ending: ".deb",
        command: |root| {
            let mut command = Command::new("dpkg");
            command.arg(format!("--root={}", root.display())).args(["--force-not-root", "--log=/dev/null"]);
            command
        },
        prepare: |root| {
            for folder in ["var/lib/dpkg/info", "var/lib/dpkg/updates"] {
                fs::create_dir_all(root.join(folder))?;
            }
            fs::write(root.join("var/lib/dpkg/status"), "")?;
            fs::write(root.join("var/lib/dpkg/available"), "")
        },
        install: &["--install"],
        list: &["--listfiles", "ccm"],
        remove: &["--purge", "ccm"],
    },
    Manager {
        program: "opkg",
        ending: ".ipk",
        command: |root| {
            let mut command = Command::new("opkg");
            command.arg("-f").arg(root.join("etc/opkg.conf")).arg("-o").arg(root);
            command
        },
        prepare: |root| {
            for folder in ["etc", "tmp", "var/lock", "usr/lib/opkg"] {
                fs::create_dir_all(root.join(folder))?;
            }
            fs::write(root.join("etc/opkg.conf"), "dest root /\narch all 1\narch x86_64 10\nlists_dir ext /tmp/lists\n")
        },
        install: &["install"],
        list: &["files", "ccm"],
        remove: &["remove", "ccm"],
    },
    Manager {
        program: "apk",
        ending: ".apk",
        command: |root| {
            let mut command = Command::new("apk");
            command.args(["--arch", "x86_64", "--no-network", "--root"]).arg(root);
            command
        },
        prepare: |root| fs::create_dir_all(root),
        install: &["add", "--allow-untrusted", "--initdb"],
        list: &["info", "-L", "ccm"],
        remove: &["del", "ccm"],
    },
];

pub fn run() -> Outcome {
    let binary = fs::read(dist::static_binary()?).map_err(|error| error.to_string())?;
    let folder = shell::root().join("target/packages");
    let now = dist::release()?;
    let later = Release { version: format!("{}.1", now.version), time: now.time, extras: now.extras.clone() };
    let targets = dist::targets(&["x86_64-unknown-linux-musl".to_owned()])?;
    let target = targets.first().ok_or("no such target")?;
    for release in [&now, &later] {
        let out = folder.join(&release.version);
        fs::create_dir_all(&out).map_err(|error| error.to_string())?;
        package::all(release, target, &binary, &out)?;
    }
    let (mut passed, mut failed, mut missing) = (0, 0, 0);
    for manager in MANAGERS {
        if !shell::have(manager.program) {
            missing += 1;
            println!("{}: not on this machine", manager.program);
            continue;
        }
        match life(manager, &folder, &now, &later) {
            Ok(version) => {
                passed += 1;
                println!("{}: installed, ran, upgraded, removed ({})", manager.program, version.trim());
            }
            Err(reason) => {
                failed += 1;
                println!("{}: {reason}", manager.program);
            }
        }
    }
    println!("{passed} passed, {failed} failed, {missing} skipped");
    if failed == 0 { Ok(()) } else { Err("a package manager refuses our package".to_owned()) }
}

/// Installed, upgraded and removed in an empty root; what the manager calls itself.
fn life(manager: &Manager, folder: &Path, now: &Release, later: &Release) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    let root = folder.join(manager.program);
    let _nothing_there = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).map_err(text)?;
    (manager.prepare)(&root).map_err(text)?;
    let call = |words: &[&str], package: Option<PathBuf>| {
        shell::output((manager.command)(&root).args(words).args(package.iter()))
    };
    let ccm = root.join("usr/bin/ccm");
    for release in [now, later] {
        call(manager.install, Some(made(&folder.join(&release.version), manager.ending)?))?;
        shell::output(Command::new(&ccm).arg("--version"))?;
        let listed = call(manager.list, None)?;
        if !listed.contains("usr/bin/ccm") {
            return Err(format!("does not know its files: {listed}"));
        }
    }
    call(manager.remove, None)?;
    if ccm.exists() {
        return Err("left the program behind".to_owned());
    }
    shell::output(Command::new(manager.program).arg("--version"))
        .map(|said| said.lines().next().unwrap_or("").to_owned())
}

/// The package of this ending that was made in a folder.
fn made(folder: &Path, ending: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let found = entries.flatten().map(|entry| entry.path()).find(|path| path.to_string_lossy().ends_with(ending));
    found.ok_or_else(|| format!("no {ending} was made"))
}
