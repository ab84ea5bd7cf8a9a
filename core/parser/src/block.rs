//! Lists and mappings by indentation.

use super::properties::Properties;
use super::{Awaits, Events, Fault, Frame, Kind, Leaf, Open, Reason, Style, space};

/// YAML lets a key without `?` be so many characters long.
pub(super) const LONGEST_KEY: usize = 1024;

/// Where something begins, and as what.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    column: isize,
    /// A list or mapping may begin here.
    may_open: bool,
    /// A tab stands before it: that is why none may.
    is_tabbed: bool,
    /// It is the key of a mapping that is open.
    is_key: bool,
}

impl Events<'_> {
    /// One thing inside a document or a block.
    pub(super) fn block(&mut self, frame: Frame) -> Result<(), Fault> {
        if !self.skip() {
            return Ok(());
        }
        let is_end = self.is_end();
        let column = if is_end { -1 } else { self.column() };
        let is_left = is_end || self.fresh && column <= frame.indent;
        match frame.awaits {
            Awaits::Node | Awaits::ExplicitKey => {
                // The items of a list may stand no deeper than the key that it belongs to.
                let is_list = frame.kind == Open::BlockMap && column == frame.indent && self.is_sign(b'-');
                if !is_left || is_list && !is_end {
                    return self.node(frame);
                }
                self.give_nothing(self.at);
                self.begin_node();
                Ok(())
            }
            _ if frame.kind == Open::Document => {
                if !is_end {
                    return self.fault(Reason::Trailing);
                }
                self.end_document();
                Ok(())
            }
            Awaits::Colon => self.colon(),
            _ if is_left && column < frame.indent => {
                self.end_block(frame);
                Ok(())
            }
            _ if !self.fresh => self.fault(Reason::Trailing),
            _ if column > frame.indent => self.fault(Reason::Indentation),
            _ => self.next_entry(frame),
        }
    }

    /// A sign of one byte with white space behind it.
    pub(super) fn is_sign(&self, sign: u8) -> bool {
        self.peek(0) == sign && self.is_blank_behind()
    }

    /// The key before is a list or a mapping in brackets.
    fn colon(&mut self) -> Result<(), Fault> {
        if self.fresh || !self.is_sign(b':') {
            return self.fault(Reason::NoColon);
        }
        self.take(1);
        self.await_next(Awaits::Node);
        Ok(())
    }

    fn end_block(&mut self, frame: Frame) {
        if frame.awaits == Awaits::ExplicitColon {
            self.give_nothing(self.at);
        }
        self.frames.pop();
        let kind = if frame.kind == Open::BlockList { Kind::ListEnd } else { Kind::MapEnd };
        self.give(kind, Properties::default(), self.at, self.at);
    }

    /// Something stands at the column of the block.
    fn next_entry(&mut self, frame: Frame) -> Result<(), Fault> {
        if self.tabbed {
            return self.fault(Reason::Tab);
        }
        if frame.kind == Open::BlockList {
            if self.is_sign(b'-') {
                self.take_opening(Awaits::Node);
                return Ok(());
            }
            let around = self.frames.iter().rev().nth(1);
            if around.is_some_and(|around| around.kind == Open::BlockMap && around.indent == frame.indent) {
                self.end_block(frame);
                return Ok(());
            }
            return self.fault(Reason::Indentation);
        }
        if frame.awaits == Awaits::ExplicitColon {
            if self.is_sign(b':') {
                self.take_opening(Awaits::Node);
            } else {
                self.give_nothing(self.at);
                self.await_next(Awaits::Key);
            }
            return Ok(());
        }
        if self.is_sign(b'?') {
            self.take_opening(Awaits::ExplicitKey);
            return Ok(());
        }
        let place = Place { start: self.at, column: frame.indent, may_open: false, is_tabbed: false, is_key: true };
        let properties = self.properties()?;
        self.content(frame, place, Properties::default(), properties)
    }

    /// Takes a `-`, a `?` or the `:` of an explicit key: a block may begin right behind it.
    fn take_opening(&mut self, awaits: Awaits) {
        self.take(1);
        self.compact = true;
        self.await_next(awaits);
    }

    fn node(&mut self, frame: Frame) -> Result<(), Fault> {
        let may_open = !self.tabbed && (self.fresh || self.compact);
        let is_tabbed = self.tabbed;
        let place = Place { start: self.at, column: self.column(), may_open, is_tabbed, is_key: false };
        let opens = match self.peek(0) {
            b'-' => Some((Open::BlockList, Kind::ListStart, Awaits::Node, Reason::ListHere)),
            b'?' => Some((Open::BlockMap, Kind::MapStart, Awaits::ExplicitKey, Reason::MapHere)),
            _ => None,
        };
        if let Some((open, kind, awaits, reason)) = opens.filter(|_| self.is_blank_behind()) {
            if !may_open {
                return self.fault(if is_tabbed { Reason::Tab } else { reason });
            }
            let properties = core::mem::take(&mut self.properties);
            self.open_block(place, open, kind, awaits, properties)?;
            self.take_opening(awaits);
            return Ok(());
        }
        let outer = core::mem::take(&mut self.properties);
        let inner = self.properties()?;
        if inner.any() && (space::is_break(self.peek(0)) || self.peek(0) == b'#' && self.is_apart()) {
            self.properties = outer.and(inner)?;
            return Ok(());
        }
        self.content(frame, place, outer, inner)
    }

    fn open_block(
        &mut self,
        place: Place,
        open: Open,
        kind: Kind,
        awaits: Awaits,
        properties: Properties,
    ) -> Result<(), Fault> {
        self.begin_node();
        self.give(kind, properties, place.start, place.start);
        self.open(open, awaits, place.column, place.start)
    }

    /// A node that is no block list, or the key of a mapping. Properties on lines before it, `outer`, belong to a
    /// mapping that begins here, those on its line to its first key.
    fn content(&mut self, frame: Frame, place: Place, outer: Properties, inner: Properties) -> Result<(), Fault> {
        let line = self.line;
        let leaf = match self.peek(0) {
            b'[' | b'{' => return self.bracket(frame, place, outer, inner),
            b'|' | b'>' if !place.is_key => {
                let properties = outer.and(inner)?;
                self.begin_node();
                let leaf = self.literal(frame.indent)?;
                self.give_leaf(leaf, properties);
                return Ok(());
            }
            b':' if self.is_blank_behind() => Leaf::nothing(self.at),
            _ => self.leaf(frame.indent, false)?,
        };
        self.skip_blanks();
        if self.line == line && self.is_sign(b':') && self.is_short(place.start) {
            if place.is_key {
                self.await_next(Awaits::Node);
            } else if place.may_open {
                self.open_block(place, Open::BlockMap, Kind::MapStart, Awaits::Node, outer)?;
            } else {
                return self.fault(if place.is_tabbed { Reason::Tab } else { Reason::MapHere });
            }
            self.give_key(leaf, inner)?;
            self.take(1);
            return Ok(());
        }
        if place.is_key {
            return Err(Fault { at: place.start, reason: Reason::NoColon });
        }
        let leaf = self.rest_of(leaf, frame.indent, false);
        let properties = outer.and(inner)?;
        self.begin_node();
        self.give_key(leaf, properties)
    }

    /// Gives a leaf; an alias can have no properties.
    pub(super) fn give_key(&mut self, leaf: Leaf, properties: Properties) -> Result<(), Fault> {
        if leaf.kind == Kind::Alias && properties.any() {
            return Err(Fault { at: properties.start, reason: Reason::TwoProperties });
        }
        self.give_leaf(leaf, properties);
        Ok(())
    }

    /// Something in brackets: a value, a key of this mapping, or the first key of a new one.
    fn bracket(&mut self, frame: Frame, place: Place, outer: Properties, inner: Properties) -> Result<(), Fault> {
        let is_key = (place.is_key || place.may_open) && self.is_key_ahead(place.start);
        let properties = if place.is_key {
            if !is_key {
                return Err(Fault { at: place.start, reason: Reason::NoColon });
            }
            self.await_next(Awaits::Colon);
            inner
        } else if is_key {
            self.open_block(place, Open::BlockMap, Kind::MapStart, Awaits::Colon, outer)?;
            inner
        } else {
            self.begin_node();
            outer.and(inner)?
        };
        self.open_bracket(frame.indent, properties)
    }

    /// What began there and ends here is short enough for a key.
    pub(super) fn is_short(&self, start: usize) -> bool {
        self.at - start <= LONGEST_KEY
            || self.text.get(start..self.at).is_some_and(|key| key.chars().nth(LONGEST_KEY).is_none())
    }
}

impl Leaf {
    /// A node that is not there.
    pub(super) fn nothing(at: usize) -> Self {
        Self { kind: Kind::Scalar(Style::Plain), anchor: 0, start: at, end: at, text: (0, 0), in_buffer: false }
    }
}
