//! Names of resources as keys of ordered maps.
//!
//! Names in one manifest share long beginnings (`/etc/nginx/conf.d/…`), so that comparing them letter by
//! letter is most of what a map of them costs. These keys compare by a number first.

use core::borrow::Borrow;

/// A text that is ordered by its hash, then by itself: an order good for finding, not for showing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<T>(u64, T);

impl<T: Borrow<str>> Key<T> {
    /// The key of a text.
    pub(super) fn of(text: T) -> Self {
        Self(hash(FIRST, text.borrow()), text)
    }
}

impl<'a> Key<(&'a str, &'a str)> {
    /// The key of a type and a name.
    pub(super) fn pair(kind: &'a str, name: &'a str) -> Self {
        Self(hash(hash(FIRST, kind), name), (kind, name))
    }
}

const FIRST: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: small, and good enough where a collision costs a comparison.
fn hash(from: u64, text: &str) -> u64 {
    text.bytes().fold(from, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_equal_keys() {
        assert_eq!(Key::of("file#a"), Key::of("file#a"));
        assert_ne!(Key::of("file#a"), Key::of("file#b"));
        assert_eq!(Key::pair("file", "a"), Key::pair("file", "a"));
    }
}
