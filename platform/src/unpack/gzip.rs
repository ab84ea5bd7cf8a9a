//! gzip: the frame around a deflate stream, with its check sum and size verified.

use std::io::{Error, ErrorKind, Read, Result};

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

/// A reader of what a gzip stream holds. Several members after one another count as one, as `gzip -d` has it.
pub(crate) struct Gunzip<'a> {
    inner: &'a mut dyn Read,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    state: Box<InflateState>,
    part: Part,
    sum: u32,
    size: u32,
}

#[derive(PartialEq)]
enum Part {
    /// Before a member; the first one must be there.
    Header {
        first: bool,
    },
    Body,
    Done,
}

impl<'a> Gunzip<'a> {
    pub(crate) fn new(inner: &'a mut dyn Read) -> Self {
        Self {
            inner,
            buffer: vec![0; 32 * 1024].into_boxed_slice(),
            at: 0,
            end: 0,
            state: InflateState::new_boxed(DataFormat::Raw),
            part: Part::Header { first: true },
            sum: 0,
            size: 0,
        }
    }

    fn byte(&mut self) -> Result<u8> {
        if self.at == self.end && !self.refill()? {
            return Err(truncated());
        }
        self.at += 1;
        Ok(self.buffer[self.at - 1])
    }

    /// More input; false at its end.
    fn refill(&mut self) -> Result<bool> {
        self.at = 0;
        self.end = loop {
            match self.inner.read(&mut self.buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        Ok(self.end > 0)
    }

    /// The header of a member; false when there is none any more. What follows the last member and is no
    /// member is padding.
    fn header(&mut self, first: bool) -> Result<bool> {
        if self.at == self.end && !self.refill()? {
            return if first { Err(truncated()) } else { Ok(false) };
        }
        let magic = (self.byte()?, if self.at == self.end && !self.refill()? { 0 } else { self.byte()? });
        if magic != (0x1f, 0x8b) {
            return if first { Err(invalid("it is not gzip")) } else { Ok(false) };
        }
        if self.byte()? != 8 {
            return Err(invalid("it is compressed in a way that gzip does not know"));
        }
        let flags = self.byte()?;
        self.skip(6)?;
        if flags & 4 != 0 {
            let length = u16::from_le_bytes([self.byte()?, self.byte()?]);
            self.skip(length.into())?;
        }
        for text in [8, 16] {
            if flags & text != 0 {
                while self.byte()? != 0 {}
            }
        }
        if flags & 2 != 0 {
            self.skip(2)?;
        }
        Ok(true)
    }

    fn skip(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| self.byte().map(drop))
    }

    fn trailer(&mut self) -> Result<()> {
        let mut words = [[0; 4]; 2];
        for byte in words.as_flattened_mut() {
            *byte = self.byte()?;
        }
        if u32::from_le_bytes(words[0]) != self.sum || u32::from_le_bytes(words[1]) != self.size {
            return Err(invalid("its check sum is wrong: it was damaged on its way"));
        }
        Ok(())
    }

    fn body(&mut self, out: &mut [u8]) -> Result<usize> {
        loop {
            if self.at == self.end && !self.refill()? {
                return Err(truncated());
            }
            let step = inflate(&mut self.state, &self.buffer[self.at..self.end], out, MZFlush::None);
            self.at += step.bytes_consumed;
            let written = step.bytes_written;
            self.sum = checksum(self.sum, &out[..written]);
            self.size = self.size.wrapping_add(written as u32);
            match step.status {
                Ok(MZStatus::StreamEnd) => {
                    self.trailer()?;
                    self.state.reset(DataFormat::Raw);
                    (self.sum, self.size, self.part) = (0, 0, Part::Header { first: false });
                    return Ok(written);
                }
                Ok(_) | Err(MZError::Buf) if written > 0 => return Ok(written),
                Ok(_) | Err(MZError::Buf) if step.bytes_consumed > 0 => {}
                _ => return Err(invalid("its compressed data is damaged")),
            }
        }
    }
}

impl Read for Gunzip<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        while !out.is_empty() {
            match self.part {
                Part::Done => return Ok(0),
                Part::Header { first } => self.part = if self.header(first)? { Part::Body } else { Part::Done },
                Part::Body => match self.body(out)? {
                    0 => {}
                    count => return Ok(count),
                },
            }
        }
        Ok(0)
    }
}

fn truncated() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "it is truncated")
}

fn invalid(text: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, text)
}

/// CRC-32 as gzip has it, of a text that went before and these bytes.
fn checksum(before: u32, bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!before, |sum, byte| SUMS[usize::from(sum as u8 ^ byte)] ^ (sum >> 8))
}

const SUMS: [u32; 256] = {
    let mut sums = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        sums[byte] = sum;
        byte += 1;
    }
    sums
};

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A gzip stream of stored blocks: all that tests need.
    pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, b'n', 0];
        let mut pieces = bytes.chunks(0xffff).peekable();
        if pieces.peek().is_none() {
            out.extend([1, 0, 0, 0xff, 0xff]);
        }
        while let Some(piece) = pieces.next() {
            out.push(u8::from(pieces.peek().is_none()));
            out.extend((piece.len() as u16).to_le_bytes());
            out.extend((!(piece.len() as u16)).to_le_bytes());
            out.extend(piece);
        }
        out.extend(checksum(0, bytes).to_le_bytes());
        out.extend((bytes.len() as u32).to_le_bytes());
        out
    }

    fn all(bytes: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        Gunzip::new(&mut { bytes }).read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn the_check_sum_is_the_usual_one() {
        assert_eq!(checksum(0, b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(checksum(0, b"1234"), b"56789"), 0xcbf4_3926);
    }

    #[test]
    fn members_are_joined_and_padding_is_ignored() {
        let long = vec![b'x'; 100_000];
        let mut stream = gzip(&long);
        stream.extend(gzip(b""));
        stream.extend(gzip(b"end"));
        stream.extend([0; 9]);
        assert_eq!(all(&stream).unwrap(), [long.as_slice(), b"end"].concat());
    }

    /// Made by another program: every number in it tells one end from the other.
    #[test]
    fn numbers_are_read_from_the_end_that_the_format_says() {
        let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
        let codes = [0xed, 0xc1, 0x01, 0x0d, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xda, 0x8f, 0x6f, 0x0f, 0x07, 0x14];
        let tail = [0xe1, 0x01, 0x98, 0xf9, 0xd0, 0x01, 0x01, 0x00];
        let stream = [&head[..], &codes, &[0; 63], &[0xf0, 0x66], &tail].concat();
        assert_eq!(all(&stream).unwrap(), vec![b'x'; 66_000]);
    }

    #[test]
    fn damage_is_noticed() {
        let whole = gzip(b"some text");
        for length in 0..whole.len() {
            assert!(all(&whole[..length]).is_err(), "{length}");
        }
        let mut wrong = whole.clone();
        let sum = wrong.len() - 8;
        wrong[sum] ^= 1;
        assert!(all(&wrong).unwrap_err().to_string().contains("check sum"));
        assert!(all(b"plain text").unwrap_err().to_string().contains("not gzip"));
    }
}
