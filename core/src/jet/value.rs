//! What expressions of jet compute with: data, and how the language holds it.
//!
//! The language tells a value that stands alone from one that it found inside a list or map and has not been
//! given a name: the latter prints, but is no operand. `[[ range Data.l ]][[ . + 1 ]][[ end ]]` is an error,
//! `[[ range _, v := Data.l ]][[ v + 1 ]][[ end ]]` is not (vectors jet/variables-021 and -022).

use alloc::format;
use alloc::string::String;

use super::builtins::Function;
use crate::error::{JetFault, Kind, Result};
use crate::text::float;
use crate::value::{List, Map, Text, Value, show};

/// A value of the language.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// Nothing at all: a missing member, the literal `nil`. Prints nothing.
    Missing,
    /// Data that stands alone; never null.
    Plain(Value),
    /// Data inside a list or map, as ranges and slices hand it out; null may be in here.
    Inside(Value),
    /// A list of texts, whose items stand alone: what `split` gives.
    Texts(List),
    /// JSON bytes: prints as text, ranges as bytes.
    Bytes(Text),
    /// `ints(from, to)`
    Ints(i64, i64),
    /// A function, not yet called.
    Function(Function),
    /// Text to be printed as it is: what `writeJson` gives.
    Print(Text),
    /// A root that has no map: prints and ranges as an empty one, but is false (vector jet/empty_env-004).
    NoMap,
    /// Prints nothing, is false: what `includeIfExists` gives.
    Hidden,
}

impl From<Value> for Val {
    /// Data with a name of its own: null stays what it is inside.
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Inside(Value::Null),
            other => Self::Plain(other),
        }
    }
}

/// Appends data as an action prints it: floats without exponent.
pub(super) fn print_data(out: &mut String, data: &Value) {
    match data {
        Value::Float(number) => out.push_str(&float::format(*number, float::Form::Fixed, None)),
        other => show::append(out, other),
    }
}

impl Val {
    pub(super) fn float(number: f64) -> Self {
        Self::Plain(Value::Float(number))
    }

    pub(super) fn bool(value: bool) -> Self {
        Self::Plain(Value::Bool(value))
    }

    /// What giving a name makes of it.
    pub(super) fn named(self) -> Self {
        match self {
            Self::Inside(value) => value.into(),
            other => other,
        }
    }

    /// The data in it, wherever it stands; null where it is nothing.
    pub(super) fn data(&self) -> Option<Value> {
        match self {
            Self::Plain(value) | Self::Inside(value) => Some(value.clone()),
            Self::Texts(list) => Some(Value::List(list.clone())),
            Self::Bytes(text) | Self::Print(text) => Some(Value::Text(text.clone())),
            Self::NoMap => Some(Value::Map(Map::new())),
            Self::Hidden => Some(Value::Bool(false)),
            Self::Missing | Self::Ints(..) | Self::Function(_) => None,
        }
    }

    /// True unless it is missing, null, false, zero or empty text. An empty list or map is true, and so is
    /// anything inside a list (vectors jet/if-015 and -016).
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Missing | Self::NoMap | Self::Hidden => false,
            Self::Plain(value) => match value {
                Value::Null => false,
                Value::Bool(value) => *value,
                Value::Int(int) => int.as_i128() != 0,
                Value::Float(float) => *float != 0.0 || float.is_sign_negative(),
                Value::Text(text) => !text.is_empty(),
                Value::List(_) | Value::Map(_) => true,
            },
            Self::Inside(value) => !matches!(value, Value::Null),
            _ => true,
        }
    }

    /// What it is called in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "nothing",
            Self::Plain(value) => value.kind(),
            Self::Inside(Value::Null) => "null",
            Self::Inside(_) => "a value without a name of its own; range with `_, v := …`",
            Self::Texts(_) => "list",
            Self::NoMap => "map",
            Self::Bytes(_) => "bytes",
            Self::Ints(..) => "a range of integers",
            Self::Function(_) => "a function",
            Self::Print(_) | Self::Hidden => "output",
        }
    }

    /// Appends it as an action prints it.
    pub(super) fn print(&self, out: &mut String) {
        match self {
            Self::Missing | Self::Hidden | Self::Function(_) | Self::Ints(..) => {}
            Self::Plain(value) | Self::Inside(value) => print_data(out, value),
            Self::Texts(list) => show::append(out, &Value::List(list.clone())),
            Self::NoMap => out.push_str("map[]"),
            Self::Bytes(text) | Self::Print(text) => out.push_str(text),
        }
    }

    /// As text joined to other text: floats as Go's `%v` prints them.
    pub(super) fn joined(&self) -> Text {
        match self {
            Self::Plain(value) | Self::Inside(value) => show::text(value),
            other => {
                let mut out = String::new();
                other.print(&mut out);
                out.into()
            }
        }
    }

    /// As the integer that arithmetic on integers takes. True counts as 0 and false as 1: vectors
    /// jet/operators-061 and -062.
    pub(super) fn to_integer(&self) -> Result<i64> {
        match self {
            Self::Plain(Value::Int(int)) => Ok(int.wrapping_i64()),
            Self::Plain(Value::Float(float)) => Ok(*float as i64),
            Self::Plain(Value::Text(text)) => text.parse().map_err(|_| self.no_number()),
            Self::Plain(Value::Bool(value)) => Ok(i64::from(!value)),
            _ => Err(self.no_number()),
        }
    }

    /// As the float that arithmetic on floats takes.
    pub(super) fn to_float(&self) -> Result<f64> {
        match self {
            Self::Plain(Value::Float(float)) => Ok(*float),
            Self::Plain(Value::Int(int)) => Ok(int.as_f64()),
            Self::Plain(Value::Text(text)) => float::parse(text).map_err(|_| self.no_number()),
            Self::Plain(Value::Bool(value)) => Ok(f64::from(u8::from(!value))),
            _ => Err(self.no_number()),
        }
    }

    fn no_number(&self) -> crate::Error {
        let what = match self {
            Self::Plain(Value::Text(text)) => format!("{text:?} is not a number"),
            other => format!("{} is not a number", other.kind()),
        };
        Kind::Jet(JetFault::Type(what)).into()
    }
}
