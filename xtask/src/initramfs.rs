//! `cargo xtask initramfs`: the examples for systems that start, in the hands of the real tools.
//!
//! Each tool makes an initramfs of a copy of this system with its example installed. A guest boots it with a disk whose
//! init does nothing but tell what it finds there: that `ccm` was in the image, and ran before the switch to the disk.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::vm::{Guest, PC, folder, init, kernel};
use crate::{Outcome, dist, shell};

/// A tool that makes initramfs images.
struct Tool {
    name: &'static str,
    /// The program that must be there, and how it gets there.
    program: &'static str,
    brings: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "initramfs-tools",
        program: "mkinitramfs",
        brings: "apt-get install initramfs-tools-core busybox-static",
    },
    Tool { name: "dracut", program: "dracut", brings: "apt-get install dracut-core" },
];

/// What else is needed.
const PROGRAMS: &[(&str, &str)] = &[
    (PC.qemu, PC.brings),
    ("unshare", "util-linux"),
    ("depmod", "kmod"),
    ("udevadm", "udev"),
    ("cpio", "cpio"),
    ("mke2fs", "e2fsprogs"),
];

/// What the console must show: the file of the example in place of the one of the disk, the disk as it was mounted.
const SHOWS: &[&str] =
    &["== /etc/motd mode 0644: Prepared by ccm before the system started.", "== /: Read-only file system", "== done"];

/// How `tests/vm/initramfs.sh` says that it may not mount here.
const NOT_ALLOWED: i32 = 77;

pub fn run(arguments: &[String]) -> Outcome {
    let mut only = Vec::new();
    for pair in arguments.chunks(2) {
        match pair {
            [flag, name] if flag == "--only" && TOOLS.iter().any(|tool| tool.name == name) => only.push(name.as_str()),
            _ => return Err("usage: initramfs [--only initramfs-tools|dracut]…".to_owned()),
        }
    }
    if let Some((program, package)) = PROGRAMS.iter().find(|(program, _)| !shell::have(program)) {
        return Err(format!("needs {program}: apt-get install {package}"));
    }
    let folder = folder(PC)?;
    let kernel = kernel(&folder, PC)?;
    let ccm = dist::build(PC.target()?)?.stripped;
    let disk = disk(&folder)?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for tool in TOOLS.iter().filter(|tool| only.is_empty() || only.contains(&tool.name)) {
        if !shell::have(tool.program) {
            println!("{}: not tried, {} is missing: {}", tool.name, tool.program, tool.brings);
            skipped += 1;
            continue;
        }
        let started = Instant::now();
        let image = folder.join(format!("{}.img", tool.name));
        if !made(tool, &ccm, &folder.join("out"), &image)? {
            println!("{}: not tried, only root may mount, and not everywhere", tool.name);
            skipped += 1;
            continue;
        }
        // The disk is the guest's own: nothing that it writes stays.
        let drive = format!("file={},format=raw,if=virtio,snapshot=on", disk.display());
        let guest = Guest { machine: PC, memory: "256", kernel: &kernel, initramfs: &image };
        let console = guest.boot("root=/dev/vda ro", &["-drive", &drive])?;
        fs::write(folder.join(format!("{}.log", tool.name)), &console).map_err(|error| error.to_string())?;
        let lacking: Vec<&&str> = SHOWS.iter().filter(|text| !console.contains(**text)).collect();
        if lacking.is_empty() {
            passed += 1;
            let size = fs::metadata(&image).map_or(0, |meta| meta.len());
            println!("{}: as wanted, {} s, {size} bytes", tool.name, started.elapsed().as_secs());
        } else {
            failed += 1;
            println!("{}: the console lacks {lacking:?}\n{console}", tool.name);
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { Ok(()) } else { Err("some systems did not start as wanted".to_owned()) }
}

/// Has a tool make its image; whether it was allowed to.
fn made(tool: &Tool, ccm: &Path, kernel: &Path, image: &Path) -> Result<bool, String> {
    let root = shell::root();
    let mut command = Command::new("unshare");
    command.args(["-m", "sh"]).arg(root.join("tests/vm/initramfs.sh")).arg(tool.name).arg(ccm);
    let output = command.arg(root.join("examples")).arg(kernel).arg(image).output();
    let output = output.map_err(|error| format!("unshare: {error}"))?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(NOT_ALLOWED) => Ok(false),
        // unshare itself was refused.
        Some(1) if output.stderr.starts_with(b"unshare:") => Ok(false),
        _ => Err(format!("{}: {}", tool.name, String::from_utf8_lossy(&output.stderr))),
    }
}

/// A disk with a system that is one program, and a file for ccm to replace.
fn disk(folder: &Path) -> Result<std::path::PathBuf, String> {
    let text = |error: std::io::Error| error.to_string();
    let (root, disk) = (folder.join("disk"), folder.join("disk.img"));
    for name in ["dev", "proc", "sys", "run", "tmp", "etc", "sbin"] {
        fs::create_dir_all(root.join(name)).map_err(text)?;
    }
    fs::copy(init(folder, PC.target()?)?, root.join("sbin/init")).map_err(text)?;
    fs::write(root.join("etc/motd"), "Not prepared.\n").map_err(text)?;
    let _none = fs::remove_file(&disk);
    shell::output(Command::new("mke2fs").args(["-q", "-t", "ext4", "-d"]).arg(&root).arg(&disk).arg("16M"))?;
    Ok(disk)
}
