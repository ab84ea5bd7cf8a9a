//! Running other programs.
//!
//! Each command gets a process group of its own, pipes for all three streams (so /dev is not needed) and exactly
//! the environment it was given. One `poll` watches its output, its end, its deadline and the signals of this
//! process; there are no threads. Ending a command means its whole group: TERM, and KILL after two seconds.

use std::process::ExitStatus;

use ccm_core::error::{Cause, Kind, System};
use ccm_core::host::{Command, Output, Processes, Stop};
use ccm_core::{Error, Result};
use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::unistd::{AccessFlags, access};

use crate::Linux;
use crate::errno::refusal;
use watch::{End, Watch};

mod start;
mod tail;
mod watch;

impl Processes for Linux {
    fn find(&self, program: &str) -> Option<String> {
        find(program, None)
    }

    fn ask(&self, command: &Command) -> Result<Output> {
        self.execute(command)
    }

    fn run(&mut self, command: &Command) -> Result<Output> {
        self.execute(command)
    }

    fn stop_requested(&self) -> Option<Stop> {
        self.signals.stop()
    }
}

impl Linux {
    fn execute(&self, command: &Command) -> Result<Output> {
        let shown = command.program.as_str();
        if self.signals.stop().is_some() {
            return Err(refusal("run", shown, Cause::Stopped, "not started, since this run is to stop"));
        }
        let Some(program) = find(shown, command.search.as_deref()) else { return Err(missing(command)) };
        let started = start::start(&program, command)?;
        // It may have added a user, whatever it was for.
        self.accounts.doubt();
        let watch = Watch::new(started, command, &self.signals, self.lines.as_deref());
        let (end, output) = watch.follow(&mut self.scratch.borrow_mut())?;
        match end {
            End::Exit(status) => finished(shown, status, output),
            End::TimedOut(limit) => {
                let text = format!("timed out after {limit:?} and was ended{}", last_words(&output));
                Err(refusal("run", shown, Cause::TimedOut, text))
            }
            End::Stopped => Err(refusal("run", shown, Cause::Stopped, "ended, since this run is to stop")),
        }
    }
}

fn finished(shown: &str, status: ExitStatus, output: Output) -> Result<Output> {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ok(Output { code, ..output }),
        (None, signal) => {
            let number = signal.unwrap_or_default();
            let name = Signal::try_from(number).map_or("unknown", Signal::as_str);
            let text = format!("killed by signal {number} ({name}){}", last_words(&output));
            Err(refusal("run", shown, Cause::Other, text))
        }
    }
}

/// The end of what a command said before it was ended, for its error.
fn last_words(output: &Output) -> String {
    const LONGEST: usize = 4096;
    let spoken = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
    let text = String::from_utf8_lossy(&spoken[spoken.len().saturating_sub(LONGEST)..]).trim().to_owned();
    if text.is_empty() { text } else { format!("; it said: {text}") }
}

#[cold]
fn missing(command: &Command) -> Error {
    let text = match (&command.search, command.program.contains('/')) {
        (_, true) => "no such program".to_owned(),
        (Some(search), _) => format!("no such program in {search}"),
        (None, _) => "no such program on PATH".to_owned(),
    };
    // A file that is there but may not be run is another fault.
    match access(command.program.as_str(), AccessFlags::X_OK) {
        Err(Errno::EACCES) if command.program.contains('/') => {
            refusal("run", &*command.program, Cause::Denied, "permission denied")
        }
        _ => Kind::System(System { operation: "run", object: command.program.clone(), cause: Cause::NotFound, text })
            .into(),
    }
}

/// Where a program is: itself if its name has a `/`, else in the first directory of the search path that has it.
/// Relative directories are passed over: what runs must not depend on where one stands.
fn find(program: &str, search: Option<&str>) -> Option<String> {
    if program.is_empty() || program.contains('\0') {
        return None;
    }
    if program.contains('/') {
        // A relative one is looked for by the child, in its working directory.
        return (!program.starts_with('/') || runnable(program)).then(|| program.to_owned());
    }
    let own = match search {
        None => std::env::var("PATH").ok().filter(|path| !path.is_empty()),
        Some(_) => None,
    };
    let folders = search.or(own.as_deref()).unwrap_or(USUAL).split(':').filter(|folder| folder.starts_with('/'));
    folders.map(|folder| format!("{}/{program}", folder.trim_end_matches('/'))).find(|path| runnable(path))
}

/// Where programs are on a system that says nothing.
const USUAL: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn runnable(path: &str) -> bool {
    access(path, AccessFlags::X_OK).is_ok() && std::fs::metadata(path).is_ok_and(|meta| meta.is_file())
}

#[cfg(test)]
mod tests;
