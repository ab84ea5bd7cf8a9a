//! The YAML parser of `ccm-core`, made concrete.
//!
//! Everything in ccm is compiled for size. A run, however, spends most of its time reading YAML, and the
//! parser is generic over its input: it is compiled where it is used, not where it comes from. Here it is
//! used once, so that `[profile.release.package.ccm-parser]` can ask for speed for it alone.
#![no_std]

pub use granit_parser::*;

/// The events of a text, one after the other.
pub struct Events<'text>(Parser<'text, StrInput<'text>>);

impl<'text> Events<'text> {
    /// The events of a text.
    #[must_use]
    #[inline(never)]
    pub fn of(text: &'text str, options: Options) -> Self {
        Self(Parser::new_from_str_with_options(text, options))
    }
}

impl<'text> Iterator for Events<'text> {
    type Item = ParseResult<'text>;

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}
