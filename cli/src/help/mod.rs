//! What ccm says of itself: topics, the manual page, completions.
//!
//! The commands are defined once, by the structs of `command/`: argh makes the usage of them, [`argh::ArgsInfo`]
//! hands the same definition to [`man`] and [`complete`], so none of them can differ from what is accepted.

mod complete;
mod man;

use argh::{ArgsInfo, CommandInfoWithArgs, FlagInfo, FlagInfoKind, Optionality, PositionalInfo};

use crate::args::Call;

/// Short lessons by example: `ccm help NAME`.
pub(crate) const TOPICS: [(&str, &str); 3] = [
    ("manifest", include_str!("manifest.txt")),
    ("expressions", include_str!("expressions.txt")),
    ("facts", include_str!("facts.txt")),
];

/// The text of a topic.
pub(crate) fn topic(name: &str) -> Option<&'static str> {
    TOPICS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The text that a flag for packagers asks for. They stand in no usage, as in the reference.
pub(crate) fn generated(flag: &str) -> Option<String> {
    match flag {
        "--help-man" => Some(man::page(&Call::get_args_info())),
        "--completion-script-bash" => Some(complete::bash(&places())),
        "--completion-script-zsh" => Some(complete::zsh(&places())),
        "--completion-script-fish" => Some(complete::fish(&places())),
        _ => None,
    }
}

/// Where on a command line one may stand: after `ccm`, after `ccm ensure`, after `ccm ensure file`.
struct Place {
    /// The command words so far, each after a blank: `""`, `" ensure"`, `" ensure file"`.
    path: String,
    /// Flags that may follow; those of the commands before are accepted too.
    flags: Vec<&'static FlagInfo<'static>>,
    /// Words that lead further, and what they do.
    commands: Vec<(&'static str, &'static str)>,
}

/// All places, a command before its sub-commands.
fn places() -> Vec<Place> {
    fn add(path: &str, above: &[&'static FlagInfo<'static>], command: &CommandInfoWithArgs, to: &mut Vec<Place>) {
        let own = command.flags.iter().filter(|flag| !flag.hidden);
        let fresh = own.filter(|flag| above.iter().all(|known| known.long != flag.long));
        let flags: Vec<_> = above.iter().copied().chain(fresh).collect();
        // The version is a question to `ccm` alone.
        let handed: Vec<_> = flags.iter().copied().filter(|flag| flag.long != "--version").collect();
        let commands = command.commands.iter().map(|sub| (sub.name, sub.command.description)).collect();
        to.push(Place { path: path.into(), flags, commands });
        for sub in &command.commands {
            add(&format!("{path} {}", sub.name), &handed, &sub.command, to);
        }
    }
    let mut places = Vec::new();
    add("", &[], &Call::get_args_info(), &mut places);
    places
}

/// What stands for the value of a flag, if it takes one.
fn value<'a>(flag: &FlagInfo<'a>) -> Option<&'a str> {
    match flag.kind {
        FlagInfoKind::Switch => None,
        FlagInfoKind::Option { arg_name } => Some(arg_name),
    }
}

/// A positional argument as a usage shows it: `NAME`, `[NAME]`, `[NAME...]`.
fn argument(positional: &PositionalInfo<'_>) -> String {
    let name = positional.name.to_ascii_uppercase();
    match positional.optionality {
        Optionality::Required => name,
        Optionality::Optional => format!("[{name}]"),
        Optionality::Repeating | Optionality::Greedy => format!("[{name}...]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_a_place_and_knows_the_flags_above_it() {
        let places = places();
        let file = places.iter().find(|place| place.path == " ensure file").unwrap();
        for flag in ["--debug", "--noop", "--mode"] {
            assert_eq!(file.flags.iter().filter(|known| known.long == flag).count(), 1, "{flag}");
        }
        assert!(file.flags.iter().all(|known| known.long != "--version"));
        assert!(places[0].commands.iter().any(|(name, _)| *name == "apply"));
    }
}
