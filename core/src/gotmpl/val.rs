//! What a template computes with: data as Go would type it.
//!
//! Data and literals are lent out of the caller's value and the template, so that printing a field of
//! a machine copies nothing but its bytes.

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::value::{List as Shared, Map, Shape, Value};

/// A value of a template.
#[derive(Clone, Debug)]
pub(super) enum Val<'a> {
    /// No value at all: an unknown key of a map, the data of a template called without any.
    Absent,
    /// A null in the data: printed in a list as `<nil>`, an error when a field is asked of it.
    Nil,
    Bool(bool),
    Int(i64),
    /// Whole data above 2^63-1.
    Uint(u64),
    /// A byte of a text, as `index` gives it.
    Byte(u8),
    Float(f64),
    Complex(f64, f64),
    Text(Bytes<'a>),
    List(List<'a>),
    Map(Dict<'a>),
}

/// Text: bytes, since a slice may cut a character.
#[derive(Clone, Debug)]
pub(super) enum Bytes<'a> {
    Lent(&'a [u8]),
    Own(Rc<[u8]>),
}

/// A list, or a part of one.
#[derive(Clone, Debug)]
pub(super) enum List<'a> {
    /// All that a slice may reach, and how much of it the list is, as in Go's capacity and length.
    Lent {
        reach: &'a [Value],
        len: usize,
    },
    Own(Shared),
}

/// A map or a record.
#[derive(Clone, Debug)]
pub(super) enum Dict<'a> {
    Lent(&'a Map),
    Own(Map),
}

impl<'a> From<&'a Value> for Val<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Nil,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(int) => match int.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Uint(int.wrapping_i64() as u64),
            },
            Value::Float(float) => Self::Float(*float),
            Value::Text(text) => Self::Text(Bytes::Lent(text.as_bytes())),
            Value::List(items) => Self::List(List::Lent { reach: items, len: items.len() }),
            Value::Map(map) => Self::Map(Dict::Lent(map)),
        }
    }
}

impl Val<'_> {
    /// A value of a function, which nobody lends.
    pub(super) fn own(value: Value) -> Self {
        match value {
            Value::Text(text) => Self::bytes(text.as_bytes().into()),
            Value::List(items) => Self::List(List::Own(items)),
            Value::Map(map) => Self::Map(Dict::Own(map)),
            Value::Null => Self::Nil,
            Value::Bool(value) => Self::Bool(value),
            Value::Int(int) => match int.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Uint(int.wrapping_i64() as u64),
            },
            Value::Float(float) => Self::Float(float),
        }
    }

    pub(super) fn bytes(bytes: Vec<u8>) -> Self {
        Self::Text(Bytes::Own(bytes.into()))
    }

    /// As plain data; `None` for what data cannot hold: a complex number, text that is no UTF-8.
    pub(super) fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Absent | Self::Nil => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(int) => Value::Int((*int).into()),
            Self::Uint(int) => Value::Int((*int).into()),
            Self::Byte(byte) => Value::Int(i64::from(*byte).into()),
            Self::Float(float) => Value::Float(*float),
            Self::Complex(..) => return None,
            Self::Text(text) => Value::text(core::str::from_utf8(text.as_slice()).ok()?),
            Self::List(List::Own(items)) => Value::List(items.clone()),
            Self::List(list) => Value::list(list.items().to_vec()),
            Self::Map(map) => Value::Map(map.map().clone()),
        })
    }

    /// Whether `if` takes it for true: neither zero, empty, nor nothing.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Absent | Self::Nil => false,
            Self::Bool(value) => *value,
            Self::Int(int) => *int != 0,
            Self::Uint(int) => *int != 0,
            Self::Byte(byte) => *byte != 0,
            Self::Float(float) => *float != 0.0,
            Self::Complex(real, imaginary) => *real != 0.0 || *imaginary != 0.0,
            Self::Text(text) => !text.as_slice().is_empty(),
            Self::List(list) => !list.items().is_empty(),
            Self::Map(map) => map.is_record() || !map.map().is_empty(),
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Absent | Self::Nil)
    }

    /// The type as Go names it.
    pub(super) fn type_name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Absent | Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint64",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Complex(..) => "complex128",
            Self::Text(_) => "string",
            Self::List(list) => match list.items().first().and_then(Value::as_map).map(Map::shape) {
                Some(Shape::Struct(layout)) => return Cow::Owned(format!("[]{}", layout.name)),
                _ => "[]interface {}",
            },
            Self::Map(map) => match map.map().shape() {
                Shape::Struct(layout) => layout.name,
                Shape::Texts => "map[string]string",
                Shape::Plain | Shape::Absent | Shape::Record(_) => "map[string]interface {}",
            },
        })
    }

    /// The kind as a person calls it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Absent | Self::Nil => "nothing",
            Self::Bool(_) => "a bool",
            Self::Int(_) | Self::Uint(_) | Self::Byte(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Complex(..) => "a complex number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(map) => match map.map().shape() {
                Shape::Struct(layout) => layout.name,
                _ => "a map",
            },
        }
    }
}

impl Bytes<'_> {
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Lent(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}

impl<'a> List<'a> {
    pub(super) fn items(&self) -> &[Value] {
        match self {
            Self::Lent { reach, len } => reach.get(..*len).unwrap_or(reach),
            Self::Own(items) => items,
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<Val<'a>> {
        match self {
            Self::Lent { reach, len } if at < *len => reach.get(at).map(Val::from),
            Self::Lent { .. } => None,
            Self::Own(items) => items.get(at).map(|item| Val::own(item.clone())),
        }
    }

    /// How far a slice may reach.
    pub(super) fn capacity(&self) -> usize {
        match self {
            Self::Lent { reach, .. } => reach.len(),
            Self::Own(items) => items.len(),
        }
    }

    /// `list[start:end:limit]`, the bounds checked by the caller.
    pub(super) fn slice(&self, start: usize, end: usize, limit: usize) -> Self {
        match self {
            Self::Lent { reach, .. } => {
                Self::Lent { reach: reach.get(start..limit).unwrap_or(&[]), len: end.saturating_sub(start) }
            }
            Self::Own(items) => Self::Own(items.get(start..end).unwrap_or(&[]).to_vec().into()),
        }
    }
}

impl<'a> Dict<'a> {
    pub(super) fn map(&self) -> &Map {
        match self {
            Self::Lent(map) => map,
            Self::Own(map) => map,
        }
    }

    pub(super) fn is_record(&self) -> bool {
        matches!(self.map().shape(), Shape::Struct(_))
    }

    /// A member by field name.
    pub(super) fn field(&self, name: &str) -> Option<Val<'a>> {
        match self {
            Self::Lent(map) => map.field(name).map(Val::from),
            Self::Own(map) => map.field(name).map(|value| Val::own(value.clone())),
        }
    }

    /// The entry at a place in key order.
    pub(super) fn entry(&self, at: usize) -> Option<(Val<'a>, Val<'a>)> {
        match self {
            Self::Lent(map) => {
                let (key, value) = map.entries().get(at)?;
                Some((Val::Text(Bytes::Lent(key.as_bytes())), value.into()))
            }
            Self::Own(map) => {
                let (key, value) = map.entries().get(at)?;
                Some((Val::bytes(key.as_bytes().into()), Val::own(value.clone())))
            }
        }
    }
}
