//! How a command line becomes a program and its arguments: the providers of `exec`.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::words;
use crate::error::Result;

/// One way to start a command line.
pub trait Shell: fmt::Debug + Sync {
    /// The name of the provider.
    fn name(&self) -> &'static str;

    /// The program that must exist on the machine.
    fn needs(&self) -> Option<&'static str>;

    /// The program and its arguments.
    ///
    /// # Errors
    /// The line cannot be taken apart.
    fn words(&self, line: &str) -> Result<Vec<String>>;
}

/// The providers, the one taken when none is asked for first.
pub const SHELLS: [&dyn Shell; 2] = [&Posix, &Bourne];

/// Words as a shell splits them, started directly: no variables, no patterns, no pipes.
#[derive(Debug)]
struct Posix;

impl Shell for Posix {
    fn name(&self) -> &'static str {
        "posix"
    }

    fn needs(&self) -> Option<&'static str> {
        None
    }

    fn words(&self, line: &str) -> Result<Vec<String>> {
        words::split(line)
    }
}

/// The whole line handed to `/bin/sh -c`.
#[derive(Debug)]
struct Bourne;

impl Shell for Bourne {
    fn name(&self) -> &'static str {
        "shell"
    }

    fn needs(&self) -> Option<&'static str> {
        Some("/bin/sh")
    }

    fn words(&self, line: &str) -> Result<Vec<String>> {
        Ok(vec!["/bin/sh".to_string(), "-c".to_string(), line.to_string()])
    }
}
