//! What is kept of a stream: its end, and while it is streamed, its lines.

/// The last bytes of a stream.
pub(super) struct Tail {
    bytes: Vec<u8>,
    keep: usize,
    dropped: bool,
}

impl Tail {
    pub(super) fn new(keep: usize) -> Self {
        Self { bytes: Vec::new(), keep, dropped: false }
    }

    /// Adds bytes. What is too old goes in large steps, so that each byte moves once.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * self.keep {
            self.shorten();
        }
    }

    /// The last bytes, and whether others were dropped.
    pub(super) fn finish(mut self) -> (Vec<u8>, bool) {
        self.shorten();
        (self.bytes, self.dropped)
    }

    fn shorten(&mut self) {
        if let Some(old) = self.bytes.len().checked_sub(self.keep).filter(|&old| old > 0) {
            self.bytes.drain(..old);
            self.dropped = true;
        }
    }
}

/// Cuts a stream into lines for a sink.
pub(super) struct Lines<'a> {
    sink: &'a dyn Fn(&str),
    begun: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// A line without end is handed on in pieces of this size.
    const LONGEST: usize = 1024 * 1024;

    pub(super) fn new(sink: &'a dyn Fn(&str)) -> Self {
        Self { sink, begun: Vec::new() }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.begun.extend_from_slice(&bytes[..end]);
            self.emit();
            bytes = &bytes[end + 1..];
        }
        self.begun.extend_from_slice(bytes);
        if self.begun.len() > Self::LONGEST {
            self.emit();
        }
    }

    /// Hands on a last line that has no end.
    pub(super) fn finish(&mut self) {
        if !self.begun.is_empty() {
            self.emit();
        }
    }

    fn emit(&mut self) {
        (self.sink)(&String::from_utf8_lossy(&self.begun));
        self.begun.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn the_end_of_a_stream_is_kept() {
        let mut tail = Tail::new(3);
        for byte in b"abcdefgh" {
            tail.push(&[*byte]);
        }
        assert_eq!(tail.finish(), (b"fgh".to_vec(), true));
        let mut tail = Tail::new(3);
        tail.push(b"abc");
        assert_eq!(tail.finish(), (b"abc".to_vec(), false));
    }

    #[test]
    fn lines_are_whole_however_they_arrive() {
        let seen = RefCell::new(Vec::new());
        let sink = |line: &str| seen.borrow_mut().push(line.to_owned());
        let mut lines = Lines::new(&sink);
        for piece in ["a", "b\n\nc", "d"] {
            lines.push(piece.as_bytes());
        }
        lines.finish();
        assert_eq!(*seen.borrow(), ["ab", "", "cd"]);
    }
}
