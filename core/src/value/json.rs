//! JSON text into data: numbers keep what they are, faults keep their place.
//!
//! An integral number that fits in 64 bits is an integer, however it was written (`3.0`, `1e2`);
//! anything else is a float. Of two members with one key the later stays, as in Go.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Int, Text, Value};
use crate::error::{Error, Result};
use crate::span::{Source, Span};

/// Reads one JSON document; nothing but white space may follow it. Nesting deeper than 128 is refused.
///
/// # Errors
/// What is wrong with the text, at its line and column.
pub fn read(source: &Source) -> Result<Value> {
    serde_json::from_str(source.text()).map_err(|fault| {
        let at = offset(source.text(), fault.line(), fault.column());
        Error::invalid(format!("JSON: {}", sentence(&fault))).at(source.at(Span::point(at)))
    })
}

/// Reads one JSON document that has no name of its own.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str) -> Result<Value> {
    serde_json::from_str(text).or_else(|_| read(&Source::anonymous(text)))
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
    if !(float >= LEAST && float < PAST) {
        return None;
    }
    let whole = float as i128;
    if whole as f64 == float { Int::try_from(whole).ok() } else { None }
}

/// The message without its place, which travels as a site.
fn sentence(fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    match text.rfind(" at line ") {
        Some(end) => text.get(..end).unwrap_or(&text).to_string(),
        None => text,
    }
}

/// The byte of a line and a column of bytes, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    start.saturating_add(column.saturating_sub(1)).min(text.len())
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Value>()? {
            list.push(item);
        }
        Ok(Value::list(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut entries: Vec<(Text, Value)> = Vec::new();
        while let Some(key) = members.next_key::<String>()? {
            entries.push((key.into(), members.next_value()?));
        }
        Ok(Value::Map(entries.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for text in ["0.5", "1e20", "18446744073709551616", "-1e19"] {
            assert!(matches!(parse(text), Ok(Value::Float(_))), "{text}: {}", shown(text));
        }
    }

    #[test]
    fn a_fault_has_its_place() {
        let fault = parse("{\n  \"a\": tru }").unwrap_err();
        assert_eq!(fault.sites()[0].position().line, 2);
        assert!(!fault.to_string().contains("at line"), "{fault}");
    }

    #[test]
    fn nesting_is_bounded() {
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn the_later_of_two_members_stays() {
        assert_eq!(parse(r#"{"a":1,"a":2}"#).unwrap().to_string(), "map[a:2]");
    }
}
