//! Plain scalars, and which leaf of a document stands here.

use super::{Events, Fault, Kind, Leaf, Reason, Style, space};

/// Bytes at which a plain scalar may end; at brackets and commas only where they count.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let signs = b":#\n\r,[]{}";
    let mut at = 0;
    while at < signs.len() {
        stops[signs[at] as usize] = true;
        at += 1;
    }
    stops
};

impl Events<'_> {
    /// The alias or scalar that stands here; of a plain one the first line, the rest is for [`Events::rest_of`].
    pub(super) fn leaf(&mut self, indent: isize, in_flow: bool) -> Result<Leaf, Fault> {
        match self.peek(0) {
            b'*' => self.alias(),
            b'\'' | b'"' => self.quoted(indent),
            _ if self.begins_plain(in_flow) => {
                let start = self.at;
                self.fresh = false;
                self.compact = false;
                let end = self.plain_line(in_flow);
                Ok(Leaf {
                    kind: Kind::Scalar(Style::Plain),
                    anchor: 0,
                    start,
                    end,
                    text: (start, end),
                    in_buffer: false,
                })
            }
            _ => self.fault(Reason::Sign),
        }
    }

    fn begins_plain(&self, in_flow: bool) -> bool {
        match self.peek(0) {
            b'-' | b'?' | b':' => !self.is_apart_sign(in_flow),
            b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`' => false,
            byte => !space::is_flow_sign(byte),
        }
    }

    /// Nothing plain stands behind the `:`, `-` or `?` here: it is a sign.
    #[inline]
    fn is_apart_sign(&self, in_flow: bool) -> bool {
        self.is_blank_behind() || in_flow && space::is_flow_sign(self.peek(1))
    }

    /// Takes what is plain on this line and the blanks behind it; where the last of it ends.
    fn plain_line(&mut self, in_flow: bool) -> usize {
        let from = self.at;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or(&[]);
            self.at += rest.iter().position(|&byte| STOPS[usize::from(byte)]).unwrap_or(rest.len());
            let is_end = match self.peek(0) {
                b'\n' | b'\r' => true,
                b':' => self.is_apart_sign(in_flow),
                b'#' => self.at > from && self.is_apart(),
                _ => in_flow,
            };
            if is_end {
                break;
            }
            self.at += 1;
        }
        let taken = self.bytes.get(from..self.at).unwrap_or(&[]);
        from + taken.iter().rposition(|&byte| !matches!(byte, b' ' | b'\t')).map_or(0, |last| last + 1)
    }

    /// The lines of a plain scalar after its first; other leaves are complete.
    pub(super) fn rest_of(&mut self, mut leaf: Leaf, indent: isize, in_flow: bool) -> Leaf {
        if leaf.kind != Kind::Scalar(Style::Plain) || leaf.start == leaf.end {
            return leaf;
        }
        while self.at < self.bytes.len() && space::is_break(self.peek(0)) {
            let (at, line, spaces, tabbed) = (self.at, self.line, self.spaces, self.tabbed);
            let breaks = self.skip_breaks();
            let goes_on = (self.spaces as isize) > indent
                && !self.is_end()
                && match self.peek(0) {
                    b'#' => false,
                    b':' => !self.is_apart_sign(in_flow),
                    byte => !(in_flow && space::is_flow_sign(byte)),
                };
            if !goes_on {
                (self.at, self.line, self.spaces, self.tabbed, self.fresh) = (at, line, spaces, tabbed, false);
                break;
            }
            self.fresh = false;
            self.tabbed = false;
            if !leaf.in_buffer {
                let from = self.buffer.len();
                self.buffer.push_str(self.text.get(leaf.start..leaf.end).unwrap_or(""));
                leaf.text.0 = from;
                leaf.in_buffer = true;
            }
            self.fold(breaks);
            let from = self.at;
            leaf.end = self.plain_line(in_flow);
            self.buffer.push_str(self.text.get(from..leaf.end).unwrap_or(""));
            leaf.text.1 = self.buffer.len();
        }
        leaf
    }

    /// Skips line ends and the blanks that begin the lines behind them; how many.
    pub(super) fn skip_breaks(&mut self) -> usize {
        let mut breaks = 0;
        while self.at < self.bytes.len() && space::is_break(self.peek(0)) {
            self.skip_break();
            breaks += 1;
            if self.is_marker() {
                break;
            }
            self.skip_blanks();
        }
        breaks
    }

    /// One line end is a space, more are one less.
    pub(super) fn fold(&mut self, breaks: usize) {
        if breaks == 1 {
            self.buffer.push(' ');
        }
        self.feed(breaks.saturating_sub(1));
    }

    pub(super) fn feed(&mut self, lines: usize) {
        self.buffer.extend(core::iter::repeat_n('\n', lines));
    }
}
