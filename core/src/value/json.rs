//! JSON text into data: numbers keep what they are, faults keep their place.
//!
//! An integral number that fits in 64 bits is an integer, however it was written (`3.0`, `1e2`);
//! anything else is the nearest float. Of two members with one key the later stays, and half a
//! surrogate pair becomes U+FFFD, both as in Go.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Int, Text, Value};
use crate::error::{Error, Result};
use crate::span::{Source, Span};

/// How deep lists and maps may be nested.
pub const DEPTH: u8 = 128;

/// How many values and keys a document may have.
pub const VALUES: u32 = 125_000;

/// Reads one JSON document; nothing but white space may follow it.
///
/// # Errors
/// What is wrong with the text, at its line and column.
pub fn read(source: &Source) -> Result<Value> {
    document(source.text(), false).map_err(|fault| fault.in_source(source))
}

/// Reads one JSON document that has no name of its own.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str) -> Result<Value> {
    document(text, false).map_err(|fault| fault.in_source(&Source::anonymous(text)))
}

/// Whether a text is JSON. A number that no float can hold is JSON all the same. Nothing is kept of it, so that it may
/// have any number of values.
#[must_use]
pub fn is_valid(text: &str) -> bool {
    document(text, true).is_ok()
}

/// An integral float that fits in 64 bits as an integer, any other as it is.
#[must_use]
pub fn number(float: f64) -> Value {
    integral(float).map_or(Value::Float(float), Value::Int)
}

/// The integer that a float is, if it is one and fits.
#[must_use]
pub fn integral(float: f64) -> Option<Int> {
    // Both bounds are powers of two, hence exact; NaN fails the comparison.
    const LEAST: f64 = -9_223_372_036_854_775_808.0;
    const PAST: f64 = 18_446_744_073_709_551_616.0;
    if !(LEAST..PAST).contains(&float) {
        return None;
    }
    let whole = float as i128;
    if whole as f64 == float { Int::try_from(whole).ok() } else { None }
}

/// The escape at the beginning of a text, as the character it means and its length in bytes.
#[must_use]
pub(super) fn escape(text: &str) -> Option<(char, usize)> {
    let mut chars = text.chars();
    if chars.next() != Some('\\') {
        return None;
    }
    let plain = match chars.next()? {
        'u' => return utf16(text),
        quoted @ ('"' | '\\' | '/') => quoted,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    };
    Some((plain, 2))
}

/// The character of `\uXXXX`, or of two of them that are a surrogate pair.
fn utf16(text: &str) -> Option<(char, usize)> {
    let first = unit(text)?;
    if let Some(plain) = char::from_u32(first) {
        return Some((plain, 6));
    }
    let pair = text.get(6..).and_then(unit).filter(|second| (0xDC00..0xE000).contains(second) && first < 0xDC00);
    Some(match pair {
        Some(second) => {
            let joined = 0x1_0000_u32.saturating_add(((first & 0x3FF) << 10) | (second & 0x3FF));
            (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        None => (char::REPLACEMENT_CHARACTER, 6),
    })
}

fn unit(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) { u32::from_str_radix(hex, 16).ok() } else { None }
}

/// What is wrong, and the byte where.
struct Fault {
    at: usize,
    text: Cow<'static, str>,
    /// It is one of our bounds that says no.
    is_limit: bool,
}

impl Fault {
    fn in_source(self, source: &Source) -> Error {
        let text = format!("JSON: {}", self.text);
        let error = if self.is_limit { Error::limit(text) } else { Error::invalid(text) };
        error.at(source.at(Span::point(self.at)))
    }
}

fn document(text: &str, only_checks: bool) -> Result<Value, Fault> {
    let mut reader = Reader { text, at: 0, depth: 0, left: VALUES, only_checks };
    let value = reader.value()?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("the end")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: u8,
    /// How many values and keys there may still be.
    left: u32,
    /// Nothing is kept, and numbers out of range are fine.
    only_checks: bool,
}

impl<'t> Reader<'t> {
    fn value(&mut self) -> Result<Value, Fault> {
        self.skip_space();
        if !self.only_checks {
            self.count()?;
        }
        match self.peek() {
            Some(b'{') => self.nested(Self::map),
            Some(b'[') => self.nested(Self::list),
            Some(b'"') => self.string().map(|text| Value::Text(text.into())),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn count(&mut self) -> Result<(), Fault> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.limit(format!("more than {VALUES} values and keys; divide the document"))),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        if self.depth >= DEPTH {
            return Err(self.limit(format!("nested deeper than {DEPTH} levels")));
        }
        self.depth = self.depth.saturating_add(1);
        self.at = self.at.saturating_add(1);
        let value = read(self);
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn list(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(Value::list(items));
        }
        loop {
            let item = self.value()?;
            if !self.only_checks {
                items.push(item);
            }
            if self.eat(b']') {
                return Ok(Value::list(items));
            }
            self.expect(b',', "a comma or ]")?;
        }
    }

    fn map(&mut self) -> Result<Value, Fault> {
        let mut entries: Vec<(Text, Value)> = Vec::new();
        if self.eat(b'}') {
            return Ok(Value::Map(entries.into_iter().collect()));
        }
        loop {
            let key = self.key()?;
            let value = self.value()?;
            if !self.only_checks {
                self.count()?;
                entries.push((key, value));
            }
            if self.eat(b'}') {
                return Ok(Value::Map(entries.into_iter().collect()));
            }
            self.expect(b',', "a comma or }")?;
        }
    }

    /// A key and its colon. Apart from [`Self::map`], which recurs and has to be small on the stack.
    fn key(&mut self) -> Result<Text, Fault> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let key = self.string()?;
        self.expect(b':', "a colon")?;
        // A document that is only checked keeps no key.
        Ok(if self.only_checks { Text::default() } else { key.into() })
    }

    fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        let start = self.at;
        self.at = self.at.saturating_add(1);
        let mut text = Cow::Borrowed("");
        loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            let ends = |&byte: &u8| matches!(byte, b'"' | b'\\' | 0..b' ');
            let plain = rest.as_bytes().iter().position(ends).unwrap_or(rest.len());
            let run = rest.get(..plain).unwrap_or("");
            self.at = self.at.saturating_add(plain);
            if text.is_empty() {
                text = Cow::Borrowed(run);
            } else {
                text.to_mut().push_str(run);
            }
            match self.peek() {
                Some(b'"') => {
                    self.at = self.at.saturating_add(1);
                    return Ok(text);
                }
                Some(b'\\') => match escape(self.text.get(self.at..).unwrap_or("")) {
                    Some((plain, length)) => {
                        text.to_mut().push(plain);
                        self.at = self.at.saturating_add(length);
                    }
                    None => return Err(self.fault("an escape that JSON does not have")),
                },
                Some(_) => return Err(self.fault("a control character in a string; write it as an escape")),
                None => return Err(Fault { at: start, text: "a string that does not end".into(), is_limit: false }),
            }
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        self.skip_byte(b'-');
        if !self.skip_byte(b'0') {
            self.digits()?;
        }
        let mut whole = true;
        if self.skip_byte(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.skip_byte(b'e') || self.skip_byte(b'E') {
            whole = false;
            let _sign = self.skip_byte(b'+') || self.skip_byte(b'-');
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        if let Some(int) = whole.then(|| exact(text)).flatten() {
            return Ok(Value::Int(int));
        }
        match text.parse::<f64>() {
            // What fits as an integer was read exactly above.
            Ok(float) if whole && float.is_finite() => Ok(Value::Float(float)),
            Ok(float) if float.is_finite() || self.only_checks => Ok(number(float)),
            _ => Err(Fault { at: start, text: format!("number {text} is out of range").into(), is_limit: false }),
        }
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected("a digit"));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at = self.at.saturating_add(1);
        }
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.unexpected("a value"));
        }
        self.at = self.at.saturating_add(word.len());
        Ok(value)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at = self.at.saturating_add(1);
        }
    }

    fn skip_byte(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at = self.at.saturating_add(usize::from(here));
        here
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        self.skip_byte(byte)
    }

    fn expect(&mut self, byte: u8, wanted: &str) -> Result<(), Fault> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.fault(format!("unexpected {found:?}, wanted {wanted}")),
            None => self.fault(format!("ends where {wanted} must stand")),
        }
    }

    fn fault(&self, text: impl Into<Cow<'static, str>>) -> Fault {
        Fault { at: self.at, text: text.into(), is_limit: false }
    }

    #[cold]
    fn limit(&self, text: String) -> Fault {
        Fault { at: self.at, text: text.into(), is_limit: true }
    }
}

/// The integer that digits write, if it fits.
fn exact(text: &str) -> Option<Int> {
    text.parse::<i64>().map(Int::from).or_else(|_| text.parse::<u64>().map(Int::from)).ok()
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use alloc::string::ToString;

    fn shown(text: &str) -> String {
        parse(text).map_or_else(|fault| fault.to_string(), |value| format!("{value:?}"))
    }

    #[test]
    fn integral_numbers_are_integers_and_others_floats() {
        for text in ["3", "3.0", "3e0"] {
            assert!(matches!(parse(text), Ok(Value::Int(int)) if int.as_i64() == Some(3)), "{text}: {}", shown(text));
        }
        for text in ["18446744073709551615", "-9223372036854775808"] {
            assert!(matches!(parse(text), Ok(Value::Int(int)) if int.to_string() == text), "{text}: {}", shown(text));
        }
        for text in ["0.5", "1e20", "18446744073709551616", "-9223372036854775809"] {
            assert!(matches!(parse(text), Ok(Value::Float(_))), "{text}: {}", shown(text));
        }
    }

    #[test]
    fn a_fault_has_its_place_and_says_what_was_wanted() {
        for (text, wanted) in [
            ("{\n  \"a\": tru }", "JSON: unexpected 't', wanted a value (2:8)"),
            ("[1 2]", "JSON: unexpected '2', wanted a comma or ] (1:4)"),
            ("{a: 1}", "JSON: unexpected 'a', wanted a key in double quotes (1:2)"),
            ("[1,", "JSON: ends where a value must stand (1:4)"),
            ("\"a", "JSON: a string that does not end (1:1)"),
            ("[01]", "JSON: unexpected '1', wanted a comma or ] (1:3)"),
            ("1e999", "JSON: number 1e999 is out of range (1:1)"),
            ("\"\\q\"", "JSON: an escape that JSON does not have (1:2)"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), wanted);
        }
        assert!(is_valid("[1e999]"));
    }

    #[test]
    fn escapes_and_surrogates_are_read() {
        let text = parse(r#""\u00e9\n\/\ud83d\ude00\udbff\udfff\ud83d.\ude00""#).unwrap();
        assert_eq!(text.as_text(), Some("é\n/😀\u{10ffff}\u{fffd}.\u{fffd}"));
    }

    #[test]
    fn nesting_is_bounded_and_fits_a_small_stack() {
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let read = small.spawn(|| {
            assert!(parse(&"[".repeat(100_000)).is_err());
            assert!(parse(&"{\"a\":".repeat(100_000)).is_err());
            let deep = parse(&format!("{}{}", "[".repeat(128), "]".repeat(128))).unwrap();
            deep.to_string().len()
        });
        assert_eq!(read.unwrap().join().unwrap(), 256);
    }

    #[test]
    fn text_that_is_no_json_is_refused_and_never_more() {
        let sample = r#"{"a": [1, -2.5e3, "x\n\u00e9", true, null], "b": {"c": {}}}"#;
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut bytes = sample.as_bytes().to_vec();
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] = b"[]{}\",:\\eu0-9. nt"[(seed >> 40) as usize % 17];
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Ok(value) = parse(&text) {
                let written = crate::value::wire::json(&value, crate::value::wire::Layout::PLAIN).unwrap();
                assert_eq!(parse(&written).unwrap(), value, "{text}");
            }
        }
    }

    #[test]
    fn the_later_of_two_members_stays() {
        assert_eq!(parse(r#"{"a":1,"a":2}"#).unwrap().to_string(), "map[a:2]");
    }
}
