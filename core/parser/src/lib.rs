//! A YAML 1.2 parser: from text to events, each with its place.
//!
//! Why our own, when well-kept libraries exist: reading YAML is most of what a converged run does, and the parser was
//! the largest piece of code in the binary. Of `granit-parser` 2.2 (402 of 402 cases of the official suite, as this
//! one), 10,001 lines took 84 million instructions at its fastest, more than the whole budget for reading and
//! lowering them, and 264 million at the size that the budget of bytes allows; it was 75 KB then and 146 KB when
//! fast. It remains as the oracle of the tests in `tests/`: events, places and refusals are held against it over the
//! official suite, all vectors and their mutations.
//!
//! The parser walks the bytes once. Open lists and mappings are frames on a stack, bounded by a limit: nothing here
//! recurses. An event holds no text of its own: it names a range of the source, or of a buffer where quotes, folds or
//! escapes had to be undone, so that a document of plain words is read without an allocation. Only one thing looks
//! ahead: a `[…]` or `{…}` that may turn out to be a key, which has at most a thousand characters of one line.
//!
//! It is a package of its own so that `[profile.release.package.ccm-parser]` can ask for speed for it alone.
//!
//! | file | holds |
//! |---|---|
//! | `lib` | events, faults, the walk |
//! | `document` | markers and directives |
//! | `block` | lists and mappings by indentation |
//! | `flow` | those in brackets |
//! | `scalar`, `quoted`, `literal` | plain, quoted and block scalars |
//! | `properties` | anchors, aliases, tags |
//! | `space` | blanks, line ends, comments |
#![no_std]

extern crate alloc;

mod block;
mod document;
mod fault;
mod flow;
mod literal;
mod properties;
mod quoted;
mod scalar;
mod space;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

pub use fault::{Fault, Reason};
use properties::Properties;
pub use properties::Tag;

/// What happens next in a text. Offsets are bytes.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// What it is.
    pub kind: Kind,
    /// The tag written, by its meaning.
    pub tag: Tag,
    /// The number of the anchor, from 1; of an alias, that of the anchor meant; 0 where there is none.
    pub anchor: u32,
    /// The first byte. A block's list or mapping begins where its first item does.
    pub start: u32,
    /// One past the last byte; `start` of what has no width, as the end of a block has none.
    pub end: u32,
    from: u32,
    to: u32,
    in_buffer: bool,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A document begins.
    DocumentStart,
    /// A document ends.
    DocumentEnd,
    /// A scalar; one that is not there is plain, empty and without width.
    Scalar(Style),
    /// `*name`
    Alias,
    /// A list begins.
    ListStart,
    /// A list ends.
    ListEnd,
    /// A mapping begins; keys and values follow in turn.
    MapStart,
    /// A mapping ends.
    MapEnd,
    /// A comment, from `#` to the end of its line; whether something stands before it there.
    Comment(bool),
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes: only such a scalar can be a number, a bool or null by its looks.
    Plain,
    /// In `'…'`.
    SingleQuoted,
    /// In `"…"`.
    DoubleQuoted,
    /// Under `|`.
    Literal,
    /// Under `>`.
    Folded,
}

/// The events of a text.
pub struct Events<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The next byte to look at.
    at: usize,
    /// Where its line begins.
    line: usize,
    /// Nothing but white space stands before it on its line.
    fresh: bool,
    /// The spaces at the beginning of its line.
    spaces: usize,
    /// A tab stands between it and what is before it on its line.
    tabbed: bool,
    /// Only spaces stand between it and a `-`, a `?` or the `:` of an explicit key: a block may begin here.
    compact: bool,
    /// The key before it is quoted or in brackets: its `:` needs no space behind it.
    json_key: bool,
    frames: Vec<Frame>,
    /// Of a node that has not begun yet: they stand on lines before.
    properties: Properties,
    anchors: BTreeMap<&'t str, u32>,
    anchor_count: u32,
    handles: BTreeMap<&'t str, &'t str>,
    has_version: bool,
    has_directives: bool,
    depth: usize,
    queue: Vec<Event>,
    given: usize,
    buffer: String,
    ended: bool,
}

/// What is open.
#[derive(Clone, Copy)]
struct Frame {
    kind: Open,
    awaits: Awaits,
    /// The column of a block; in brackets, that of the block around them; -1 of a document.
    indent: isize,
    /// Where the bracket stands, or where the block begins.
    start: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Document,
    BlockList,
    BlockMap,
    FlowList,
    FlowMap,
    /// A mapping of one pair, without braces, in a `[…]`.
    FlowPair,
}

impl Open {
    fn is_flow(self) -> bool {
        matches!(self, Self::FlowList | Self::FlowMap | Self::FlowPair)
    }
}

/// A scalar or an alias that was read and not yet given: it may be a key.
#[derive(Clone, Copy)]
struct Leaf {
    kind: Kind,
    anchor: u32,
    start: usize,
    end: usize,
    /// Its text, in the source or in the buffer.
    text: (usize, usize),
    in_buffer: bool,
}

/// What must come next in a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaits {
    /// A node: an item, a value, the content of a document.
    Node,
    /// A key, or the end.
    Key,
    /// The node behind a `?`.
    ExplicitKey,
    /// The `:` of an explicit key, or the next key.
    ExplicitColon,
    /// The `:` of a key, on its line in a block.
    Colon,
    /// The next `-`, a comma, or the end.
    More,
}

/// No fewer than the values of a text, or its comments, told without reading it: each begins at a line, at an indicator, or at
/// the end of the text, and of none of these more than three begin (a mapping, its key and its value at `:`).
#[must_use]
pub fn at_most(text: &str) -> usize {
    let begins = |byte: &u8| matches!(byte, b'\n' | b'\r' | b':' | b',' | b'-' | b'[' | b'{' | b'?' | b'#');
    text.as_bytes().iter().filter(|byte| begins(byte)).count().saturating_mul(3).saturating_add(3)
}

impl<'t> Events<'t> {
    /// The events of a text; lists and mappings may be `depth` deep.
    #[must_use]
    pub fn of(text: &'t str, depth: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line: 0,
            fresh: true,
            spaces: 0,
            tabbed: false,
            compact: false,
            json_key: false,
            frames: Vec::new(),
            properties: Properties::default(),
            anchors: BTreeMap::new(),
            anchor_count: 0,
            handles: BTreeMap::new(),
            has_version: false,
            has_directives: false,
            depth,
            queue: Vec::new(),
            given: 0,
            buffer: String::new(),
            ended: false,
        }
    }

    /// The next event, `None` at the end.
    ///
    /// # Errors
    /// What is wrong with the text. Nothing comes after a fault.
    pub fn advance(&mut self) -> Result<Option<Event>, Fault> {
        loop {
            if let Some(&event) = self.queue.get(self.given) {
                self.given += 1;
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            self.queue.clear();
            self.buffer.clear();
            self.given = 0;
            if let Err(fault) = self.step() {
                self.ended = true;
                self.queue.clear();
                return Err(fault);
            }
        }
    }

    /// The text of the scalar that the last event is.
    #[must_use]
    pub fn text_of(&self, event: &Event) -> &str {
        let range = event.from as usize..event.to as usize;
        let all = if event.in_buffer { &*self.buffer } else { self.text };
        all.get(range).unwrap_or("")
    }

    fn step(&mut self) -> Result<(), Fault> {
        match self.frames.last().copied() {
            None => self.document(),
            Some(frame) if frame.kind.is_flow() => self.flow(frame),
            Some(frame) => self.block(frame),
        }
    }

    /// The byte so many places on; a line feed behind the end, where nothing stands either.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    /// White space or nothing follows a sign of one byte.
    #[inline]
    fn is_blank_behind(&self) -> bool {
        space::is_blank(self.peek(1))
    }

    #[inline]
    fn column(&self) -> isize {
        (if self.fresh { self.spaces } else { self.at - self.line }) as isize
    }

    /// Takes the bytes of a sign: what follows stands behind something.
    fn take(&mut self, width: usize) {
        self.at += width;
        self.fresh = false;
        self.compact = false;
        self.tabbed = false;
    }

    fn give(&mut self, kind: Kind, properties: Properties, start: usize, end: usize) {
        self.give_leaf(Leaf { kind, anchor: 0, start, end, text: (0, 0), in_buffer: false }, properties);
    }

    fn give_leaf(&mut self, leaf: Leaf, properties: Properties) {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.queue.push(Event {
            kind: leaf.kind,
            tag: properties.tag,
            anchor: leaf.anchor.max(properties.anchor),
            start: narrow(leaf.start),
            end: narrow(leaf.end),
            from: narrow(leaf.text.0),
            to: narrow(leaf.text.1),
            in_buffer: leaf.in_buffer,
        });
    }

    /// A node that is not there.
    fn give_nothing(&mut self, at: usize) {
        let properties = core::mem::take(&mut self.properties);
        self.give(Kind::Scalar(Style::Plain), properties, at, at);
    }

    /// The innermost frame goes on to await something else.
    fn await_next(&mut self, awaits: Awaits) {
        if let Some(frame) = self.frames.last_mut() {
            frame.awaits = awaits;
        }
    }

    /// The node that the innermost frame awaits has begun.
    fn begin_node(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.awaits = match (frame.kind, frame.awaits) {
            (Open::BlockMap, Awaits::ExplicitKey) => Awaits::ExplicitColon,
            (Open::BlockMap, Awaits::Node) => Awaits::Key,
            (_, Awaits::Key | Awaits::ExplicitKey) => Awaits::Colon,
            _ => Awaits::More,
        };
    }

    fn open(&mut self, kind: Open, awaits: Awaits, indent: isize, start: usize) -> Result<(), Fault> {
        if self.frames.len() > self.depth {
            return Err(Fault { at: start, reason: Reason::TooDeep });
        }
        self.frames.push(Frame { kind, awaits, indent, start });
        Ok(())
    }

    #[cold]
    fn fault<T>(&self, reason: Reason) -> Result<T, Fault> {
        Err(Fault { at: self.at, reason })
    }
}
