//! The two logs: what the user follows on standard output, and diagnostics on standard error.
//!
//! A user line is ` WARN  file#/etc/motd changed ensure=present …`: a blank, the level padded to
//! five, two blanks, the text, then pairs, unquoted. A diagnostic line is logfmt with the time. Both
//! forms are the reference's, since scripts read them (ledger `services.md` 1.1).

use std::fmt::Write;
use std::rc::Rc;

use ccm_core::text::time::Timestamp;

use crate::output::Output;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
        }
    }

    /// The terminal's colour: grey, green, yellow, red.
    fn colour(self) -> u8 {
        match self {
            Self::Debug => 90,
            Self::Info => 32,
            Self::Warn => 33,
            Self::Error => 31,
        }
    }
}

/// The least level each log shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verbosity {
    pub(crate) user: Level,
    pub(crate) diagnostic: Level,
}

impl Default for Verbosity {
    fn default() -> Self {
        Self { user: Level::Info, diagnostic: Level::Warn }
    }
}

/// All that a command may speak through; a clone speaks through the same streams.
#[derive(Clone)]
pub(crate) struct Console {
    pub(crate) out: Rc<Output>,
    pub(crate) verbosity: Verbosity,
    colours: bool,
}

/// Names and values behind a line's text.
pub(crate) type Pairs<'a> = &'a [(&'a str, String)];

impl Console {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let out = Rc::new(Output::new());
        let plain = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let colours = out.is_terminal() && !dumb && !plain("NO_COLOR");
        Self { out, verbosity, colours }
    }

    /// A line for the user, all at once.
    pub(crate) fn user(&self, level: Level, text: &str, pairs: Pairs<'_>) {
        pairs.iter().fold(self.line(level, text), |line, (name, value)| line.pair(name, value)).say();
    }

    /// A line for the user, to be completed.
    pub(crate) fn line(&self, level: Level, text: &str) -> Line<'_> {
        let mut line = String::with_capacity(128);
        if self.colours {
            // Writing to a String cannot fail.
            let _ok = write!(line, " \x1b[{}m{:<5}\x1b[0m ", level.colour(), level.name());
        } else {
            line.push(' ');
            line.push_str(level.name());
            line.push_str(if level.name().len() < 5 { "  " } else { " " });
        }
        Line { console: self, level, line }.text(text)
    }

    /// A line for whoever searches a fault.
    pub(crate) fn diagnose(&self, level: Level, text: &str, pairs: Pairs<'_>) {
        if level < self.verbosity.diagnostic {
            return;
        }
        let mut line = format!("time={} level={} msg={}", now(), level.name(), quoted(text));
        for (name, value) in pairs {
            // Writing to a String cannot fail.
            let _ok = write!(line, " {name}={}", quoted(value));
        }
        line.push('\n');
        self.out.error(&line);
    }

    /// Everything that was said has left the program.
    pub(crate) fn finish(&self) -> bool {
        self.out.finish()
    }
}

/// A line of the user's log in the making.
pub(crate) struct Line<'a> {
    console: &'a Console,
    level: Level,
    line: String,
}

impl Line<'_> {
    /// More of its text.
    #[must_use]
    pub(crate) fn text(mut self, text: &str) -> Self {
        escape(&mut self.line, text);
        self
    }

    /// A name and its value.
    #[must_use]
    pub(crate) fn pair(mut self, name: &str, value: &str) -> Self {
        self.line.push(' ');
        self.line.push_str(name);
        self.line.push('=');
        self.text(value)
    }

    /// Says it. A stable resource's line may wait in the buffer; any other is shown at once.
    pub(crate) fn say(mut self) {
        if self.level < self.console.verbosity.user {
            return;
        }
        self.line.push('\n');
        self.console.out.text(&self.line);
        if self.level > Level::Info {
            self.console.out.flush();
        }
    }
}

/// RFC 3339 in UTC with milliseconds.
fn now() -> String {
    let Timestamp { seconds, nanos } = ccm_platform::now();
    let text = Timestamp { seconds, nanos: 0 }.rfc3339();
    format!("{}.{:03}Z", text.trim_end_matches('Z'), nanos / 1_000_000)
}

/// One line stays one line, and no text from a machine can steer a terminal.
fn escape(line: &mut String, text: &str) {
    // Every control character has one of these bytes; most texts have none.
    if !text.bytes().any(|byte| byte < 0x20 || byte == 0x7f || byte == 0xc2) {
        return line.push_str(text);
    }
    for letter in text.chars() {
        match letter {
            '\t' => line.push(letter),
            _ if letter.is_control() => line.extend(letter.escape_default()),
            _ => line.push(letter),
        }
    }
}

/// A logfmt value: quoted when it holds blanks, quotes or equals signs.
fn quoted(value: &str) -> String {
    let plain = |letter: char| !letter.is_whitespace() && !letter.is_control() && letter != '"' && letter != '=';
    match !value.is_empty() && value.chars().all(plain) {
        true => value.into(),
        false => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_blanks_are_quoted() {
        assert_eq!(quoted("a b"), "\"a b\"");
        assert_eq!(quoted("a/b"), "a/b");
        assert_eq!(quoted(""), "\"\"");
    }

    #[test]
    fn no_text_steers_the_terminal() {
        let mut line = String::new();
        escape(&mut line, "a\x1b[2J\nb");
        escape(&mut line, " \u{85}é");
        assert_eq!(line, "a\\u{1b}[2J\\nb \\u{85}é");
    }
}
