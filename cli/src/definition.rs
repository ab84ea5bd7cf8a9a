//! What the command line consists of: commands, their flags and their words, each told once.
//!
//! The tables that stand beside each command's code are of these types. [`crate::args`] reads calls by them,
//! [`crate::help`] makes usages, the manual page and completions of them.

use ccm_core::Result;

use crate::args::Given;
use crate::logger::Console;

/// A flag.
pub(crate) struct Flag {
    /// Its name, without dashes. The opposite of a switch, `no-NAME` or NAME without its `no-`, takes it back.
    pub(crate) long: &'static str,
    /// Its letter.
    pub(crate) short: Option<char>,
    pub(crate) takes: Takes,
    pub(crate) help: &'static str,
}

/// What follows a flag: nothing, or a value whose name in a usage is given.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// It is there or not.
    Nothing,
    /// It may be given once.
    One(&'static str),
    /// It has to be given once.
    Needed(&'static str),
    /// It may be given again and again.
    Many(&'static str),
}

impl Flag {
    pub(crate) const fn new(long: &'static str, takes: Takes, help: &'static str) -> Self {
        Self { long, short: None, takes, help }
    }

    pub(crate) const fn switch(long: &'static str, help: &'static str) -> Self {
        Self::new(long, Takes::Nothing, help)
    }

    pub(crate) const fn or(mut self, letter: char) -> Self {
        self.short = Some(letter);
        self
    }

    /// What stands for its value, if it takes one.
    pub(crate) const fn value(&self) -> Option<&'static str> {
        match self.takes {
            Takes::Nothing => None,
            Takes::One(name) | Takes::Needed(name) | Takes::Many(name) => Some(name),
        }
    }

    /// Whether a name is that of the opposite.
    pub(crate) fn is_undone_by(&self, name: &str) -> bool {
        let opposite = |of: &str, name: &str| name.strip_prefix("no-") == Some(of);
        matches!(self.takes, Takes::Nothing) && (opposite(self.long, name) || opposite(name, self.long))
    }
}

/// A word that is no flag.
pub(crate) struct Word {
    pub(crate) name: &'static str,
    pub(crate) count: Count,
    pub(crate) help: &'static str,
}

/// How many words there may be of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    One,
    OneOrNone,
    Any,
}

impl Word {
    pub(crate) const fn new(name: &'static str, count: Count, help: &'static str) -> Self {
        Self { name, count, help }
    }

    /// As a usage shows it: `<name>`, `[name]`, `[name...]`.
    pub(crate) fn shown(&self) -> String {
        match self.count {
            Count::One => format!("<{}>", self.name),
            Count::OneOrNone => format!("[{}]", self.name),
            Count::Any => format!("[{}...]", self.name),
        }
    }
}

/// A command.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// Other names it goes by.
    pub(crate) also: &'static [&'static str],
    /// A sentence that says what it does.
    pub(crate) about: &'static str,
    /// Its flags, in groups that commands share. They are known below it too.
    pub(crate) flags: &'static [&'static [&'static Flag]],
    pub(crate) then: Then,
}

/// What follows a command's name.
pub(crate) enum Then {
    /// One of these commands.
    Commands(&'static [&'static Command]),
    /// Words, and the function that carries the call out.
    Run(&'static [Word], fn(&Given, &Console) -> Result<u8>),
}

impl Command {
    pub(crate) fn flags(&self) -> impl Iterator<Item = &'static Flag> {
        self.flags.iter().flat_map(|group| group.iter().copied())
    }

    pub(crate) const fn commands(&self) -> &'static [&'static Command] {
        match self.then {
            Then::Commands(commands) => commands,
            Then::Run(..) => &[],
        }
    }

    pub(crate) const fn words(&self) -> &'static [Word] {
        match self.then {
            Then::Commands(_) => &[],
            Then::Run(words, _) => words,
        }
    }
}
