//! Data of seven kinds: what YAML, JSON, facts and expressions are made of.
//!
//! Values are shared, not copied: a clone is a count. Maps are ordered by key, so that the same
//! input always gives the same output.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

pub use extent::Extent;
pub use list::List;
pub use named::Named;

pub mod compare;
mod extent;
pub mod json;
mod list;
pub mod lookup;
pub mod merge;
mod named;
pub mod show;
pub mod wire;

/// Text, shared.
pub type Text = Arc<str>;

/// One piece of data.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Nothing: YAML `null`, an expression's `nil`.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number from -2^63 to 2^64-1.
    Int(Int),
    /// A binary64 number.
    Float(f64),
    /// UTF-8 text.
    Text(Text),
    /// Values in order.
    List(List),
    /// Values by key, in key order.
    Map(Map),
}

impl Value {
    /// Text from anything that can become it.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Text(text.into())
    }

    /// A list.
    #[must_use]
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(List::new(items))
    }

    /// The text, if it is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The map, if it is one.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items, if it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The kind as shown in messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) => "integer",
            Self::Float(_) => "float",
            Self::Text(_) => "text",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value.into())
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Int(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value.into())
    }
}

impl From<Map> for Value {
    fn from(value: Map) -> Self {
        Self::Map(value)
    }
}

impl From<Vec<Value>> for Value {
    fn from(value: Vec<Value>) -> Self {
        Self::list(value)
    }
}

/// A whole number from -2^63 to 2^64-1, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Int {
    /// The number itself, or its two's complement when negative.
    bits: u64,
    negative: bool,
}

impl Int {
    /// As `i64`, if it fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        if self.negative { Some(self.bits as i64) } else { i64::try_from(self.bits).ok() }
    }

    /// As `u64`, if it fits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        if self.negative { None } else { Some(self.bits) }
    }

    /// As `i128`, always exact.
    #[must_use]
    pub fn as_i128(self) -> i128 {
        if self.negative { i128::from(self.bits as i64) } else { i128::from(self.bits) }
    }

    /// The low 64 bits, as Go's conversion to a 64-bit integer keeps them.
    #[must_use]
    pub fn wrapping_i64(self) -> i64 {
        self.bits as i64
    }

    /// The nearest binary64.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        if self.negative { self.bits as i64 as f64 } else { self.bits as f64 }
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Self { bits: value as u64, negative: value < 0 }
    }
}

impl From<u64> for Int {
    fn from(value: u64) -> Self {
        Self { bits: value, negative: false }
    }
}

impl TryFrom<i128> for Int {
    type Error = core::num::TryFromIntError;

    fn try_from(value: i128) -> Result<Self, Self::Error> {
        if value < 0 { i64::try_from(value).map(Self::from) } else { u64::try_from(value).map(Self::from) }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.as_i128().cmp(&other.as_i128())
    }
}

impl core::fmt::Display for Int {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.negative { (self.bits as i64).fmt(f) } else { self.bits.fmt(f) }
    }
}

/// So many entries are looked through faster than halved.
const FEW: usize = 8;

/// Values by key, sorted by the bytes of the key, shared.
#[derive(Clone, Debug, Default)]
pub struct Map(Arc<Entries>);

#[derive(Clone, Debug)]
struct Entries {
    sorted: Vec<(Text, Value)>,
    shape: Shape,
    extent: Extent,
}

impl Entries {
    fn new(sorted: Vec<(Text, Value)>) -> Self {
        let extent = extent_of(&sorted);
        Self { sorted, shape: Shape::Plain, extent }
    }

    /// A member of one extent became one of another; only losing the deepest takes a look at all.
    fn changed(&mut self, before: Extent, after: Extent) {
        if after.depth < before.depth && before.depth.saturating_add(1) >= self.extent.depth {
            self.extent = extent_of(&self.sorted);
            return;
        }
        self.extent.integral |= after.integral;
        self.extent.depth = self.extent.depth.max(after.depth.saturating_add(1));
        self.extent.weight = self.extent.weight.saturating_sub(before.weight).saturating_add(after.weight);
    }
}

fn extent_of(entries: &[(Text, Value)]) -> Extent {
    entries.iter().fold(Extent::EMPTY, |extent, (key, value)| extent.with(key, value))
}

impl Default for Entries {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

/// How the members of a map are named and what a missing one is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shape {
    /// Any keys; a missing member is null.
    #[default]
    Plain,
    /// Text by name, as the process environment: a missing member is empty text.
    Texts,
    /// A gathered fact: its members answer to the JSON key and to the field name of the reference,
    /// given here as pairs (field name, key) sorted by field name.
    Record(&'static [(&'static str, &'static str)]),
    /// A root that was not given: without members, and equal to null.
    Absent,
    /// A typed record: exactly these members, in an order of their own; asking for another is an error.
    Struct(&'static Layout),
}

/// The type of a [`Shape::Struct`].
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// As a template's `%T` shows it: `mesh.Machine`.
    pub name: &'static str,
    /// The members in the order in which they are printed.
    pub fields: &'static [&'static str],
}

impl Map {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A map of entries in any order; of two entries with one key the later stays.
    #[must_use]
    pub fn from_entries(mut entries: Vec<(Text, Value)>) -> Self {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.reverse();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries.dedup_by(|later, kept| later.0 == kept.0);
        }
        Self(Arc::new(Entries::new(entries)))
    }

    /// The same map with a shape.
    #[must_use]
    pub fn shaped(mut self, shape: Shape) -> Self {
        Arc::make_mut(&mut self.0).shape = shape;
        self
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.0.shape
    }

    /// The value of exactly this key, as a path sees it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let sorted = &self.0.sorted;
        if sorted.len() <= FEW {
            // Unequal lengths tell most keys of a small record apart without looking at their bytes.
            return sorted.iter().find(|(known, _)| **known == *key).map(|(_, value)| value);
        }
        self.find(key).ok().map(|at| &sorted[at].1)
    }

    /// The member as field access sees it: the key, or the reference's field name for it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.get(name).or_else(|| match self.0.shape {
            Shape::Record(fields) => {
                let at = fields.binary_search_by(|(field, _)| (*field).cmp(name)).ok()?;
                self.get(fields[at].1)
            }
            Shape::Plain | Shape::Texts | Shape::Absent | Shape::Struct(_) => None,
        })
    }

    /// How large it is.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.0.extent
    }

    /// Sets a key. Appending in key order is cheap; use [`Map::from_entries`] to build from disorder.
    pub fn insert(&mut self, key: impl Into<Text>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        let found = self.find(&key);
        let entries = Arc::make_mut(&mut self.0);
        match found {
            Ok(at) => {
                let before = core::mem::replace(&mut entries.sorted[at].1, value).extent();
                entries.changed(before, entries.sorted[at].1.extent());
            }
            Err(at) => {
                entries.extent = entries.extent.with(&key, &value);
                entries.sorted.insert(at, (key, value));
            }
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.find(key).ok()?;
        let entries = Arc::make_mut(&mut self.0);
        let (key, removed) = entries.sorted.remove(at);
        entries.extent.weight = entries.extent.weight.saturating_sub(key.len() as u64);
        entries.changed(removed.extent(), Extent::default());
        Some(removed)
    }

    /// Changes a value in place; `None` where the key is missing.
    pub fn update<T>(&mut self, key: &str, change: impl FnOnce(&mut Value) -> T) -> Option<T> {
        let at = self.find(key).ok()?;
        let entries = Arc::make_mut(&mut self.0);
        let before = entries.sorted[at].1.extent();
        let outcome = change(&mut entries.sorted[at].1);
        entries.changed(before, entries.sorted[at].1.extent());
        Some(outcome)
    }

    /// Keys and values in key order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Value)> + DoubleEndedIterator {
        self.0.sorted.iter().map(|(key, value)| (key, value))
    }

    /// The sorted entries.
    #[must_use]
    pub fn entries(&self) -> &[(Text, Value)] {
        &self.0.sorted
    }

    /// The entries, copied only where they are shared.
    #[must_use]
    pub fn into_entries(self) -> Vec<(Text, Value)> {
        match Arc::try_unwrap(self.0) {
            Ok(entries) => entries.sorted,
            Err(shared) => shared.sorted.clone(),
        }
    }

    /// Both are the same map, not only equal ones.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How many entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.sorted.len()
    }

    /// No entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.sorted.is_empty()
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        let sorted = &self.0.sorted;
        match sorted.last() {
            Some((last, _)) if &**last < key => Err(sorted.len()),
            _ => sorted.binary_search_by(|(known, _)| (**known).cmp(key)),
        }
    }
}

impl FromIterator<(Text, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Text, Value)>>(entries: I) -> Self {
        Self::from_entries(entries.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_entries_with_one_key_the_later_stays() {
        let map = Map::from_entries(alloc::vec![
            ("b".into(), Value::from(1_i64)),
            ("a".into(), Value::from(2_i64)),
            ("b".into(), Value::from(3_i64))
        ]);
        assert_eq!(map.len(), 2);
        assert!(matches!(map.get("b"), Some(Value::Int(int)) if int.as_i64() == Some(3)));
    }

    #[test]
    fn a_record_answers_to_both_spellings() {
        let map: Map = [("used".into(), Value::from(7_i64))].into_iter().collect();
        let map = map.shaped(Shape::Record(&[("Used", "used")]));
        assert!(map.field("Used").is_some() && map.field("used").is_some() && map.get("Used").is_none());
    }

    #[test]
    fn integers_are_exact_at_both_ends() {
        assert_eq!(
            alloc::format!("{} {}", Int::from(i64::MIN), Int::from(u64::MAX)),
            "-9223372036854775808 18446744073709551615"
        );
    }
}
