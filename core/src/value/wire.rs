//! Data that leaves: JSON bytes in the form of Go's `encoding/json`, and [`Serialize`] for documents
//! that hold values.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{Value, json};
use crate::error::{Error, Result};
use crate::text::float;

/// How JSON is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// Two spaces a level and a line a member, instead of one line.
    pub indent: bool,
    /// `<`, `>` and `&` as `\u003c`, `\u003e` and `\u0026`, as Go does unless told otherwise.
    pub escape_html: bool,
}

impl Layout {
    /// One line, HTML escaped: Go's `json.Marshal`.
    pub const COMPACT: Self = Self { indent: false, escape_html: true };
    /// Two-space indent, HTML escaped: Go's `json.MarshalIndent(v, "", "  ")`.
    pub const INDENTED: Self = Self { indent: true, escape_html: true };
    /// One line, nothing escaped that JSON does not ask for.
    pub const PLAIN: Self = Self { indent: false, escape_html: false };
}

/// A value as JSON: keys sorted, floats as Go writes them.
///
/// # Errors
/// An infinite float or NaN, which JSON cannot hold.
pub fn json(value: &Value, layout: Layout) -> Result<String> {
    json_paid(value, layout, &|_, _| Ok(()))
}

/// What is asked before text moves from a room of so many bytes to one of so many more.
pub type Pay<'a> = &'a dyn Fn(usize, usize) -> Result<()>;

/// As [`json()`], each growth of the text paid for before it grows.
///
/// # Errors
/// As [`json()`]; what paying finds wrong.
pub fn json_paid(value: &Value, layout: Layout, pay: Pay<'_>) -> Result<String> {
    let mut writer = Writer { out: String::new(), layout, level: 0, pay };
    writer.value(value)?;
    Ok(writer.out)
}

/// Room for so many bytes more at the end of a text: twice the room if there is not enough.
///
/// # Errors
/// What paying finds wrong.
pub fn room(out: &mut String, more: usize, pay: Pay<'_>) -> Result<()> {
    let (room, needed) = (out.capacity(), out.len().saturating_add(more));
    if needed > room {
        let wider = needed.max(room.saturating_mul(2)).max(64);
        pay(room, wider)?;
        out.reserve_exact(wider - out.len());
    }
    Ok(())
}

/// The most bytes that a text takes when it is quoted.
fn quoted_size(text: &str) -> usize {
    const FEW: usize = 256;
    if text.len() <= FEW {
        return text.len() * 6 + 2;
    }
    let sizes = text.bytes().map(|byte| match byte {
        0..=0x1f | b'<' | b'>' | b'&' => 6,
        b'"' | b'\\' => 2,
        // The first of U+2028, which is three bytes and becomes six.
        0xe2 => 4,
        _ => 1,
    });
    sizes.sum::<usize>() + 2
}

/// Appends text as a JSON string.
pub fn quote(out: &mut String, text: &str, escape_html: bool) {
    out.push('"');
    let mut plain = 0;
    for (at, found) in text.char_indices() {
        let escaped = match found {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '\u{2028}' => "\\u2028",
            '\u{2029}' => "\\u2029",
            '\0'..='\u{1f}' => "",
            '<' | '>' | '&' if escape_html => "",
            _ => continue,
        };
        out.push_str(text.get(plain..at).unwrap_or(""));
        if escaped.is_empty() {
            // Writing into a String cannot fail.
            let _written = write!(out, "\\u{:04x}", u32::from(found));
        } else {
            out.push_str(escaped);
        }
        plain = at.saturating_add(found.len_utf8());
    }
    out.push_str(text.get(plain..).unwrap_or(""));
    out.push('"');
}

struct Writer<'a> {
    out: String,
    layout: Layout,
    level: usize,
    pay: Pay<'a>,
}

impl Writer<'_> {
    fn room(&mut self, more: usize) -> Result<()> {
        room(&mut self.out, more, self.pay)
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        // The widest number, and what may follow it.
        self.room(40)?;
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Int(int) => {
                let _written = write!(self.out, "{int}");
            }
            Value::Float(number) => match float::json(*number) {
                Some(text) => self.out.push_str(&text),
                None => return Err(Error::invalid(format!("JSON has no number for {}", float::shortest(*number)))),
            },
            Value::Text(text) => self.quoted(text)?,
            Value::List(items) if items.is_empty() => self.out.push_str("[]"),
            Value::List(items) => {
                self.open('[');
                for (at, item) in items.iter().enumerate() {
                    self.next(at)?;
                    self.value(item)?;
                }
                self.close(']')?;
            }
            Value::Map(map) if map.is_empty() => self.out.push_str("{}"),
            Value::Map(map) => {
                self.open('{');
                for (at, (key, member)) in map.iter().enumerate() {
                    self.next(at)?;
                    self.quoted(key)?;
                    self.out.push_str(if self.layout.indent { ": " } else { ":" });
                    self.value(member)?;
                }
                self.close('}')?;
            }
        }
        Ok(())
    }

    fn quoted(&mut self, text: &str) -> Result<()> {
        self.room(quoted_size(text) + 8)?;
        quote(&mut self.out, text, self.layout.escape_html);
        Ok(())
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.level = self.level.saturating_add(1);
    }

    fn next(&mut self, at: usize) -> Result<()> {
        if at > 0 {
            self.out.push(',');
        }
        self.line()
    }

    fn close(&mut self, bracket: char) -> Result<()> {
        self.level = self.level.saturating_sub(1);
        self.line()?;
        self.out.push(bracket);
        Ok(())
    }

    /// A new line, with room for a bracket and a comma.
    fn line(&mut self) -> Result<()> {
        self.room(2 * self.level + 8)?;
        if self.layout.indent {
            self.out.push('\n');
            self.out.extend(core::iter::repeat_n("  ", self.level));
        }
        Ok(())
    }
}

/// For documents that hold values. An integral float goes out as an integer, since Go prints `3.0` as `3`.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(int) => match int.as_u64() {
                Some(unsigned) => serializer.serialize_u64(unsigned),
                None => serializer.serialize_i64(int.wrapping_i64()),
            },
            Self::Float(number) => match json::integral(*number).and_then(super::Int::as_i64) {
                Some(whole) => serializer.serialize_i64(whole),
                None => serializer.serialize_f64(*number),
            },
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items.iter() {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for super::Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            members.serialize_entry(&**key, value)?;
        }
        members.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        json::parse(text).unwrap()
    }

    #[test]
    fn keys_are_sorted_and_html_is_escaped() {
        let value = value(r#"{"b":"<a&b>\u2028\u0001","a":[1,0.5,null,true]}"#);
        assert_eq!(
            json(&value, Layout::COMPACT).unwrap(),
            r#"{"a":[1,0.5,null,true],"b":"\u003ca\u0026b\u003e\u2028\u0001"}"#
        );
        assert_eq!(json(&value, Layout::PLAIN).unwrap(), r#"{"a":[1,0.5,null,true],"b":"<a&b>\u2028\u0001"}"#);
    }

    #[test]
    fn indenting_leaves_empty_containers_on_their_line() {
        let text = json(&value(r#"{"a":[],"b":{"c":[1]},"d":{}}"#), Layout::INDENTED).unwrap();
        assert_eq!(text, "{\n  \"a\": [],\n  \"b\": {\n    \"c\": [\n      1\n    ]\n  },\n  \"d\": {}\n}");
    }

    #[test]
    fn floats_are_written_as_go_writes_them() {
        for (number, text) in
            [(3.0, "3"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (1e-7, "1e-7"), (1e-6, "0.000001")]
        {
            assert_eq!(json(&Value::Float(number), Layout::COMPACT).unwrap(), text);
        }
        assert!(json(&Value::Float(f64::NAN), Layout::COMPACT).is_err());
    }

    #[test]
    fn serde_writes_the_same_document() {
        let value = value(r#"{"b":[1,-1,0.5,"x"],"a":{"c":null}}"#);
        assert_eq!(serde_json::to_string(&value).unwrap(), json(&value, Layout::PLAIN).unwrap());
        assert_eq!(serde_json::to_string(&Value::Float(3.0)).unwrap(), "3");
    }
}
