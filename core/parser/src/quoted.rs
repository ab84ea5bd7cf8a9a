//! Scalars in quotes.

use super::{Events, Fault, Kind, Leaf, Reason, Style, space};

impl Events<'_> {
    /// The scalar whose opening quote stands here.
    pub(super) fn quoted(&mut self, indent: isize) -> Result<Leaf, Fault> {
        let start = self.at;
        let quote = self.peek(0);
        self.take(1);
        let style = if quote == b'"' { Style::DoubleQuoted } else { Style::SingleQuoted };
        let mut leaf = Leaf {
            kind: Kind::Scalar(style),
            anchor: 0,
            start,
            end: start,
            text: (self.at, self.at),
            in_buffer: false,
        };
        loop {
            let from = self.at;
            self.skip_verbatim(quote);
            if self.is_closing(quote) {
                if leaf.in_buffer {
                    self.copy(from, self.at);
                    leaf.text.1 = self.buffer.len();
                } else {
                    leaf.text.1 = self.at;
                }
                self.take(1);
                leaf.end = self.at;
                return Ok(leaf);
            }
            if self.at >= self.bytes.len() {
                return Err(Fault { at: start, reason: Reason::Quote });
            }
            if !leaf.in_buffer {
                leaf.in_buffer = true;
                leaf.text.0 = self.buffer.len();
            }
            if space::is_break(self.peek(0)) {
                let line = self.text.get(from..self.at).unwrap_or("");
                self.buffer.push_str(line.trim_end_matches([' ', '\t']));
                let breaks = self.quoted_breaks(start, quote, indent)?;
                self.fold(breaks);
                continue;
            }
            self.copy(from, self.at);
            if quote == b'\'' {
                self.buffer.push('\'');
                self.at += 2;
            } else if space::is_break(self.peek(1)) && self.at + 1 < self.bytes.len() {
                self.at += 1;
                let breaks = self.quoted_breaks(start, quote, indent)?;
                self.feed(breaks.saturating_sub(1));
            } else {
                let escaped = self.escape()?;
                self.buffer.push(escaped);
            }
        }
    }

    fn copy(&mut self, from: usize, to: usize) {
        self.buffer.push_str(self.text.get(from..to).unwrap_or(""));
    }

    /// Goes to the next quote, escape or line end.
    fn skip_verbatim(&mut self, quote: u8) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let stops = |&byte: &u8| byte == quote || byte == b'\\' && quote == b'"' || space::is_break(byte);
        self.at += rest.iter().position(stops).unwrap_or(rest.len());
    }

    fn is_closing(&self, quote: u8) -> bool {
        self.bytes.get(self.at) == Some(&quote) && !(quote == b'\'' && self.bytes.get(self.at + 1) == Some(&quote))
    }

    /// Skips line ends; the line behind them stands deeper than the block around, unless only the closing quote does.
    fn quoted_breaks(&mut self, start: usize, quote: u8, indent: isize) -> Result<usize, Fault> {
        let breaks = self.skip_breaks();
        if self.is_marker() {
            return Err(Fault { at: start, reason: Reason::Quote });
        }
        if self.spaces as isize <= indent && !self.is_closing(quote) && self.at < self.bytes.len() {
            return self.fault(Reason::Shallow);
        }
        self.fresh = false;
        Ok(breaks)
    }

    /// The character that an escape means.
    fn escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        let sign = self.peek(1);
        self.at += 2;
        let digits = match sign {
            b'0' => return Ok('\0'),
            b'a' => return Ok('\x07'),
            b'b' => return Ok('\x08'),
            b't' | b'\t' => return Ok('\t'),
            b'n' => return Ok('\n'),
            b'v' => return Ok('\x0b'),
            b'f' => return Ok('\x0c'),
            b'r' => return Ok('\r'),
            b'e' => return Ok('\x1b'),
            b' ' | b'"' | b'/' | b'\\' => return Ok(char::from(sign)),
            b'N' => return Ok('\u{85}'),
            b'_' => return Ok('\u{a0}'),
            b'L' => return Ok('\u{2028}'),
            b'P' => return Ok('\u{2029}'),
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return Err(Fault { at: start, reason: Reason::Escape }),
        };
        let mut code = self.hex(digits);
        // JSON writes what is beyond 16 bits as two halves.
        if digits == 4
            && let Some(high @ 0xd800..=0xdbff) = code
            && self.bytes.get(self.at..self.at + 2) == Some(br"\u")
        {
            self.at += 2;
            let low = self.hex(4).filter(|low| (0xdc00..=0xdfff).contains(low));
            code = low.map(|low| 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        }
        code.and_then(char::from_u32).ok_or(Fault { at: start, reason: Reason::Escape })
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.text.get(self.at..self.at + digits)?;
        self.at += digits;
        text.chars().try_fold(0_u32, |code, digit| Some(code << 4 | digit.to_digit(16)?))
    }
}
