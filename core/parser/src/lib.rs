//! The YAML parser of `ccm-core`, made concrete.
//!
//! Everything in ccm is compiled for size. A run, however, spends most of its time reading YAML, and the
//! parser is generic over its input: it is compiled where it is used, not where it comes from. Here it is
//! used once, so that `[profile.release.package.ccm-parser]` can ask for speed for it alone.
#![no_std]

pub use granit_parser::*;

/// The events of a text, one after the other.
pub struct Events<'text> {
    parser: Parser<'text, StrInput<'text>>,
    current: Option<ParseResult<'text>>,
}

impl<'text> Events<'text> {
    /// The events of a text.
    #[must_use]
    #[inline(never)]
    pub fn of(text: &'text str, options: Options) -> Self {
        Self { parser: Parser::new_from_str_with_options(text, options), current: None }
    }

    /// The next event and its place, `None` at the end. It is lent, since it is large and to move it costs more
    /// than to look at it.
    ///
    /// # Errors
    /// What is wrong with the text.
    #[inline(never)]
    pub fn advance(&mut self) -> Result<Option<&(Event<'text>, Span)>, &ScanError> {
        self.current = self.parser.next_event();
        match &self.current {
            None => Ok(None),
            Some(Ok(event)) => Ok(Some(event)),
            Some(Err(error)) => Err(error),
        }
    }
}
