//! How large data is when nothing of it is shared any more.
//!
//! Sharing makes `[x, x]` as cheap as `x`, so thirty such steps describe more than a machine can print;
//! and what is wrapped in a loop becomes deeper than a stack. Lists and maps know both sizes from the
//! moment they are made, so that an evaluator can refuse such data at no cost.

use super::Value;
use crate::error::{Error, Result};

/// Size of a value, shared parts counted as often as they are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How many lists and maps stand in each other: 0 for text, 1 for a list of text.
    pub depth: u16,
    /// About the bytes it would take: the length of its texts and keys, and 8 for each node.
    pub weight: u64,
    /// It may hold a float that is an integer: a path gives it as one, and need not look for it elsewhere.
    pub(super) integral: bool,
}

impl Extent {
    /// Of an empty list or map.
    pub(super) const EMPTY: Self = Self { depth: 1, weight: NODE, integral: false };

    /// Of something that also holds a member.
    #[must_use]
    pub(super) fn with(self, key: &str, member: &Value) -> Self {
        let inner = member.extent();
        Self {
            depth: self.depth.max(inner.depth.saturating_add(1)),
            weight: self.weight.saturating_add(key.len() as u64).saturating_add(inner.weight),
            integral: self.integral | inner.integral,
        }
    }
}

/// What a node weighs beside its text.
const NODE: u64 = 8;

impl Value {
    /// How deep data that an evaluation makes may be nested; documents are held to less.
    pub const DEPTH: u16 = 256;
    /// How heavy data that an evaluation makes may be, see [`Extent::weight`].
    pub const WEIGHT: u64 = 64 << 20;

    /// How large it is.
    #[must_use]
    pub fn extent(&self) -> Extent {
        match self {
            Self::Text(text) => {
                Extent { depth: 0, weight: NODE.saturating_add(text.len() as u64), ..Extent::default() }
            }
            Self::Float(number) => {
                Extent { depth: 0, weight: NODE, integral: super::json::integral(*number).is_some() }
            }
            Self::List(list) => list.extent(),
            Self::Map(map) => map.extent(),
            _ => Extent { depth: 0, weight: NODE, integral: false },
        }
    }

    /// The most bytes that it can hold: as if none of it were shared, and all of it in maps of one entry.
    #[must_use]
    pub fn most_bytes(&self) -> u64 {
        match self {
            Self::Text(text) => 4 * NODE + text.len() as u64,
            Self::List(_) | Self::Map(_) => self.extent().weight.saturating_mul(24),
            _ => 0,
        }
    }

    /// Refuses what is nested too deep or is too large to be walked: for evaluators, about what they made.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`]
    pub fn check_extent(&self) -> Result<()> {
        let extent = self.extent();
        if extent.depth > Self::DEPTH {
            return Err(Error::limit(alloc::format!("data is nested deeper than {} levels", Self::DEPTH)));
        }
        if extent.weight > Self::WEIGHT {
            return Err(Error::limit(alloc::format!("data is larger than {} MiB", Self::WEIGHT >> 20)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_count_as_often_as_they_are_seen() {
        let mut value = Value::from("text");
        for _ in 0..40 {
            value = Value::list(alloc::vec![value.clone(), value]);
        }
        assert_eq!(value.extent().depth, 40);
        assert!(value.extent().weight > 12 << 40);
        assert!(value.check_extent().is_err());
    }

    #[test]
    fn changes_are_seen() {
        let mut map = crate::value::Map::new();
        map.insert("a", Value::list(alloc::vec![Value::Null]));
        assert_eq!(map.extent(), Extent { depth: 2, weight: 8 + 1 + 16, integral: false });
        map.update("a", |member| *member = Value::from("x"));
        assert_eq!(map.extent(), Extent { depth: 1, weight: 8 + 1 + 9, integral: false });
        let mut list = crate::value::List::default();
        list.extend([Value::Map(map)]);
        assert_eq!(list.extent(), Extent { depth: 2, weight: 8 + 18, integral: false });
    }
}
