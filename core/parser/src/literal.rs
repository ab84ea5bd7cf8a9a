//! Block scalars: the lines under `|` and `>`.

use super::{Events, Fault, Kind, Leaf, Reason, Style, space};

/// What becomes of the line ends at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl Events<'_> {
    /// The block scalar whose sign stands here, in a block of this column.
    pub(super) fn literal(&mut self, around: isize) -> Result<Leaf, Fault> {
        let start = self.at;
        let style = if self.peek(0) == b'|' { Style::Literal } else { Style::Folded };
        let (chomp, wanted) = self.header(start)?;
        let from = self.buffer.len();
        let has_break = self.at < self.bytes.len();
        self.skip_break();
        if self.peek(0) == b'\t' && self.spaces == 0 {
            return Err(Fault { at: self.at, reason: Reason::Tab });
        }
        let mut blank = 0;
        let indent = match wanted {
            0 => self.find_indent(around, &mut blank),
            wanted => wanted + usize::try_from(around).unwrap_or(0),
        };
        if wanted > 0 {
            self.skip_empty(indent, &mut blank);
        }
        if self.at >= self.bytes.len() {
            if chomp == Chomp::Keep && has_break {
                let is_line = blank == 0 && self.at > self.line;
                self.feed(blank + usize::from(is_line));
            }
            return Ok(self.leaf_of(style, start, from));
        }
        let depth = self.at - self.line;
        if depth < indent && depth as isize > around {
            let is_past = around < 0 && depth == 0 && (self.is_marker() || self.peek(0) == b'#');
            if !is_past {
                return self.fault(Reason::Depth);
            }
        }
        let start = self.at;
        let is_open = self.lines(style, indent, &mut blank);
        // The text may end without a line end: only a line of blanks is then complete.
        let is_complete = is_open || self.at >= self.bytes.len() && self.text.ends_with([' ', '\t']) && start < self.at;
        if chomp != Chomp::Strip && is_complete {
            self.feed(1);
        }
        if chomp == Chomp::Keep {
            self.feed(blank);
        }
        Ok(self.leaf_of(style, start, from))
    }

    fn leaf_of(&self, style: Style, start: usize, from: usize) -> Leaf {
        let text = (from, self.buffer.len());
        Leaf { kind: Kind::Scalar(style), anchor: 0, start, end: self.at, text, in_buffer: true }
    }

    /// `|2-`: how it ends, and how deep it is beyond the block around it, 0 where that is not said.
    fn header(&mut self, start: usize) -> Result<(Chomp, usize), Fault> {
        let (mut chomp, mut wanted) = (None, None);
        self.take(1);
        loop {
            match self.peek(0) {
                b'+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                b'-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                digit @ b'1'..=b'9' if wanted.is_none() => wanted = Some(usize::from(digit - b'0')),
                _ => break,
            }
            self.at += 1;
        }
        if !self.skip_line() {
            return Err(Fault { at: start, reason: Reason::Header });
        }
        Ok((chomp.unwrap_or(Chomp::Clip), wanted.unwrap_or(0)))
    }

    /// As deep as its first line of text; lines of spaces before it must not be deeper.
    fn find_indent(&mut self, around: isize, blank: &mut usize) -> usize {
        let mut indent = usize::try_from(around + 1).unwrap_or(0).max(self.spaces);
        while self.at < self.bytes.len() && space::is_break(self.peek(0)) {
            self.skip_break();
            *blank += 1;
            indent = indent.max(self.spaces);
        }
        indent
    }

    /// Skips lines without text, then the indentation of the next.
    fn skip_empty(&mut self, indent: usize, blank: &mut usize) {
        loop {
            self.at = self.line + self.spaces.min(indent);
            if self.at >= self.bytes.len() || !space::is_break(self.peek(0)) {
                return;
            }
            self.skip_break();
            *blank += 1;
        }
    }

    /// Takes the lines of text; whether the last of them had a line end, which is not yet written.
    fn lines(&mut self, style: Style, indent: usize, blank: &mut usize) -> bool {
        let (mut is_open, mut was_blank) = (false, false);
        while self.at - self.line == indent && self.at < self.bytes.len() {
            if indent == 0 && self.is_marker() {
                break;
            }
            let is_blank = matches!(self.peek(0), b' ' | b'\t');
            if style == Style::Folded && is_open && !was_blank && !is_blank {
                if *blank == 0 {
                    self.buffer.push(' ');
                }
                self.feed(*blank);
            } else {
                self.feed(*blank + usize::from(is_open));
            }
            (is_open, was_blank, *blank) = (false, is_blank, 0);
            let from = self.at;
            self.skip_to_break();
            self.buffer.push_str(self.text.get(from..self.at).unwrap_or(""));
            if self.at >= self.bytes.len() {
                self.fresh = false;
                break;
            }
            self.skip_break();
            is_open = true;
            self.skip_empty(indent, blank);
        }
        is_open
    }
}
