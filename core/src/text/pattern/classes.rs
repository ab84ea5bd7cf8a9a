//! Sets of characters: the classes with names, and the other cases of what is in them.

use alloc::string::String;
use alloc::vec::Vec;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::text::unicode::{self, Fold};

/// A set of characters that grows: ranges in any order until it is made a class.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    ranges: Vec<ClassUnicodeRange>,
    /// Ranges whose other cases belong to the set too.
    folded: Vec<ClassUnicodeRange>,
}

impl Set {
    /// These characters.
    pub(super) fn of(characters: &str) -> Self {
        Self { ranges: characters.chars().map(|c| ClassUnicodeRange::new(c, c)).collect(), folded: Vec::new() }
    }

    /// ASCII ranges as pairs of characters: `azAZ`.
    fn ascii(pairs: &str) -> Self {
        let bytes = pairs.as_bytes().chunks_exact(2);
        let ranges = bytes.filter_map(|pair| match pair {
            [low, high] => Some(ClassUnicodeRange::new(char::from(*low), char::from(*high))),
            _ => None,
        });
        Self { ranges: ranges.collect(), folded: Vec::new() }
    }

    /// How many ranges.
    pub(super) fn len(&self) -> usize {
        self.ranges.len() + self.folded.len()
    }

    /// Adds a range, with its other cases if asked to.
    pub(super) fn push(&mut self, low: char, high: char, fold: bool) {
        let ranges = if fold { &mut self.folded } else { &mut self.ranges };
        ranges.push(ClassUnicodeRange::new(low, high));
    }

    /// Adds a whole set.
    pub(super) fn extend(&mut self, other: &Self) {
        self.ranges.extend_from_slice(&other.ranges);
        self.folded.extend_from_slice(&other.folded);
    }

    /// Adds the other cases of all there is.
    pub(super) fn fold(&mut self) {
        self.folded.append(&mut self.ranges);
    }

    /// All other characters instead.
    pub(super) fn negate(&mut self) {
        let mut class = core::mem::take(self).into_class();
        class.negate();
        self.ranges = class.ranges().to_vec();
    }

    /// How many ranges' worth of work the other cases of this set take to find.
    pub(super) fn folding(&self) -> usize {
        if self.folded.is_empty() || self.folds_in_ascii() { 0 } else { 1000 }
    }

    fn folds_in_ascii(&self) -> bool {
        self.folded.iter().all(|range| range.end().is_ascii())
    }

    /// The class.
    pub(super) fn into_class(mut self) -> ClassUnicode {
        if !self.folded.is_empty() {
            let in_ascii = self.folds_in_ascii();
            let plain = ClassUnicode::new(core::mem::take(&mut self.folded));
            self.ranges.extend_from_slice(plain.ranges());
            self.ranges.extend(if in_ascii { other_ascii_cases(&plain) } else { other_cases(&plain) });
        }
        ClassUnicode::new(self.ranges)
    }
}

/// `\d`, `\s`, `\w`.
pub(super) fn perl(letter: char) -> Option<Set> {
    match letter {
        'd' => Some(Set::ascii("09")),
        's' => Some(Set::of("\t\n\x0c\r ")),
        'w' => Some(Set::ascii("09AZaz__")),
        _ => None,
    }
}

/// `[:alpha:]` and its like.
pub(super) fn posix(name: &str) -> Option<Set> {
    Some(Set::ascii(match name {
        "alnum" => "09AZaz",
        "alpha" => "AZaz",
        "ascii" => "\0\x7f",
        "blank" => "\t\t  ",
        "cntrl" => "\0\x1f\x7f\x7f",
        "digit" => "09",
        "graph" => "!~",
        "lower" => "az",
        "print" => " ~",
        "punct" => "!/:@[`{~",
        "space" => "\t\r  ",
        "upper" => "AZ",
        "word" => "09AZaz__",
        "xdigit" => "09AFaf",
        _ => return None,
    }))
}

/// A class of Unicode: a general category (`L`, `Lu`, `Letter`), a script (`Greek`), or `Any`, `ASCII`,
/// `Assigned`. As in Go, case, blanks, `-` and `_` in the name do not count.
pub(super) fn unicode(name: &str) -> Option<Set> {
    let name: String = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
    let of_category = |wanted: &dyn Fn(&str) -> bool| {
        Some(of_runs(unicode::categories().map(|(category, length)| (wanted(category.short()), length))))
    };
    match name.as_str() {
        "any" => return of_category(&|_| true),
        "ascii" => return posix("ascii"),
        "assigned" => return of_category(&|short| short != "Cn"),
        "lc" | "casedletter" => return of_category(&|short| matches!(short, "Ll" | "Lt" | "Lu")),
        "cntrl" => return of_category(&|short| short == "Cc"),
        "digit" => return of_category(&|short| short == "Nd"),
        _ => {}
    }
    if let Some(group) = unicode::group(&name) {
        return of_category(&|short| short.starts_with(group));
    }
    if let Some(wanted) = unicode::named_category(&name) {
        return of_category(&|short| short == wanted.short());
    }
    let script = unicode::named_script(&name)?;
    Some(of_runs(unicode::scripts().map(|(found, length)| (found == Some(script), length))))
}

/// The set of all runs that are wanted.
fn of_runs(runs: impl Iterator<Item = (bool, u32)>) -> Set {
    let mut set = Set::default();
    let mut at = 0_u32;
    for (wanted, length) in runs {
        let end = at.saturating_add(length);
        if wanted {
            // A run of surrogates has no characters at its ends, and is left out by that.
            if let (Some(low), Some(high)) = (char::from_u32(at), char::from_u32(end.saturating_sub(1))) {
                set.push(low, high, false);
            }
        }
        at = end;
    }
    set
}

/// [`other_cases`] where all is ASCII: letters, and the two characters beyond it that are letters' cases.
fn other_ascii_cases(class: &ClassUnicode) -> Vec<ClassUnicodeRange> {
    let mut others = Vec::new();
    for range in class.ranges() {
        for (first, last, shift) in [(b'A', b'Z', 32_u8), (b'a', b'z', 224)] {
            let low = u8::try_from(range.start()).unwrap_or(u8::MAX).max(first);
            let high = u8::try_from(range.end()).unwrap_or(0).min(last);
            if low <= high {
                let moved = |letter: u8| char::from(letter.wrapping_add(shift));
                others.push(ClassUnicodeRange::new(moved(low), moved(high)));
            }
            for (letter, other) in [(b'K', '\u{212a}'), (b'S', '\u{17f}')] {
                if (low..=high).contains(&(letter | (first & 32))) {
                    others.push(ClassUnicodeRange::new(other, other));
                }
            }
        }
    }
    others
}

/// The characters that differ in case alone from those of a class.
fn other_cases(class: &ClassUnicode) -> Vec<ClassUnicodeRange> {
    let pairs: Vec<(u32, u32)> = unicode::folds().flat_map(Fold::pairs).collect();
    let holds = |code: u32| {
        let ranges = class.ranges();
        let at = ranges.partition_point(|range| u32::from(range.end()) < code);
        ranges.get(at).is_some_and(|range| u32::from(range.start()) <= code)
    };
    let mut added = alloc::collections::BTreeSet::new();
    // Up the chains, then down: an orbit may have four members.
    for upward in [true, false] {
        let mut follow = |&(from, to): &(u32, u32)| {
            let (known, other) = if upward { (from, to) } else { (to, from) };
            if !holds(other) && (holds(known) || added.contains(&known)) {
                added.insert(other);
            }
        };
        if upward { pairs.iter().for_each(&mut follow) } else { pairs.iter().rev().for_each(&mut follow) }
    }
    added.into_iter().filter_map(char::from_u32).map(|other| ClassUnicodeRange::new(other, other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_answers_to_its_names() {
        let holds = |name: &str, c: char| {
            unicode(name).unwrap().into_class().ranges().iter().any(|r| r.start() <= c && c <= r.end())
        };
        for (name, inside, outside) in [
            ("L", 'é', '1'),
            ("Lu", 'É', 'é'),
            ("Uppercase_Letter", 'É', 'é'),
            ("Nd", '٣', 'a'),
            ("greek", 'λ', 'l'),
            ("Old_Italic", '\u{10300}', 'l'),
            ("Han", '漢', 'k'),
            ("ASCII", '~', 'é'),
            ("Sc", '€', '+'),
            ("Assigned", 'a', '\u{378}'),
        ] {
            assert!(holds(name, inside) && !holds(name, outside), "{name}");
        }
        assert!(unicode("Nope").is_none() && unicode("").is_none());
    }

    #[test]
    fn a_folded_set_holds_all_cases() {
        let mut set = Set::default();
        set.push('θ', 'θ', true);
        assert_eq!(set.into_class().ranges().iter().map(|range| range.len()).sum::<usize>(), 4);
        for pairs in ["az", "KK", "09__", "\0\x7f", "St", "[z"] {
            let class = Set::ascii(pairs).into_class();
            let quick: Vec<_> = other_ascii_cases(&class);
            let both = |others: Vec<ClassUnicodeRange>| {
                ClassUnicode::new(class.ranges().iter().copied().chain(others).collect::<Vec<_>>())
            };
            assert_eq!(both(quick), both(other_cases(&class)), "{pairs}");
        }
    }
}
