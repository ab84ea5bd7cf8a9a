//! INT, TERM and HUP as something to look at, rather than something that happens.
//!
//! The signals are blocked and read from a descriptor, so that nothing is interrupted half way and no handler
//! is needed. Commands are started with them unblocked (`process/start.rs`). HUP counts as TERM: a lost terminal
//! ends the run between two resources.

use std::cell::Cell;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use ccm_core::Result;
use ccm_core::host::Stop;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::errno::fault;

/// What has arrived.
#[derive(Default)]
pub(crate) struct Signals {
    descriptor: Option<SignalFd>,
    first: Cell<Option<Stop>>,
    count: Cell<u32>,
}

/// Signals that ask this process to stop.
const STOPPING: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// All that are held back, and must not be in commands. XFSZ would end this process in the middle of a write, where
/// the error that the write gives is enough.
pub(crate) const HELD_BACK: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGXFSZ];

impl Signals {
    /// Blocks the signals and opens their descriptor. What was ignored when this process started, as `nohup`
    /// and background jobs of a shell have it, stays ignored.
    pub(crate) fn watch() -> Result<Self> {
        let ignored = ignored_signals();
        let heeded = |signal: &Signal| ignored & (1 << (*signal as u32 - 1)) == 0;
        let set = |signals: &[Signal]| signals.iter().copied().filter(heeded).collect::<SigSet>();
        let mask = set(&STOPPING);
        set(&HELD_BACK).thread_block().map_err(|errno| fault("block", "signals", errno))?;
        let descriptor = SignalFd::with_flags(&mask, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
            .map_err(|errno| fault("watch", "signals", errno))?;
        Ok(Self { descriptor: Some(descriptor), ..Self::default() })
    }

    /// The first signal that asked this process to stop.
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.collect();
        self.first.get()
    }

    /// How many have come: a second one means that patience has ended.
    pub(crate) fn count(&self) -> u32 {
        self.collect();
        self.count.get()
    }

    /// Readable when one arrives; nothing when they are not watched.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.descriptor.as_ref().map(AsFd::as_fd)
    }

    /// Waits for one, or for this long; true when a stop is requested.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        match self.descriptor() {
            None => std::thread::sleep(time),
            Some(_) if self.first.get().is_some() => return true,
            Some(descriptor) => {
                let _timeout_or_signal = poll(&mut [PollFd::new(descriptor, PollFlags::POLLIN)], timeout(time));
            }
        }
        self.stop().is_some()
    }

    fn collect(&self) {
        let Some(descriptor) = &self.descriptor else { return };
        loop {
            match descriptor.read_signal() {
                Ok(Some(info)) => {
                    let stop = if info.ssi_signo == Signal::SIGINT as u32 { Stop::Interrupt } else { Stop::Terminate };
                    self.first.set(self.first.get().or(Some(stop)));
                    self.count.set(self.count.get().saturating_add(1));
                }
                Err(Errno::EINTR) => {}
                Ok(None) | Err(_) => return,
            }
        }
    }
}

/// A duration for `poll`, rounded up so that waiting never becomes spinning.
pub(crate) fn timeout(time: Duration) -> PollTimeout {
    let millis = time.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(millis.min(i32::MAX as u128) as i32).unwrap_or(PollTimeout::MAX)
}

/// The mask of ignored signals of this process; none where /proc cannot tell.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_seen_once_and_remembered() {
        let signals = Signals::watch().unwrap();
        assert_eq!(signals.stop(), None);
        nix::sys::signal::raise(Signal::SIGTERM).unwrap();
        assert!(signals.wait(Duration::from_secs(5)));
        assert_eq!((signals.stop(), signals.count()), (Some(Stop::Terminate), 1));
        nix::sys::signal::raise(Signal::SIGINT).unwrap();
        assert_eq!((signals.stop(), signals.count()), (Some(Stop::Terminate), 2));
    }

    #[test]
    fn a_wait_is_rounded_up() {
        assert_eq!(timeout(Duration::from_micros(1)).as_millis(), Some(1));
        assert_eq!(timeout(Duration::ZERO).as_millis(), Some(0));
    }
}
