//! The commands of the machine in memory: lines that are known, and how they answer.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use super::{Memory, refused};
use crate::error::{Cause, Result};
use crate::host::{Command, Output, Processes, Stop};

/// A command line and how it answers.
pub(super) struct Scripted {
    pub(super) pattern: String,
    pub(super) reply: Reply,
}

/// How a scripted command answers, and what it does to the files.
#[derive(Default)]
pub struct Reply {
    output: Output,
    takes: Duration,
    once: bool,
    stops: Option<Stop>,
    effect: Option<Effect>,
}

/// What running a command does to the machine.
type Effect = Box<dyn Fn(&mut Memory)>;

impl Reply {
    /// Exit 0 with this on standard output.
    #[must_use]
    pub fn says(stdout: &str) -> Self {
        Self { output: Output { stdout: stdout.as_bytes().to_vec(), ..Output::default() }, ..Self::default() }
    }

    /// Exit with a code.
    #[must_use]
    pub fn exits(code: i32) -> Self {
        Self { output: Output { code, ..Output::default() }, ..Self::default() }
    }

    /// Also this on standard error.
    #[must_use]
    pub fn with_stderr(mut self, text: &str) -> Self {
        self.output.stderr = text.as_bytes().to_vec();
        self
    }

    /// Takes this long; past the command's timeout it is ended.
    #[must_use]
    pub fn taking(mut self, time: Duration) -> Self {
        self.takes = time;
        self
    }

    /// Answers one call; the next one falls to a later script.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// The signal arrives while this command runs, which ends it.
    #[must_use]
    pub fn stopping(mut self, stop: Stop) -> Self {
        self.stops = Some(stop);
        self
    }

    /// Changes the machine when it is run (not when it is asked).
    #[must_use]
    pub fn doing(mut self, effect: impl Fn(&mut Memory) + 'static) -> Self {
        self.effect = Some(Box::new(effect));
        self
    }
}

impl Memory {
    /// The answer of a command, and its number among the scripts.
    fn answer(&self, command: &Command) -> Result<(usize, Output)> {
        let line = core::iter::once(&command.program)
            .chain(&command.arguments)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ");
        let found = self.commands.iter().position(|known| fits(&known.pattern, &line));
        self.calls.borrow_mut().push(line);
        let Some(number) = found else { return Err(refused("run", &command.program, Cause::NotFound)) };
        let reply = &self.commands[number].reply;
        let limit = command.timeout.unwrap_or(Duration::MAX);
        self.time.set(self.time.get() + reply.takes.min(limit));
        if reply.stops.is_some() {
            self.stop.set(reply.stops);
            return Err(refused("run", &command.program, Cause::Stopped));
        }
        if reply.takes > limit {
            return Err(refused("run", &command.program, Cause::TimedOut));
        }
        Ok((number, reply.output.clone()))
    }
}

impl Processes for Memory {
    /// A program is there when a scripted command line starts with it, or with a path that ends in it.
    fn find(&self, program: &str) -> Option<String> {
        self.commands.iter().filter_map(|known| known.pattern.split(' ').next()).find_map(|word| {
            let word = word.trim_end_matches('*');
            let fits = word == program || (!program.contains('/') && word.rsplit('/').next() == Some(program));
            fits.then(|| if word.contains('/') { word.to_owned() } else { format!("/usr/bin/{word}") })
        })
    }

    fn ask(&self, command: &Command) -> Result<Output> {
        self.answer(command).map(|(_, output)| output)
    }

    fn run(&mut self, command: &Command) -> Result<Output> {
        let (number, output) = self.answer(command)?;
        let effect = self.commands[number].reply.effect.take();
        if let Some(effect) = &effect {
            effect(self);
        }
        if self.commands[number].reply.once {
            self.commands.remove(number);
        } else {
            self.commands[number].reply.effect = effect;
        }
        Ok(output)
    }

    fn stop_requested(&self) -> Option<Stop> {
        self.stop.get()
    }
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or("")) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}
