//! The command line as values: the top level, and what comes of parsing it.

use argh::{ArgsInfo, FromArgs};

use crate::command::Command;
use crate::help;
use crate::logger::{Level, Verbosity};

/// Brings this machine to the state that a manifest describes.
#[derive(FromArgs, ArgsInfo)]
#[argh(
    help_triggers("--help"),
    note = "`ccm help COMMAND` tells of a command, `ccm help manifest`, `expressions` and `facts` teach by example."
)]
pub(crate) struct Call {
    /// log everything, on both streams
    #[argh(switch)]
    debug: bool,
    /// log information on the diagnostic stream too
    #[argh(switch)]
    info: bool,
    /// print the version and end
    #[argh(switch)]
    version: bool,
    #[argh(subcommand)]
    pub(crate) command: Command,
}

impl Call {
    /// How much the two logs say.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.debug, self.info) {
            (true, _) => Verbosity { user: Level::Debug, diagnostic: Level::Debug },
            (false, true) => Verbosity { user: Level::Info, diagnostic: Level::Info },
            (false, false) => Verbosity::default(),
        }
    }
}

/// What the words of a call ask for.
pub(crate) enum Parsed {
    /// A command to carry out.
    Run(Box<Call>),
    /// A text that was asked for: help, the version.
    Show(String),
    /// No words at all: how to use the program, on standard error as the reference does.
    Usage(String),
    /// Words that make no call.
    Wrong {
        /// What is wrong with them.
        complaint: String,
        /// How the command is used.
        usage: String,
    },
}

/// Parses respelled words.
pub(crate) fn parse(words: &[String]) -> Parsed {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    if words[..end].contains(&"--version") {
        return Parsed::Show(format!("{}\n", env!("CARGO_PKG_VERSION")));
    }
    if words.is_empty() {
        return Parsed::Usage(usage(&[]));
    }
    if let Some(text) = help::generated(words[0]) {
        return Parsed::Show(text);
    }
    let lesson = match words[..] {
        [name, "--help"] => help::topic(name),
        _ => None,
    };
    match Call::from_args(&["ccm"], &words) {
        Ok(call) if call.version => Parsed::Show(format!("{}\n", env!("CARGO_PKG_VERSION"))),
        Ok(call) => Parsed::Run(Box::new(call)),
        // `facts` is a command and a topic: its usage comes first.
        Err(argh::EarlyExit { output, status: Ok(()) }) => {
            Parsed::Show(lesson.map_or(output.clone(), |text| format!("{output}\n{text}")))
        }
        Err(argh::EarlyExit { output, .. }) => match lesson {
            Some(text) => Parsed::Show(text.into()),
            None => Parsed::Wrong { complaint: complaint(&output), usage: usage(&words) },
        },
    }
}

/// argh's complaint on one line, without its own advice to run `help`.
fn complaint(output: &str) -> String {
    let lines = output.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Run "));
    let joined = lines.collect::<Vec<_>>().join(" ");
    let mut letters = joined.chars();
    letters
        .next()
        .map_or_else(String::new, |first| core::iter::once(first.to_ascii_lowercase()).chain(letters).collect())
}

/// The usage of the deepest command that the words name.
fn usage(words: &[&str]) -> String {
    let plain = words.iter().copied().take_while(|word| !word.starts_with("--no") || word.len() > 4);
    let mut command: Vec<&str> = plain.filter(|word| !word.starts_with('-')).take(3).collect();
    loop {
        let mut asked = command.clone();
        asked.push("--help");
        match Call::from_args(&["ccm"], &asked) {
            Err(argh::EarlyExit { output, status: Ok(()) }) => return output,
            _ if command.pop().is_none() => return String::new(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Parsed {
        parse(&line.split(' ').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_wrong_call_names_the_word_and_shows_the_usage_of_its_command() {
        match parsed("apply --nosuch m") {
            Parsed::Wrong { complaint, usage } => {
                assert!(complaint.contains("--nosuch"), "{complaint}");
                assert!(usage.contains("Usage: ccm apply"), "{usage}");
            }
            _ => panic!("accepted"),
        }
    }

    #[test]
    fn the_version_needs_no_command() {
        assert!(matches!(parsed("--version"), Parsed::Show(text) if text.starts_with(char::is_numeric)));
    }
}
