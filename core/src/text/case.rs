//! Upper and lower case a character at a time, as Go has them: one character never becomes two, so `ß`
//! stays in upper case what it is.

use alloc::string::String;

/// All characters in upper case.
#[must_use]
pub fn upper(text: &str) -> String {
    text.chars().map(upper_of).collect()
}

/// All characters in lower case; a final sigma is like any other.
#[must_use]
pub fn lower(text: &str) -> String {
    text.chars().map(lower_of).collect()
}

fn upper_of(character: char) -> char {
    let mut full = character.to_uppercase();
    match (full.next(), full.next()) {
        (Some(one), None) => one,
        _ => titled(character),
    }
}

/// Greek vowels with an iota below have one character for their upper case, where Unicode's full mapping
/// has two; all other characters that would become several stay.
fn titled(character: char) -> char {
    let code = u32::from(character);
    let upper = match code {
        0x1f80..=0x1faf => code | 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => code + 9,
        _ => code,
    };
    char::from_u32(upper).unwrap_or(character)
}

fn lower_of(character: char) -> char {
    // `İ` alone becomes two, of which the first is the simple mapping.
    character.to_lowercase().next().unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_stays_one() {
        assert_eq!(upper("straße ŉ ᾳ ᾠ ﬁ ÿ ſ"), "STRAßE ŉ ᾼ ᾨ ﬁ Ÿ S");
        assert_eq!(lower("ΑΣ İ K ẞ"), "ασ i k ß");
    }
}
