//! One static binary, by whichever way this machine has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::libc::{self, Libc};
use super::strip::strip;
use super::{Target, write};
use crate::{rust_src, shell};

/// A binary, and how it was made.
pub struct Built {
    pub stripped: PathBuf,
    /// The same with its symbols, for the table of crates.
    pub symbols: PathBuf,
    pub way: &'static str,
}

/// Builds for a target. With rustup's target its C library is used, else zig's; std is built from source for size
/// and rustc's own linker links, either way.
pub fn build(target: &Target) -> Result<Built, String> {
    rust_src::run()?;
    let toolchain = Toolchain::of(target)?;
    let folder = shell::root().join("target/dist");
    let mut command = shell::cargo();
    command.args(["build", "--quiet", "--release", "--locked", "--package", "ccm", "--target-dir"]).arg(&folder);
    command.arg("--config").arg(shell::root().join("cross").join(format!("{}.toml", target.triple)));
    command.args(["--config", "profile.release.strip=false"]);
    toolchain.apply(&mut command, &[]);
    shell::run(&mut command)?;
    let symbols = folder.join(target.triple).join("release/ccm");
    let stripped = symbols.with_file_name("ccm-stripped");
    let text = |error: std::io::Error| format!("{}: {error}", symbols.display());
    write(&stripped, &strip(&fs::read(&symbols).map_err(text)?)?, 0o755)?;
    Ok(Built { stripped, symbols, way: toolchain.way() })
}

/// What turns cargo into a compiler for a target.
pub struct Toolchain {
    triple: &'static str,
    /// None when rustup's target brings one.
    libc: Option<Libc>,
    sysroot: PathBuf,
}

impl Toolchain {
    pub fn of(target: &Target) -> Result<Self, String> {
        let sysroot = shell::output(Command::new("rustc").args(["--print", "sysroot"]))?;
        let sysroot = Path::new(sysroot.trim()).to_path_buf();
        let installed = sysroot.join("lib/rustlib").join(target.triple).join("lib/self-contained").exists();
        let libc = if installed { None } else { Some(libc::zig(target)?) };
        Ok(Self { triple: target.triple, libc, sysroot })
    }

    fn way(&self) -> &'static str {
        if self.libc.is_some() { "with zig's C library" } else { "with rustup's target" }
    }

    /// Flags besides those of the target's file. No path of this machine stands in the binary.
    pub fn apply(&self, command: &mut Command, more: &[&str]) {
        let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")));
        let mut flags = vec![
            "-Ctarget-feature=+crt-static".to_owned(),
            format!("--remap-path-prefix={}=", shell::root().display()),
            format!("--remap-path-prefix={}=rust", self.sysroot.display()),
        ];
        flags.extend(home.into_iter().map(|home| format!("--remap-path-prefix={home}=cargo")));
        flags.extend(self.libc.iter().flat_map(Libc::flags));
        flags.extend(more.iter().map(|flag| (*flag).to_owned()));
        let quoted: Vec<String> = flags.iter().map(|flag| format!("{flag:?}")).collect();
        command.arg("--config").arg(format!("target.{}.rustflags=[{}]", self.triple, quoted.join(",")));
        command.args(["--target", self.triple]).env("RUSTC_BOOTSTRAP", "1");
        command.env(format!("CARGO_TARGET_{}_LINKER", self.triple.to_uppercase().replace('-', "_")), "rust-lld");
    }
}
