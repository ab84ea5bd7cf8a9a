//! `cargo xtask fuzz`: a million damaged inputs for each reader and language, on a stack of 256 KiB.

use crate::{Outcome, shell};

pub fn run(arguments: &[String]) -> Outcome {
    let mut command = shell::cargo();
    command.args(["test", "--quiet", "--profile", "fast", "--package", "ccm-core", "--test", "fuzz", "--"]);
    if !arguments.iter().any(|word| word == "--inputs") {
        command.args(["--inputs", "1000000"]);
    }
    command.args(["--stack", "262144"]).args(arguments);
    shell::run(&mut command)
}
