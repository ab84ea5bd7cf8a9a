//! Values by name.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Text;

/// Values by name, in the order they came.
///
/// The names are in one kind of search tree, whatever the values are: a tree for each type of value is a kilobyte of
/// code for each.
#[derive(Debug, Clone)]
pub struct Named<V> {
    places: BTreeMap<Text, usize>,
    values: Vec<V>,
}

impl<V> Default for Named<V> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), values: Vec::new() }
    }
}

impl<V> Named<V> {
    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.values.get(self.place(name)?)
    }

    /// The value of a name, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.values.get_mut(*self.places.get(name)?)
    }

    /// How many names came before this one.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The name as it is kept, and its value.
    #[must_use]
    pub fn get_full(&self, name: &str) -> Option<(&Text, &V)> {
        let (name, place) = self.places.get_key_value(name)?;
        Some((name, self.values.get(*place)?))
    }

    /// Gives a name a value. The one it had comes back.
    pub fn insert(&mut self, name: Text, value: V) -> Option<V> {
        if let Some(known) = self.get_mut(&name) {
            return Some(core::mem::replace(known, value));
        }
        self.places.insert(name, self.values.len());
        self.values.push(value);
        None
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Names and values in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &V)> {
        self.places.iter().filter_map(|(name, place)| Some((name, self.values.get(*place)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_given_again_keeps_its_place_and_gives_its_value_back() {
        let mut named = Named::default();
        assert_eq!(named.insert("b".into(), 1), None);
        assert_eq!(named.insert("a".into(), 2), None);
        assert_eq!(named.insert("b".into(), 3), Some(1));
        assert_eq!((named.get("b"), named.place("a"), named.len()), (Some(&3), Some(1), 2));
        assert_eq!(named.iter().map(|(name, value)| (&**name, *value)).collect::<Vec<_>>(), [("a", 2), ("b", 3)]);
    }
}
