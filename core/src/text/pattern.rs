//! Go's regular expressions (RE2 syntax), read here, compiled to a Hir and run by a Pike VM: in time linear
//! in the text, whatever the pattern.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// A compiled pattern. Cheap to clone.
#[derive(Clone)]
pub struct Pattern {
    source: String,
}

/// Why a pattern is refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFault {
    /// What is wrong.
    pub problem: PatternProblem,
    /// The bytes of the pattern that are wrong.
    pub at: Range<usize>,
}

/// What may be wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternProblem {
    /// Not implemented yet.
    Missing,
}

impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bad pattern")
    }
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// [`PatternFault`] with the place.
    pub fn new(source: &str) -> Result<Self, PatternFault> {
        Err(PatternFault { problem: PatternProblem::Missing, at: 0..source.len() })
    }

    /// The pattern as written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Occurs anywhere in a text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.find_at(text, 0).is_some()
    }

    /// The leftmost match that begins at or after a place.
    #[must_use]
    pub fn find_at(&self, _text: &str, _start: usize) -> Option<Range<usize>> {
        None
    }

    /// The groups of the leftmost match at or after a place; the whole match is the first.
    #[must_use]
    pub fn captures_at(&self, _text: &str, _start: usize) -> Option<Vec<Option<Range<usize>>>> {
        None
    }

    /// The names of the groups, the whole match first; `None` where a group has no name.
    #[must_use]
    pub fn group_names(&self) -> Vec<Option<&str>> {
        Vec::new()
    }

    /// Every match replaced; `$1`, `${1}`, `$name` and `$$` as in Go's `ReplaceAllString`.
    #[must_use]
    pub fn replace_all(&self, text: &str, _with: &str) -> String {
        text.into()
    }
}
