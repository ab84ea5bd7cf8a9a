//! Maps with keys of any kind: what `groupBy` and `fromPairs` make.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::value::Value;

use super::ops::total_order;
use super::val::{Groups, Val};

/// A value as the key of a map: `1` and `1.0` are two keys.
pub(super) struct Key(Val);

impl Key {
    /// # Errors
    /// [`ExprFault::Unhashable`] for lists and maps.
    pub(super) fn new(value: Val) -> Result<Self> {
        match value {
            Val::Plain(Value::List(_) | Value::Map(_))
            | Val::Bytes(_)
            | Val::List(_)
            | Val::Range(..)
            | Val::Map(_)
            | Val::Groups(_) => Err(ExprFault::Unhashable(value.kind()).into()),
            key => Ok(Self(key)),
        }
    }
}

/// Kinds in the order in which keys of a map are shown.
fn kind(value: &Val) -> u8 {
    match value {
        Val::Plain(Value::Null) => 0,
        Val::Plain(Value::Bool(_)) => 1,
        Val::Plain(Value::Text(_)) => 2,
        Val::Plain(Value::Int(_)) => 3,
        Val::Plain(Value::Float(_)) => 4,
        Val::Duration(_) => 5,
        Val::Time(_) => 6,
        Val::Month(_) => 7,
        Val::Weekday(_) => 8,
        Val::Zone(_) => 9,
        _ => 10,
    }
}

fn order(a: &Val, b: &Val) -> Ordering {
    kind(a).cmp(&kind(b)).then_with(|| match (a, b) {
        (Val::Plain(Value::Bool(a)), Val::Plain(Value::Bool(b))) => a.cmp(b),
        (Val::Month(a), Val::Month(b)) | (Val::Weekday(a), Val::Weekday(b)) => a.cmp(b),
        (Val::Zone(a), Val::Zone(b)) => a.name().cmp(b.name()),
        _ => total_order(a, b),
    })
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        order(&self.0, &other.0)
    }
}

impl Groups {
    /// Items by the key they were given.
    pub(super) fn of(groups: BTreeMap<Key, Vec<Val>>) -> Self {
        let entries = groups.into_iter().map(|(key, items)| (key.0, Val::list(items))).collect();
        Self { entries, of_lists: true }
    }

    /// Values by key.
    pub(super) fn of_pairs(pairs: BTreeMap<Key, Val>) -> Self {
        Self { entries: pairs.into_iter().map(|(key, value)| (key.0, value)).collect(), of_lists: false }
    }

    /// The value of a key.
    ///
    /// # Errors
    /// [`ExprFault::Unhashable`] for what cannot be a key.
    pub(super) fn get(&self, key: &Val) -> Result<Option<&Val>> {
        let key = Key::new(key.clone())?;
        let found = self.entries.binary_search_by(|(known, _)| order(known, &key.0)).ok();
        Ok(found.and_then(|at| self.entries.get(at)).map(|(_, value)| value))
    }
}
