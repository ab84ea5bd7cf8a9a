//! Values in order, shared.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

use super::Value;
use super::extent::Extent;

/// Values in order: a slice to read, shared when cloned.
#[derive(Clone, Debug)]
pub struct List(Arc<Items>);

#[derive(Clone, Debug)]
struct Items {
    items: Vec<Value>,
    extent: Extent,
}

impl List {
    /// A list of these.
    #[must_use]
    pub fn new(items: Vec<Value>) -> Self {
        let extent = items.iter().fold(Extent::EMPTY, |extent, item| extent.with("", item));
        Self(Arc::new(Items { items, extent }))
    }

    /// How large it is.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.0.extent
    }

    /// The items, copied only where they are shared.
    #[must_use]
    pub fn into_items(self) -> Vec<Value> {
        match Arc::try_unwrap(self.0) {
            Ok(list) => list.items,
            Err(shared) => shared.items.clone(),
        }
    }

    /// Both are the same list, not only equal ones.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || **self == **other
    }
}

impl Extend<Value> for List {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, more: I) {
        let list = Arc::make_mut(&mut self.0);
        for item in more {
            list.extent = list.extent.with("", &item);
            list.items.push(item);
        }
    }
}

impl Default for List {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        Self::new(items)
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self::new(items.into_iter().collect())
    }
}

impl Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0.items
    }
}
