//! The sub-commands, one file each.
//!
//! To add one: a file here with a struct that derives `FromArgs` (its doc comment is the help text)
//! and has `pub(crate) fn run(self, console: &mut Console) -> Result<u8>`; then a line in [`Command`],
//! one in [`run`], and, if it has short flags or other names, a letter in the tables of `argv.rs`.
//! Results go to `console.out`, log lines through `console.user` and `console.diagnose`, faults are returned.

mod apply;
mod ensure;
mod session;
mod status;

use argh::FromArgs;
use ccm_core::Result;

use crate::logger::Console;

/// Every sub-command of `ccm`.
#[derive(FromArgs)]
#[argh(subcommand)]
pub(crate) enum Command {
    Apply(apply::Apply),
    Ensure(ensure::Ensure),
    Session(session::Session),
    Status(status::Status),
}

/// Carries a command out.
///
/// # Errors
/// When nothing could be run: the caller shows it and ends with 1.
pub(crate) fn run(command: Command, console: &mut Console) -> Result<u8> {
    match command {
        Command::Apply(apply) => apply.run(console),
        Command::Ensure(ensure) => ensure.run(console),
        Command::Session(session) => session.run(console),
        Command::Status(status) => status.run(console),
    }
}
