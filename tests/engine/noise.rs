//! Manifests of the scenarios, damaged at random: whatever they say, they are read or refused, and what is
//! read runs to its end. Nothing panics.

use super::machine::{Case, machine};
use ccm_core::engine::Mode;
use ccm_core::host::memory::Reply;

/// Damaged manifests tried for each one at hand.
const ROUNDS: usize = 4;

/// A small generator of the same numbers every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// Pieces that mean something to one of the languages inside.
const PIECES: [&str; 24] = [
    "{{",
    "}}",
    "${",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "\n",
    "\t",
    "\"",
    "'",
    "#",
    "&a ",
    "*a",
    "<<: ",
    "|\n",
    "0o7",
    "~",
    "!!int ",
    "\u{fffd}",
    "%{",
    "- defaults:",
];

fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=dice.roll(2) {
        let at = dice.roll(letters.len());
        match dice.roll(9) {
            0..4 => {
                letters.iter_mut().skip(at).take(1).for_each(|letter| *letter = char::from(b' ' + dice.roll(95) as u8))
            }
            4 | 5 => drop(letters.drain(at..(at + dice.roll(4)).min(letters.len()))),
            6 => drop(letters.splice(at..at, PIECES[dice.roll(PIECES.len())].chars())),
            7 => {
                let from = dice.roll(letters.len());
                let piece: Vec<char> = letters.iter().skip(from).take(dice.roll(40)).copied().collect();
                drop(letters.splice(at..at, piece));
            }
            _ => letters.truncate(at),
        }
    }
    letters.into_iter().collect()
}

/// Every manifest in the scenarios: the YAML files that have resources.
fn manifests() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/scenarios");
    let mut found = Vec::new();
    for name in ["file", "exec", "engine", "manifest"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}.jsonl")).unwrap();
        for line in text.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let files = case["files"].as_object().into_iter().flatten();
            let texts = files.filter_map(|(_, content)| content.as_str()).filter(|text| text.contains("resources"));
            found.extend(
                texts.map(|text| text.replace("@ROOT@", "/srv").replace("@USER@", "root").replace("@GROUP@", "root")),
            );
        }
    }
    found
}

#[test]
fn damaged_manifests_are_read_or_refused_and_what_is_read_runs_to_its_end() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut read, mut refused) = (0, 0);
    for manifest in manifests() {
        for _ in 0..ROUNDS {
            let text = damaged(&manifest, &mut dice);
            match Case::new(&[("m.yaml", &text)])
                .run(Mode::default(), &mut machine().with_command("*", Reply::exits(0)))
            {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}
