//! `cargo xtask test`: all tests, after getting what they need.

use crate::{Outcome, scenarios, shell};

pub fn run(_arguments: &[String]) -> Outcome {
    shell::run(shell::cargo().args(["test", "--quiet", "--profile", "fast", "--workspace"]))?;
    scenarios::run(&[])
}
