//! A place in a text, moved forward by a lexer.

use crate::span::Span;

/// Walks over text by characters; copying it is remembering a place.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    /// Always on a character boundary of `text`.
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Bytes passed so far.
    #[must_use]
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is still ahead.
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Nothing is ahead.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The next character, not passed.
    #[must_use]
    #[inline]
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next one.
    #[must_use]
    pub fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    /// The next byte, not passed: enough to choose between ASCII tokens.
    #[must_use]
    #[inline]
    pub fn peek_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text ahead begins with this.
    #[must_use]
    pub fn looking_at(&self, wanted: &str) -> bool {
        self.rest().starts_with(wanted)
    }

    /// Passes one character.
    #[inline]
    pub fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Passes this character if it is next.
    #[inline]
    pub fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Passes the next character if it fulfils a condition.
    pub fn eat_if(&mut self, wanted: impl FnOnce(char) -> bool) -> Option<char> {
        let next = self.peek().filter(|&next| wanted(next))?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Passes this text if it is next.
    pub fn eat_str(&mut self, wanted: &str) -> bool {
        let found = self.looking_at(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// Passes characters while they fulfil a condition, and gives what was passed.
    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|next| !wanted(next)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Passes everything before this text, and gives it; `None` and no move where the text does not occur.
    pub fn take_until(&mut self, wanted: &str) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(wanted)?;
        self.at += end;
        rest.get(..end)
    }

    /// The text passed since an earlier place.
    #[must_use]
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    /// The span passed since an earlier place.
    #[must_use]
    pub fn span(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// Goes to a place: an earlier one to read again, or one found by other means. An offset inside a
    /// character means its start, one past the end means the end.
    pub fn seek(&mut self, at: usize) {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        self.at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_moves_by_characters_and_counts_bytes() {
        let mut cursor = Cursor::new("é=1..2");
        assert_eq!((cursor.bump(), cursor.at()), (Some('é'), 2));
        assert!(cursor.eat('=') && !cursor.eat('='));
        assert_eq!(cursor.take_while(|c| c.is_ascii_digit()), "1");
        assert!(cursor.eat_str(".."));
        assert_eq!(cursor.since(3), "1..");
        assert_eq!((cursor.bump(), cursor.bump(), cursor.is_done()), (Some('2'), None, true));
    }

    #[test]
    fn seeking_never_lands_inside_a_character() {
        let mut cursor = Cursor::new("é");
        cursor.seek(1);
        assert_eq!(cursor.at(), 0);
        cursor.seek(9);
        assert!(cursor.is_done());
    }

    #[test]
    fn text_that_does_not_occur_moves_nothing() {
        let mut cursor = Cursor::new("a */ b");
        assert_eq!(cursor.take_until("*/"), Some("a "));
        assert_eq!((cursor.take_until("#"), cursor.at()), (None, 2));
    }
}
