//! What a machine shows and lets be done: the traits that the platform carries out.
//!
//! A method that looks takes `&self`, one that changes takes `&mut self`, so a dry run cannot
//! differ from a real one. A function asks for the smallest trait it needs. [`memory::Memory`] is a
//! whole machine for tests; the platform crate has the Linux one.

pub mod memory;

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::error::Result;

pub use crate::text::time::Timestamp;

/// A whole machine.
pub trait Host: Files + Processes + Accounts + Clock {}

impl<T: Files + Processes + Accounts + Clock> Host for T {}

/// Files and directories. Paths are absolute or relative to the working directory of the program;
/// the final component is never followed when it is a symlink, unless a method says so.
pub trait Files {
    /// What is at a path, a symlink itself included; `None` where nothing is.
    ///
    /// # Errors
    /// [`crate::error::Kind::System`] when it cannot be told (permission, a symlink loop).
    fn stat(&self, path: &str) -> Result<Option<Stat>>;

    /// What a path leads to, symlinks followed; `None` where nothing is.
    ///
    /// # Errors
    /// As [`Files::stat`].
    fn stat_target(&self, path: &str) -> Result<Option<Stat>>;

    /// The bytes of a regular file, symlinks followed. A FIFO or device is refused without being opened for reading.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] when it holds more than `limit` bytes.
    fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>>;

    /// Whether the regular file at a path, not followed, holds exactly these bytes.
    ///
    /// # Errors
    /// When it cannot be read.
    fn holds(&self, path: &str, content: &[u8]) -> Result<bool>;

    /// SHA-256 of a regular file, in lower-case hex, read in pieces.
    ///
    /// # Errors
    /// When it cannot be read.
    fn digest(&self, path: &str) -> Result<String>;

    /// Whether the regular file at a path, not followed, holds the bytes of another, which is followed. Both
    /// are read in pieces.
    ///
    /// # Errors
    /// When one cannot be read.
    fn same(&self, path: &str, other: &str) -> Result<bool> {
        Ok(self.digest(path)? == self.digest(other)?)
    }

    /// Names in a directory, sorted, without `.` and `..`.
    ///
    /// # Errors
    /// When it cannot be read.
    fn list(&self, path: &str) -> Result<Vec<String>>;

    /// What a symlink says.
    ///
    /// # Errors
    /// When it is none.
    fn read_link(&self, path: &str) -> Result<String>;

    /// Puts a file in place atomically: a temporary file in the same directory, attributes on its
    /// descriptor, fsync, rename, fsync of the directory. Where rename cannot work (a bind mount) it is
    /// written in place and the outcome says so.
    ///
    /// # Errors
    /// The operation that failed; nothing is left behind then.
    fn write(&mut self, path: &str, content: Content<'_>, attributes: &Attributes) -> Result<Written>;

    /// Sets owner, group and mode of what is at a path, in place, never of a symlink's target.
    ///
    /// # Errors
    /// The operation that failed.
    fn set_attributes(&mut self, path: &str, attributes: &Attributes) -> Result<()>;

    /// Makes one directory, already owned and with its mode when it appears.
    ///
    /// # Errors
    /// The operation that failed.
    fn make_directory(&mut self, path: &str, attributes: &Attributes) -> Result<()>;

    /// Removes a file, symlink, FIFO, socket or device node.
    ///
    /// # Errors
    /// The operation that failed; nothing there is no error.
    fn remove(&mut self, path: &str) -> Result<()>;

    /// Removes a directory: an empty one, or with `recursive` all below it, symlinks not followed.
    ///
    /// # Errors
    /// The operation that failed; nothing there is no error.
    fn remove_directory(&mut self, path: &str, recursive: bool) -> Result<()>;
}

/// Where the bytes of a new file come from.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// A copy of another file, read in pieces.
    CopyOf(&'a str),
}

/// What [`Files::write`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// By rename: readers saw the old file or the new one.
    Atomically,
    /// In place, since rename was refused; a reader may have seen half of it.
    InPlace,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// What kind of thing.
    pub kind: FileKind,
    /// Permission bits with setuid, setgid and sticky: 07777.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Bytes.
    pub size: u64,
    /// Modification time.
    pub modified: Timestamp,
}

/// Kinds of things in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO, socket, or device.
    Special,
}

/// Attributes to set; `None` leaves as it is (for a new file: root of the process, and 0600 plus what the caller asks).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes {
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Permission bits: 07777.
    pub mode: Option<u32>,
}

/// Users and groups.
pub trait Accounts {
    /// The number of a user, by name or by digits.
    ///
    /// # Errors
    /// When the account files cannot be read; an unknown name is `None`.
    fn user(&self, name: &str) -> Result<Option<u32>>;
    /// The number of a group, by name or by digits.
    ///
    /// # Errors
    /// As [`Accounts::user`].
    fn group(&self, name: &str) -> Result<Option<u32>>;
    /// The name of a user, if it has one.
    fn user_name(&self, uid: u32) -> Option<String>;
    /// The name of a group, if it has one.
    fn group_name(&self, gid: u32) -> Option<String>;
    /// The effective user and group of this process.
    fn current(&self) -> (u32, u32);
}

/// Other programs.
pub trait Processes {
    /// Where a program is: itself if the name has a `/`, else on this process's own `PATH`.
    fn find(&self, program: &str) -> Option<String>;

    /// Runs a command that only looks: a guard, a query.
    ///
    /// # Errors
    /// When it cannot start, is killed by a signal, passes its deadline ([`crate::error::Cause::TimedOut`]) or is
    /// ended because this process was asked to stop ([`crate::error::Cause::Stopped`]). In the last two the whole
    /// process group is ended: TERM, and KILL after 2 s.
    fn ask(&self, command: &Command) -> Result<Output>;

    /// Runs a command that may change the machine.
    ///
    /// # Errors
    /// As [`Processes::ask`].
    fn run(&mut self, command: &Command) -> Result<Output>;

    /// The signal that asked this process to stop, once one came.
    fn stop_requested(&self) -> Option<Stop>;
}

/// Why a run ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// INT: exit 130.
    Interrupt,
    /// TERM: exit 143.
    Terminate,
}

/// A command to run: no shell unless the program is one, standard input empty unless given.
#[derive(Debug, Clone, Default)]
pub struct Command {
    /// Program, found as [`Processes::find`] does, or in `search` when that is given.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The whole environment, `NAME=value`; later entries win.
    pub environment: Vec<String>,
    /// Directories to search for the program, in place of this process's `PATH`.
    pub search: Option<String>,
    /// Working directory; `/` when not given.
    pub directory: Option<String>,
    /// Standard input.
    pub input: Vec<u8>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// Hand each line of output on while it runs (`logoutput`).
    pub stream: bool,
    /// Bytes of each stream to keep; the end is kept. Zero: [`Command::KEPT`].
    pub keep: usize,
}

impl Command {
    /// Bytes of output that are kept when nothing else is said.
    pub const KEPT: usize = 256 * 1024;
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// Exit code, 0 to 255.
    pub code: i32,
    /// The end of standard output.
    pub stdout: Vec<u8>,
    /// The end of standard error.
    pub stderr: Vec<u8>,
    /// Bytes of either stream were dropped.
    pub truncated: bool,
}

/// Time, and the machine's randomness.
pub trait Clock {
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// Time since some fixed moment, never set back.
    fn monotonic(&self) -> Duration;
    /// Waits; returns early when a stop is requested.
    fn sleep(&self, duration: Duration);
    /// Random bytes.
    fn random(&self) -> [u8; 16];
    /// The TZif file of a zone, if the machine has it.
    fn zone(&self, name: &str) -> Option<Vec<u8>>;
}
