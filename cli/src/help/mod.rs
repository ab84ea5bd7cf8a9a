//! What ccm says of itself: topics, the manual page, completions.
//!
//! All of it is made of the tables of `command/`, by which calls are read too, so none can differ from what is accepted.

mod complete;
mod man;
mod usage;

use crate::command::{CCM, VERSION};
use crate::definition::{Command, Flag};

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

/// How the last of these commands is used.
pub(crate) fn usage(path: &[&'static Command]) -> String {
    usage::usage(path)
}

/// Commands as they are typed: `ccm ensure file`.
pub(crate) fn spelled(path: &[&'static Command]) -> String {
    path.iter().map(|command| command.name).collect::<Vec<_>>().join(" ")
}

/// The text that a flag for packagers asks for. They stand in no usage, as in the reference.
pub(crate) fn generated(flag: &str) -> Option<String> {
    match flag {
        "--help-man" => Some(man::page(&CCM)),
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
    flags: Vec<&'static Flag>,
    /// The command whose words may follow.
    command: &'static Command,
}

/// All places, a command before its sub-commands.
fn places() -> Vec<Place> {
    fn add(path: &str, above: &[&'static Flag], command: &'static Command, to: &mut Vec<Place>) {
        let flags: Vec<_> = above.iter().copied().chain(command.flags()).collect();
        // The version is a question to `ccm` alone.
        let handed: Vec<_> = flags.iter().copied().filter(|flag| flag.long != VERSION.long).collect();
        to.push(Place { path: path.into(), flags, command });
        for below in command.commands() {
            add(&format!("{path} {}", below.name), &handed, below, to);
        }
    }
    let mut places = Vec::new();
    add("", &[], &CCM, &mut places);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_a_place_and_knows_the_flags_above_it() {
        let places = places();
        let file = places.iter().find(|place| place.path == " ensure file").unwrap();
        for flag in ["debug", "noop", "mode"] {
            assert_eq!(file.flags.iter().filter(|known| known.long == flag).count(), 1, "{flag}");
        }
        assert!(file.flags.iter().all(|known| known.long != "version"));
        assert!(places[0].command.commands().iter().any(|command| command.name == "apply"));
    }
}
