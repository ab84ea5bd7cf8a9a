//! `cargo xtask test`: all tests, after getting what they need.

use crate::{Outcome, initramfs, linear, packages, scenarios, shell, vm};

pub fn run(arguments: &[String]) -> Outcome {
    shell::run(shell::cargo().args(["test", "--quiet", "--profile", "fast", "--workspace"]))?;
    scenarios::run(&[])?;
    if shell::have("valgrind") {
        linear::run()?;
    } else {
        eprintln!("valgrind is missing: whether twice the input is twice the work is not counted");
    }
    if arguments.iter().any(|word| word == "--system") {
        packages::run()?;
        vm::run(&[])?;
        initramfs::run(&[])?;
    }
    Ok(())
}
