//! Names of events: KSUIDs whose order is the order of events.
//!
//! A KSUID is 4 bytes of seconds since 2014-05-13 and 16 free bytes, written as 27 letters whose
//! alphabetical order is that of the bytes. The reference fills the free bytes at random, so events of
//! one second come back shuffled (F3). Here they begin with a counter that the session keeps, and the
//! seconds never go back, so that both programs read events in the order they were recorded.

use core::fmt;

use crate::host::Timestamp;

/// The first second a KSUID can tell.
const EPOCH: i64 = 1_400_000_000;
/// Letters of a KSUID.
const LETTERS: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The counter's bytes: enough for any session, and ten bytes stay random.
const COUNTER_BITS: u32 = 48;

/// The id of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct EventId([u8; 20]);

impl EventId {
    /// The id of the event after `last`, at a time, with some randomness.
    #[must_use]
    pub fn after(last: Self, now: Timestamp, random: [u8; 16]) -> Self {
        let clock = u32::try_from(now.seconds.saturating_sub(EPOCH).max(0)).unwrap_or(u32::MAX);
        let (seconds, counter) = last.order();
        // A foreign id may hold any counter: one that is full goes on in the next second.
        let (seconds, counter) = match counter + 1 {
            full if full >> COUNTER_BITS != 0 => (seconds.saturating_add(1), 0),
            next => (seconds, next),
        };
        let mut bytes = [0; 20];
        bytes[..4].copy_from_slice(&seconds.max(clock).to_be_bytes());
        bytes[4..10].copy_from_slice(&counter.to_be_bytes()[2..]);
        bytes[10..].copy_from_slice(&random[..10]);
        Self(bytes)
    }

    /// Seconds and counter.
    fn order(self) -> (u32, u64) {
        let [a, b, c, d, e, f, g, h, i, j, ..] = self.0;
        (u32::from_be_bytes([a, b, c, d]), u64::from_be_bytes([0, 0, e, f, g, h, i, j]))
    }

    /// Reads the 27 letters; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != LETTERS {
            return None;
        }
        let mut bytes = [0_u8; 20];
        for letter in text.bytes() {
            let mut carry = ALPHABET.iter().position(|known| *known == letter)? as u32;
            for byte in bytes.iter_mut().rev() {
                let sum = u32::from(*byte) * 62 + carry;
                *byte = sum.to_le_bytes()[0];
                carry = sum >> 8;
            }
            if carry != 0 {
                return None;
            }
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = [b'0'; LETTERS];
        let mut rest = self.0;
        for letter in letters.iter_mut().rev() {
            let mut remainder = 0_u32;
            for byte in &mut rest {
                let number = remainder << 8 | u32::from(*byte);
                *byte = (number / 62).to_le_bytes()[0];
                remainder = number % 62;
            }
            *letter = ALPHABET.get(remainder as usize).copied().unwrap_or(b'0');
        }
        f.write_str(core::str::from_utf8(&letters).unwrap_or_default())
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn at(seconds: i64) -> Timestamp {
        Timestamp { seconds, nanos: 0 }
    }

    #[test]
    fn letters_and_bytes_are_the_same_thing() {
        // The example of the KSUID specification.
        let id = EventId::parse("0ujtsYcgvSTl8PAuAdqWYSMnLOv").unwrap();
        assert_eq!(id.to_string(), "0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        assert_eq!(id.order().0, 107_608_047);
        assert!(EventId::parse("zzzzzzzzzzzzzzzzzzzzzzzzzzz").is_none());
        assert!(EventId::parse("short").is_none());
    }

    #[test]
    fn order_of_names_is_order_of_events_even_when_the_clock_goes_back() {
        let mut last = EventId::default();
        for (step, seconds) in [1_800_000_000, 1_800_000_000, 1_700_000_000, 1_800_000_001].into_iter().enumerate() {
            let next = EventId::after(last, at(seconds), [0xff - step as u8; 16]);
            assert!(next > last && next.to_string() > last.to_string());
            last = next;
        }
    }

    #[test]
    fn a_full_counter_of_a_foreign_id_goes_on_in_the_next_second() {
        let foreign = EventId([0xff; 20]);
        let mut full = [0xff; 20];
        full[0] = 1;
        assert!(EventId::after(EventId(full), at(0), [0; 16]) > EventId(full));
        // Past the last second there is none: the order is lost, nothing else is.
        let _same = EventId::after(foreign, at(0), [0; 16]);
    }
}
