//! The Linux host: files, processes, accounts, clock, facts and sources behind the traits of `ccm-core`.
//!
//! There is no policy here: a branch in this crate is about an errno, never about a manifest.
//!
//! - [`Linux`] is the machine this program runs on; it implements [`ccm_core::host::Host`].
//!   `files` puts them in place through descriptors, `process` runs commands in groups of their own,
//!   `accounts` reads passwd and group, `clock` tells the time, `signals` notices that the run should end.
//!
//! - [`facts`] tells what this machine is.
//! - [`source`] loads manifests and data, [`unpack`] tarballs, [`bundle`] signed ones; [`lock`] keeps two runs apart.
//! - [`trusted`] reads what steers this program: keys, the policy.
//!
//! Nothing here needs /proc, /tmp, HOME, PATH or /etc/passwd to exist; where one of them is missing the
//! answer is poorer, never a failure of something unrelated.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::cell::RefCell;
use std::time::Instant;

mod accounts;
pub mod bundle;
mod clock;
mod errno;
pub mod facts;
mod files;
pub mod lock;
mod process;
mod signals;
pub mod source;
pub mod trusted;
pub mod unpack;

#[cfg(test)]
#[path = "../../tests/support/mod.rs"]
#[allow(dead_code, unreachable_pub)]
mod support;

pub use clock::now;

/// The machine this program runs on.
pub struct Linux {
    /// Whether files and directories are flushed to the disk before a change counts as done.
    sync: bool,
    accounts: accounts::Accounts,
    signals: signals::Signals,
    dice: RefCell<clock::Dice>,
    started: Instant,
    /// Where lines of streamed commands go.
    lines: Option<LineSink>,
    /// Bytes read from files and pipes pass through here, so that a converged run allocates nothing for them.
    scratch: RefCell<Box<[u8]>>,
}

/// Takes the lines of a command that is streamed.
type LineSink = Box<dyn Fn(&str)>;

impl Linux {
    /// How much of a file is read at once: a page more than most configuration files have.
    const CHUNK: usize = 64 * 1024;

    /// The machine, its signals not watched: INT and TERM end this process as usual.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sync: true,
            accounts: accounts::Accounts::default(),
            signals: signals::Signals::default(),
            dice: RefCell::default(),
            started: Instant::now(),
            lines: None,
            scratch: RefCell::new(vec![0; Self::CHUNK].into_boxed_slice()),
        }
    }

    /// Does not flush what it writes (`--no-sync`): for images, where the whole file system is flushed at the end.
    #[must_use]
    pub fn without_sync(mut self) -> Self {
        self.sync = false;
        self
    }

    /// Hands each line that a streamed command writes to `sink`, without its line end, while the command runs.
    #[must_use]
    pub fn streaming_to(mut self, sink: impl Fn(&str) + 'static) -> Self {
        self.lines = Some(Box::new(sink));
        self
    }

    /// From now on INT, TERM and HUP do not end this process: a running command is ended in their place and
    /// [`ccm_core::host::Processes::stop_requested`] answers. Call it in the main thread, before others start.
    ///
    /// # Errors
    /// When the kernel refuses a descriptor for signals.
    pub fn watch_signals(&mut self) -> ccm_core::Result<()> {
        self.signals = signals::Signals::watch()?;
        Ok(())
    }
}

impl Default for Linux {
    fn default() -> Self {
        Self::new()
    }
}
