//! The commands, one file each.
//!
//! To add one: a file here with a [`Command`] that says its name, its flags and the function that carries it out
//! (`fn(&Given, &Console) -> Result<u8>`), and its name in [`CCM`]. Results go to `console.out`, log lines through
//! `console.user` and `console.diagnose`, faults are returned.

mod apply;
mod bundle;
mod ensure;
mod facts;
mod hiera;
mod mesh;
pub(crate) mod run;
mod session;
mod status;

use ccm_core::text::path;
use ccm_core::{Error, Result};

use crate::definition::{Command, Flag, Then};

/// The program.
pub(crate) static CCM: Command = Command {
    name: "ccm",
    also: &[],
    about: "Brings this machine to the state that a manifest describes.",
    flags: &[&[&DEBUG, &INFO, &VERSION, &HELP]],
    then: Then::Commands(&[
        &apply::APPLY,
        &bundle::BUNDLE,
        &ensure::ENSURE,
        &facts::FACTS,
        &hiera::HIERA,
        &mesh::MESH,
        &session::SESSION,
        &status::STATUS,
    ]),
};

pub(crate) static DEBUG: Flag = Flag::switch("debug", "log everything, on both streams");
pub(crate) static INFO: Flag = Flag::switch("info", "log information on the diagnostic stream too");
pub(crate) static VERSION: Flag = Flag::switch("version", "print the version and end");
pub(crate) static HELP: Flag = Flag::switch("help", "print how a command is used").or('h');

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
