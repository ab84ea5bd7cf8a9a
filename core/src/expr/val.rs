//! What an expression computes with: plain data, and the few things only expressions know.
//!
//! Data stays what it is, a [`Value`]: reading a fact copies a count, not the fact. A list or map of an expression
//! is plain as long as all it holds is; only one that holds a time, say, is a [`Val::List`] or [`Val::Map`].

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::expr::{ExprFault, Words};
use crate::error::{Error, Result};
use crate::names::Fuel;
use crate::text::time::{Moment, Zone};
use crate::value::{Map, Text, Value};

/// A value inside an expression.
#[derive(Clone, Debug)]
pub enum Val {
    /// Plain data of the seven kinds.
    Plain(Value),
    /// Bytes, written `b"…"`.
    Bytes(Arc<[u8]>),
    /// Nanoseconds.
    Duration(i64),
    /// A moment in a zone.
    Time(Arc<Moment>),
    /// A time zone.
    Zone(Zone),
    /// January is 1.
    Month(u8),
    /// Sunday is 0.
    Weekday(u8),
    /// A list of which at least one item is not plain; without items it is the list that a group does not have,
    /// which is empty and nil at once.
    List(Arc<Vec<Val>>),
    /// Integers from the first to the last, at least one: made when they are asked for, so that a long range takes no room.
    Range(i64, i64),
    /// A map from text of which at least one value is not plain, in key order.
    Map(Arc<Vec<(Text, Val)>>),
    /// A map whose keys may be anything that can be a key.
    Groups(Arc<Groups>),
    /// A method together with its receiver, not called yet.
    Method(Arc<Bound>),
    /// `$env`: all roots by name.
    Env,
}

/// A method and the value it belongs to.
#[derive(Debug)]
pub struct Bound {
    /// Index in [`super::builtins::METHODS`].
    pub(super) method: u8,
    /// What it is called on.
    pub(super) receiver: Val,
}

/// A map with keys of any kind, in the order in which keys are shown.
#[derive(Debug, Default)]
pub struct Groups {
    /// Keys and values, sorted as Go prints maps: by kind, then by value.
    pub entries: Vec<(Val, Val)>,
    /// What a missing key gives: groups give an empty list, pairs give nil.
    pub of_lists: bool,
}

impl Val {
    /// Nothing.
    pub const NIL: Self = Self::Plain(Value::Null);

    /// An integer.
    #[must_use]
    pub fn int(value: i64) -> Self {
        Self::Plain(Value::Int(value.into()))
    }

    /// Text.
    #[must_use]
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Plain(Value::Text(text.into()))
    }

    /// A list, plain if all items are.
    #[must_use]
    pub fn list(items: Vec<Self>) -> Self {
        if items.iter().all(|item| matches!(item, Self::Plain(_))) {
            Self::Plain(Value::list(items.into_iter().filter_map(Self::into_plain).collect()))
        } else {
            Self::List(Arc::new(items))
        }
    }

    /// A map from entries in any order, plain if all values are; of two entries with one key the later stays.
    #[must_use]
    pub fn map(mut entries: Vec<(Text, Self)>) -> Self {
        if entries.iter().all(|(_, value)| matches!(value, Self::Plain(_))) {
            let plain = entries.into_iter().filter_map(|(key, value)| Some((key, value.into_plain()?)));
            return Self::Plain(Value::Map(Map::from_entries(plain.collect())));
        }
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, kept| later.0 == kept.0);
        Self::Map(Arc::new(entries))
    }

    /// The plain data, if it is nothing else.
    #[must_use]
    pub fn as_plain(&self) -> Option<&Value> {
        match self {
            Self::Plain(value) => Some(value),
            _ => None,
        }
    }

    /// The plain data, if it is nothing else.
    #[must_use]
    pub fn into_plain(self) -> Option<Value> {
        match self {
            Self::Plain(value) => Some(value),
            _ => None,
        }
    }

    /// As [`Value::check_extent`]. What is not plain does not know its size: it is walked, which is paid for.
    pub(super) fn check_extent(&self, fuel: &Fuel) -> Result<()> {
        match self {
            Self::Plain(value) => value.check_extent(),
            Self::List(_) | Self::Map(_) | Self::Groups(_) | Self::Method(_) => self.walk(Value::DEPTH, fuel),
            _ => Ok(()),
        }
    }

    fn walk(&self, levels: u16, fuel: &Fuel) -> Result<()> {
        fuel.step(1)?;
        let Some(deeper) = levels.checked_sub(1) else {
            return Err(Error::limit(alloc::format!("data is nested deeper than {} levels", Value::DEPTH)));
        };
        match self {
            Self::Plain(value) => value.check_extent(),
            Self::List(items) => items.iter().try_for_each(|item| item.walk(deeper, fuel)),
            Self::Map(members) => members.iter().try_for_each(|(_, member)| member.walk(deeper, fuel)),
            Self::Groups(groups) => groups
                .entries
                .iter()
                .try_for_each(|(key, value)| key.walk(deeper, fuel).and_then(|()| value.walk(deeper, fuel))),
            Self::Method(bound) => bound.receiver.walk(deeper, fuel),
            _ => Ok(()),
        }
    }

    /// The most bytes that it can hold, as far as that is known without a walk.
    pub(super) fn most_bytes(&self) -> Option<u64> {
        match self {
            Self::Plain(value) => Some(value.most_bytes()),
            Self::Range(..) | Self::Duration(_) | Self::Month(_) | Self::Weekday(_) => Some(0),
            Self::Time(_) => Some(Fuel::CONTAINER as u64),
            _ => None,
        }
    }

    /// The text, if it is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        self.as_plain().and_then(Value::as_text)
    }

    /// The truth, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Plain(Value::Bool(truth)) => Some(*truth),
            _ => None,
        }
    }

    /// It is nil.
    #[must_use]
    pub fn is_nil(&self) -> bool {
        matches!(self, Self::Plain(Value::Null))
    }

    /// Its items, if it is a list or bytes.
    #[must_use]
    pub fn items(&self) -> Option<Items<'_>> {
        match self {
            Self::Plain(Value::List(list)) => Some(Items::Plain(list)),
            Self::List(list) => Some(Items::Mixed(list)),
            Self::Range(first, last) => Some(Items::Range(*first, *last)),
            Self::Bytes(bytes) => Some(Items::Bytes(bytes)),
            _ => None,
        }
    }

    /// As named in messages.
    #[must_use]
    pub fn kind(&self) -> Words {
        match self {
            Self::Plain(Value::Null) => "nil",
            Self::Plain(Value::Bool(_)) => "a boolean",
            Self::Plain(Value::Int(_)) => "an integer",
            Self::Plain(Value::Float(_)) => "a float",
            Self::Plain(Value::Text(_)) => "text",
            Self::Plain(Value::List(_)) | Self::List(_) | Self::Range(..) => "a list",
            Self::Plain(Value::Map(_)) | Self::Map(_) | Self::Groups(_) => "a map",
            Self::Bytes(_) => "bytes",
            Self::Duration(_) => "a duration",
            Self::Time(_) => "a time",
            Self::Zone(_) => "a time zone",
            Self::Month(_) => "a month",
            Self::Weekday(_) => "a weekday",
            Self::Method(_) => "a function",
            Self::Env => "the environment",
        }
        .into()
    }

    /// The text, or the fault that it is none.
    ///
    /// # Errors
    /// [`ExprFault::WrongType`].
    pub fn expect_text(&self) -> Result<&str> {
        self.as_text().ok_or_else(|| ExprFault::WrongType("text", self.kind()).into())
    }

    /// The truth, or the fault that it is none.
    ///
    /// # Errors
    /// [`ExprFault::WrongType`].
    pub fn expect_bool(&self) -> Result<bool> {
        self.as_bool().ok_or_else(|| ExprFault::WrongType("a boolean", self.kind()).into())
    }

    /// A number as an integer: floats lose their fraction, large ones their high bits, as in the reference.
    ///
    /// # Errors
    /// [`ExprFault::Conversion`] for what is no number.
    pub fn to_int(&self) -> Result<i64> {
        match self {
            Self::Plain(Value::Int(int)) => Ok(int.wrapping_i64()),
            // As amd64 converts: what does not fit is the smallest integer.
            Self::Plain(Value::Float(float)) => {
                let fits = *float >= -9_223_372_036_854_775_808.0 && *float < 9_223_372_036_854_775_808.0;
                Ok(if fits { *float as i64 } else { i64::MIN })
            }
            _ => Err(ExprFault::Conversion("an integer", self.kind()).into()),
        }
    }

    /// A number as a float.
    ///
    /// # Errors
    /// [`ExprFault::Conversion`] for what is no number.
    pub fn to_float(&self) -> Result<f64> {
        match self {
            Self::Plain(Value::Int(int)) => Ok(int.as_f64()),
            Self::Plain(Value::Float(float)) => Ok(*float),
            _ => Err(ExprFault::Conversion("a float", self.kind()).into()),
        }
    }
}

impl From<Value> for Val {
    fn from(value: Value) -> Self {
        Self::Plain(value)
    }
}

impl From<bool> for Val {
    fn from(value: bool) -> Self {
        Self::Plain(Value::Bool(value))
    }
}

impl From<i64> for Val {
    fn from(value: i64) -> Self {
        Self::int(value)
    }
}

impl From<f64> for Val {
    fn from(value: f64) -> Self {
        Self::Plain(Value::Float(value))
    }
}

impl From<&str> for Val {
    fn from(value: &str) -> Self {
        Self::text(value)
    }
}

impl From<String> for Val {
    fn from(value: String) -> Self {
        Self::text(value)
    }
}

/// The items of any list, read alike.
#[derive(Clone, Copy, Debug)]
pub enum Items<'a> {
    /// Of plain data.
    Plain(&'a [Value]),
    /// Of anything.
    Mixed(&'a [Val]),
    /// Bytes, each an integer.
    Bytes(&'a [u8]),
    /// Integers from the first to the last.
    Range(i64, i64),
}

impl<'a> Items<'a> {
    /// How many.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Plain(items) => items.len(),
            Self::Mixed(items) => items.len(),
            Self::Bytes(items) => items.len(),
            Self::Range(first, last) => last.wrapping_sub(first) as usize + 1,
        }
    }

    /// None.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// One of them.
    #[must_use]
    pub fn get(self, index: usize) -> Option<Val> {
        match self {
            Self::Plain(items) => items.get(index).cloned().map(Val::Plain),
            Self::Mixed(items) => items.get(index).cloned(),
            Self::Bytes(items) => items.get(index).map(|byte| Val::int(i64::from(*byte))),
            Self::Range(first, _) if index < self.len() => Some(Val::int(first.wrapping_add(index as i64))),
            Self::Range(..) => None,
        }
    }

    /// The items of one of them, if that is a list itself.
    #[must_use]
    pub fn inside(self, index: usize) -> Option<Self> {
        match self {
            Self::Plain(items) => match items.get(index) {
                Some(Value::List(list)) => Some(Items::Plain(list)),
                _ => None,
            },
            Self::Mixed(items) => items.get(index)?.items(),
            Self::Bytes(_) | Self::Range(..) => None,
        }
    }

    /// Those between two places.
    #[must_use]
    pub(super) fn part(self, from: usize, to: usize) -> Self {
        match self {
            Self::Plain(items) => Self::Plain(items.get(from..to).unwrap_or(&[])),
            Self::Mixed(items) => Self::Mixed(items.get(from..to).unwrap_or(&[])),
            Self::Bytes(items) => Self::Bytes(items.get(from..to).unwrap_or(&[])),
            Self::Range(first, _) if from < to => {
                Self::Range(first.wrapping_add(from as i64), first.wrapping_add(to as i64 - 1))
            }
            Self::Range(..) => Self::Plain(&[]),
        }
    }

    /// All of them in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Val> + DoubleEndedIterator + 'a {
        (0..self.len()).map(move |index| self.get(index).unwrap_or(Val::NIL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_three_words() {
        assert!(size_of::<Val>() <= 24 && size_of::<Result<Val>>() <= 32);
    }

    #[test]
    fn a_list_of_plain_items_is_plain() {
        assert!(Val::list(alloc::vec![Val::int(1), Val::NIL]).as_plain().is_some());
        assert!(Val::list(alloc::vec![Val::Duration(1)]).as_plain().is_none());
    }

    #[test]
    fn a_range_has_its_items_without_holding_them() {
        let items = Val::Range(-1, 1).items().unwrap();
        assert_eq!(items.iter().map(|item| item.to_int().unwrap()).collect::<Vec<_>>(), [-1, 0, 1]);
        assert!(items.get(3).is_none());
        assert_eq!(Val::Range(i64::MAX, i64::MAX).items().unwrap().len(), 1);
    }

    #[test]
    fn no_data_takes_more_than_is_said_to_be_the_most() {
        let taken = |value: &Value| match value {
            Value::List(list) => Fuel::CONTAINER + size_of_val(&**list),
            Value::Map(map) => Fuel::CONTAINER + size_of_val(map.entries()),
            _ => 0,
        };
        let mut nested = Value::Null;
        for depth in 1..20 {
            nested = Value::list(alloc::vec![nested]);
            let all = depth * taken(&nested) as u64;
            assert!(Val::from(nested.clone()).most_bytes() >= Some(all));
        }
        let empty = Value::Map([("".into(), Value::list(Vec::new()))].into_iter().collect::<Map>());
        assert!(Val::from(empty.clone()).most_bytes() >= Some(taken(&empty) as u64 + Fuel::CONTAINER as u64));
    }
}
