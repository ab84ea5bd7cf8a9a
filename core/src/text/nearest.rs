//! The known name that a misspelt one probably meant.

use alloc::vec::Vec;

/// Longer names are not compared: nobody misspells a name of this length by two letters, and the
/// comparison costs the product of both lengths.
const LONGEST: usize = 64;

/// The nearest of the known names, for a suggestion in an error; `None` where none is near.
///
/// Near is about a third of the name's letters changed, added, left out or swapped with a neighbour, at least
/// one; letters of the other case count as the same first. Of equally near names the first wins.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = folded(name)?;
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        if candidate == name {
            continue;
        }
        let Some(letters) = folded(candidate) else { continue };
        let allowed = (wanted.len().max(letters.len()).saturating_add(1) / 3).max(1);
        let allowed = best.map_or(allowed, |(distance, _)| allowed.min(distance.saturating_sub(1)));
        if wanted.len().abs_diff(letters.len()) > allowed {
            continue;
        }
        let distance = distance(&wanted, &letters);
        if distance <= allowed && distance < wanted.len() && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `, did you mean NAME?` or nothing: the end of an error about an unknown name.
#[must_use]
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> alloc::string::String {
    nearest(name, known).map_or_else(Default::default, |known| alloc::format!(", did you mean {known}?"))
}

fn folded(name: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = name.chars().take(LONGEST + 1).map(|letter| letter.to_ascii_lowercase()).collect();
    (letters.len() <= LONGEST).then_some(letters)
}

/// Letters changed, added, left out, or swapped with a neighbour (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut older: Vec<usize> = Vec::new();
    let mut old: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = old[j] + usize::from(from != to);
            let mut least = changed.min(old[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *to && *from == b[j - 1] {
                least = least.min(older[j - 1] + 1);
            }
            row.push(least);
        }
        older = core::mem::replace(&mut old, row);
    }
    old.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["content", "ensure", "mode", "owner", "Facts"];

    #[test]
    fn a_swapped_a_missing_and_a_wrong_letter_are_near() {
        assert_eq!(nearest("Facst", NAMES), Some("Facts"));
        assert_eq!(nearest("ownr", NAMES), Some("owner"));
        assert_eq!(nearest("mods", NAMES), Some("mode"));
        assert_eq!(nearest("contents", NAMES), Some("content"));
    }

    #[test]
    fn the_other_case_is_nearest_of_all() {
        assert_eq!(nearest("facts", ["fact", "Facts"]), Some("Facts"));
    }

    #[test]
    fn a_different_word_is_near_to_nothing() {
        assert_eq!(nearest("group", NAMES), None);
        assert_eq!(nearest("", NAMES), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest(&"x".repeat(70), NAMES), None);
    }
}
