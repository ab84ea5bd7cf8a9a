//! `cargo xtask dist [--target T]…`: static binaries, packages, checksums, sizes, in `dist/VERSION/`.
//!
//! Two builds of one commit give the same bytes: paths of the machine are remapped, archives carry the time of the
//! commit and no owner.

pub mod archive;
mod build;
mod footprint;
mod libc;
pub mod package;
mod sbom;
mod strip;

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use build::{Toolchain, build};

use crate::{Outcome, shell};

/// What is built for when nothing is named.
#[rustfmt::skip]
const TARGETS: &[Target] = &[
    Target { triple: "x86_64-unknown-linux-musl", zig: "x86_64-linux-musl", debian: "amd64", openwrt: "x86_64", alpine: "x86_64" },
    Target { triple: "aarch64-unknown-linux-musl", zig: "aarch64-linux-musl", debian: "arm64", openwrt: "aarch64_generic", alpine: "aarch64" },
    Target { triple: "armv7-unknown-linux-musleabihf", zig: "arm-linux-musleabihf -mcpu=generic+v7a+vfp3d16+thumb2", debian: "armhf", openwrt: "arm_cortex-a7_vfpv4", alpine: "armv7" },
    Target { triple: "armv5te-unknown-linux-musleabi", zig: "arm-linux-musleabi -mcpu=arm926ej_s", debian: "armel", openwrt: "arm_arm926ej-s", alpine: "armel" },
    Target { triple: "mipsel-unknown-linux-musl", zig: "mipsel-linux-musleabi -mcpu=mips32r2+soft_float", debian: "mipsel", openwrt: "mipsel_24kc", alpine: "mipsel" },
    Target { triple: "riscv64gc-unknown-linux-musl", zig: "riscv64-linux-musl", debian: "riscv64", openwrt: "riscv64_riscv64", alpine: "riscv64" },
    Target { triple: "i686-unknown-linux-musl", zig: "x86-linux-musl -mcpu=pentium4", debian: "i386", openwrt: "i386_pentium4", alpine: "x86" },
    Target { triple: "mips-unknown-linux-musl", zig: "mips-linux-musleabi -mcpu=mips32r2+soft_float", debian: "mips", openwrt: "mips_24kc", alpine: "mips" },
];

/// A machine, by the names that others give it.
pub struct Target {
    pub triple: &'static str,
    /// The words after zig's `-target`.
    pub zig: &'static str,
    /// Packages' names of it: Debian's, OpenWrt's, Alpine's.
    pub debian: &'static str,
    pub openwrt: &'static str,
    pub alpine: &'static str,
}

/// What every package of one release carries besides its binary.
pub struct Release {
    pub version: String,
    /// Seconds since 1970 of the commit: the time of every file.
    pub time: u64,
    /// Path in the package, mode, bytes: manual page, completions, licence, read-me.
    pub extras: Vec<archive::Entry>,
}

pub fn run(arguments: &[String]) -> Outcome {
    let mut wanted = Vec::new();
    let mut record = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--target" => wanted.push(words.next().ok_or("--target needs a target")?.clone()),
            "--record" => record = true,
            other => return Err(format!("unknown flag {other}; dist [--target T]… [--record]")),
        }
    }
    let chosen = targets(&wanted)?;
    let release = release()?;
    let out = shell::root().join("dist").join(&release.version);
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let (mut missing, mut over) = (Vec::new(), Vec::new());
    for target in chosen {
        match build(target) {
            Ok(built) => {
                let bytes = fs::read(&built.stripped).map_err(|error| error.to_string())?;
                write(&out.join(format!("ccm-{}-{}", release.version, target.triple)), &bytes, 0o755)?;
                package::all(&release, target, &bytes, &out)?;
                over.extend(footprint::check(target, &built, record)?);
                println!("{:<34} {:>9} bytes, {}", target.triple, bytes.len(), built.way);
            }
            Err(reason) => {
                println!("{:<34} not built: {reason}", target.triple);
                missing.push(target.triple);
            }
        }
    }
    write(&out.join(format!("ccm-{}.cdx.json", release.version)), sbom::cyclonedx(&release)?.as_bytes(), 0o644)?;
    checksums(&out)?;
    println!("{}", out.display());
    if !over.is_empty() {
        return Err(format!("larger than the budget allows:\n{}", over.join("\n")));
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("not built: {}", missing.join(", "))) }
}

/// The targets of these names; all when there are none.
pub fn targets(wanted: &[String]) -> Result<Vec<&'static Target>, String> {
    if let Some(unknown) = wanted.iter().find(|name| TARGETS.iter().all(|target| target.triple != **name)) {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
        return Err(format!("unknown target {unknown}; known are {}", known.join(", ")));
    }
    let named = |target: &&Target| wanted.is_empty() || wanted.iter().any(|name| name == target.triple);
    Ok(TARGETS.iter().filter(named).collect())
}

/// The static binary for this kind of machine.
pub fn static_binary() -> Result<PathBuf, String> {
    let target = TARGETS.first().ok_or("no targets")?;
    build(target).map(|built| built.stripped)
}

/// This version, and what its packages carry.
pub fn release() -> Result<Release, String> {
    Ok(Release { version: version()?, time: commit_time(), extras: extras()? })
}

fn version() -> Result<String, String> {
    let manifest = fs::read_to_string(shell::root().join("Cargo.toml")).map_err(|error| error.to_string())?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \"")).ok_or("no version in Cargo.toml")?;
    Ok(line.trim_end_matches('"').to_owned())
}

/// The time of the last commit; zero outside a checkout.
fn commit_time() -> u64 {
    let mut git = std::process::Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(shell::root());
    shell::output(&mut git).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Manual page and completions, printed by the program from the definition of its own commands.
fn extras() -> Result<Vec<archive::Entry>, String> {
    let ccm = shell::build_ccm()?;
    let printed = |flag: &str| shell::output(std::process::Command::new(&ccm).arg(flag));
    let file = |name: &str| fs::read(shell::root().join(name)).map_err(|error| format!("{name}: {error}"));
    let entry = |path: &str, data: Vec<u8>| archive::Entry { path: path.to_owned(), mode: 0o644, data };
    Ok(vec![
        entry("usr/share/man/man1/ccm.1.gz", archive::gzip(printed("--help-man")?.as_bytes())),
        entry("usr/share/bash-completion/completions/ccm", printed("--completion-script-bash")?.into_bytes()),
        entry("usr/share/zsh/vendor-completions/_ccm", printed("--completion-script-zsh")?.into_bytes()),
        entry("usr/share/fish/vendor_completions.d/ccm.fish", printed("--completion-script-fish")?.into_bytes()),
        entry("usr/share/doc/ccm/README.md", file("README.md")?),
        entry("usr/share/doc/ccm/copyright", file("LICENSE")?),
    ])
}

/// Writes one file of the release.
pub fn write(path: &Path, bytes: &[u8], mode: u32) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let text = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::write(path, bytes).map_err(text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(text)
}

fn checksums(out: &Path) -> Outcome {
    let mut files: Vec<PathBuf> = fs::read_dir(out)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.file_name().is_some_and(|name| name != "SHA256SUMS"))
        .collect();
    files.sort();
    let mut sums = String::new();
    for path in files {
        let bytes = fs::read(&path).map_err(|error| error.to_string())?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        sums += &format!("{}  {name}\n", hex(&Sha256::digest(&bytes)));
    }
    write(&out.join("SHA256SUMS"), sums.as_bytes(), 0o644)
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
