//! Where text came from: sources, spans in them, and how a place is shown to a person.
//!
//! A [`Source`] is shared, so a [`Site`] can travel inside an error and show its own line without
//! any registry of sources at hand.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// A named text: a manifest, a template file, one expression.
#[derive(Clone)]
pub struct Source(Arc<Text>);

struct Text {
    name: String,
    text: Arc<str>,
    marks: Vec<Mark>,
}

/// The position of the character that holds byte `PACE * (index + 1)`, once it was counted: an error at the end of
/// each of ten thousand lines need not count them all again. Zero until then; whoever counts comes to the same.
#[derive(Default)]
struct Mark {
    line: AtomicU32,
    column: AtomicU32,
}

/// Bytes from mark to mark.
const PACE: usize = 4096;

impl Source {
    /// A source with the name shown to the operator (a path, `-`, a URL without its credentials).
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let mut marks = Vec::new();
        marks.resize_with(text.len() / PACE, Mark::default);
        Self(Arc::new(Text { name: name.into(), text, marks }))
    }

    /// A text without a file of its own, such as an expression: shown by position alone.
    pub fn anonymous(text: impl Into<Arc<str>>) -> Self {
        Self::new(String::new(), text)
    }

    /// The name given, empty for an anonymous source.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The site of a span of this source.
    #[must_use]
    pub fn at(&self, span: Span) -> Site {
        Site { source: self.clone(), span }
    }

    /// Line and column of a byte offset, both from 1, the column counted in characters.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let end = self.boundary(offset as usize);
        let marks = self.0.marks.get(..end / PACE).unwrap_or_default();
        let known = marks.iter().rposition(|mark| mark.column.load(Relaxed) != 0);
        let (mut from, mut position) = match known.and_then(|at| Some((at, marks.get(at)?))) {
            None => (0, Position { line: 1, column: 1 }),
            Some((at, mark)) => {
                let position = Position { line: mark.line.load(Relaxed), column: mark.column.load(Relaxed) };
                (self.boundary(PACE * (at + 1)), position)
            }
        };
        for (at, mark) in marks.iter().enumerate().skip(known.map_or(0, |at| at + 1)) {
            let to = self.boundary(PACE * (at + 1));
            position = position.after(self.text().get(from..to).unwrap_or(""));
            mark.line.store(position.line, Relaxed);
            mark.column.store(position.column, Relaxed);
            from = to;
        }
        position.after(self.text().get(from..end).unwrap_or(""))
    }

    /// The start of the character that holds a byte; the end, for one past it.
    fn boundary(&self, offset: usize) -> usize {
        let text = self.text();
        let mut at = offset.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The line that holds a byte offset, without its line end.
    #[must_use]
    pub fn line(&self, offset: u32) -> &str {
        let (text, at) = (self.text(), self.boundary(offset as usize));
        let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
        let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
        text[start..end].trim_end_matches('\r')
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({:?})", self.name())
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Source {}

/// A range of bytes in one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte offsets; offsets past 4 GiB saturate, as no source may be that large.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// An empty span.
    #[must_use]
    pub fn point(at: usize) -> Self {
        Self::new(at, at)
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The text of this span; empty where it does not fit.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// A span together with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The text the span is in.
    pub source: Source,
    /// The bytes meant.
    pub span: Span,
}

impl Site {
    /// Line and column of the first byte.
    #[must_use]
    pub fn position(&self) -> Position {
        self.source.position(self.span.start)
    }

    /// The line that holds the first byte.
    #[must_use]
    pub fn line(&self) -> &str {
        self.source.line(self.span.start)
    }

    /// This site of a scalar, narrowed to the word that `inner` means in an expression of it, where the expression
    /// stands in the scalar once and as it is.
    #[must_use]
    pub fn narrowed(&self, inner: &Self) -> Self {
        let whole = self.span.of(self.source.text());
        let expression = inner.source.text();
        let mut found = whole.match_indices(expression).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (Some(at), None) if !expression.is_empty() => {
                let from = (self.span.start as usize).saturating_add(at);
                let (start, end) = (inner.span.start as usize, inner.span.end as usize);
                let end = end.clamp(start, expression.len().max(start));
                self.source.at(Span::new(from.saturating_add(start), from.saturating_add(end)))
            }
            _ => self.clone(),
        }
    }
}

/// `name:line:column`, or `line:column` for an anonymous source.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position();
        match self.source.name() {
            "" => write!(f, "{line}:{column}"),
            name => write!(f, "{name}:{line}:{column}"),
        }
    }
}

/// A place as a person counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

impl Position {
    /// Where one stands after this text.
    fn after(self, text: &str) -> Self {
        let lines = text.bytes().filter(|&byte| byte == b'\n').count() as u32;
        match text.rsplit_once('\n') {
            Some((_, last)) => Self { line: self.line + lines, column: last.chars().count() as u32 + 1 },
            None => Self { line: self.line, column: self.column + text.chars().count() as u32 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_lose_their_ends() {
        let source = Source::new("m.yaml", "a: ü{{ x }}\r\nb");
        let at = source.text().find("{{").unwrap() as u32;
        assert_eq!(source.position(at), Position { line: 1, column: 5 });
        assert_eq!(source.line(at), "a: ü{{ x }}");
        assert_eq!(alloc::format!("{}", source.at(Span::point(14))), "m.yaml:2:1");
    }

    #[test]
    fn positions_in_a_long_text_are_the_same_in_any_order() {
        let text = "ä line of 31 bytes or so, ü.\n".repeat(700) + &"ö".repeat(9000);
        let of = |offset: usize| {
            let before = text.get(..offset).unwrap();
            let line = before.matches('\n').count() as u32 + 1;
            Position { line, column: before.rsplit('\n').next().unwrap().chars().count() as u32 + 1 }
        };
        let offsets = [38_000, 4096, 8190, 5, 20_000, 38_000, 12_287];
        let source = Source::anonymous(text.as_str());
        for offset in offsets.into_iter().filter(|&offset| text.is_char_boundary(offset)) {
            assert_eq!(source.position(offset as u32), of(offset), "{offset}");
        }
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(Source::anonymous("ab").position(99), Position { line: 1, column: 3 });
    }
}
