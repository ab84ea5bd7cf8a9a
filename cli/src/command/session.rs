//! `ccm session`: a directory that remembers what several `ccm ensure` did.

use ccm_core::engine::Session as Events;
use ccm_core::host::{Attributes, Clock, Files};
use ccm_core::text::path;
use ccm_core::{Error, Result};
use ccm_platform::Linux;

use crate::args::Given;
use crate::definition::{Command, Flag, Takes, Then};
use crate::exit;
use crate::logger::{Console, Level};
use crate::problem;

/// `ccm session`.
pub(crate) static SESSION: Command = Command {
    name: "session",
    also: &[],
    about: "Keeps a record of several `ccm ensure` calls.",
    flags: &[],
    then: Then::Commands(&[&NEW, &REPORT]),
};

static NEW: Command = Command {
    name: "new",
    also: &["start", "create"],
    about: "Makes a session directory and prints the command that selects it.",
    flags: &[&[&DIRECTORY]],
    then: Then::Run(&[], new),
};

static DIRECTORY: Flag =
    Flag::new("directory", Takes::One("DIR"), "the directory to make (a new one for temporary files)");

static REPORT: Command = Command {
    name: "report",
    also: &[],
    about: "Shows what a session came to.",
    flags: &[&[&STORE, &REMOVE]],
    then: Then::Run(&[], report),
};

static STORE: Flag = Flag::new("session", Takes::One("DIR"), "the session directory (CCM_SESSION_STORE)");
static REMOVE: Flag = Flag::switch("remove", "then remove it, if it is below the directory for temporary files");

fn new(given: &Given, console: &Console) -> Result<u8> {
    let mut host = Linux::new();
    let directory = match given.text(&DIRECTORY) {
        Some("") => return Err(Error::invalid("--directory must name a directory")),
        Some(directory) => directory.to_owned(),
        None => {
            let random = host.random();
            let letters = random.iter().take(6).fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            path::join(&[&temporary(), &format!("ccm-session-{letters}")])
        }
    };
    if host.stat(&directory)?.is_some() {
        return Err(Error::invalid(format!("{directory} exists already")));
    }
    host.make_directory(&directory, &Attributes { mode: Some(0o700), ..Attributes::default() })?;
    console.out.text(&format!("export CCM_SESSION_STORE={}\n", quoted(&directory)));
    Ok(exit::SUCCESS)
}

fn report(given: &Given, console: &Console) -> Result<u8> {
    let given_or_set = given.text(&STORE).map(str::to_owned).or_else(|| super::variable("CCM_SESSION_STORE"));
    let directory = given_or_set.filter(|path| !path.is_empty());
    let directory = directory.ok_or_else(|| Error::invalid("no session: give --session or CCM_SESSION_STORE"))?;
    let mut host = Linux::new();
    let summary = match host.stat_target(&directory)? {
        None => ccm_core::engine::Summary::default(),
        Some(_) => {
            let (events, warnings) = Events::open(&directory, &host)?;
            for warning in &warnings {
                console.diagnose(Level::Warn, problem::text(warning).trim_end(), &[]);
            }
            events.summary().clone()
        }
    };
    console.out.text(&format!("\n{}", summary.session_report()));
    if given.on(&REMOVE) {
        remove(&directory, &mut host)?;
    }
    Ok(exit::SUCCESS)
}

/// Removes a session directory, if it is below the one for temporary files: nothing else may be
/// lost by a mistaken word.
fn remove(directory: &str, host: &mut Linux) -> Result<()> {
    let path = super::absolute(directory)?;
    let temporary = temporary();
    let below = path.strip_prefix(temporary.as_str()).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'));
    if !below {
        return Err(Error::invalid(format!("{directory} is not below {temporary} and is left as it is")));
    }
    host.remove_directory(&path, true)
}

/// Where temporary files go.
fn temporary() -> String {
    path::clean(&super::variable("TMPDIR").unwrap_or_else(|| "/tmp".into()))
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@%,=".contains(letter);
    if word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_blanks_survives_the_shell() {
        assert_eq!(quoted("/tmp/s-1"), "/tmp/s-1");
        assert_eq!(quoted("/tmp/it's"), "'/tmp/it'\\''s'");
    }
}
