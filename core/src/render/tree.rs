//! Walks maps and lists, and gives each text in them its value.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use super::{Env, literal};
use crate::error::{Error, RenderFault, Result};
use crate::value::{Map, Text, Value};

/// How deep data may be nested that is walked; YAML and JSON are refused far earlier.
const DEPTH: usize = 256;

/// A value that gives this one when it is expanded: every text in it as [`literal`] has it.
#[must_use]
pub fn literals(value: &Value) -> Value {
    match value {
        Value::Text(text) => match literal(text) {
            Cow::Borrowed(_) => value.clone(),
            Cow::Owned(text) => text.into(),
        },
        Value::List(items) => Value::list(items.iter().map(literals).collect()),
        Value::Map(map) => Value::Map(map.iter().map(|(key, value)| (key.clone(), literals(value))).collect()),
        plain => plain.clone(),
    }
}

impl Env<'_> {
    /// A value with every text in it resolved as [`Env::typed`] does; keys stay as they are.
    ///
    /// # Errors
    /// As [`Env::typed`], with the path to the text in the context.
    pub fn expand(&self, value: &Value) -> Result<Value> {
        self.walk(value, Nulls::Kept, 0)
    }

    /// A member of an untyped property of a resource: as [`Env::expand`], but an expression that gives
    /// null removes the key that holds it, and is refused as an item of a list.
    ///
    /// # Errors
    /// As [`Env::expand`], and for a null item.
    pub fn expand_members(&self, map: &Map) -> Result<Map> {
        self.walk_map(map, Nulls::Removed, 0)
    }

    /// Items of a list inside an untyped property.
    ///
    /// # Errors
    /// As [`Env::expand_members`].
    pub fn expand_items(&self, items: &[Value]) -> Result<Vec<Value>> {
        self.walk_list(items, Nulls::Removed, 0)
    }

    fn walk(&self, value: &Value, nulls: Nulls, depth: usize) -> Result<Value> {
        match value {
            Value::Text(text) if nulls == Nulls::Removed => self.strict_typed(text),
            Value::Text(text) => self.typed(text),
            Value::List(items) => self.walk_list(items, nulls, depth).map(Value::list),
            Value::Map(map) => self.walk_map(map, nulls, depth).map(Value::Map),
            plain => Ok(plain.clone()),
        }
    }

    fn walk_list(&self, items: &[Value], nulls: Nulls, depth: usize) -> Result<Vec<Value>> {
        let depth = deeper(depth)?;
        let mut walked = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let value = self.walk(item, nulls, depth).map_err(|fault| within(fault, format!("[{at}]")))?;
            if nulls == Nulls::Removed && became_null(item, &value) {
                return Err(within(nil_item(item), format!("[{at}]")));
            }
            walked.push(value);
        }
        Ok(walked)
    }

    fn walk_map(&self, map: &Map, nulls: Nulls, depth: usize) -> Result<Map> {
        let depth = deeper(depth)?;
        let mut walked: Vec<(Text, Value)> = Vec::with_capacity(map.len());
        for (key, member) in map.iter() {
            let value = self.walk(member, nulls, depth).map_err(|fault| within(fault, key.as_ref().into()))?;
            if !(nulls == Nulls::Removed && became_null(member, &value)) {
                walked.push((key.clone(), value));
            }
        }
        Ok(Map::from_entries(walked).shaped(map.shape()))
    }
}

/// What an expression that gives null does to its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// Null is data, and prints as `<nil>`.
    Kept,
    /// A key goes; an item, and a null printed into text, are refused.
    Removed,
}

fn became_null(before: &Value, after: &Value) -> bool {
    matches!((before, after), (Value::Text(_), Value::Null))
}

fn nil_item(item: &Value) -> Error {
    let text = item.as_text().unwrap_or("");
    let inner = super::expressions(text).ok().and_then(|found| text.get(found.first()?.inner.clone()));
    RenderFault::NilInText { expression: inner.unwrap_or(text).into() }.into()
}

fn within(fault: Error, place: alloc::string::String) -> Error {
    fault.doing(place)
}

fn deeper(depth: usize) -> Result<usize> {
    match depth.saturating_add(1) {
        deeper if deeper > DEPTH => Err(Error::limit(format!("data is nested deeper than {DEPTH} levels"))),
        deeper => Ok(deeper),
    }
}
