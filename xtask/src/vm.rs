//! `cargo xtask vm`: ccm in a machine that holds nothing else.
//!
//! A Debian kernel under qemu-system, an initramfs with a tiny init, `ccm` and manifest tarballs. Each case boots,
//! applies twice and powers off; the console is checked, and the peaks of memory that init saw are shown.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::debian::Suite;
use crate::dist::archive::{Entry, Style, gzip, tar};
use crate::{Outcome, dist, shell};

/// A kind of machine that qemu plays, and what runs on it.
pub struct Machine {
    /// The kind of our binary.
    pub triple: &'static str,
    pub qemu: &'static str,
    /// Debian's package of this qemu.
    pub brings: &'static str,
    options: &'static [&'static str],
    append: &'static str,
    /// Debian's name of it, and of the kernel.
    architecture: &'static str,
    kernel: &'static str,
}

impl Machine {
    pub fn target(&self) -> Result<&'static dist::Target, String> {
        Ok(*dist::targets(&[self.triple.to_owned()])?.first().ok_or("no such target")?)
    }
}

pub const PC: &Machine = &Machine {
    triple: "x86_64-unknown-linux-musl",
    qemu: "qemu-system-x86_64",
    brings: "qemu-system-x86",
    options: &[],
    append: "console=ttyS0",
    architecture: "amd64",
    kernel: "linux-image-cloud-amd64",
};

/// A router-class processor. The kernel would move itself to a random place up to 16 MB higher: out of 32 MB.
const MALTA: &Machine = &Machine {
    triple: "mipsel-unknown-linux-musl",
    qemu: "qemu-system-mipsel",
    brings: "qemu-system-mips",
    options: &["-M", "malta"],
    append: "console=ttyS0 nokaslr",
    architecture: "mipsel",
    kernel: "linux-image-4kc-malta",
};

const ARM: &Machine = &Machine {
    triple: "armv7-unknown-linux-musleabihf",
    qemu: "qemu-system-arm",
    brings: "qemu-system-arm",
    options: &["-M", "virt"],
    append: "console=ttyAMA0",
    architecture: "armhf",
    kernel: "linux-image-armmp",
};

/// The suite of the kernels: the last with one for little-endian MIPS of 32 bits.
const SUITE: &str = "bookworm";

/// One boot: what differs, and what its console must show.
struct Case {
    name: &'static str,
    machine: &'static Machine,
    /// Mebibytes.
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

/// Lines of a case that applies manifests of many files.
const FIGURES: &[&str] =
    &["== hundred: exit 0", "Stable Resources: 100\n", "== thousand: exit 0", "Stable Resources: 1000\n", "== done"];

/// Lines of a case past 2038.
const LATER: &[&str] = &[
    "== the clock is set: 0",
    "== second: exit 0",
    "== session call: exit 0",
    "== session report: exit 0",
    "\"timestamp\": \"2100-01-01T00:00:",
    "== /etc/motd is of 2100",
    "== done",
];

const CASES: &[Case] = &[
    Case { name: "plain", machine: PC, memory: "128", extra: &[], shows: WORKS },
    // Debian's kernel for the PC itself does not start with less.
    Case { name: "small", machine: PC, memory: "96", extra: &[], shows: WORKS },
    Case { name: "router", machine: MALTA, memory: "32", extra: &[], shows: WORKS },
    Case { name: "armv7", machine: ARM, memory: "64", extra: &[], shows: WORKS },
    // A processor of 32 bits that believes it is the year 2100.
    Case { name: "later", machine: MALTA, memory: "32", extra: &[], shows: LATER },
    Case { name: "figures-armv7", machine: ARM, memory: "128", extra: &[], shows: FIGURES },
    Case { name: "figures-x86_64", machine: PC, memory: "128", extra: &[], shows: FIGURES },
    Case { name: "noproc", machine: PC, memory: "128", extra: &[], shows: WORKS },
    Case { name: "epoch", machine: PC, memory: "128", extra: &["-rtc", "base=1970-01-01T00:00:00"], shows: WORKS },
    Case {
        name: "readonly",
        machine: PC,
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

/// How long one boot may take; emulated processors are slow, and the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

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
    let mut only = Vec::new();
    for pair in arguments.chunks(2) {
        match pair {
            [flag, name] if flag == "--only" && CASES.iter().any(|case| case.name == name) => only.push(name.as_str()),
            _ => {
                let known: Vec<&str> = CASES.iter().map(|case| case.name).collect();
                return Err(format!("usage: vm [--only CASE]…; cases are {}", known.join(", ")));
            }
        }
    }
    let text = |error: std::io::Error| error.to_string();
    let (mut passed, mut failed, mut missing) = (0, 0, Vec::new());
    for machine in [PC, MALTA, ARM] {
        let here = |case: &&Case| case.machine.triple == machine.triple;
        let cases: Vec<&Case> =
            CASES.iter().filter(here).filter(|case| only.is_empty() || only.contains(&case.name)).collect();
        if cases.is_empty() {
            continue;
        }
        if !shell::have(machine.qemu) {
            missing.push(format!("{}: apt-get install {}", machine.qemu, machine.brings));
            continue;
        }
        let folder = folder(machine)?;
        let kernel = kernel(&folder, machine)?;
        let initramfs = initramfs(&folder, machine)?;
        for case in cases {
            let started = Instant::now();
            let guest = Guest { machine, memory: case.memory, kernel: &kernel, initramfs: &initramfs };
            let console = guest.boot(&format!("CASE={}", case.name), case.extra)?;
            fs::write(folder.join(format!("{}.log", case.name)), &console).map_err(text)?;
            let lacking: Vec<&&str> = case.shows.iter().filter(|text| !console.contains(**text)).collect();
            if lacking.is_empty() {
                passed += 1;
                println!("{}: as wanted, {} s; {}", case.name, started.elapsed().as_secs(), peaks(&console));
            } else {
                failed += 1;
                println!("{}: the console lacks {lacking:?}\n{console}", case.name);
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    match (failed, missing.is_empty()) {
        (0, true) => Ok(()),
        (0, false) => Err(format!("not tried, missing: {}", missing.join("; "))),
        _ => Err("some guests did not do as wanted".to_owned()),
    }
}

/// What init says about the memory of each command.
fn peaks(console: &str) -> String {
    let found = console.lines().filter_map(|line| {
        let (label, rest) = line.strip_prefix("== ")?.split_once(": exit ")?;
        Some(format!("{label} {}", rest.split_once("peak ")?.1))
    });
    found.collect::<Vec<_>>().join(", ")
}

/// Where things for a machine are kept.
pub fn folder(machine: &Machine) -> Result<PathBuf, String> {
    let folder = shell::root().join("target/vm").join(machine.architecture);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Debian's kernel for a machine: it starts from an initramfs and speaks on the serial line without a module.
pub fn kernel(folder: &Path, machine: &Machine) -> Result<PathBuf, String> {
    let found = || {
        let entries = fs::read_dir(folder.join("out/boot")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("vmlinuz"))
    };
    if let Some(kernel) = found() {
        return Ok(kernel);
    }
    let suite = Suite::open(folder, SUITE, Some(machine.architecture))?;
    let depends = suite.apt("apt-cache", &["depends", machine.kernel])?;
    let package = depends
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: ").filter(|name| name.starts_with("linux-image")))
        .ok_or_else(|| format!("{SUITE} has no {}", machine.kernel))?;
    suite.unpack(package)?;
    found().ok_or_else(|| "the package holds no kernel".to_owned())
}

/// An archive of init, ccm and manifest tarballs; no shell, no library.
fn initramfs(folder: &Path, machine: &Machine) -> Result<PathBuf, String> {
    let text = |error: std::io::Error| error.to_string();
    let target = machine.target()?;
    let ccm = dist::build(target)?.stripped;
    let init = init(folder, target)?;
    let file = |path: &str, data: &[u8]| Entry { path: path.to_owned(), mode: 0o644, data: data.to_vec() };
    let site = [file("manifest.yaml", MANIFEST.as_bytes()), file("app.conf", b"listen = 8080\n")];
    let mut out = Vec::new();
    let mut inode = 1;
    for name in ["dev", "proc", "sys", "tmp", "etc", "run", "many"] {
        newc(&mut out, &mut inode, name, 0o040_755, (0, 0), &[]);
    }
    newc(&mut out, &mut inode, "dev/console", 0o020_600, (5, 1), &[]);
    newc(&mut out, &mut inode, "init", 0o100_755, (0, 0), &fs::read(init).map_err(text)?);
    newc(&mut out, &mut inode, "ccm", 0o100_755, (0, 0), &fs::read(ccm).map_err(text)?);
    for (name, entries) in [
        ("site.tar.gz", &site[..]),
        ("hundred.tar.gz", &[file("manifest.yaml", many(100).as_bytes())]),
        ("thousand.tar.gz", &[file("manifest.yaml", many(1000).as_bytes())]),
    ] {
        let data = gzip(&tar(entries, 0, Style { dotted: false, alpine_sums: false, ends: true }));
        newc(&mut out, &mut inode, name, 0o100_644, (0, 0), &data);
    }
    newc(&mut out, &mut inode, "TRAILER!!!", 0, (0, 0), &[]);
    let path = folder.join("initramfs.cpio.gz");
    fs::write(&path, gzip(&out)).map_err(text)?;
    Ok(path)
}

/// A manifest of so many small files.
fn many(count: usize) -> String {
    let mut text = "ccm:\n  resources:\n    - file:\n".to_owned();
    for number in 0..count {
        text += &format!(
            "        - /many/{number:04}: {{ensure: present, content: \"file {number}\\n\", owner: \"0\", group: \"0\", mode: \"0644\"}}\n"
        );
    }
    text
}

/// The first process of a guest, compiled once: zig takes its time.
pub fn init(folder: &Path, target: &dist::Target) -> Result<PathBuf, String> {
    let (source, init) = (shell::root().join("tests/vm/init.c"), folder.join("init"));
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    if time(&init) > time(&source) {
        return Ok(init);
    }
    let mut command = if target.debian == PC.architecture {
        Command::new("cc")
    } else {
        let zig = shell::find("python-zig").or_else(|| shell::find("zig")).ok_or("needs zig: pip install ziglang")?;
        let mut command = Command::new(zig);
        command.args(["cc", "-target"]).args(target.zig.split_whitespace());
        command
    };
    shell::run(command.args(["-O2", "-Wall", "-static", "-s", "-o"]).arg(&init).arg(source))?;
    Ok(init)
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

/// A machine that is about to start.
pub struct Guest<'a> {
    pub machine: &'a Machine,
    /// Mebibytes.
    pub memory: &'a str,
    pub kernel: &'a Path,
    pub initramfs: &'a Path,
}

impl Guest<'_> {
    /// Starts it with more words for the kernel and more options for qemu; its console when it is off again.
    pub fn boot(&self, words: &str, options: &[&str]) -> Result<String, String> {
        let mut command = Command::new(self.machine.qemu);
        command.args(self.machine.options);
        command.args(["-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-net", "none"]);
        command.args(["-m", self.memory, "-kernel"]).arg(self.kernel).arg("-initrd").arg(self.initramfs);
        command.args(["-append", &format!("{} panic=-1 quiet {words}", self.machine.append)]).args(options);
        console(&mut command)
    }
}

/// What a guest says until it ends, or until its time is over.
fn console(command: &mut Command) -> Result<String, String> {
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
