//! Upper and lower case a character at a time, as Go has them: one character never becomes two, so `ß`
//! stays in upper case what it is.
//!
//! The tables are Go's, as those of [`super::unicode`]: 2 KB, where those of Rust's own library, which hold
//! what becomes of a whole text, take 23.

use alloc::string::String;
use core::ops::Range;

use super::unicode::Numbers;

/// All characters in upper case.
#[must_use]
pub fn upper(text: &str) -> String {
    convert(text, char::to_ascii_uppercase, include_bytes!("unicode/upper.bin"))
}

/// All characters in lower case; a final sigma is like any other.
#[must_use]
pub fn lower(text: &str) -> String {
    convert(text, char::to_ascii_lowercase, include_bytes!("unicode/lower.bin"))
}

fn convert(text: &str, ascii: fn(&char) -> char, table: &'static [u8]) -> String {
    // What is written in one script lies close together: the last answer mostly serves again.
    let mut last = Run { range: 0..0, step: 1, distance: 0 };
    let other = |character: char| {
        if character.is_ascii() {
            return ascii(&character);
        }
        let code = u32::from(character);
        if !last.range.contains(&code) {
            last = Run::around(code, table);
        }
        last.other_case(code).and_then(char::from_u32).unwrap_or(character)
    };
    let mut converted = String::with_capacity(text.len());
    converted.extend(text.chars().map(other));
    converted
}

/// Characters of which each so many-th has its other case at the same distance.
struct Run {
    range: Range<u32>,
    step: u32,
    /// 0 for those that have no other case.
    distance: i32,
}

impl Run {
    /// The run that a character lies in, or the gap between two runs.
    fn around(code: u32, table: &'static [u8]) -> Self {
        let mut numbers = Numbers(table);
        let (mut start, mut gap) = (0, 0);
        while let Some(skipped) = numbers.next() {
            start += skipped;
            let [count, step, distance] = core::array::from_fn(|_| numbers.next().unwrap_or(1));
            if code < start {
                return Self { range: gap..start, step: 1, distance: 0 };
            }
            gap = start + (count - 1) * step + 1;
            if code < gap {
                let length = (distance >> 1).cast_signed();
                return Self { range: start..gap, step, distance: if distance & 1 == 1 { -length } else { length } };
            }
        }
        Self { range: gap..u32::MAX, step: 1, distance: 0 }
    }

    fn other_case(&self, code: u32) -> Option<u32> {
        let fits = (code - self.range.start).is_multiple_of(self.step);
        if fits { code.checked_add_signed(self.distance) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::unicode::category;

    #[test]
    fn one_character_stays_one() {
        assert_eq!(upper("straße ŉ ᾳ ᾠ ﬁ ÿ ſ"), "STRAßE ŉ ᾼ ᾨ ﬁ Ÿ S");
        assert_eq!(lower("ΑΣ İ K ẞ"), "ασ i k ß");
    }

    #[test]
    fn single_characters_are_as_the_standard_library_has_them() {
        // Not where the library has several characters, as for Greek vowels with an iota below, nor where it knows a later
        // Unicode than Go's 15.0.
        let known = |full: &str| full.chars().count() == 1 && full.chars().all(|one| category(one).short() != "Cn");
        let mut compared = 0;
        for character in (0..0x2_0000).filter_map(char::from_u32).filter(|one| category(*one).short() != "Cn") {
            let text = String::from(character);
            let full: (String, String) = (character.to_uppercase().collect(), character.to_lowercase().collect());
            for (ours, full) in [(upper(&text), full.0), (lower(&text), full.1)] {
                if known(&full) {
                    assert_eq!(ours, full, "of {character}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
    }
}
