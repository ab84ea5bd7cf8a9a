//! Anything that serde can describe, as YAML that reads back as the same data.
//!
//! Block style, two spaces a level, lists at the column of their key, as the reference prints. A text
//! stands plain where no reader could take it for anything else, as a literal block where it has
//! lines, else in double quotes.

use alloc::string::String;
use core::fmt::{self, Write as _};

use serde::ser::{self, Serialize};

use super::scalar;
use crate::error::Error;

/// Writes a document, with a line end after it.
///
/// # Errors
/// What the description itself fails with, or data nested deeper than [`crate::value::Value::DEPTH`].
pub fn write(data: &(impl Serialize + ?Sized)) -> Result<String, Error> {
    let mut out = String::new();
    match data.serialize(Node { out: &mut out, indent: 0, place: Place::Root, depth: 0 }) {
        Ok(()) => {
            out.push('\n');
            Ok(out)
        }
        Err(Fault(text)) => Err(Error::invalid(text)),
    }
}

/// As deep as data may be that an evaluation makes.
const DEPTH: usize = crate::value::Value::DEPTH as usize;

/// A key longer than this needs `?` before it, since a reader looks no further than 1,024 characters for `:`.
const LONG_KEY: usize = 500;

/// One value about to be written.
struct Node<'a> {
    out: &'a mut String,
    /// The column of the list or mapping that this is in.
    indent: usize,
    place: Place,
    depth: usize,
}

#[derive(Clone, Copy)]
enum Place {
    Root,
    /// Behind `key:`.
    Key,
    /// Behind `-`.
    Item,
    /// The key itself.
    Name,
}

/// What went wrong, for serde.
#[derive(Debug)]
struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ser::Error for Fault {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self(alloc::format!("{text}"))
    }
}

impl ser::StdError for Fault {}

type Outcome<T = ()> = Result<T, Fault>;

impl<'a> Node<'a> {
    fn gap(&mut self) {
        if matches!(self.place, Place::Key | Place::Item) {
            self.out.push(' ');
        }
    }

    fn word(mut self, word: &str) -> Outcome {
        self.gap();
        self.out.push_str(word);
        Ok(())
    }

    fn shown(self, number: impl fmt::Display) -> Outcome {
        self.word(&alloc::format!("{number}"))
    }

    fn text(mut self, text: &str) -> Outcome {
        if matches!(self.place, Place::Name) || !is_block(text) {
            return self.word(&quoted_if_needed(text));
        }
        let indent = if matches!(self.place, Place::Root) { 2 } else { self.indent + 2 };
        let chomping = match text.strip_suffix('\n') {
            None => "-",
            Some(rest) if rest.ends_with('\n') => "+",
            Some(_) => "",
        };
        self.gap();
        self.out.push('|');
        self.out.push_str(chomping);
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.out.push('\n');
            if !line.is_empty() {
                spaces(self.out, indent);
                self.out.push_str(line);
            }
        }
        Ok(())
    }

    /// A list or mapping in this place.
    fn block(self, is_list: bool) -> Outcome<Block<'a>> {
        if self.depth >= DEPTH {
            return Err(Fault(alloc::format!("data is nested more than {DEPTH} deep")));
        }
        let indent = match self.place {
            Place::Name => return Err(Fault("a key must be a scalar".into())),
            Place::Root => 0,
            Place::Key if is_list => self.indent,
            Place::Key | Place::Item => self.indent + 2,
        };
        Ok(Block { out: self.out, indent, place: self.place, depth: self.depth + 1, empty: true, is_list })
    }

    /// `variant: content`, as serde's enums are written.
    fn variant(self, name: &str, is_list: bool) -> Outcome<Block<'a>> {
        let mut block = self.block(false)?;
        block.key(name)?;
        Node { out: block.out, indent: block.indent, place: Place::Key, depth: block.depth }.block(is_list)
    }
}

/// A list or mapping being written.
struct Block<'a> {
    out: &'a mut String,
    /// The column of its items.
    indent: usize,
    place: Place,
    depth: usize,
    empty: bool,
    is_list: bool,
}

impl Block<'_> {
    /// Goes to where the next item begins.
    fn next(&mut self) {
        match (self.place, self.empty) {
            (Place::Root | Place::Name, true) => {}
            (Place::Item, true) => self.out.push(' '),
            (_, false) | (Place::Key, true) => {
                self.out.push('\n');
                spaces(self.out, self.indent);
            }
        }
        self.empty = false;
    }

    fn key(&mut self, key: &(impl Serialize + ?Sized)) -> Outcome {
        self.next();
        let mut text = String::new();
        key.serialize(Node { out: &mut text, indent: 0, place: Place::Name, depth: 0 })?;
        if text.len() > LONG_KEY {
            self.out.push_str("? ");
            self.out.push_str(&text);
            self.out.push('\n');
            spaces(self.out, self.indent);
        } else {
            self.out.push_str(&text);
        }
        self.out.push(':');
        Ok(())
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) -> Outcome {
        value.serialize(Node { out: self.out, indent: self.indent, place: Place::Key, depth: self.depth })
    }

    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Outcome {
        self.next();
        self.out.push('-');
        value.serialize(Node { out: self.out, indent: self.indent, place: Place::Item, depth: self.depth })
    }

    fn close(self) -> Outcome {
        if self.empty {
            if matches!(self.place, Place::Key | Place::Item) {
                self.out.push(' ');
            }
            self.out.push_str(if self.is_list { "[]" } else { "{}" });
        }
        Ok(())
    }
}

fn spaces(out: &mut String, count: usize) {
    out.extend(core::iter::repeat_n(' ', count));
}

/// A text that stands as a literal block: lines, none of which a block would change.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && text.chars().all(|c| c == '\n' || c == '\t' || is_printable(c))
        && text.split('\n').all(|line| line.is_empty() || !line.trim_matches([' ', '\t']).is_empty())
}

fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn quoted_if_needed(text: &str) -> String {
    if is_plain(text) { text.into() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    let first_fits = match first {
        '-' | '?' | ':' => chars.next().is_some_and(|next| !matches!(next, ' ' | ',' | '[' | ']' | '{' | '}')),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' | ' ' => false,
        '=' | '<' => !matches!(text, "=" | "<<"),
        _ => true,
    };
    first_fits
        && text.chars().all(is_printable)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.starts_with("---")
        && !text.starts_with("...")
        && scalar::plain(text).is_none()
        && !is_taken_elsewhere(text)
}

/// A text that this program reads as text, but YAML 1.1 or a laxer reader as a bool, a number or a time.
fn is_taken_elsewhere(text: &str) -> bool {
    let word = matches!(
        text,
        "y" | "Y" | "yes" | "Yes" | "YES" | "n" | "N" | "no" | "No" | "NO" | "on" | "On" | "ON" | "off" | "Off" | "OFF"
    );
    let digits = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    let sexagesimal =
        digits && text.contains(':') && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.' | b'_'));
    let date = digits
        && text.len() >= 8
        && text.bytes().filter(|&byte| byte == b'-').count() == 2
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
    word || sexagesimal || date || text.eq_ignore_ascii_case("0x") || (digits && text.parse::<f64>().is_ok())
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' => out.write_str("\\\""),
            '\\' => out.write_str("\\\\"),
            '\n' => out.write_str("\\n"),
            '\t' => out.write_str("\\t"),
            '\r' => out.write_str("\\r"),
            c if is_printable(c) => out.write_char(c),
            c if (c as u32) < 0x100 => write!(out, "\\x{:02x}", c as u32),
            c => write!(out, "\\u{:04x}", c as u32),
        };
    }
    out.push('"');
    out
}

/// A float that a reader takes for one: with a dot, or by name.
fn float(number: f64) -> String {
    if number.is_nan() {
        return ".nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.into();
    }
    let size = number.abs();
    if size != 0.0 && !(1e-5..1e21).contains(&size) {
        let text = alloc::format!("{number:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let point = if mantissa.contains('.') { "" } else { ".0" };
        let sign = if exponent.starts_with('-') { "" } else { "+" };
        return alloc::format!("{mantissa}{point}e{sign}{exponent}");
    }
    let text = alloc::format!("{number}");
    if text.contains('.') { text } else { alloc::format!("{text}.0") }
}

macro_rules! numbers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, number: $type) -> Outcome {
            self.shown(number)
        })*
    };
}

impl<'a> ser::Serializer for Node<'a> {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Block<'a>;
    type SerializeTuple = Block<'a>;
    type SerializeTupleStruct = Block<'a>;
    type SerializeTupleVariant = Block<'a>;
    type SerializeMap = Block<'a>;
    type SerializeStruct = Block<'a>;
    type SerializeStructVariant = Block<'a>;

    numbers!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128);
    numbers!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128);

    fn serialize_bool(self, yes: bool) -> Outcome {
        self.word(if yes { "true" } else { "false" })
    }

    fn serialize_f32(self, number: f32) -> Outcome {
        self.serialize_f64(f64::from(number))
    }

    fn serialize_f64(self, number: f64) -> Outcome {
        self.word(&float(number))
    }

    fn serialize_char(self, c: char) -> Outcome {
        self.text(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Outcome {
        self.text(text)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Outcome {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Outcome {
        self.word("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Outcome {
        self.word("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Outcome {
        self.word("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Outcome {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Outcome {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Outcome {
        let mut block = self.block(false)?;
        block.key(variant)?;
        block.value(value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Outcome<Block<'a>> {
        self.block(true)
    }

    fn serialize_tuple(self, _: usize) -> Outcome<Block<'a>> {
        self.block(true)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Outcome<Block<'a>> {
        self.block(true)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Outcome<Block<'a>> {
        self.variant(variant, true)
    }

    fn serialize_map(self, _: Option<usize>) -> Outcome<Block<'a>> {
        self.block(false)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Outcome<Block<'a>> {
        self.block(false)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Outcome<Block<'a>> {
        self.variant(variant, false)
    }
}

impl ser::SerializeSeq for Block<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.item(value)
    }

    fn end(self) -> Outcome {
        self.close()
    }
}

impl ser::SerializeTuple for Block<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.item(value)
    }

    fn end(self) -> Outcome {
        self.close()
    }
}

impl ser::SerializeTupleStruct for Block<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.item(value)
    }

    fn end(self) -> Outcome {
        self.close()
    }
}

impl ser::SerializeTupleVariant for Block<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.item(value)
    }

    fn end(self) -> Outcome {
        self.close()
    }
}

impl ser::SerializeMap for Block<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Outcome {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        self.value(value)
    }

    fn end(self) -> Outcome {
        self.close()
    }
}

impl ser::SerializeStruct for Block<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Outcome {
        self.key(key)?;
        self.value(value)
    }

    fn end(self) -> Outcome {
        self.close()
    }
}

impl ser::SerializeStructVariant for Block<'_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Outcome {
        self.key(key)?;
        self.value(value)
    }

    fn end(self) -> Outcome {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Source;
    use crate::value::{Map, Value};
    use crate::yaml::{Limits, read};
    use alloc::format;
    use alloc::vec;
    use alloc::vec::Vec;

    fn again(value: &Value) -> Value {
        let text = write(value).unwrap();
        let document = read(&Source::new("again.yaml", &*text), &Limits::default());
        document.unwrap_or_else(|error| panic!("{error}\n{text}")).root().to_value()
    }

    fn map(entries: Vec<(&str, Value)>) -> Value {
        Value::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect::<Map>())
    }

    #[test]
    fn lists_stand_at_the_column_of_their_key() {
        let item = map(vec![("name", "/etc/motd".into()), ("mode", "0644".into()), ("content", "{{ x }}".into())]);
        let value = map(vec![("a", vec![map(vec![("file", item)]), Value::Null].into()), ("b", Value::list(vec![]))]);
        let expected =
            "a:\n- file:\n    content: \"{{ x }}\"\n    mode: \"0644\"\n    name: /etc/motd\n- null\nb: []\n";
        assert_eq!(write(&value).unwrap(), expected);
    }

    #[test]
    fn lines_stand_as_a_block_with_their_end() {
        let value = map(vec![("a", "x\ny".into()), ("b", "x\ny\n".into()), ("c", "x\n\n".into())]);
        assert_eq!(write(&value).unwrap(), "a: |-\n  x\n  y\nb: |\n  x\n  y\nc: |+\n  x\n\n");
    }

    #[test]
    fn every_text_reads_back_as_itself() {
        let odd = [
            "",
            " ",
            "a ",
            "\n",
            "\n\n",
            " x\ny",
            "x\n  y\n",
            "x\n \ny",
            "a: b",
            "a:",
            ":a",
            "- a",
            "-",
            "--",
            "--flag",
            "---",
            "--- a",
            "...",
            "# a",
            "a #b",
            "a#b",
            "~",
            "null",
            "true",
            "yes",
            "1",
            "0x1f",
            "1e3",
            "1_000",
            ".5",
            "+.inf",
            "<<",
            "=",
            "!x",
            "&x",
            "*x",
            "{{ x }}",
            "a {{ x }}",
            "[a]",
            "a]",
            "a, b",
            "'q'",
            "\"q\"",
            "it's",
            "a\tb",
            "\ta",
            "a\r\nb",
            "\u{0}\u{7}\u{1b}",
            "\u{85}",
            "\u{2028}",
            "\u{feff}x",
            "é",
            "😀",
            "12:30:45",
            "2001-12-14",
            "|",
            ">",
            "%x",
            "@x",
            "`x",
            "? x",
            "?x",
            "x\n\ty\n",
            "\u{fffe}",
            "\u{e000}",
            "x\u{a0}",
            "a\n---\nb",
            "a\n# b\n",
            "\\",
            "C:\\x",
            "x\n\n\n",
        ];
        for text in odd {
            for value in [
                Value::from(text),
                vec![Value::from(text), Value::from("z")].into(),
                map(vec![("k", text.into()), ("z", "z".into())]),
                map(vec![(text, text.into()), ("zz", vec![vec![Value::from(text)].into(), Value::Null].into())]),
            ] {
                assert_eq!(format!("{:?}", again(&value)), format!("{value:?}"), "{text:?}");
            }
        }
    }

    #[test]
    fn a_long_key_reads_back() {
        let value = map(vec![(&*"k".repeat(3000), map(vec![("a", Value::Null)])), ("z", Value::from(true))]);
        assert_eq!(format!("{:?}", again(&value)), format!("{value:?}"));
    }

    #[test]
    fn floats_read_back_as_floats() {
        for number in [1.0, -0.5, 1e21, 1.5e-7, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY] {
            let document = read(&Source::new("f", float(number)), &Limits::default()).unwrap();
            assert!(matches!(document.root().to_value(), Value::Float(read) if read == number), "{number:e}");
        }
    }
}
