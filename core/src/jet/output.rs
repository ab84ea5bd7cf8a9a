//! What a template has written so far.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::value::{Val, print_data};
use crate::error::{Error, Result};
use crate::names::Fuel;
use crate::value::{Value, show};

/// The output, paid for by the room it takes. The room is made ahead, so that a piece of text is one copy and
/// neither grows the buffer nor asks for fuel.
pub(super) struct Output<'f> {
    /// Written up to `end`; what follows is room.
    buffer: Vec<u8>,
    end: usize,
    fuel: &'f Fuel,
}

impl<'f> Output<'f> {
    pub(super) fn new(fuel: &'f Fuel) -> Self {
        Self { buffer: Vec::new(), end: 0, fuel }
    }

    /// Appends text, or the bytes of some.
    pub(super) fn push(&mut self, text: &[u8]) -> Result<()> {
        let end = self.end + text.len();
        let Some(room) = self.buffer.get_mut(self.end..end) else { return self.grow(text) };
        room.copy_from_slice(text);
        self.end = end;
        Ok(())
    }

    /// Makes room for text, and appends it.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, text: &[u8]) -> Result<()> {
        let room = self.buffer.len();
        let wanted = (self.end + text.len()).max(room.saturating_mul(2)).max(SMALL);
        self.fuel.grow(room, wanted)?;
        let mut wider = vec![0; wanted];
        if let Some(written) = wider.get_mut(..room) {
            written.copy_from_slice(&self.buffer);
        }
        self.buffer = wider;
        self.push(text)
    }

    /// Appends data as an action prints it.
    pub(super) fn data(&mut self, data: &Value) -> Result<()> {
        match data {
            Value::Text(text) => self.push(text.as_bytes()),
            Value::Int(int) => self.push(show::Digits::of(*int).as_bytes()),
            other => {
                self.fuel.scan(usize::try_from(other.extent().weight).unwrap_or(usize::MAX))?;
                let mut text = String::new();
                print_data(&mut text, other);
                self.push(text.as_bytes())
            }
        }
    }

    /// Appends a value as an action prints it.
    pub(super) fn value(&mut self, value: &Val) -> Result<()> {
        match value {
            Val::Plain(data) | Val::Inside(data) => self.data(data),
            other => {
                let mut text = String::new();
                other.print(&mut text);
                self.push(text.as_bytes())
            }
        }
    }

    /// How much is written.
    pub(super) fn len(&self) -> usize {
        self.end
    }

    /// Takes back what was written after so much; the work is not given back.
    pub(super) fn rewind(&mut self, len: usize) -> Result<()> {
        let vain = self.end.saturating_sub(len);
        self.end -= vain;
        self.fuel.scan(vain)
    }

    pub(super) fn finish(mut self) -> Result<String> {
        self.buffer.truncate(self.end);
        String::from_utf8(self.buffer).map_err(|_| Error::invalid("a template made text that is not UTF-8"))
    }
}

/// Room of the first growth.
const SMALL: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_paid_for_and_what_is_taken_back_was_work() {
        let fuel = Fuel::with(10, 2048, 1);
        let mut out = Output::new(&fuel);
        out.push(&[b'a'; 300]).unwrap();
        out.data(&Value::from(-17_i64)).unwrap();
        assert_eq!(fuel.mark(), 2048 - 600, "twice the first piece");
        out.rewind(301).unwrap();
        assert!(out.rewind(0).is_err(), "301 bytes in vain are more than ten steps");
        assert!(out.push(&[b'a'; 2048]).is_err());
    }
}
