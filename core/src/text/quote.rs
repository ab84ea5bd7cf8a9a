//! Text in quotes as Go's `strconv.Quote` writes it, over bytes that need not be UTF-8.

use alloc::string::String;
use core::fmt::Write;

pub use super::unicode::is_print;

/// How to quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoting {
    /// `"` or `'`; it is escaped inside.
    pub quote: char,
    /// Escape everything outside ASCII too.
    pub ascii: bool,
}

/// The first character of some bytes and its width; `None` of width 1 for a byte that begins none.
#[must_use]
pub fn decode(bytes: &[u8]) -> (Option<char>, usize) {
    let width = match bytes.first() {
        None => return (None, 0),
        Some(0..=0x7f) => 1,
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        Some(_) => return (None, 1),
    };
    let character =
        bytes.get(..width).and_then(|bytes| core::str::from_utf8(bytes).ok()).and_then(|text| text.chars().next());
    (character, if character.is_some() { width } else { 1 })
}

/// How many characters, a byte that begins none counting as one.
#[must_use]
pub fn count(bytes: &[u8]) -> usize {
    if let Ok(text) = core::str::from_utf8(bytes) {
        return text.chars().count();
    }
    let (mut rest, mut count) = (bytes, 0);
    while !rest.is_empty() {
        rest = &rest[decode(rest).1..];
        count += 1;
    }
    count
}

/// Bytes in quotes, with escapes for what cannot be printed.
#[must_use]
pub fn quote(bytes: &[u8], quoting: Quoting) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push(quoting.quote);
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let (character, width) = decode(rest);
        match character {
            Some(character) => push(&mut out, character, quoting),
            None => {
                let _infallible = write!(out, "\\x{first:02x}");
            }
        }
        rest = &rest[width..];
    }
    out.push(quoting.quote);
    out
}

/// One character in single quotes, as `strconv.QuoteRune`.
#[must_use]
pub fn quote_char(character: char, ascii: bool) -> String {
    let mut out = String::from("'");
    push(&mut out, character, Quoting { quote: '\'', ascii });
    out.push('\'');
    out
}

/// Whether a raw text between back quotes can hold these bytes.
#[must_use]
pub fn can_backquote(bytes: &[u8]) -> bool {
    let plain = |next: char| next != '\u{feff}' && next != '`' && next != '\u{7f}' && (next >= ' ' || next == '\t');
    core::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(plain))
}

fn push(out: &mut String, character: char, quoting: Quoting) {
    if character == quoting.quote || character == '\\' {
        out.push('\\');
        out.push(character);
        return;
    }
    if (character.is_ascii() || !quoting.ascii) && is_print(character) {
        out.push(character);
        return;
    }
    let code = u32::from(character);
    let _infallible = match character {
        '\u{07}' => out.write_str("\\a"),
        '\u{08}' => out.write_str("\\b"),
        '\u{0c}' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\u{0b}' => out.write_str("\\v"),
        ..' ' | '\u{7f}' => write!(out, "\\x{code:02x}"),
        ..'\u{10000}' => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Quoting = Quoting { quote: '"', ascii: false };

    #[test]
    fn what_cannot_be_printed_is_escaped() {
        assert_eq!(
            quote("a\"b\\\n\x00é\u{feff}\u{1f600}\u{a0}".as_bytes(), PLAIN),
            "\"a\\\"b\\\\\\n\\x00é\\ufeff😀\\u00a0\""
        );
        assert_eq!(quote(b"\xff\xc5", PLAIN), "\"\\xff\\xc5\"");
        assert_eq!(quote("e\u{301}".as_bytes(), PLAIN), "\"e\u{301}\"");
        assert_eq!(quote("é\u{1f600}".as_bytes(), Quoting { ascii: true, ..PLAIN }), "\"\\u00e9\\U0001f600\"");
    }

    #[test]
    fn a_lone_byte_counts_as_a_character() {
        assert_eq!((count("żó".as_bytes()), count(b"\xc5\xc5a")), (2, 3));
    }
}
