//! Time and randomness.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::time::{Duration, Instant};

use ccm_core::host::{Clock, Timestamp};
use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::Linux;

impl Clock for Linux {
    fn now(&self) -> Timestamp {
        now()
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        let end = Instant::now() + duration;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.signals.wait(left) {
                return;
            }
        }
    }

    fn random(&self) -> [u8; 16] {
        self.dice.borrow_mut().draw()
    }

    fn zone(&self, name: &str) -> Option<Vec<u8>> {
        if name == "Local" {
            return std::fs::read("/etc/localtime").ok();
        }
        let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
        if !name.split('/').all(plain) {
            return None;
        }
        ZONES.iter().find_map(|folder| std::fs::read(format!("{folder}/{name}")).ok())
    }
}

/// Where zones are kept, as Go looks for them.
const ZONES: [&str; 3] = ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ"];

/// Random bytes fetched in advance: a run names thousands of events.
#[derive(Default)]
pub(crate) struct Dice {
    drawn: Vec<[u8; 16]>,
}

impl Dice {
    const AT_ONCE: usize = 64;

    fn draw(&mut self) -> [u8; 16] {
        if let Some(bytes) = self.drawn.pop() {
            return bytes;
        }
        self.drawn.resize(Self::AT_ONCE, [0; 16]);
        random(self.drawn.as_flattened_mut());
        self.drawn.pop().unwrap_or_default()
    }
}

/// Fills with random bytes that nobody can guess, or not at all.
pub(crate) fn secret(bytes: &mut [u8]) -> Result<(), Errno> {
    match getrandom(&mut *bytes, GetRandomFlags::empty()) {
        Ok(got) if got == bytes.len() => Ok(()),
        Ok(_) => Err(Errno::EIO),
        Err(errno) => Err(Errno::from_raw(errno.raw_os_error())),
    }
}

/// Fills with random bytes: from the kernel, and from its device where the kernel is older than 3.17 or would have a
/// machine that has just started wait; where that is missing too from the seed of the standard library's hashing. They
/// only have to be unlikely to repeat.
pub(crate) fn random(bytes: &mut [u8]) {
    if getrandom(&mut *bytes, GetRandomFlags::NONBLOCK).is_ok_and(|got| got == bytes.len()) {
        return;
    }
    let device = std::fs::File::open("/dev/urandom").and_then(|mut device| device.read_exact(bytes));
    if device.is_err() {
        for piece in bytes.chunks_mut(8) {
            let mut hasher = RandomState::new().build_hasher();
            hasher.write_u32(std::process::id());
            piece.copy_from_slice(&hasher.finish().to_le_bytes()[..piece.len()]);
        }
    }
}

/// The time of day. Not the standard library's: on machines of 32 bits that one fails after 2038.
#[must_use]
pub fn now() -> Timestamp {
    let time = clock_gettime(ClockId::CLOCK_REALTIME).unwrap_or(TimeSpec::new(0, 0));
    // Wide only where the C library's words are narrow.
    #[allow(clippy::useless_conversion)]
    Timestamp { seconds: i64::from(time.tv_sec()), nanos: time.tv_nsec() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_day_is_that_of_others() {
        let theirs = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64;
        assert!((theirs..theirs + 5).contains(&now().seconds));
    }

    #[test]
    fn a_zone_name_cannot_leave_its_folder() {
        let machine = Linux::new();
        assert_eq!(machine.zone("../../../etc/passwd"), None);
        assert_eq!(machine.zone("/etc/passwd"), None);
    }

    #[test]
    fn random_bytes_differ() {
        let machine = Linux::new();
        assert_ne!(machine.random(), machine.random());
    }
}
