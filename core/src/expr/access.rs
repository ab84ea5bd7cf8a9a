//! Members, indexes and slices of values.

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::names::Fuel;
use crate::value::{Map, Shape, Value};

use super::builtins::METHODS;
use super::nature::Nature;
use super::val::{Bound, Items, Val};

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// `map.name`: what a missing member is depends on the map. `None`: asking is a fault.
pub(super) fn member(map: &Map, name: &str) -> Option<Value> {
    match map.field(name) {
        Some(value) => Some(value.clone()),
        None => missing(map.shape()),
    }
}

/// What a member is that a map of this shape does not have.
pub(super) fn missing(shape: Shape) -> Option<Value> {
    match shape {
        Shape::Plain | Shape::Absent => Some(Value::Null),
        Shape::Texts => Some(Value::from("")),
        Shape::Record(_) | Shape::Struct(_) => None,
    }
}

#[cold]
fn cannot_fetch<T>(name: &str, from: &Val) -> Result<T> {
    Err(ExprFault::Fetch(name.into(), from.kind()).into())
}

/// `base[key]`, and `base.name` with the name as key.
pub(super) fn fetch(base: &Val, key: &Val) -> Result<Val> {
    if let Val::Plain(Value::Text(name)) = key
        && let Some(method) = method(base, name)
    {
        return Ok(method);
    }
    match base {
        Val::Plain(Value::Map(map)) => match key {
            Val::Plain(Value::Text(name)) => match member(map, name) {
                Some(value) => Ok(value.into()),
                None => cannot_fetch(name, base),
            },
            Val::Plain(Value::Null) => match map.get("").cloned().or_else(|| missing(map.shape())) {
                Some(value) => Ok(value.into()),
                None => cannot_fetch("nil", base),
            },
            _ => Err(ExprFault::WrongType("text", key.kind()).into()),
        },
        Val::Map(entries) => match key {
            Val::Plain(Value::Text(name)) => {
                let found = entries.binary_search_by(|entry| entry.0.cmp(name)).ok();
                Ok(found.and_then(|at| entries.get(at)).map_or(Val::NIL, |entry| entry.1.clone()))
            }
            Val::Plain(Value::Null) => Ok(Val::NIL),
            _ => Err(ExprFault::WrongType("text", key.kind()).into()),
        },
        Val::Groups(groups) => Ok(match groups.get(key)? {
            Some(value) => value.clone(),
            None if groups.of_lists => Val::List(Arc::default()),
            None => Val::NIL,
        }),
        Val::Plain(Value::Text(text)) => at(Items::Bytes(text.as_bytes()), key),
        _ => match base.items() {
            Some(items) => at(items, key),
            None => cannot_fetch(&key.to_string(), base),
        },
    }
}

fn at(items: Items<'_>, key: &Val) -> Result<Val> {
    let index = key.to_int()?;
    position(index, items.len())
        .and_then(|at| items.get(at))
        .ok_or_else(|| ExprFault::IndexRange(index, items.len()).into())
}

/// An index as a position: negative ones count from the end.
pub(super) fn position(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let at = if index < 0 { length.checked_add(index)? } else { index };
    usize::try_from(at).ok().filter(|_| at < length)
}

/// A method of a value that is not plain data, bound to it.
pub(super) fn method(receiver: &Val, name: &str) -> Option<Val> {
    let nature = match receiver {
        Val::Time(_) => Nature::TIME,
        Val::Duration(_) => Nature::DURATION,
        Val::Zone(_) => Nature::ZONE,
        Val::Month(_) => Nature::MONTH,
        Val::Weekday(_) => Nature::WEEKDAY,
        _ => return None,
    };
    let index = METHODS.iter().position(|method| method.receiver == nature && method.name == name)?;
    let method = u8::try_from(index).ok()?;
    Some(Val::Method(Arc::new(Bound { method, receiver: receiver.clone() })))
}

/// The length that the bounds of a slice are counted in: items, or bytes of text.
pub(super) fn length(value: &Val) -> Option<usize> {
    match value {
        Val::Plain(Value::Text(text)) => Some(text.len()),
        Val::Plain(Value::Map(map)) => Some(map.len()),
        Val::Map(entries) => Some(entries.len()),
        Val::Groups(groups) => Some(groups.entries.len()),
        _ => value.items().map(Items::len),
    }
}

/// `base[from:to]`: bounds beyond the ends are moved to them. Text is cut at bytes, but never inside of a character.
pub(super) fn slice(base: &Val, from: &Val, to: &Val, fuel: &Fuel) -> Result<Val> {
    let sliceable = matches!(base, Val::Plain(Value::Text(_))) || base.items().is_some();
    let Some(length) = length(base).filter(|_| sliceable) else {
        return Err(ExprFault::SliceType(base.kind()).into());
    };
    let end = bound(to.to_int()?, length);
    let start = bound(from.to_int()?, length).min(end);
    let fault = || crate::Error::from(ExprFault::SplitCharacter);
    if start == 0 && end == length {
        return Ok(base.clone());
    }
    let size = end - start;
    match base {
        Val::Plain(Value::Text(_)) | Val::Bytes(_) => fuel.copy(size)?,
        Val::Range(..) => {}
        _ => {
            fuel.scan(size)?;
            fuel.list(size)?;
        }
    }
    Ok(match base {
        Val::Plain(Value::Text(text)) => text.get(start..end).ok_or_else(fault)?.into(),
        Val::Bytes(bytes) => Val::Bytes(bytes.get(start..end).ok_or_else(fault)?.into()),
        Val::Plain(Value::List(list)) => Val::Plain(Value::list(list.get(start..end).ok_or_else(fault)?.to_vec())),
        Val::List(list) => Val::list(list.get(start..end).ok_or_else(fault)?.to_vec()),
        Val::Range(first, _) if size > 0 => Val::Range(first + start as i64, first + (end - 1) as i64),
        _ => Val::list(Vec::new()),
    })
}

fn bound(index: i64, length: usize) -> usize {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let at = if index < 0 { length.saturating_add(index) } else { index };
    usize::try_from(at.clamp(0, length)).unwrap_or(0)
}
