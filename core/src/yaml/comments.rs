//! Comments: kept beside the tree, each with its place.

use crate::span::Span;

/// One comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// From `#` to the end of the line, the line end not included.
    pub span: Span,
    /// How it stands to what is around it.
    pub placement: Placement,
}

/// Where on its line a comment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// On a line of its own.
    Alone,
    /// Behind something on the same line.
    Behind,
}

impl Comment {
    /// What stands after the `#`.
    #[must_use]
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        let text = self.span.of(source);
        text.strip_prefix('#').unwrap_or(text)
    }
}
