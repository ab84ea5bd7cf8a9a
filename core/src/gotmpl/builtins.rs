//! The functions that every template knows.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::printf;
use super::val::{Bytes, Dict, List, Val};
use crate::error::{Error, GotmplFault as Fault, Kind, Result};
use crate::names::Fuel;
use crate::text::quote;
use crate::value::{Shape, Value};

/// A function of Go's own. `and` and `or` are here by name; the renderer evaluates them, since they stop early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    And,
    Call,
    Eq,
    Ge,
    Gt,
    Html,
    Index,
    Js,
    Le,
    Len,
    Lt,
    Ne,
    Not,
    Or,
    Print,
    Printf,
    Println,
    Slice,
    Urlquery,
}

impl Builtin {
    pub(super) const ALL: [Self; 19] = [
        Self::And,
        Self::Call,
        Self::Eq,
        Self::Ge,
        Self::Gt,
        Self::Html,
        Self::Index,
        Self::Js,
        Self::Le,
        Self::Len,
        Self::Lt,
        Self::Ne,
        Self::Not,
        Self::Or,
        Self::Print,
        Self::Printf,
        Self::Println,
        Self::Slice,
        Self::Urlquery,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Call => "call",
            Self::Eq => "eq",
            Self::Ge => "ge",
            Self::Gt => "gt",
            Self::Html => "html",
            Self::Index => "index",
            Self::Js => "js",
            Self::Le => "le",
            Self::Len => "len",
            Self::Lt => "lt",
            Self::Ne => "ne",
            Self::Not => "not",
            Self::Or => "or",
            Self::Print => "print",
            Self::Printf => "printf",
            Self::Println => "println",
            Self::Slice => "slice",
            Self::Urlquery => "urlquery",
        }
    }

    /// Fewest and most arguments.
    pub(super) fn arity(self) -> (u8, u8) {
        match self {
            Self::Html | Self::Js | Self::Print | Self::Println | Self::Urlquery => (0, u8::MAX),
            Self::And | Self::Call | Self::Eq | Self::Index | Self::Or | Self::Printf | Self::Slice => (1, u8::MAX),
            Self::Len | Self::Not => (1, 1),
            Self::Ge | Self::Gt | Self::Le | Self::Lt | Self::Ne => (2, 2),
        }
    }

    /// Applies it; the arity has been checked.
    pub(super) fn apply<'a>(self, arguments: &[Val<'a>], fuel: &Fuel) -> Result<Val<'a>> {
        let (first, rest) = arguments.split_first().unwrap_or((&Val::Absent, &[]));
        let second = rest.first().unwrap_or(&Val::Absent);
        let text = |bytes: Vec<u8>| {
            fuel.allocate(bytes.len())?;
            Ok(Val::bytes(bytes))
        };
        match self {
            Self::And | Self::Or => Ok(arguments.last().cloned().unwrap_or(Val::Absent)),
            Self::Call => Err(fault(Fault::NotFunction(first.kind().into()))),
            Self::Eq => equals_any(first, rest, fuel).map(Val::Bool),
            Self::Ne => equals_any(first, rest, fuel).map(|equal| Val::Bool(!equal)),
            Self::Lt => less(first, second, fuel).map(Val::Bool),
            Self::Ge => less(first, second, fuel).map(|less| Val::Bool(!less)),
            Self::Le => less_or_equal(first, second, rest, fuel).map(Val::Bool),
            Self::Gt => less_or_equal(first, second, rest, fuel).map(|less| Val::Bool(!less)),
            Self::Html => escaped(arguments, fuel, 5, html),
            Self::Js => escaped(arguments, fuel, 6, js),
            Self::Urlquery => escaped(arguments, fuel, 3, urlquery),
            Self::Index => index(first, rest),
            Self::Len => length(first),
            Self::Not => Ok(Val::Bool(!first.is_true())),
            Self::Print => text(printf::sprint(arguments, fuel)?),
            Self::Println => text(printf::sprintln(arguments, fuel)?),
            Self::Printf => match first {
                Val::Text(format) => text(printf::sprintf(format.as_slice(), rest, fuel)?),
                Val::Absent | Val::Nil => nil("printf needs text as its format, not nothing"),
                other => wrong(&format!("printf needs text as its format, not {}", other.kind())),
            },
            Self::Slice => slice(first, rest, fuel),
        }
    }
}

#[cold]
fn fault(fault: Fault) -> Error {
    Error::new(Kind::Gotmpl(fault))
}

#[cold]
fn wrong<T>(text: &str) -> Result<T> {
    Err(fault(Fault::WrongType(text.into())))
}

#[cold]
fn nil<T>(text: &str) -> Result<T> {
    Err(fault(Fault::NilValue(text.into())))
}

fn length<'a>(value: &Val<'a>) -> Result<Val<'a>> {
    let length = match value {
        Val::Text(text) => text.as_slice().len(),
        Val::List(list) => list.items().len(),
        Val::Map(map) if !map.is_record() => map.map().len(),
        Val::Absent | Val::Nil => return nil("len of nothing"),
        other => return wrong(&format!("{} has no length", other.kind())),
    };
    Ok(Val::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

/// An index into a text or list of a given reach.
fn position(index: &Val<'_>, reach: usize) -> Result<usize> {
    let wanted = match index {
        Val::Int(int) => i128::from(*int),
        Val::Uint(int) => i128::from(*int as i64),
        Val::Byte(byte) => i128::from(*byte),
        Val::Absent | Val::Nil => return wrong("nothing is no index"),
        other => return wrong(&format!("{} is no index of a list or text", other.kind())),
    };
    match usize::try_from(wanted) {
        Ok(at) if at <= reach => Ok(at),
        _ => Err(fault(Fault::IndexRange(format!("index {wanted} is outside 0 to {reach}")))),
    }
}

fn index<'a>(value: &Val<'a>, indexes: &[Val<'a>]) -> Result<Val<'a>> {
    if value.is_nothing() {
        return nil("index of nothing");
    }
    let mut item = value.clone();
    for index in indexes {
        item = match &item {
            Val::Absent | Val::Nil => return nil("index of nothing"),
            Val::Text(text) => {
                let bytes = text.as_slice();
                let at = position(index, bytes.len())?;
                bytes.get(at).map(|byte| Val::Byte(*byte)).ok_or_else(|| past(at, bytes.len()))?
            }
            Val::List(list) => {
                let length = list.items().len();
                let at = position(index, length)?;
                list.get(at).ok_or_else(|| past(at, length))?
            }
            Val::Map(map) if !map.is_record() => match index {
                Val::Text(key) => key_of(map, key),
                Val::Absent | Val::Nil => return wrong("nothing is no key of a map"),
                other => return wrong(&format!("{} is no key of a map", other.kind())),
            },
            other => return wrong(&format!("{} cannot be indexed", other.kind())),
        };
    }
    Ok(item)
}

fn key_of<'a>(map: &Dict<'a>, key: &Bytes<'_>) -> Val<'a> {
    core::str::from_utf8(key.as_slice()).ok().and_then(|key| map.field(key)).unwrap_or(Val::Nil)
}

#[cold]
fn past(at: usize, length: usize) -> Error {
    fault(Fault::IndexRange(format!("index {at} is outside a length of {length}")))
}

/// `slice x i j k` is Go's `x[i:j:k]`.
fn slice<'a>(value: &Val<'a>, indexes: &[Val<'a>], fuel: &Fuel) -> Result<Val<'a>> {
    let (length, reach) = match value {
        Val::Absent | Val::Nil => return nil("slice of nothing"),
        _ if indexes.len() > 3 => {
            let wanted = "1 to 4".into();
            return Err(fault(Fault::ArgumentCount { name: "slice".into(), wanted, given: indexes.len() + 1 }));
        }
        Val::Text(_) if indexes.len() == 3 => return wrong("text has no capacity: slice takes two indexes of it"),
        Val::Text(text) => (text.as_slice().len(), text.as_slice().len()),
        Val::List(list) => (list.items().len(), list.capacity()),
        other => return wrong(&format!("{} cannot be sliced", other.kind())),
    };
    let mut bounds = [0, length, reach];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = position(index, reach)?;
    }
    let [start, end, limit] = bounds;
    if start > end || end > limit {
        let (low, high) = if start > end { (start, end) } else { (end, limit) };
        return Err(fault(Fault::IndexRange(format!("slice from {low} to {high}"))));
    }
    Ok(match value {
        Val::Text(Bytes::Lent(bytes)) => Val::Text(Bytes::Lent(bytes.get(start..end).unwrap_or(&[]))),
        Val::Text(Bytes::Own(bytes)) => {
            fuel.text(end - start)?;
            Val::bytes(bytes.get(start..end).unwrap_or(&[]).to_vec())
        }
        Val::List(list) => {
            if let List::Own(_) = list {
                fuel.text((end - start) * size_of::<Value>())?;
            }
            Val::List(list.slice(start, end, limit))
        }
        _ => Val::Absent,
    })
}

// Comparison: nothing converts between kinds, save that whole numbers compare whatever their width.

enum Basic<'v> {
    Bool(bool),
    Whole(i128),
    Float(f64),
    Complex(f64, f64),
    Text(&'v [u8]),
}

fn basic<'v>(value: &'v Val<'_>) -> Option<Basic<'v>> {
    Some(match value {
        Val::Bool(value) => Basic::Bool(*value),
        Val::Int(int) => Basic::Whole(i128::from(*int)),
        Val::Uint(int) => Basic::Whole(i128::from(*int)),
        Val::Byte(byte) => Basic::Whole(i128::from(*byte)),
        Val::Float(float) => Basic::Float(*float),
        Val::Complex(real, imaginary) => Basic::Complex(*real, *imaginary),
        Val::Text(text) => Basic::Text(text.as_slice()),
        Val::Absent | Val::Nil | Val::List(_) | Val::Map(_) => return None,
    })
}

fn equals_any(left: &Val<'_>, rights: &[Val<'_>], fuel: &Fuel) -> Result<bool> {
    if rights.is_empty() {
        return Err(fault(Fault::MissingArgument("eq")));
    }
    for right in rights {
        if equal(left, right, fuel)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(left: &Val<'_>, right: &Val<'_>, fuel: &Fuel) -> Result<bool> {
    let incompatible = || Err(fault(Fault::IncompatibleTypes(left.kind().into(), right.kind().into())));
    match (basic(left), basic(right)) {
        (Some(a), Some(b)) => match (a, b) {
            (Basic::Bool(a), Basic::Bool(b)) => Ok(a == b),
            (Basic::Whole(a), Basic::Whole(b)) => Ok(a == b),
            (Basic::Float(a), Basic::Float(b)) => Ok(a == b),
            (Basic::Complex(a, b), Basic::Complex(c, d)) => Ok(a == c && b == d),
            (Basic::Text(a), Basic::Text(b)) => {
                fuel.scan(a.len().min(b.len()))?;
                Ok(a == b)
            }
            _ => incompatible(),
        },
        (None, None) => equal_composite(left, right, fuel),
        _ if left.is_nothing() || right.is_nothing() => Ok(false),
        _ => incompatible(),
    }
}

fn equal_composite(left: &Val<'_>, right: &Val<'_>, fuel: &Fuel) -> Result<bool> {
    if left.is_nothing() || right.is_nothing() {
        return Ok(left.is_nothing() && right.is_nothing());
    }
    match (left, right) {
        (Val::Map(left), Val::Map(right)) if left.is_record() && right.is_record() => {
            fuel.step((left.map().len() + right.map().len()) as u64)?;
            if !is_comparable(right.map()) || !is_comparable(left.map()) {
                return Err(fault(Fault::NotComparable("records that hold lists or maps cannot be compared".into())));
            }
            let (left, right) = (left.map(), right.map());
            if left.shape() != right.shape() || left.len() != right.len() {
                return Ok(false);
            }
            for ((_, left), (_, right)) in left.iter().zip(right.iter()) {
                fuel.step(1)?;
                let same_kind = left.kind() == right.kind();
                if !same_kind || !equal(&left.into(), &right.into(), fuel)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Err(fault(Fault::NotComparable(format!("{} and {} cannot be compared", left.kind(), right.kind())))),
    }
}

fn is_comparable(record: &crate::value::Map) -> bool {
    record.iter().all(|(_, value)| match value {
        Value::List(_) => false,
        Value::Map(inner) => matches!(inner.shape(), Shape::Struct(_)) && inner.iter().all(|(_, value)| plain(value)),
        _ => true,
    })
}

fn plain(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_))
}

fn less(left: &Val<'_>, right: &Val<'_>, fuel: &Fuel) -> Result<bool> {
    let unordered = |value: &Val<'_>| Err(fault(Fault::NotComparable(format!("{} has no order", value.kind()))));
    let (Some(a), Some(b)) = (basic(left), basic(right)) else {
        return unordered(if basic(left).is_none() { left } else { right });
    };
    match (a, b) {
        (Basic::Whole(a), Basic::Whole(b)) => Ok(a < b),
        (Basic::Float(a), Basic::Float(b)) => Ok(a < b),
        (Basic::Text(a), Basic::Text(b)) => {
            fuel.scan(a.len().min(b.len()))?;
            Ok(a.cmp(b) == Ordering::Less)
        }
        (Basic::Bool(_), Basic::Bool(_)) | (Basic::Complex(..), Basic::Complex(..)) => unordered(left),
        _ => Err(fault(Fault::IncompatibleTypes(left.kind().into(), right.kind().into()))),
    }
}

fn less_or_equal(left: &Val<'_>, right: &Val<'_>, rest: &[Val<'_>], fuel: &Fuel) -> Result<bool> {
    Ok(less(left, right, fuel)? || equals_any(left, rest, fuel)?)
}

// Escapes.

/// Escapes the text of all arguments; a byte becomes so many at most, and what it did not become is given back.
fn escaped<'a>(arguments: &[Val<'_>], fuel: &Fuel, most: usize, escape: fn(&[u8]) -> Vec<u8>) -> Result<Val<'a>> {
    let text = joined(arguments, fuel)?;
    // Text is copied out of the buffer in which it grew.
    let room = text.len().saturating_mul(most).saturating_mul(2);
    fuel.scan(room)?;
    let mark = fuel.mark();
    fuel.allocate(room)?;
    let escaped = escape(&text);
    fuel.forget(mark, escaped.len() as u64);
    Ok(Val::bytes(escaped))
}

/// The text of all arguments, as `print` joins them; one text stands for itself.
fn joined<'v>(arguments: &'v [Val<'_>], fuel: &Fuel) -> Result<Cow<'v, [u8]>> {
    if let [Val::Text(text)] = arguments {
        return Ok(Cow::Borrowed(text.as_slice()));
    }
    let shown: Vec<Val<'_>> = arguments
        .iter()
        .map(|value| if value.is_nothing() { Val::Text(Bytes::Lent(b"<no value>")) } else { value.clone() })
        .collect();
    printf::sprint(&shown, fuel).map(Cow::Owned)
}

fn html(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            0 => out.extend_from_slice("\u{fffd}".as_bytes()),
            b'"' => out.extend_from_slice(b"&#34;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            other => out.push(other),
        }
    }
    out
}

fn js(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        let mut width = 1;
        match byte {
            b'\\' | b'\'' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'<' | b'>' | b'&' | b'=' | 0..=0x1f => out.extend_from_slice(format!("\\u{byte:04X}").as_bytes()),
            0x20..=0x7f => out.push(byte),
            _ => {
                let (character, length) = quote::decode(rest);
                width = length;
                match character {
                    Some(character) if !quote::is_print(character) => {
                        out.extend_from_slice(format!("\\u{:04X}", u32::from(character)).as_bytes());
                    }
                    _ => out.extend_from_slice(&rest[..length]),
                }
            }
        }
        rest = &rest[width..];
    }
    out
}

fn urlquery(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte),
            b' ' => out.push(b'+'),
            other => out.extend_from_slice(format!("%{other:02X}").as_bytes()),
        }
    }
    out
}
