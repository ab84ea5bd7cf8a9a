//! Reads the words of a call by the tables of [`crate::definition`].
//!
//! lexopt takes words apart (`--name=value`, `-Rvalue`, `-nx`, `--`); here each is looked up. A flag is looked for in
//! the command that the words before it lead to and then in those above, so flags and words may stand in any order.

use std::ffi::OsString;

use ccm_core::text::nearest;
use ccm_core::{Error, Result};
use lexopt::{Arg, Parser};

use crate::command::{CCM, DEBUG, HELP, INFO, VERSION};
use crate::definition::{Command, Count, Flag, Takes, Then};
use crate::help;
use crate::logger::{Console, Level, Verbosity};

/// What a call gives a command.
pub(crate) struct Given {
    /// The commands that its words name, from `ccm` down.
    path: Vec<&'static Command>,
    /// Flags as they came, with their values; a switch has an empty one.
    flags: Vec<(&'static Flag, String)>,
    words: Vec<String>,
}

impl Given {
    /// Whether a switch is on.
    pub(crate) fn on(&self, flag: &Flag) -> bool {
        self.texts(flag).next().is_some()
    }

    /// The value of a flag.
    pub(crate) fn text(&self, flag: &Flag) -> Option<&str> {
        self.texts(flag).next()
    }

    /// The value of a flag as a number.
    ///
    /// # Errors
    /// When it is none, or is out of the type's range.
    pub(crate) fn number<N: TryFrom<i64>>(&self, flag: &Flag) -> Result<Option<N>> {
        let mut numbers = self.numbers(flag)?.into_iter();
        numbers.next().map(|number| N::try_from(number).map_err(|_| no_number(flag, &number.to_string()))).transpose()
    }

    /// All values of a flag, as numbers.
    pub(crate) fn numbers(&self, flag: &Flag) -> Result<Vec<i64>> {
        self.texts(flag).map(|text| text.parse().map_err(|_| no_number(flag, text))).collect()
    }

    /// All values of a flag.
    pub(crate) fn texts(&self, flag: &Flag) -> impl Iterator<Item = &str> {
        debug_assert!(self.path.iter().any(|command| command.flags().any(|known| known.long == flag.long)));
        self.flags.iter().filter(|(given, _)| given.long == flag.long).map(|(_, value)| value.as_str())
    }

    /// The words that are neither commands nor flags.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// A word that has to be there. (That it is was seen to before the command runs.)
    pub(crate) fn word(&self, place: usize) -> &str {
        self.words.get(place).map_or("", String::as_str)
    }

    /// How much the two logs say.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.on(&DEBUG), self.on(&INFO)) {
            (true, _) => Verbosity { user: Level::Debug, diagnostic: Level::Debug },
            (false, true) => Verbosity { user: Level::Info, diagnostic: Level::Info },
            (false, false) => Verbosity::default(),
        }
    }

    /// Carries the call out.
    ///
    /// # Errors
    /// When nothing could be run: the caller shows it and ends with 1.
    pub(crate) fn run(&self, console: &Console) -> Result<u8> {
        match self.path.last().map(|command| &command.then) {
            Some(Then::Run(_, run)) => run(self, console),
            _ => Err(Error::invalid("there is nothing to run")),
        }
    }
}

fn no_number(flag: &Flag, text: &str) -> Error {
    Error::invalid(format!("--{} cannot be {text:?}: it is a number", flag.long))
}

/// What the words of a call ask for.
pub(crate) enum Parsed {
    /// A command to carry out.
    Run(Given),
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

/// Reads the words after the program's name.
pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Parsed {
    let words: Vec<OsString> = words.collect();
    if let Some(text) = words.first().and_then(|word| help::generated(word.to_str()?)) {
        return Parsed::Show(text);
    }
    let none = words.is_empty();
    let given = Given { path: vec![&CCM], flags: Vec::new(), words: Vec::new() };
    let mut reader = Reader { given, topic: None };
    let read = reader.read(&mut Parser::from_args(words));
    let Reader { given, topic } = reader;
    let usage = || help::usage(&given.path);
    let outcome = read.and_then(|()| match given.on(&HELP) || given.on(&VERSION) || none {
        true => Ok(()),
        false => given.complete(),
    });
    match outcome {
        Err(complaint) => Parsed::Wrong { complaint, usage: usage() },
        Ok(()) if none => Parsed::Usage(usage()),
        Ok(()) if given.on(&VERSION) => Parsed::Show(format!("{}\n", env!("CARGO_PKG_VERSION"))),
        Ok(()) if given.on(&HELP) => Parsed::Show(match (topic, given.path.len()) {
            (Some(text), 1) => text.into(),
            // `facts` is a command and a topic: its usage comes first.
            (Some(text), _) => format!("{}\n{text}", usage()),
            (None, _) => usage(),
        }),
        Ok(()) => Parsed::Run(given),
    }
}

struct Reader {
    given: Given,
    /// A lesson that help was asked of.
    topic: Option<&'static str>,
}

/// Reading fails with a complaint.
type Read<T> = core::result::Result<T, String>;

impl Reader {
    fn read(&mut self, parser: &mut Parser) -> Read<()> {
        loop {
            let fault = |error: lexopt::Error| match error {
                lexopt::Error::UnexpectedValue { option, .. } => format!("{option} takes no value"),
                other => other.to_string(),
            };
            match parser.next().map_err(fault)? {
                None => return Ok(()),
                Some(Arg::Value(word)) => self.word(text(word)?)?,
                Some(Arg::Short(letter)) => {
                    let found = self.known().find(|flag| flag.short == Some(letter));
                    let flag = found.ok_or_else(|| format!("there is no flag -{letter} here"))?;
                    self.flag(flag, parser)?;
                }
                Some(Arg::Long(name)) => {
                    let found = self.known().find(|flag| flag.long == name);
                    let undone = self.known().find(|flag| flag.is_undone_by(name));
                    match (found, undone) {
                        (Some(flag), _) => self.flag(flag, parser)?,
                        (None, Some(undone)) => self.given.flags.retain(|(flag, _)| flag.long != undone.long),
                        (None, None) => {
                            let hint = nearest::nearest(name, self.known().map(|flag| flag.long));
                            let hint = hint.map_or_else(String::new, |near| format!(", did you mean --{near}?"));
                            return Err(format!("there is no flag --{name} here{hint}"));
                        }
                    }
                }
            }
        }
    }

    /// The flags that may stand here, those of the innermost command first.
    fn known(&self) -> impl Iterator<Item = &'static Flag> {
        self.given.path.iter().rev().flat_map(|command| command.flags())
    }

    fn flag(&mut self, flag: &'static Flag, parser: &mut Parser) -> Read<()> {
        let value = match flag.takes {
            Takes::Nothing => String::new(),
            _ => text(parser.value().map_err(|_| format!("--{} wants a value", flag.long))?)?,
        };
        if !matches!(flag.takes, Takes::Nothing | Takes::Many(_)) && self.given.text(flag).is_some() {
            return Err(format!("--{} is given twice", flag.long));
        }
        self.given.flags.push((flag, value));
        Ok(())
    }

    fn word(&mut self, word: String) -> Read<()> {
        let here = self.given.here();
        let Then::Commands(commands) = here.then else {
            self.given.words.push(word);
            return Ok(());
        };
        let at_top = self.given.path.len() == 1;
        if at_top && matches!(word.as_str(), "help" | "?") && !self.given.on(&HELP) {
            self.given.flags.push((&HELP, String::new()));
            return Ok(());
        }
        self.topic = help::topic(&word).filter(|_| at_top && self.given.on(&HELP));
        let is = |command: &&&Command| command.name == word || command.also.contains(&word.as_str());
        match commands.iter().find(is) {
            Some(command) => self.given.path.push(command),
            None if self.topic.is_some() => {}
            None => {
                let hint = nearest::hint(&word, commands.iter().map(|command| command.name));
                return Err(format!("`{}` has no command {word}{hint}", help::spelled(&self.given.path)));
            }
        }
        Ok(())
    }
}

impl Given {
    fn here(&self) -> &'static Command {
        self.path.last().copied().unwrap_or(&CCM)
    }

    /// Whether all is there that the command needs.
    fn complete(&self) -> Read<()> {
        let here = self.here();
        let name = help::spelled(&self.path);
        if let Then::Commands(commands) = here.then {
            let names: Vec<&str> = commands.iter().map(|command| command.name).collect();
            return Err(format!("`{name}` wants a command: {}", names.join(", ")));
        }
        let mut needed = here.words().iter().filter(|word| word.count == Count::One);
        if let Some(word) = needed.nth(self.words.len()) {
            return Err(format!("`{name}` wants a {}", word.name));
        }
        let most = here.words().len();
        if here.words().iter().all(|word| word.count != Count::Any)
            && let Some(word) = self.words.get(most)
        {
            return Err(format!("`{name}` has no use for {word:?}"));
        }
        for flag in here.flags() {
            if let Takes::Needed(value) = flag.takes
                && self.text(flag).is_none()
            {
                return Err(format!("`{name}` wants --{} {value}", flag.long));
            }
        }
        Ok(())
    }
}

/// Paths in manifests are text, so a word that is none could name nothing.
fn text(word: OsString) -> Read<String> {
    word.into_string().map_err(|word| format!("argument {:?} is not UTF-8", word.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Parsed {
        parse(line.split(' ').filter(|word| !word.is_empty()).map(Into::into))
    }

    /// What a call comes to: the commands, the flags, the words.
    fn read(line: &str) -> String {
        match parsed(line) {
            Parsed::Run(given) => {
                let mut parts = vec![help::spelled(&given.path)];
                parts.extend(given.flags.iter().map(|(flag, value)| format!("{}={value}", flag.long)));
                parts.extend(given.words);
                parts.join(" ")
            }
            Parsed::Show(text) | Parsed::Usage(text) => text.lines().next().unwrap_or_default().into(),
            Parsed::Wrong { complaint, .. } => format!("wrong: {complaint}"),
        }
    }

    #[test]
    fn a_wrong_call_names_the_word_and_shows_the_usage_of_its_command() {
        let Parsed::Wrong { complaint, usage } = parsed("apply --nopo m") else { panic!("accepted") };
        assert_eq!(complaint, "there is no flag --nopo here, did you mean --noop?");
        assert!(usage.starts_with("Usage: ccm apply"), "{usage}");
        assert_eq!(read("aply m"), "wrong: `ccm` has no command aply, did you mean apply?");
        assert_eq!(read("apply"), "wrong: `ccm apply` wants a manifest");
        assert_eq!(read("apply a b"), "wrong: `ccm apply` has no use for \"b\"");
        assert_eq!(read("apply m --hiera"), "wrong: --hiera wants a value");
        assert_eq!(read("apply m --hiera a --hiera b"), "wrong: --hiera is given twice");
        assert_eq!(read("apply m --noop=1"), "wrong: --noop takes no value");
        assert_eq!(read("bundle create d -o x"), "wrong: `ccm bundle create` wants --key SECRET");
        assert!(read("ensure --noop").starts_with("wrong: `ccm ensure` wants a command: file"));
    }

    #[test]
    fn the_version_needs_no_command() {
        assert_eq!(read("--version"), env!("CARGO_PKG_VERSION"));
        assert_eq!(read("apply --version"), env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn an_equals_sign_separates_a_flag_from_its_value_once() {
        assert_eq!(read("apply --fact=a=b m --hiera=--debug"), "ccm apply fact=a=b hiera=--debug m");
    }

    #[test]
    fn flags_stand_anywhere_and_nothing_is_one_after_two_dashes() {
        assert_eq!(read("apply --debug -- --info"), "ccm apply debug= --info");
        assert_eq!(read("apply - --noop"), "ccm apply noop= -");
        assert_eq!(
            read("ensure --noop file x --session s --content=c --if=true"),
            "ccm ensure file noop= session=s content=c if=true x"
        );
    }

    #[test]
    fn short_flags_are_taken_apart() {
        assert_eq!(read("hiera parse f -EDx=1"), "ccm hiera parse env-facts= data=x=1 f");
        assert_eq!(read("apply -RNAME m"), "ccm apply registration=NAME m");
        assert_eq!(read("apply -zq m"), "wrong: there is no flag -z here");
    }

    #[test]
    fn of_a_flag_and_its_negation_the_last_counts() {
        assert_eq!(read("apply m --no-report --report"), "ccm apply m");
        assert_eq!(read("apply --report --no-report m"), "ccm apply no-report= m");
        assert_eq!(read("apply --noop --no-noop m"), "ccm apply m");
        assert_eq!(read("facts --no-yaml"), "ccm facts");
    }

    #[test]
    fn help_needs_only_the_command() {
        assert!(read("help apply").starts_with("Usage: ccm apply "));
        assert!(read("ensure file x -h").starts_with("Usage: ccm ensure file "));
        assert!(read("ensure -h").starts_with("Usage: ccm ensure "));
        assert_eq!(read("help nosuch"), "wrong: `ccm` has no command nosuch");
    }

    #[test]
    fn other_names_of_commands_count_only_where_a_command_may_stand() {
        assert_eq!(read("info file info"), "ccm status file info");
        assert_eq!(read("hiera resolve resolve"), "ccm hiera parse resolve");
    }

    #[test]
    fn no_flag_is_declared_twice_on_one_line() {
        fn check(command: &'static Command, above: &[&'static Flag]) {
            let mut known = above.to_vec();
            for flag in command.flags() {
                assert!(!known.iter().any(|other| other.long == flag.long), "{} --{}", command.name, flag.long);
                assert!(flag.short.is_none() || !known.iter().any(|other| other.short == flag.short), "{}", flag.long);
                known.push(flag);
            }
            let optional = command.words().iter().skip_while(|word| word.count == Count::One);
            assert!(optional.count() <= 1, "{}: only the last word may be optional", command.name);
            command.commands().iter().for_each(|below| check(below, &known));
        }
        check(&CCM, &[]);
    }
}
