//! `cargo xtask tidy`: the structure that the compiler does not hold.
//!
//! - A room of `core` uses only rooms above it in the table (`STYLE.md`, section 2), never its neighbours.
//! - No file is longer than the ceiling.
//! - Only `platform` names the operating system, only `cli` prints.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Outcome, shell};

/// Most lines of a source file.
const CEILING: usize = 1_000;

/// The rooms of `core`, lowest first; those of one row do not know each other.
const ROOMS: &[&[&str]] = &[
    &["span"],
    &["error"],
    &["text"],
    &["value"],
    &["yaml", "host", "names"],
    &["expr", "jet", "gotmpl"],
    &["render"],
    &["hiera", "roster", "registration"],
    &["manifest"],
    &["resource"],
    &["engine"],
    &["agent"],
];

/// What only `platform` may name.
const SYSTEM: &[&str] =
    &["std::fs", "std::process", "std::net", "nix::", "procfs::", "ureq::", "nats::", "tar::", "miniz_oxide::"];

/// Where `cli` may still name some of them: the exit code of the program, and its own streams.
const CLI_MAY: &[&str] = &["std::process::ExitCode"];

pub fn run() -> Outcome {
    let root = shell::root();
    let mut faults = Vec::new();
    for package in ["core", "platform", "cli", "xtask", "tests"] {
        for path in sources(&root.join(package)) {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            size(&name, &text, &mut faults);
            match package {
                "core" => {
                    rooms(&name, &text, &mut faults);
                    system(&name, &text, &[], &mut faults);
                    printing(&name, &text, &mut faults);
                }
                "platform" => printing(&name, &text, &mut faults),
                "cli" => system(&name, &text, CLI_MAY, &mut faults),
                _ => {}
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("\n{}", faults.join("\n"))) }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn size(name: &str, text: &str, faults: &mut Vec<String>) {
    let lines = text.lines().count();
    if lines > CEILING {
        faults.push(format!("{name}: {lines} lines; the ceiling is {CEILING}"));
    }
}

/// Row and name of the room that a file of core belongs to.
fn room_of(name: &str) -> Option<(usize, &str)> {
    let inner = name.strip_prefix("core/src/")?;
    let room = inner.split(['/', '.']).next()?;
    row(room).map(|row| (row, room))
}

fn row(room: &str) -> Option<usize> {
    ROOMS.iter().position(|row| row.contains(&room))
}

fn rooms(name: &str, text: &str, faults: &mut Vec<String>) {
    let Some((own, room)) = room_of(name) else { return };
    for (number, line) in code(text) {
        for used in uses(line) {
            match row(used) {
                Some(other) if used != room && other >= own => faults.push(format!(
                    "{name}:{number}: {room} (row {}) may not use {used} (row {})",
                    own + 1,
                    other + 1
                )),
                _ => {}
            }
        }
    }
}

/// The rooms that a line names as `crate::ROOM`, or within `crate::{ROOM…, ROOM…}`.
fn uses(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let rest = &line[at + 7..];
        match rest.strip_prefix('{') {
            Some(inner) => {
                let mut depth = 0_i32;
                let mut start = true;
                for (index, letter) in inner.char_indices() {
                    if start && depth == 0 && letter.is_ascii_lowercase() {
                        found.push(word(&inner[index..]));
                    }
                    start = match letter {
                        ',' => true,
                        ' ' => start,
                        _ => false,
                    };
                    depth += match letter {
                        '{' => 1,
                        '}' => -1,
                        _ => 0,
                    };
                    if depth < 0 {
                        break;
                    }
                }
            }
            None => found.push(word(rest)),
        }
    }
    found
}

fn word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    &text[..end]
}

/// Lines that are no comments, with their numbers, up to the tests at the bottom.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(index, line)| (index + 1, line))
}

fn system(name: &str, text: &str, allowed: &[&str], faults: &mut Vec<String>) {
    for (number, line) in code(text) {
        for word in SYSTEM {
            let named = line.match_indices(word).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                !before.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':')
            });
            if named && !allowed.iter().any(|allowed| line.contains(allowed)) {
                faults.push(format!("{name}:{number}: only platform may name {word}"));
            }
        }
    }
}

fn printing(name: &str, text: &str, faults: &mut Vec<String>) {
    for (number, line) in code(text) {
        for word in ["println!(", "eprintln!(", "print!(", "eprint!(", "dbg!("] {
            if line.trim_start().starts_with(word) {
                faults.push(format!("{name}:{number}: only cli prints ({word}…))"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_of_several_rooms_is_seen_whole() {
        assert_eq!(uses("use crate::{error::{Error, Result}, engine::Run, value};"), ["error", "engine", "value"]);
        assert_eq!(uses("let x = crate::jet::render(crate::span::Span::point(1));"), ["jet", "span"]);
    }

    #[test]
    fn an_upward_use_and_a_neighbour_are_refused() {
        let mut faults = Vec::new();
        rooms(
            "core/src/jet/mod.rs",
            "use crate::expr::Program;\nuse crate::engine::Run;\nuse crate::value::Value;",
            &mut faults,
        );
        assert_eq!(faults.len(), 2, "{faults:?}");
    }
}
