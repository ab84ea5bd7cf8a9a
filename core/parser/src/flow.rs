//! Lists and mappings in brackets.

use super::properties::Properties;
use super::{Awaits, Events, Fault, Frame, Kind, Open, Reason, Style, space};

/// What can be a key has at most a thousand characters: so many bytes are looked at.
const LOOKAHEAD: usize = 4096;

impl Events<'_> {
    /// One thing inside brackets.
    pub(super) fn flow(&mut self, frame: Frame) -> Result<(), Fault> {
        if !self.skip() {
            return Ok(());
        }
        if self.is_end() {
            return Err(Fault { at: frame.start, reason: Reason::Unclosed });
        }
        let is_shallow = self.fresh && self.spaces as isize <= frame.indent;
        if is_shallow && self.tabbed {
            return self.fault(Reason::Tab);
        }
        match self.peek(0) {
            b',' => self.comma(frame),
            sign @ (b']' | b'}') => self.close_bracket(frame, sign),
            b':' if self.is_value_sign(frame.awaits == Awaits::Colon && self.json_key) => self.flow_colon(frame),
            _ if is_shallow => self.fault(Reason::Shallow),
            b'?' if self.is_blank_behind() => self.question(frame),
            _ => self.flow_node(frame),
        }
    }

    /// Opens the bracket that stands here.
    pub(super) fn open_bracket(&mut self, indent: isize, properties: Properties) -> Result<(), Fault> {
        let start = self.at;
        let (kind, open, awaits) = match self.peek(0) {
            b'[' => (Kind::ListStart, Open::FlowList, Awaits::Node),
            _ => (Kind::MapStart, Open::FlowMap, Awaits::Key),
        };
        self.give(kind, properties, start, start + 1);
        self.open(open, awaits, indent, start)?;
        self.take(1);
        Ok(())
    }

    /// The `:` that stands here is followed by white space or the end of the pair, or needs not be.
    fn is_value_sign(&self, is_adjacent: bool) -> bool {
        is_adjacent || self.is_blank_behind() || matches!(self.peek(1), b',' | b']' | b'}')
    }

    /// Gives what is not written of the entry that ends here; whether there is an entry at all.
    fn end_entry(&mut self, frame: Frame) -> bool {
        let missing = match frame.awaits {
            Awaits::ExplicitKey => 2,
            Awaits::Key if self.properties.any() => 2,
            Awaits::Key => return false,
            Awaits::Node if frame.kind == Open::FlowList && !self.properties.any() => return false,
            Awaits::Node | Awaits::Colon => 1,
            Awaits::ExplicitColon | Awaits::More => 0,
        };
        for _ in 0..missing {
            self.give_nothing(self.at);
        }
        true
    }

    fn end_pair(&mut self) {
        self.frames.pop();
        self.give(Kind::MapEnd, Properties::default(), self.at, self.at);
    }

    fn comma(&mut self, frame: Frame) -> Result<(), Fault> {
        if !self.end_entry(frame) {
            return self.fault(Reason::Sign);
        }
        if frame.kind == Open::FlowPair {
            self.end_pair();
            return Ok(());
        }
        self.take(1);
        self.await_next(if frame.kind == Open::FlowList { Awaits::Node } else { Awaits::Key });
        Ok(())
    }

    fn close_bracket(&mut self, frame: Frame, sign: u8) -> Result<(), Fault> {
        if (sign == b'}') != (frame.kind == Open::FlowMap) {
            return self.fault(Reason::Mismatch);
        }
        self.end_entry(frame);
        if frame.kind == Open::FlowPair {
            self.end_pair();
            return Ok(());
        }
        self.frames.pop();
        let kind = if frame.kind == Open::FlowList { Kind::ListEnd } else { Kind::MapEnd };
        self.give(kind, Properties::default(), self.at, self.at + 1);
        self.take(1);
        self.json_key = true;
        Ok(())
    }

    fn flow_colon(&mut self, frame: Frame) -> Result<(), Fault> {
        match (frame.kind, frame.awaits) {
            (Open::FlowList, Awaits::Node) => {
                self.open_pair(self.at, Awaits::Node)?;
                self.give_nothing(self.at);
            }
            (Open::FlowMap | Open::FlowPair, Awaits::Key | Awaits::ExplicitKey) => {
                self.give_nothing(self.at);
                self.await_next(Awaits::Node);
            }
            (Open::FlowMap | Open::FlowPair, Awaits::Colon) => self.await_next(Awaits::Node),
            _ => return self.fault(Reason::MapHere),
        }
        self.take(1);
        Ok(())
    }

    fn question(&mut self, frame: Frame) -> Result<(), Fault> {
        match (frame.kind, frame.awaits) {
            _ if self.properties.any() => return self.fault(Reason::Sign),
            (Open::FlowList, Awaits::Node) => self.open_pair(self.at, Awaits::ExplicitKey)?,
            (Open::FlowMap, Awaits::Key) => self.await_next(Awaits::ExplicitKey),
            _ => return self.fault(Reason::NoComma),
        }
        self.take(1);
        Ok(())
    }

    /// A mapping of one pair in a list.
    fn open_pair(&mut self, start: usize, awaits: Awaits) -> Result<(), Fault> {
        let indent = self.frames.last().map_or(-1, |frame| frame.indent);
        self.begin_node();
        self.give(Kind::MapStart, Properties::default(), start, start);
        self.open(Open::FlowPair, awaits, indent, start)
    }

    fn flow_node(&mut self, frame: Frame) -> Result<(), Fault> {
        if matches!(frame.awaits, Awaits::More | Awaits::Colon) {
            return self.fault(Reason::NoComma);
        }
        let (start, line) = (self.at, self.line);
        let outer = core::mem::take(&mut self.properties);
        let inner = self.properties()?;
        let next = self.peek(0);
        let is_past = space::is_break(next)
            || matches!(next, b',' | b']' | b'}')
            || next == b'#' && self.is_apart()
            || next == b':' && self.is_value_sign(false);
        if inner.any() && is_past {
            self.properties = outer.and(inner)?;
            return Ok(());
        }
        let may_pair = frame.kind == Open::FlowList && !outer.any();
        if matches!(next, b'[' | b'{') {
            if may_pair && self.is_key_ahead(start) {
                self.open_pair(start, Awaits::Colon)?;
                return self.open_bracket(frame.indent, inner);
            }
            self.begin_node();
            return self.open_bracket(frame.indent, outer.and(inner)?);
        }
        let leaf = self.leaf(frame.indent, true)?;
        let leaf = self.rest_of(leaf, frame.indent, true);
        self.json_key = matches!(leaf.kind, Kind::Scalar(Style::SingleQuoted | Style::DoubleQuoted));
        if may_pair && self.line == line {
            self.skip_blanks();
            if self.peek(0) == b':' && self.is_value_sign(self.json_key) && self.is_short(start) {
                self.open_pair(start, Awaits::Node)?;
                self.give_key(leaf, inner)?;
                self.take(1);
                return Ok(());
            }
        }
        let properties = outer.and(inner)?;
        self.begin_node();
        self.give_key(leaf, properties)
    }

    /// What the bracket here opens is closed on this line and followed by a `:`, so it is a key. It began at `start`.
    pub(super) fn is_key_ahead(&self, start: usize) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let mut rest = rest.get(..LOOKAHEAD).unwrap_or(rest);
        let in_flow = self.frames.last().is_some_and(|frame| frame.kind.is_flow());
        let mut depth = 0_usize;
        // A quote begins a quoted scalar where a node may begin; inside a plain one it is a character.
        let mut may_begin = true;
        while let Some((&byte, behind)) = rest.split_first() {
            rest = behind;
            let is_blank_behind = behind.first().is_none_or(|&byte| space::is_blank(byte));
            match byte {
                b'\n' | b'\r' => return false,
                b'[' | b'{' => {
                    depth += 1;
                    may_begin = true;
                }
                b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                    may_begin = false;
                }
                b',' => may_begin = true,
                b'\'' | b'"' if may_begin => {
                    let Some(end) = end_of_quoted(behind, byte) else { return false };
                    rest = behind.get(end..).unwrap_or(&[]);
                    may_begin = false;
                    if rest.first() == Some(&b':') {
                        rest = rest.get(1..).unwrap_or(&[]);
                        may_begin = true;
                    }
                }
                b' ' | b'\t' => {}
                b':' | b'?' if is_blank_behind => may_begin = true,
                b'&' | b'!' if may_begin => {
                    let end = behind.iter().position(|&byte| space::is_blank(byte) || space::is_flow_sign(byte));
                    rest = behind.get(end.unwrap_or(behind.len())..).unwrap_or(&[]);
                }
                _ => may_begin = false,
            }
        }
        let blanks = rest.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        let end = self.bytes.len().min(self.at + LOOKAHEAD) - rest.len();
        let is_colon = rest.get(blanks) == Some(&b':');
        let is_apart = in_flow || rest.get(blanks + 1).is_none_or(|&byte| space::is_blank(byte));
        depth == 0
            && is_colon
            && is_apart
            && self.text.get(start..end).is_some_and(|key| key.chars().nth(super::block::LONGEST_KEY).is_none())
    }
}

/// Where a quoted scalar without line ends is over, the closing quote included.
fn end_of_quoted(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        match *text.get(at)? {
            b'\n' | b'\r' => return None,
            b'\\' if quote == b'"' => at += 2,
            byte if byte == quote && quote == b'\'' && text.get(at + 1) == Some(&quote) => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}
