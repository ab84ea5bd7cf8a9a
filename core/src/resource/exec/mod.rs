//! `exec`: a command that runs unless something says that it need not.
//!
//! A trigger beats everything: `creates`, both guards and `refreshonly`. The proof of success is the exit
//! code, and after it the file the command `creates` (F55).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use super::{Done, Occasion, Reference};
use crate::error::{Error, Result};
use crate::host::{Command, Host, Output};
use crate::value::Text;

mod read;
mod shell;
pub mod words;

pub(super) use read::KEYS;
pub use shell::{SHELLS, Shell};

/// What an `exec` asks for (resources.md 14).
#[derive(Clone, Debug)]
pub struct Properties<T> {
    /// The command line; `None`: the name is it.
    pub command: Option<T>,
    /// The working directory; `/` when not given.
    pub cwd: Option<T>,
    /// `NAME=value`, over the fixed environment.
    pub environment: Vec<T>,
    /// Directories to search for the program, and `PATH` of the command.
    pub path: Option<Text>,
    /// Exit codes that mean success; empty: 0 alone.
    pub returns: Vec<i32>,
    /// How long command and guards may each take; `None`: as long as they like.
    pub timeout: Option<Duration>,
    /// `timeout` as written.
    pub timeout_text: Option<Text>,
    /// While this path exists the command need not run; afterwards it must exist.
    pub creates: Option<T>,
    /// The command runs only if this one exits 0.
    pub onlyif: Option<T>,
    /// The command runs only if this one does not exit 0.
    pub unless: Option<T>,
    /// Both guards only look, so that a dry run may run them.
    pub pure: bool,
    /// Runs only when triggered.
    pub refreshonly: bool,
    /// What triggers it.
    pub subscribe: Vec<Reference>,
    /// Lines of output are shown while it runs.
    pub logoutput: bool,
}

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// How the command ended, once it ran.
    pub exit_code: Option<i32>,
    /// The path of `creates` exists.
    pub creates: bool,
    /// What `onlyif` said; `None` when it was not run.
    pub onlyif: Option<bool>,
    /// What `unless` said; `None` when it was not run.
    pub unless: Option<bool>,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Run the command.
    Run {
        /// Because of a trigger.
        refresh: bool,
    },
    /// A guard would have to be run first, which a dry run does not (F7).
    AskGuard,
}

impl Action {
    /// What a dry run says.
    #[must_use]
    pub fn would(self) -> &'static str {
        match self {
            Self::Run { refresh: false } => "Would have executed",
            Self::Run { refresh: true } => "Would have executed via subscribe",
            Self::AskGuard => "would run guard",
        }
    }
}

/// Looks: at `creates`, and at the guards only if their answer matters and they may be run.
///
/// # Errors
/// A guard that cannot start, dies by a signal or takes too long.
pub fn observe(wanted: &Properties<Text>, shell: &dyn Shell, occasion: Occasion, host: &dyn Host) -> Result<State> {
    let creates = match &wanted.creates {
        Some(path) => host.stat_target(path)?.is_some(),
        None => false,
    };
    let mut state = State { creates, ..State::default() };
    let settled = occasion.refresh || creates || wanted.refreshonly;
    let allowed = !occasion.noop || occasion.noop_guards || wanted.pure;
    if settled || !allowed {
        return Ok(state);
    }
    let ask = |guard: &Option<Text>, name: &'static str| match guard {
        Some(line) => ask(wanted, line, shell, host).map(Some).map_err(|error| error.doing(name)),
        None => Ok(None),
    };
    state.onlyif = ask(&wanted.onlyif, "running onlyif")?;
    if state.onlyif != Some(false) {
        state.unless = ask(&wanted.unless, "running unless")?;
    }
    Ok(state)
}

fn ask(wanted: &Properties<Text>, line: &str, shell: &dyn Shell, host: &dyn Host) -> Result<bool> {
    let output = host.ask(&command(wanted, line, shell)?)?;
    match host.stop_requested() {
        Some(_) => Err(Error::invalid("interrupted")),
        None => Ok(output.code == 0),
    }
}

/// Thinks.
#[must_use]
pub fn decide(wanted: &Properties<Text>, seen: &State, occasion: Occasion) -> Option<Action> {
    if occasion.refresh {
        return Some(Action::Run { refresh: true });
    }
    if seen.creates || wanted.refreshonly || seen.onlyif == Some(false) || seen.unless == Some(true) {
        return None;
    }
    let unasked =
        (wanted.onlyif.is_some() && seen.onlyif.is_none()) || (wanted.unless.is_some() && seen.unless.is_none());
    Some(if unasked { Action::AskGuard } else { Action::Run { refresh: false } })
}

/// Runs the command.
///
/// # Errors
/// It cannot start, dies by a signal, takes too long, or its exit code is none of `returns`; the end of
/// both streams stands in the error (F70).
pub fn carry_out(
    wanted: &Properties<Text>,
    name: &str,
    action: Action,
    shell: &dyn Shell,
    host: &mut dyn Host,
) -> Result<Done> {
    if action == Action::AskGuard {
        return Ok(Done::default());
    }
    let mut command = command(wanted, wanted.command.as_deref().unwrap_or(name), shell)?;
    command.stream = wanted.logoutput;
    let output = host.run(&command)?;
    let allowed: &[i32] = if wanted.returns.is_empty() { &[0] } else { &wanted.returns };
    if !allowed.contains(&output.code) {
        return Err(bad_exit(wanted, &output, allowed));
    }
    Ok(Done { exit_code: Some(output.code), ..Done::default() })
}

/// Looks again: the file the command `creates` must be there, unless the run was a refresh of one that is.
///
/// # Errors
/// It is not.
pub fn verify(wanted: &Properties<Text>, done: &Done, host: &dyn Host) -> Result<State> {
    let creates = match &wanted.creates {
        Some(path) if host.stat_target(path)?.is_none() => {
            return Err(Error::invalid(format!("failed to reach desired state: the command did not create {path}")));
        }
        creates => creates.is_some(),
    };
    Ok(State { exit_code: done.exit_code, creates, ..State::default() })
}

/// The environment of every command: nothing of the caller's leaks in.
pub const ENVIRONMENT: [&str; 3] =
    ["PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin", "LANG=C", "LC_ALL=C"];

/// How much of each stream is kept for the error of a failed command.
const TAIL: usize = 4096;

fn command(wanted: &Properties<Text>, line: &str, shell: &dyn Shell) -> Result<Command> {
    let mut words = shell.words(line)?.into_iter();
    let program =
        words.next().filter(|program| !program.is_empty()).ok_or_else(|| Error::invalid("the command is empty"))?;
    let mut environment: Vec<String> = ENVIRONMENT.iter().map(ToString::to_string).collect();
    if let Some(path) = &wanted.path {
        environment.push(format!("PATH={path}"));
    }
    environment.extend(wanted.environment.iter().map(|entry| entry.to_string()));
    Ok(Command {
        program,
        arguments: words.collect(),
        environment,
        search: wanted.path.as_deref().map(Into::into),
        directory: wanted.cwd.as_deref().map(Into::into),
        timeout: wanted.timeout,
        keep: TAIL,
        ..Command::default()
    })
}

#[cold]
fn bad_exit(wanted: &Properties<Text>, output: &Output, allowed: &[i32]) -> Error {
    let mut text = format!("exit code {} not in allowed returns {allowed:?}", output.code);
    for (name, stream) in [("stderr", &output.stderr), ("stdout", &output.stdout)] {
        let tail = tail(wanted, stream);
        if !tail.is_empty() {
            text.push_str(&format!("; {name}: {tail}"));
        }
    }
    Error::invalid(text)
}

/// The end of a stream as text. A command may print its environment: what is secret there is not shown.
fn tail(wanted: &Properties<Text>, stream: &[u8]) -> String {
    let start = stream.len().saturating_sub(TAIL);
    let mut text = String::from_utf8_lossy(&stream[start..]).trim().to_string();
    let values = wanted.environment.iter().filter_map(|entry| entry.split_once('=')).map(|(_, value)| value);
    // A value of one or two letters is no secret, and would tear the text apart.
    for value in values.filter(|value| value.len() > 3) {
        text = text.replace(value, super::record::REDACTED);
    }
    text
}
