//! `cargo xtask rust-src`: the standard library's source for exactly this compiler, which `build-std` needs.
//!
//! rustup has it where it can download; else Debian's package `rust-src` of the same version carries it. Debian's
//! archive is asked in a folder of our own, so the machine's package sources stay as they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let text = |error: std::io::Error| error.to_string();
    let folder = scratch.join(suite);
    for name in ["lists/partial", "cache/archives/partial", "out"] {
        fs::create_dir_all(folder.join(name)).map_err(text)?;
    }
    let addresses = shell::output(Command::new("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
    let address = addresses
        .lines()
        .find(|line| line.trim_end_matches('/').ends_with("/debian"))
        .ok_or("apt knows no Debian archive; run apt-get update first")?;
    let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let list = folder.join("sources.list");
    fs::write(&list, format!("deb [signed-by={key}] {address} {suite} main\n")).map_err(text)?;
    let show = |path: &Path| path.display().to_string();
    let options = [
        format!("Dir::Etc::sourcelist={}", show(&list)),
        "Dir::Etc::sourceparts=-".to_owned(),
        format!("Dir::State::lists={}", show(&folder.join("lists"))),
        format!("Dir::Cache={}", show(&folder.join("cache"))),
        "APT::Sandbox::User=root".to_owned(),
    ];
    let apt = |program: &str| {
        let mut command = Command::new(program);
        for option in &options {
            command.arg("-o").arg(option);
        }
        command
    };
    shell::output(apt("apt-get").args(["update", "-qq"]))?;
    let offered = shell::output(apt("apt-cache").args(["madison", "rust-src"]))?;
    let found = offered
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .find(|found| found.strip_prefix(version).is_some_and(|rest| rest.starts_with('+') || rest.starts_with('-')))
        .ok_or_else(|| format!("no rust-src {version} there"))?
        .to_owned();
    shell::output(apt("apt-get").args(["download", "-qq", &format!("rust-src={found}")]).current_dir(&folder))?;
    let package = fs::read_dir(&folder)
        .map_err(text)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .ok_or("apt-get download brought nothing")?;
    shell::run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(folder.join("out")))?;
    let library = folder.join(format!("out/usr/src/rustc-{version}/library"));
    if library.exists() { Ok(library) } else { Err(format!("{} is not in the package", library.display())) }
}
