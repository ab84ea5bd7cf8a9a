//! `cargo xtask rust-src`: the standard library's source for exactly this compiler, which `build-std` needs.
//!
//! rustup has it where it can download; else Debian's package `rust-src` of the same version carries it. Debian's
//! archive is asked in a folder of our own, so the machine's package sources stay as they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian::Suite;
use crate::{Outcome, shell};

/// Debian suites that may carry this compiler's version, likeliest first.
const SUITES: &[&str] = &["trixie-backports", "sid", "forky", "trixie", "bookworm-backports"];

pub fn run() -> Outcome {
    let place = place()?;
    if place.join("core/src/lib.rs").exists() {
        println!("rust-src is there: {}", place.display());
        return Ok(());
    }
    if shell::have("rustup") && shell::run(Command::new("rustup").args(["component", "add", "rust-src"])).is_ok() {
        return Ok(());
    }
    let version = shell::output(Command::new("rustc").arg("--version"))?;
    let version = version.split_whitespace().nth(1).ok_or("rustc tells no version")?.to_owned();
    let scratch = shell::root().join("target/rust-src");
    for suite in SUITES {
        match debian(suite, &version, &scratch) {
            Ok(library) => {
                let parent = place.parent().ok_or("no parent")?;
                fs::create_dir_all(parent).map_err(|error| error.to_string())?;
                shell::run(Command::new("cp").arg("-a").arg(&library).arg(&place))?;
                println!("rust-src {version} from Debian {suite}: {}", place.display());
                return Ok(());
            }
            Err(reason) => eprintln!("{suite}: {reason}"),
        }
    }
    Err(format!("no source of rust-src {version}: `rustup component add rust-src` on a machine with a network gets it"))
}

/// Where the compiler looks for the source.
fn place() -> Result<PathBuf, String> {
    let sysroot = shell::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library"))
}

/// The `library` folder of Debian's package, unpacked.
fn debian(suite: &str, version: &str, scratch: &Path) -> Result<PathBuf, String> {
    let suite = Suite::open(&scratch.join(suite), suite, None)?;
    let offered = suite.apt("apt-cache", &["madison", "rust-src"])?;
    let found = offered
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .find(|found| found.strip_prefix(version).is_some_and(|rest| rest.starts_with('+') || rest.starts_with('-')))
        .ok_or_else(|| format!("no rust-src {version} there"))?;
    let library = suite.unpack(&format!("rust-src={found}"))?.join(format!("usr/src/rustc-{version}/library"));
    if library.exists() { Ok(library) } else { Err(format!("{} is not in the package", library.display())) }
}
