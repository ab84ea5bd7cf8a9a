//! The run lock: one `ccm` at a time changes a machine.
//!
//! It is a lock of the kernel on `ccm.lock` in the run directory, so it vanishes with the process that holds it,
//! however that ends; the number of the holder stands in the file. A `ccm` that a resource starts finds its own
//! ancestor holding the lock and runs under it. The descriptor is closed in commands: a daemon started by a run
//! would otherwise hold the lock for as long as it lives.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use ccm_core::Result;
use ccm_core::error::Cause;
use ccm_core::host::{Clock, Processes};
use nix::libc::O_NOFOLLOW;
use nix::unistd::{geteuid, getpid, getppid};
use rustix::fs::{FlockOperation, flock};

use crate::Linux;
use crate::errno::refusal;

/// What came of asking for the lock.
pub enum RunLock {
    /// Ours until it is dropped.
    Held(Held),
    /// Held by the `ccm` that started this one.
    Inherited,
    /// There is nowhere to lock, for this reason: the run goes on without.
    Unavailable(String),
}

/// The lock itself; dropping it gives it back.
pub struct Held(File);

/// How often a busy lock is tried again.
const RETRY: Duration = Duration::from_millis(25);
/// Generations between a `ccm` and the one that started it.
const ANCESTORS: usize = 64;

/// The directory for things that end with the system: `/run`, or for a user his own.
#[must_use]
pub fn run_directory() -> Option<String> {
    if geteuid().is_root() {
        return Some("/run".to_owned());
    }
    std::env::var("XDG_RUNTIME_DIR").ok().filter(|path| path.starts_with('/'))
}

/// Takes the run lock in a directory, waiting so long for another run to end.
///
/// # Errors
/// [`Cause::TimedOut`], naming the holder, when it is still held then; [`Cause::Stopped`] when this process is
/// asked to stop meanwhile.
pub fn acquire(machine: &Linux, directory: Option<&str>, wait: Duration) -> Result<RunLock> {
    let Some(directory) = directory else { return Ok(RunLock::Unavailable("there is no run directory".to_owned())) };
    let path = format!("{}/ccm.lock", directory.trim_end_matches('/'));
    let mut file = match open(&path) {
        Ok(file) => file,
        Err(error) => return Ok(RunLock::Unavailable(format!("open {path}: {error}"))),
    };
    let begun = Instant::now();
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                let _only_a_hint = file.set_len(0).and_then(|()| writeln!(file, "{}", getpid()));
                return Ok(RunLock::Held(Held(file)));
            }
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
            Err(errno) => return Ok(RunLock::Unavailable(format!("lock {path}: {errno}"))),
        }
        let holder = holder(&mut file);
        if holder.is_some_and(is_ancestor) {
            return Ok(RunLock::Inherited);
        }
        if machine.stop_requested().is_some() {
            return Err(refusal("lock", path, Cause::Stopped, "given up, since this run is to stop"));
        }
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() {
            let holder = holder.map_or("another ccm".to_owned(), |id| format!("another ccm, process {id}"));
            return Err(refusal("lock", path, Cause::TimedOut, format!("held by {holder}, for longer than {wait:?}")));
        }
        machine.sleep(left.min(RETRY));
    }
}

fn open(path: &str) -> std::io::Result<File> {
    // Only its owner may open it, as whoever can open it could hold it.
    OpenOptions::new().read(true).write(true).create(true).mode(0o600).custom_flags(O_NOFOLLOW).open(path)
}

fn holder(file: &mut File) -> Option<i32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Whether a process is an ancestor of this one; without /proc only the parent is known.
fn is_ancestor(id: i32) -> bool {
    let mut generation = getppid().as_raw();
    for _ in 0..ANCESTORS {
        if generation == id {
            return true;
        }
        let stat = std::fs::read_to_string(format!("/proc/{generation}/stat")).unwrap_or_default();
        let parent = stat.rsplit(") ").next().and_then(|fields| fields.split(' ').nth(1));
        match parent.and_then(|parent| parent.parse().ok()) {
            Some(parent) if parent > 0 => generation = parent,
            _ => return false,
        }
    }
    false
}

impl Drop for Held {
    fn drop(&mut self) {
        let _only_a_hint = self.0.set_len(0);
        let _closing_unlocks_too = flock(&self.0, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::Folder;
    use ccm_core::error::Kind;

    fn take(folder: &Folder, millis: u64) -> Result<RunLock> {
        acquire(&Linux::new(), Some(&folder.path("")), Duration::from_millis(millis))
    }

    #[test]
    fn a_lock_is_held_until_it_is_dropped() {
        let folder = Folder::new();
        let first = take(&folder, 0).unwrap();
        assert!(matches!(first, RunLock::Held(_)));
        let error = take(&folder, 30).err().unwrap();
        assert!(matches!(error.kind(), Kind::System(system) if system.cause == Cause::TimedOut));
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        drop(first);
        assert!(matches!(take(&folder, 0).unwrap(), RunLock::Held(_)));
    }

    #[test]
    fn a_file_left_by_a_dead_process_holds_nothing() {
        let folder = Folder::new();
        folder.file("ccm.lock", "1\n");
        assert!(matches!(take(&folder, 0).unwrap(), RunLock::Held(_)));
    }

    #[test]
    fn an_ancestor_that_holds_it_is_good_enough() {
        let folder = Folder::new();
        let _held = take(&folder, 0).unwrap();
        folder.file("ccm.lock", format!("{}\n", getppid()));
        assert!(matches!(take(&folder, 0).unwrap(), RunLock::Inherited));
    }

    #[test]
    fn without_a_directory_there_is_no_lock() {
        let machine = Linux::new();
        assert!(matches!(acquire(&machine, None, Duration::ZERO).unwrap(), RunLock::Unavailable(_)));
        let missing = acquire(&machine, Some("/nonexistent"), Duration::ZERO).unwrap();
        assert!(matches!(missing, RunLock::Unavailable(reason) if reason.contains("/nonexistent")));
    }
}
