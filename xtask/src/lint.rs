//! `cargo xtask lint`: what must hold before a change lands.

use crate::{Outcome, shell, tidy};

/// A target without std that proves that core needs none; `rust-src` builds its `core` and `alloc`.
const BARE: &str = "x86_64-unknown-none";

pub fn run() -> Outcome {
    shell::run(shell::cargo().args(["fmt", "--all", "--check"]))?;
    tidy::run()?;
    shell::run(shell::cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    shell::run(shell::cargo().env("RUSTDOCFLAGS", "-D warnings").args([
        "doc",
        "--quiet",
        "--workspace",
        "--exclude",
        "xtask",
        "--no-deps",
        "--document-private-items",
    ]))?;
    bare()
}

/// Core on a machine without an operating system: with rustup's target where it is installed, else with
/// the compiler's own sources (`rust-src`).
fn bare() -> Outcome {
    let sysroot = shell::output(std::process::Command::new("rustc").args(["--print", "sysroot"]))?;
    let lib = std::path::Path::new(sysroot.trim()).join("lib/rustlib");
    let mut command = shell::cargo();
    command.args(["check", "--quiet", "--package", "ccm-core", "--lib", "--target", BARE]);
    if !lib.join(BARE).exists() {
        if !lib.join("src/rust/library").exists() {
            return Err(format!(
                "core on a bare target: neither the target nor rust-src is installed; `rustup target add {BARE}` or \
                 `cargo xtask rust-src` gets it"
            ));
        }
        command.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "build-std=core,alloc"]);
    }
    shell::run(&mut command)
}
