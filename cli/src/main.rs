//! The `ccm` command: reads argv, calls core with the Linux host, shows the outcome.
//!
//! What happens to a call, in order: [`args`] reads it by the tables of [`definition`], a function of
//! [`command`] carries it out and returns an exit code, [`help`] tells of all that, [`output`] and [`logger`] speak, [`problem`]
//! shows what went wrong. Nothing here decides about a machine: that is core's part.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod args;
mod command;
mod definition;
mod guard;
mod help;
mod load;
mod logger;
mod output;
mod problem;
mod report;

use std::process::ExitCode;

use crate::logger::{Console, Verbosity};

fn main() -> ExitCode {
    let mut console = Console::new(Verbosity::default());
    let code = serve(&mut console);
    ExitCode::from(if console.finish() { code } else { code.max(exit::FAILURE) })
}

/// One call, from its words to its exit code.
fn serve(console: &mut Console) -> u8 {
    match args::parse(std::env::args_os().skip(1)) {
        args::Parsed::Run(given) => {
            console.verbosity = given.verbosity();
            given.run(console).unwrap_or_else(|error| problem::show(console, &error))
        }
        args::Parsed::Show(text) => {
            console.out.text(&text);
            exit::SUCCESS
        }
        args::Parsed::Usage(text) => {
            console.out.error(&text);
            exit::SUCCESS
        }
        args::Parsed::Wrong { complaint, usage } => {
            console.out.error(&format!("ccm: error: {complaint}\n\n{usage}"));
            exit::FAILURE
        }
    }
}

/// The exit codes of `ccm` (`DECISIONS.md`); a run's own codes are `ccm_core::engine::Outcome`'s.
mod exit {
    /// All well.
    pub(crate) const SUCCESS: u8 = 0;
    /// Nothing could be run: usage, manifest, data or connection error; or the output was lost.
    pub(crate) const FAILURE: u8 = 1;
}
