//! Blanks, line ends and comments between what counts.

use super::properties::Properties;
use super::{Events, Kind};

/// A blank or a line end.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[inline]
pub(super) fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// `,[]{}`
#[inline]
pub(super) fn is_flow_sign(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}

/// How many comments wait at most to be handed out.
const TOGETHER: usize = 256;

impl Events<'_> {
    /// Skips to the next thing that counts; gives the comments before it. False where there are so many of them that
    /// they are handed out first.
    #[must_use]
    pub(super) fn skip(&mut self) -> bool {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' => {
                    self.at += 1;
                    // Only the first line of a text, or one with a byte-order mark, is not counted yet.
                    if self.fresh && !self.tabbed {
                        self.spaces = self.at - self.line;
                    }
                }
                b'\t' => {
                    self.tabbed = true;
                    self.at += 1;
                }
                b'\n' | b'\r' => self.skip_break(),
                b'#' if self.is_apart() && self.queue.len() >= TOGETHER => return false,
                b'#' if self.is_apart() => self.comment(),
                _ => return true,
            }
        }
        true
    }

    /// Skips blanks on this line.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' => {}
                b'\t' => self.tabbed = true,
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Skips blanks and a comment on this line; whether the line ends there.
    pub(super) fn skip_line(&mut self) -> bool {
        self.skip_blanks();
        if self.peek(0) == b'#' && self.is_apart() {
            self.comment();
        }
        is_break(self.peek(0))
    }

    /// Skips a line end, and the spaces that begin the next line.
    pub(super) fn skip_break(&mut self) {
        let pair = self.peek(0) == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
        self.at = (self.at + 1 + usize::from(pair)).min(self.bytes.len());
        self.line = self.at;
        while self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.spaces = self.at - self.line;
        self.fresh = true;
        self.compact = false;
        self.tabbed = false;
    }

    /// A blank, a line end or the beginning stands before.
    pub(super) fn is_apart(&self) -> bool {
        self.at == self.line || self.bytes.get(self.at.wrapping_sub(1)).is_none_or(|&byte| is_blank(byte))
    }

    fn comment(&mut self) {
        let start = self.at;
        self.skip_to_break();
        self.give(Kind::Comment(!self.fresh), Properties::default(), start, self.at);
    }

    /// Goes to the end of the line.
    pub(super) fn skip_to_break(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        self.at += rest.iter().position(|&byte| is_break(byte)).unwrap_or(rest.len());
    }

    /// A line of `---` or `...` begins here, or a line `--- text`.
    pub(super) fn is_marker(&self) -> bool {
        self.at == self.line
            && matches!(self.bytes.get(self.at..self.at + 3), Some(b"---" | b"..."))
            && is_blank(self.peek(3))
    }

    /// The document ends here: by a marker or with the text.
    #[inline]
    pub(super) fn is_end(&self) -> bool {
        self.at >= self.bytes.len() || self.is_marker()
    }
}
