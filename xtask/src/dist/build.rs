//! One static binary, by whichever way this machine has.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Target;
use crate::{rust_src, shell};

/// A binary, and how it was made.
pub struct Built {
    pub stripped: PathBuf,
    /// The same with its symbols, for the table of crates.
    pub symbols: PathBuf,
    pub way: &'static str,
}

/// Builds for a target. With rustup's target its linker and C library are used, else zig's; std is built from
/// source for size either way.
pub fn build(target: &Target) -> Result<Built, String> {
    rust_src::run()?;
    let sysroot = shell::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sysroot = Path::new(sysroot.trim()).to_path_buf();
    let installed = sysroot.join("lib/rustlib").join(target.triple).join("lib/self-contained").exists();
    let way = if installed { "linked with rustup's target" } else { "linked with zig" };
    if !installed {
        for (tool, package) in [("cargo-zigbuild", "cargo-zigbuild"), ("python-zig", "ziglang")] {
            if !shell::have(tool) {
                return Err(format!("needs `rustup target add {}` or `pip install {package}`", target.triple));
            }
        }
    }
    let symbols = one(target, &sysroot, installed, false)?;
    let stripped = one(target, &sysroot, installed, true)?;
    Ok(Built { stripped, symbols, way })
}

fn one(target: &Target, sysroot: &Path, installed: bool, strip: bool) -> Result<PathBuf, String> {
    let folder = shell::root().join("target").join(if strip { "dist" } else { "dist-symbols" });
    let mut command = shell::cargo();
    command.arg(if installed { "build" } else { "zigbuild" });
    command.args(["--quiet", "--release", "--locked", "--package", "ccm", "--target", target.triple, "--target-dir"]);
    command.arg(&folder).env("RUSTC_BOOTSTRAP", "1");
    let name = target.triple.to_uppercase().replace('-', "_");
    command.arg("--config").arg(shell::root().join("cross").join(format!("{}.toml", target.triple)));
    command.arg("--config").arg(flags(target, sysroot, installed));
    if installed {
        command.env(format!("CARGO_TARGET_{name}_LINKER"), "rust-lld");
    }
    if !strip {
        command.args(["--config", "profile.release.strip=false"]);
    }
    shell::run(&mut command)?;
    Ok(folder.join(target.triple).join("release/ccm"))
}

/// Flags besides those of the target's file: no path of this machine stands in the binary.
fn flags(target: &Target, sysroot: &Path, installed: bool) -> String {
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")));
    let mut flags = vec![
        format!("--remap-path-prefix={}=", shell::root().display()),
        format!("--remap-path-prefix={}=rust", sysroot.display()),
    ];
    if let Ok(home) = home {
        flags.push(format!("--remap-path-prefix={home}=cargo"));
    }
    if !installed {
        flags.push("-Clink-self-contained=no".to_owned());
    }
    let quoted: Vec<String> = flags.iter().map(|flag| format!("{flag:?}")).collect();
    format!("target.{}.rustflags=[{}]", target.triple, quoted.join(","))
}
