//! `cargo xtask vm`: ccm in a machine that holds nothing else.
//!
//! A Debian kernel under qemu-system, an initramfs with a tiny init, `ccm` and a manifest tarball. Each case boots,
//! applies twice and powers off; the console is checked.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::dist::archive::{Entry, Style, gzip, tar};
use crate::{Outcome, shell};

/// One boot: what differs, and what its console must show.
struct Case {
    name: &'static str,
    memory: &'static str,
    extra: &'static [&'static str],
    shows: &'static [&'static str],
}

/// Lines that every case but the read-only one must show.
const WORKS: &[&str] = &[
    "== facts: exit 0",
    "== noop: exit 0",
    "== first: exit 0",
    "Changed Resources: 3",
    "== second: exit 0",
    "Stable Resources: 2",
    "== /etc/motd mode 0644: Managed by ccm on linux",
    "== /etc/app/app.conf mode 0600: listen = 8080",
    "== done",
];

const CASES: &[Case] = &[
    Case { name: "plain", memory: "128", extra: &[], shows: WORKS },
    // Debian's kernel itself does not start with less.
    Case { name: "small", memory: "96", extra: &[], shows: WORKS },
    Case { name: "noproc", memory: "128", extra: &[], shows: WORKS },
    Case { name: "epoch", memory: "128", extra: &["-rtc", "base=1970-01-01T00:00:00"], shows: WORKS },
    Case {
        name: "readonly",
        memory: "128",
        extra: &[],
        shows: &[
            "== facts: exit 0",
            "== noop: exit 0",
            "== first: exit 4",
            "read-only file system",
            "== /etc/motd: absent",
            "== done",
        ],
    },
];

/// How long one boot may take; emulated processors are slow.
const LIMIT: Duration = Duration::from_secs(120);

const MANIFEST: &str = r#"data:
  port: 8000
hierarchy:
  order: ["os:{{ lookup('facts.host.info.os', 'unknown') }}"]
overrides:
  "os:linux": {port: 8080, name: linux}
  "os:unknown": {port: 8080, name: linux}
ccm:
  resources:
    - file:
        - /etc/motd: {ensure: present, content: "Managed by ccm on {{ lookup('data.name', 'linux') }}\n", owner: "0", group: "0", mode: "0644"}
        - /etc/app/app.conf: {ensure: present, parents: true, source: app.conf, owner: "0", group: "0", mode: "0600"}
    - exec:
        - /ccm --version: {}
"#;

pub fn run(arguments: &[String]) -> Outcome {
    let ccm = match arguments {
        [flag, path] if flag == "--ccm" => PathBuf::from(path),
        [] => crate::dist::static_binary()?,
        _ => return Err("usage: vm [--ccm STATIC-BINARY]".to_owned()),
    };
    if !shell::have("qemu-system-x86_64") {
        return Err("needs qemu-system-x86_64: apt-get install qemu-system-x86".to_owned());
    }
    let folder = shell::root().join("target/vm");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let kernel = kernel(&folder)?;
    let initramfs = initramfs(&folder, &ccm)?;
    let (mut passed, mut failed) = (0, 0);
    for case in CASES {
        let started = Instant::now();
        let console = boot(case, &kernel, &initramfs)?;
        fs::write(folder.join(format!("{}.log", case.name)), &console).map_err(|error| error.to_string())?;
        let lacking: Vec<&&str> = case.shows.iter().filter(|text| !console.contains(**text)).collect();
        if lacking.is_empty() {
            passed += 1;
            println!("{}: as wanted, {} s", case.name, started.elapsed().as_secs());
        } else {
            failed += 1;
            println!("{}: the console lacks {lacking:?}\n{console}", case.name);
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { Ok(()) } else { Err("some guests did not do as wanted".to_owned()) }
}

/// Debian's kernel for virtual machines: it starts from an initramfs and speaks on the serial line without a module.
fn kernel(folder: &Path) -> Result<PathBuf, String> {
    let boot = folder.join("kernel/boot");
    let found = || {
        let entries = fs::read_dir(&boot).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("vmlinuz"))
    };
    if let Some(kernel) = found() {
        return Ok(kernel);
    }
    let depends = shell::output(Command::new("apt-cache").args(["depends", "linux-image-cloud-amd64"]))?;
    let package = depends
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: ").filter(|name| name.starts_with("linux-image")))
        .ok_or("apt knows no kernel; run apt-get update")?
        .to_owned();
    shell::output(
        Command::new("apt-get")
            .args(["download", "-qq", "-o", "APT::Sandbox::User=root", &package])
            .current_dir(folder),
    )?;
    let package = fs::read_dir(folder)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .ok_or("apt-get download brought nothing")?;
    shell::run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(folder.join("kernel")))?;
    found().ok_or_else(|| "the package holds no kernel".to_owned())
}

/// An archive of init, ccm and a manifest tarball; no shell, no library.
fn initramfs(folder: &Path, ccm: &Path) -> Result<PathBuf, String> {
    let text = |error: std::io::Error| error.to_string();
    let init = folder.join("init");
    let source = shell::root().join("tests/vm/init.c");
    shell::run(Command::new("cc").args(["-O2", "-Wall", "-static", "-s", "-o"]).arg(&init).arg(source))?;
    let file = |path: &str, data: &[u8]| Entry { path: path.to_owned(), mode: 0o644, data: data.to_vec() };
    let site = [file("manifest.yaml", MANIFEST.as_bytes()), file("app.conf", b"listen = 8080\n")];
    let site = gzip(&tar(&site, 0, Style { dotted: false, alpine_sums: false, ends: true }));
    let mut out = Vec::new();
    let mut inode = 1;
    for name in ["dev", "proc", "sys", "tmp", "etc", "run"] {
        newc(&mut out, &mut inode, name, 0o040_755, (0, 0), &[]);
    }
    newc(&mut out, &mut inode, "dev/console", 0o020_600, (5, 1), &[]);
    newc(&mut out, &mut inode, "init", 0o100_755, (0, 0), &fs::read(init).map_err(text)?);
    newc(&mut out, &mut inode, "ccm", 0o100_755, (0, 0), &fs::read(ccm).map_err(text)?);
    newc(&mut out, &mut inode, "site.tar.gz", 0o100_644, (0, 0), &site);
    newc(&mut out, &mut inode, "TRAILER!!!", 0, (0, 0), &[]);
    let path = folder.join("initramfs.cpio.gz");
    fs::write(&path, gzip(&out)).map_err(text)?;
    Ok(path)
}

/// One member of a cpio archive in the form that the kernel unpacks.
fn newc(out: &mut Vec<u8>, inode: &mut u32, name: &str, mode: u32, device: (u32, u32), data: &[u8]) {
    let fields = [*inode, mode, 0, 0, 1, 0, data.len() as u32, 0, 0, device.0, device.1, name.len() as u32 + 1, 0];
    *inode += 1;
    out.extend(b"070701");
    for field in fields {
        out.extend(format!("{field:08X}").bytes());
    }
    out.extend(name.bytes());
    out.push(0);
    out.resize(out.len().next_multiple_of(4), 0);
    out.extend(data);
    out.resize(out.len().next_multiple_of(4), 0);
}

fn boot(case: &Case, kernel: &Path, initramfs: &Path) -> Result<String, String> {
    let mut command = Command::new("qemu-system-x86_64");
    command.args(["-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-net", "none", "-m", case.memory]);
    command.arg("-kernel").arg(kernel).arg("-initrd").arg(initramfs);
    command.args(["-append", &format!("console=ttyS0 panic=-1 quiet CASE={}", case.name)]).args(case.extra);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut pipe = child.stdout.take().ok_or("no console")?;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _short = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).replace('\r', "")
    });
    let started = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if started.elapsed() > LIMIT {
            let _ended = child.kill();
            let _reaped = child.wait();
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    reader.join().map_err(|_| "the console reader panicked".to_owned())
}
