//! The sub-commands, one file each.
//!
//! To add one: a file here with a struct that derives `FromArgs` (its doc comment is the help text)
//! and has `pub(crate) fn run(self, console: &Console) -> Result<u8>`; then a line in [`Command`],
//! one in [`mod@run`], and, if it has short flags or other names, a letter in the tables of `argv.rs`.
//! Results go to `console.out`, log lines through `console.user` and `console.diagnose`, faults are returned.

mod apply;
mod bundle;
mod ensure;
mod facts;
mod hiera;
mod mesh;
pub(crate) mod run;
mod session;
mod status;

use argh::{ArgsInfo, FromArgs};
use ccm_core::text::path;
use ccm_core::{Error, Result};

use crate::logger::Console;

/// Every sub-command of `ccm`.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand)]
#[allow(clippy::large_enum_variant, reason = "one value in the life of the program")]
pub(crate) enum Command {
    Apply(apply::Apply),
    Bundle(bundle::Bundle),
    Ensure(ensure::Ensure),
    Facts(facts::Facts),
    Hiera(hiera::Hiera),
    Mesh(mesh::MeshCommand),
    Session(session::Session),
    Status(status::Status),
}

/// Carries a command out.
///
/// # Errors
/// When nothing could be run: the caller shows it and ends with 1.
pub(crate) fn run(command: Command, console: &Console) -> Result<u8> {
    match command {
        Command::Apply(apply) => apply.run(console),
        Command::Bundle(bundle) => bundle.run(console),
        Command::Ensure(ensure) => ensure.run(console),
        Command::Facts(facts) => facts.run(console),
        Command::Hiera(hiera) => hiera.run(console),
        Command::Mesh(mesh) => mesh.run(console),
        Command::Session(session) => session.run(console),
        Command::Status(status) => status.run(console),
    }
}

/// A variable of this process; an empty one counts as unset.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A path as seen from the working directory; one that holds a template is left alone.
pub(crate) fn absolute(name: &str) -> Result<String> {
    if name.is_empty() || path::is_absolute(name) || name.contains("{{") || name.contains("${") {
        return Ok(name.into());
    }
    let cwd =
        std::env::current_dir().map_err(|error| Error::invalid(format!("the working directory is lost: {error}")))?;
    let cwd = cwd.to_str().ok_or_else(|| Error::invalid("the working directory's name is not UTF-8"))?;
    Ok(path::join(&[cwd, name]))
}
