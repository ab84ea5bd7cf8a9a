//! Respells a command line into what argh understands.
//!
//! argh knows `--name value`, single short flags and its own order of words. Users of the reference
//! write `--name=value`, `-Rvalue`, `-nx`, global flags anywhere, `--no-x` and `-` for standard input.
//! Everything of that kind is undone here, so that no command has to know of it.

use std::ffi::OsString;

use ccm_core::{Error, Result};

/// What a lone `-` becomes: no word of a real command line can hold a NUL.
pub(crate) const STDIN: &str = "\0-";

/// Short flags that take a value: the rest of their cluster, or the next word.
const VALUED: &str = "ADHRSeops";
/// Short flags that stand alone.
const SWITCHES: &str = "Eh";
/// Flags of `ccm` itself: accepted anywhere, wanted first.
const GLOBAL: [&str; 2] = ["--debug", "--info"];
/// Flags that are on unless `--no-NAME` is given: their plain form says nothing.
const ON: [&str; 2] = ["read-env", "report"];
/// Flags that are off unless given: their `--no-NAME` form says nothing.
const OFF: [&str; 2] = ["skip-empty", "yaml"];
/// Flags that every `ccm ensure TYPE` takes, and whether a value follows: they belong to `ensure` itself, so
/// that they are declared once.
const ENSURE: [(&str, bool); 19] = [
    ("alias", true),
    ("check", true),
    ("check-sleep", true),
    ("check-tries", true),
    ("context", true),
    ("detailed-exitcodes", false),
    ("fact", true),
    ("facts", true),
    ("flat-facts", false),
    ("hiera", true),
    ("if", true),
    ("lock-timeout", true),
    ("no-sync", false),
    ("noop", false),
    ("noop-guards", false),
    ("provider", true),
    ("require", true),
    ("session", true),
    ("unless", true),
];
/// Other names of sub-commands: under which command (empty for the first word), alias, name.
const ALIASES: [(&str, &str, &str); 15] = [
    ("", "info", "status"),
    ("", "reg", "registration"),
    ("", "r", "registration"),
    ("ensure", "pkg", "package"),
    ("ensure", "svc", "service"),
    ("api", "piped", "pipe"),
    ("hiera", "resolve", "parse"),
    ("session", "start", "new"),
    ("session", "create", "new"),
    ("registration", "c", "create"),
    ("registration", "q", "query"),
    ("registration", "delete", "rm"),
    ("registration", "i", "init"),
    ("registration", "w", "watch"),
    ("", "?", "help"),
];

/// The words after the program's name, as UTF-8 and respelled.
///
/// # Errors
/// When a word is not UTF-8: paths in manifests are text, so none could name it.
pub(crate) fn words(arguments: impl Iterator<Item = OsString>) -> Result<Vec<String>> {
    let text = |word: OsString| {
        word.into_string().map_err(|word| Error::invalid(format!("argument {:?} is not UTF-8", word.to_string_lossy())))
    };
    arguments.skip(1).map(text).collect::<Result<Vec<_>>>().map(respell)
}

fn respell(words: Vec<String>) -> Vec<String> {
    let mut spelling = Spelling::default();
    let mut words = words.into_iter();
    for word in words.by_ref() {
        if word == "--" {
            spelling.rest.push(word);
            break;
        }
        spelling.take(word);
    }
    spelling.rest.extend(words);
    spelling.finish()
}

/// The words sorted as they come.
#[derive(Default)]
struct Spelling {
    globals: Vec<String>,
    rest: Vec<String>,
    /// Flags of `ensure`, found behind its type.
    ensure: Vec<String>,
    /// The next word is the value of the last of them.
    value_follows: bool,
    /// The last word on each `--[no-]NAME`: it alone counts.
    negatable: Vec<(&'static str, bool)>,
    /// The command words so far: `ensure`, `file`. Aliases depend on them.
    command: Vec<String>,
    help: bool,
}

impl Spelling {
    fn take(&mut self, word: String) {
        if core::mem::take(&mut self.value_follows) {
            self.ensure.push(word);
        } else if GLOBAL.contains(&word.as_str()) {
            self.globals.push(word);
        } else if word == "--help" || word == "-h" {
            self.help = true;
        } else if word == "-" {
            self.rest.push(STDIN.into());
        } else if let Some(long) = word.strip_prefix("--") {
            self.take_long(long);
        } else if word.len() > 1 && word.starts_with('-') {
            self.take_cluster(&word[1..]);
        } else {
            self.take_plain(word);
        }
    }

    fn take_long(&mut self, long: &str) {
        let (flag, value) = long.split_once('=').map_or((long, None), |(flag, value)| (flag, Some(value)));
        let of_ensure = ENSURE
            .iter()
            .find(|(known, _)| *known == flag && self.command.first().is_some_and(|word| word == "ensure"));
        if let Some((_, valued)) = of_ensure {
            self.ensure.push(format!("--{flag}"));
            self.ensure.extend(value.map(Into::into));
            self.value_follows = *valued && value.is_none();
            return;
        }
        if let Some(value) = value {
            return self.rest.extend([format!("--{flag}"), value.into()]);
        }
        let (name, positive) = long.strip_prefix("no-").map_or((long, true), |name| (name, false));
        match ON.iter().chain(&OFF).find(|known| **known == name) {
            Some(known) => {
                self.negatable.retain(|(name, _)| name != known);
                self.negatable.push((known, positive));
            }
            None => self.rest.push(format!("--{long}")),
        }
    }

    fn take_cluster(&mut self, cluster: &str) {
        for (at, letter) in cluster.char_indices() {
            let rest = &cluster[at + letter.len_utf8()..];
            if VALUED.contains(letter) {
                self.rest.push(format!("-{letter}"));
                if !rest.is_empty() {
                    self.rest.push(rest.strip_prefix('=').unwrap_or(rest).into());
                }
                return;
            }
            match letter {
                'h' => self.help = true,
                _ if SWITCHES.contains(letter) => self.rest.push(format!("-{letter}")),
                // Unknown: handed on whole, so that the complaint shows what was written.
                _ => return self.rest.push(format!("-{}", &cluster[at..])),
            }
        }
    }

    fn take_plain(&mut self, word: String) {
        // Only the first words can be commands; values of flags come later or are no alias.
        let only_commands = self.rest.len() == self.command.len() && self.command.len() < 3;
        let parent = self.command.last().map_or("", String::as_str);
        let found = ALIASES.iter().find(|(under, alias, _)| only_commands && *under == parent && *alias == word);
        let name = found.map_or(word, |(_, _, name)| (*name).into());
        if only_commands {
            if name == "help" && self.command.is_empty() {
                self.help = true;
                return;
            }
            self.command.push(name.clone());
        }
        self.rest.push(name);
    }

    /// Globals first, then the words, then what `--[no-]x` came to; help alone with the command words.
    fn finish(self) -> Vec<String> {
        let mut words = self.globals;
        if self.help {
            words.extend(self.command);
            words.push("--help".into());
            return words;
        }
        let spelled = |&(name, positive): &(&str, bool)| match positive {
            true => OFF.contains(&name).then(|| format!("--{name}")),
            false => ON.contains(&name).then(|| format!("--no-{name}")),
        };
        let mut flags: Vec<String> = self.negatable.iter().filter_map(spelled).collect();
        let mut rest = self.rest;
        if self.command.first().is_some_and(|word| word == "ensure") {
            let (own, of_type): (Vec<String>, Vec<String>) =
                flags.into_iter().partition(|flag| flag == "--no-read-env");
            flags = of_type;
            rest.splice(1..1, self.ensure.into_iter().chain(own));
        }
        let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
        rest.splice(end..end, flags);
        words.extend(rest);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(line: &str) -> String {
        respell(line.split(' ').map(Into::into).collect()).join(" ")
    }

    #[test]
    fn an_equals_sign_separates_a_flag_from_its_value_once() {
        assert_eq!(spelled("apply --fact=a=b m --content=--debug"), "apply --fact a=b m --content --debug");
    }

    #[test]
    fn global_flags_come_first_and_nothing_is_touched_after_two_dashes() {
        assert_eq!(spelled("apply m --debug -- --info -x"), "--debug apply m -- --info -x");
    }

    #[test]
    fn short_flags_are_taken_apart() {
        assert_eq!(spelled("hiera parse f -ERx"), "hiera parse f -E -R x");
        assert_eq!(spelled("apply -RNAME m"), "apply -R NAME m");
        assert_eq!(spelled("apply -zq m"), "apply -zq m");
    }

    #[test]
    fn of_a_flag_and_its_negation_the_last_counts() {
        assert_eq!(spelled("apply m --no-report --report"), "apply m");
        assert_eq!(spelled("apply --report --no-report m"), "apply m --no-report");
        assert_eq!(spelled("ensure api pipe --yaml"), "ensure api pipe --yaml");
        assert_eq!(spelled("apply --no-sync m"), "apply --no-sync m");
    }

    #[test]
    fn flags_of_every_type_belong_to_ensure() {
        assert_eq!(
            spelled("ensure file x --session s --noop --content=c --no-read-env --if=true"),
            "ensure --session s --noop --if true --no-read-env file x --content c"
        );
        assert_eq!(spelled("apply --noop m"), "apply --noop m");
    }

    #[test]
    fn help_needs_only_the_command() {
        assert_eq!(spelled("help apply"), "apply --help");
        assert_eq!(spelled("ensure file x -h"), "ensure file x --help");
    }

    #[test]
    fn other_names_of_commands_count_only_where_a_command_may_stand() {
        assert_eq!(spelled("ensure pkg svc"), "ensure package svc");
        assert_eq!(spelled("info file /r"), "status file /r");
        assert_eq!(spelled("ensure api piped"), "ensure api pipe");
    }

    #[test]
    fn a_lone_dash_is_standard_input() {
        assert_eq!(spelled("apply - --noop"), format!("apply {STDIN} --noop"));
    }
}
