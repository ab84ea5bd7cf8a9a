//! `cargo xtask vectors [DIR]`: the golden vectors of a folder, through the runner of `ccm-core`.

use std::path::Path;

use crate::{Outcome, shell};

pub fn run(arguments: &[String]) -> Outcome {
    let mut command = shell::cargo();
    command.args(["test", "--quiet", "--profile", "fast", "--package", "ccm-core", "--test", "conformance", "--"]);
    if let Some(folder) = arguments.first() {
        let folder = Path::new(folder).canonicalize().map_err(|error| format!("{folder}: {error}"))?;
        command.arg(folder);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("some vectors do not hold".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
