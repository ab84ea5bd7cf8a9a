//! Quoted strings and numbers as languages write them; each language passes its rule.

use alloc::vec::Vec;
use core::fmt;

use super::cursor::Cursor;

/// What is wrong with a literal, and where, in bytes from the start of the text looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiteralFault {
    /// What is wrong.
    pub problem: Problem,
    /// The byte where it shows.
    pub at: usize,
}

/// What may be wrong with a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The closing quote is missing on this line.
    Unterminated,
    /// A backslash is followed by what no escape allows.
    BadEscape,
    /// No number.
    BadNumber,
    /// A number that its type cannot hold.
    TooLarge,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unterminated => "closing quote is missing",
            Self::BadEscape => "unknown escape after the backslash",
            Self::BadNumber => "not a number",
            Self::TooLarge => "number is out of range",
        })
    }
}

/// What may follow a backslash. `\a \b \f \n \r \t \v \\` and three octal digits may everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Escapes {
    /// Characters that stand for themselves.
    pub literal: &'static str,
    /// `\x41` and `\101` mean the character of this number rather than the byte.
    pub numbers_are_characters: bool,
    /// `\X41` is read as `\x41` is.
    pub upper_x: bool,
    /// `\u0041` and `\U00000041`.
    pub unicode: bool,
    /// `\u{41}`.
    pub braces: bool,
    /// A surrogate becomes U+FFFD instead of being refused.
    pub surrogates: bool,
}

impl Escapes {
    /// Go's interpreted string in double quotes, as text/template and jet read it.
    pub const GO: Self = Self {
        literal: "\"",
        numbers_are_characters: false,
        upper_x: false,
        unicode: true,
        braces: false,
        surrogates: false,
    };
    /// Go's character in single quotes.
    pub const GO_CHARACTER: Self = Self { literal: "'", ..Self::GO };
}

/// Passes a quoted string, the cursor being at its opening quote, and gives what stands between the
/// quotes, escapes untouched. A backslash hides the character after it; a line end may not occur.
///
/// # Errors
/// [`Problem::Unterminated`] at the end of the line or text.
pub fn quoted<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, LiteralFault> {
    let Some(quote) = cursor.bump() else {
        return Err(LiteralFault { problem: Problem::Unterminated, at: cursor.at() });
    };
    let start = cursor.at();
    loop {
        let body = cursor.since(start);
        match cursor.peek() {
            Some(next) if next == quote => {
                cursor.bump();
                return Ok(body);
            }
            None | Some('\n') => return Err(LiteralFault { problem: Problem::Unterminated, at: cursor.at() }),
            Some('\\') => {
                cursor.bump();
                cursor.eat_if(|next| next != '\n');
            }
            Some(_) => {
                cursor.take_while(|next| next != quote && next != '\\' && next != '\n');
            }
        }
    }
}

/// The bytes that the body of a quoted string means. With [`Escapes::numbers_are_characters`] they are
/// always UTF-8; otherwise `\xff` may make them something else, which the caller has to judge.
///
/// # Errors
/// [`Problem::BadEscape`] at the backslash.
pub fn unescape(body: &str, rule: &Escapes) -> Result<Vec<u8>, LiteralFault> {
    let mut bytes = Vec::with_capacity(body.len());
    let mut cursor = Cursor::new(body);
    loop {
        bytes.extend_from_slice(cursor.take_while(|next| next != '\\').as_bytes());
        let at = cursor.at();
        if !cursor.eat('\\') {
            return Ok(bytes);
        }
        escape(&mut cursor, rule, &mut bytes).ok_or(LiteralFault { problem: Problem::BadEscape, at })?;
    }
}

/// One escape, the backslash passed.
fn escape(cursor: &mut Cursor<'_>, rule: &Escapes, bytes: &mut Vec<u8>) -> Option<()> {
    let kind = cursor.bump()?;
    let plain = match kind {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' => b'\\',
        '0'..='7' => {
            let first = kind.to_digit(8)?;
            let code = (first * 8 + digit(cursor, 8)?) * 8 + digit(cursor, 8)?;
            return number(u8::try_from(code).ok()?, rule, bytes);
        }
        'x' => return number(u8::try_from(digits(cursor, 2)?).ok()?, rule, bytes),
        'X' if rule.upper_x => return number(u8::try_from(digits(cursor, 2)?).ok()?, rule, bytes),
        'u' if rule.braces && cursor.eat('{') => return braced(cursor, rule, bytes),
        'u' if rule.unicode => return character(digits(cursor, 4)?, rule, bytes),
        'U' if rule.unicode => return character(digits(cursor, 8)?, rule, bytes),
        other if rule.literal.contains(other) => {
            bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(());
        }
        _ => return None,
    };
    bytes.push(plain);
    Some(())
}

/// One to six hex digits and a closing brace.
fn braced(cursor: &mut Cursor<'_>, rule: &Escapes, bytes: &mut Vec<u8>) -> Option<()> {
    let code = cursor.take_while(|next| next.is_ascii_hexdigit());
    if code.len() > 6 || !cursor.eat('}') {
        return None;
    }
    character(u32::from_str_radix(code, 16).ok()?, rule, bytes)
}

fn number(code: u8, rule: &Escapes, bytes: &mut Vec<u8>) -> Option<()> {
    if rule.numbers_are_characters {
        return character(u32::from(code), rule, bytes);
    }
    bytes.push(code);
    Some(())
}

fn character(code: u32, rule: &Escapes, bytes: &mut Vec<u8>) -> Option<()> {
    let character = match char::from_u32(code) {
        Some(character) => character,
        None if rule.surrogates && code <= 0x10_ffff => char::REPLACEMENT_CHARACTER,
        None => return None,
    };
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}

fn digit(cursor: &mut Cursor<'_>, base: u32) -> Option<u32> {
    cursor.bump()?.to_digit(base)
}

fn digits(cursor: &mut Cursor<'_>, count: u8) -> Option<u32> {
    (0..count).try_fold(0_u32, |code, _| Some(code.checked_mul(16)? + digit(cursor, 16)?))
}

/// How far a number reaches.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// A sign may come first.
    pub sign: bool,
    /// `_` among the digits.
    pub underscores: bool,
    /// `0o` and `0b`, besides `0x`.
    pub octal_and_binary: bool,
    /// A number before `..` ends there: `1..3` is a range.
    pub ranges: bool,
    /// `e` begins an exponent after any digits; otherwise after decimal ones alone.
    pub exponent_after_any: bool,
    /// `p` begins an exponent after hexadecimal digits.
    pub hex_exponent: bool,
    /// `i` at the end.
    pub imaginary: bool,
}

/// Passes a number as far as its characters go and gives it; whether it is one, [`integer`] or
/// [`super::float::parse`] will say. Whether a letter may follow at once, the caller knows.
pub fn take_number<'a>(cursor: &mut Cursor<'a>, rule: &Numbers) -> &'a str {
    let start = cursor.at();
    if rule.sign {
        cursor.eat_if(|next| matches!(next, '+' | '-'));
    }
    let mut base = 10;
    if cursor.eat('0') {
        base = match cursor.peek() {
            Some('x' | 'X') => 16,
            Some('o' | 'O') if rule.octal_and_binary => 8,
            Some('b' | 'B') if rule.octal_and_binary => 2,
            _ => 10,
        };
        if base != 10 {
            cursor.bump();
        }
    }
    let digit = |next: char| next.is_digit(base) || (next == '_' && rule.underscores);
    cursor.take_while(digit);
    let whole = *cursor;
    if cursor.eat('.') {
        if rule.ranges && cursor.peek() == Some('.') {
            *cursor = whole;
            return cursor.since(start);
        }
        cursor.take_while(digit);
    }
    let marked =
        |cursor: &mut Cursor<'_>, lower: char| cursor.eat_if(|next| next.to_ascii_lowercase() == lower).is_some();
    let exponent = ((base == 10 || rule.exponent_after_any) && marked(cursor, 'e'))
        || (base == 16 && rule.hex_exponent && marked(cursor, 'p'));
    if exponent {
        cursor.eat_if(|next| matches!(next, '+' | '-'));
        cursor.take_while(|next| next.is_ascii_digit() || (next == '_' && rule.underscores));
    }
    if rule.imaginary {
        cursor.eat('i');
    }
    cursor.since(start)
}

/// The magnitude that digits mean, without a sign, as Go's `ParseUint`. Base 0 goes by the prefix
/// (`0x`, `0o`, `0b`, `0`) and then alone allows `_` between digits.
///
/// # Errors
/// [`Problem::BadNumber`], or [`Problem::TooLarge`] past 2^64-1.
pub fn integer(text: &str, base: u32) -> Result<u64, Problem> {
    let (digits, radix) = match base {
        0 => match text.get(..2) {
            Some("0x" | "0X") => (text.get(2..).unwrap_or(""), 16),
            Some("0o" | "0O") => (text.get(2..).unwrap_or(""), 8),
            Some("0b" | "0B") => (text.get(2..).unwrap_or(""), 2),
            Some(other) if other.starts_with('0') => (text.get(1..).unwrap_or(""), 8),
            _ => (text, 10),
        },
        base => (text, base),
    };
    let mut sum = 0_u64;
    let mut any = false;
    for next in digits.chars() {
        if next == '_' && base == 0 {
            continue;
        }
        let digit = next.to_digit(radix).ok_or(Problem::BadNumber)?;
        any = true;
        // As Go: what is too large is so whatever follows.
        let next = sum.checked_mul(u64::from(radix)).and_then(|sum| sum.checked_add(u64::from(digit)));
        sum = next.ok_or(Problem::TooLarge)?;
    }
    if !any || (base == 0 && !underscores_separate(text)) {
        return Err(Problem::BadNumber);
    }
    Ok(sum)
}

/// [`integer`] with an optional sign, as Go's `ParseInt` to 64 bits.
///
/// # Errors
/// As [`integer`], the range being -2^63 to 2^63-1.
pub fn signed_integer(text: &str, base: u32) -> Result<i64, Problem> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or("")),
        Some(b'+') => (false, text.get(1..).unwrap_or("")),
        _ => (false, text),
    };
    let magnitude = i128::from(integer(digits, base)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).map_err(|_| Problem::TooLarge)
}

/// Every `_` stands between two digits, or between a base prefix and a digit.
pub(super) fn underscores_separate(text: &str) -> bool {
    if !text.contains('_') {
        return true;
    }
    let text = text.trim_start_matches(['+', '-']);
    let (mut before, digits, hex) = match text.get(..2) {
        Some("0x" | "0X") => ('0', text.get(2..), true),
        Some("0o" | "0O" | "0b" | "0B") => ('0', text.get(2..), false),
        _ => ('^', Some(text), false),
    };
    for next in digits.unwrap_or("").chars() {
        let kind = match next {
            '_' if before == '0' => '_',
            '_' => return false,
            next if next.is_ascii_digit() || (hex && next.is_ascii_hexdigit()) => '0',
            _ if before == '_' => return false,
            _ => '!',
        };
        before = kind;
    }
    before != '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHARACTERS: Escapes = Escapes {
        literal: "\"'`?",
        numbers_are_characters: true,
        upper_x: false,
        unicode: true,
        braces: true,
        surrogates: true,
    };
    const NUMBERS: Numbers = Numbers {
        sign: false,
        underscores: true,
        octal_and_binary: true,
        ranges: true,
        exponent_after_any: false,
        hex_exponent: true,
        imaginary: false,
    };

    #[test]
    fn a_quoted_string_ends_at_its_own_quote() {
        let mut cursor = Cursor::new(r#""a\"'b" c"#);
        assert_eq!(quoted(&mut cursor), Ok(r#"a\"'b"#));
        assert_eq!(cursor.rest(), " c");
        for open in ["\"a", "'a\n'", "\"a\\", "\"a\\\n\"", "\""] {
            assert_eq!(
                quoted(&mut Cursor::new(open)).map_err(|fault| fault.problem),
                Err(Problem::Unterminated),
                "{open}"
            );
        }
    }

    #[test]
    fn a_number_after_a_backslash_is_a_character_or_a_byte() {
        assert_eq!(unescape(r"\xff\377", &CHARACTERS).unwrap(), "ÿÿ".as_bytes());
        assert_eq!(unescape(r"\xff\377", &Escapes::GO).unwrap(), [255, 255]);
        assert_eq!(unescape(r"\u{1F600}A\u00e9\?\n", &CHARACTERS).unwrap(), "😀Aé?\n".as_bytes());
    }

    #[test]
    fn an_escape_that_no_rule_allows_is_refused_where_it_stands() {
        for body in
            [r"ab\q", r"ab\u{}", r"ab\u{1234567}", r"ab\x4", r"ab\08", r"ab\400", r"ab\U00110000", r"ab\", r"ab\X41"]
        {
            let fault = unescape(body, &CHARACTERS).unwrap_err();
            assert_eq!(fault, LiteralFault { problem: Problem::BadEscape, at: 2 }, "{body}");
        }
        assert!(unescape(r"\ud800", &CHARACTERS).is_ok() && unescape(r"\ud800", &Escapes::GO).is_err());
    }

    #[test]
    fn a_number_reaches_as_far_as_its_rule_says() {
        for (text, wanted) in [
            ("1..3", "1"),
            ("1.5e-3x", "1.5e-3"),
            ("0x1e+2", "0x1e"),
            ("0x1p-2", "0x1p-2"),
            ("1_000", "1_000"),
            ("0b102", "0b10"),
            ("1.e3", "1.e3"),
        ] {
            assert_eq!(take_number(&mut Cursor::new(text), &NUMBERS), wanted, "{text}");
        }
    }

    #[test]
    fn integers_go_by_their_prefix_and_know_their_range() {
        assert_eq!(integer("0x_1F", 0), Ok(31));
        assert_eq!(integer("0b1_0", 0), Ok(2));
        assert_eq!(integer("017", 0), Ok(15));
        assert_eq!(integer("0", 0), Ok(0));
        assert_eq!(integer("18446744073709551615", 10), Ok(u64::MAX));
        assert_eq!(integer("18446744073709551616", 10), Err(Problem::TooLarge));
        assert_eq!(signed_integer("-9223372036854775808", 10), Ok(i64::MIN));
        for bad in ["", "_1", "1_", "1__2", "0x", "08", "1e3", "+1"] {
            assert_eq!(integer(bad, 0), Err(Problem::BadNumber), "{bad}");
        }
        assert_eq!(integer("1_0", 10), Err(Problem::BadNumber));
    }
}
