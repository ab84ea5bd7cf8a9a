//! A whole machine in memory: files, accounts, scripted commands and a clock that only moves when asked.
//!
//! The engine's tests run against it, and so can anything that wants to know what a run would do
//! to a machine described as data. Every change is written into a journal, so that a test can say
//! "a second run changes nothing" and mean it. Paths are absolute and clean.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::time::Duration;

use super::{Accounts, Clock, Stop, Timestamp};
use crate::error::{Cause, Error, Kind, Result, System};
use files::{Entry, What};
use script::Scripted;

pub use script::Reply;

mod files;
mod script;

/// A machine in memory.
pub struct Memory {
    entries: BTreeMap<String, Entry>,
    users: Vec<(String, u32)>,
    groups: Vec<(String, u32)>,
    commands: Vec<Scripted>,
    zones: BTreeMap<String, Vec<u8>>,
    refusals: BTreeMap<String, Cause>,
    read_only: bool,
    journal: Vec<String>,
    calls: RefCell<Vec<String>>,
    time: Cell<Duration>,
    stop: Cell<Option<Stop>>,
    dice: Cell<u64>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// Describing the machine. These never fail and leave no trace in the journal.
impl Memory {
    /// A machine with `/`, `/etc` and `/tmp`, the accounts `root` and `daemon`, no commands, in July 2026.
    #[must_use]
    pub fn new() -> Self {
        let mut machine = Self {
            entries: BTreeMap::new(),
            users: Vec::from([("root".to_owned(), 0), ("daemon".to_owned(), 1)]),
            groups: Vec::from([("root".to_owned(), 0), ("daemon".to_owned(), 1)]),
            commands: Vec::new(),
            zones: BTreeMap::new(),
            refusals: BTreeMap::new(),
            read_only: false,
            journal: Vec::new(),
            calls: RefCell::new(Vec::new()),
            time: Cell::new(Duration::from_secs(1_782_864_000)),
            stop: Cell::new(None),
            dice: Cell::new(0x2545_f491_4f6c_dd1d),
        };
        for path in ["/", "/etc", "/tmp"] {
            machine.put(path, What::Directory, 0o755);
        }
        machine
    }

    /// A regular file of root, mode 0644, its directories made as needed.
    #[must_use]
    pub fn with_file(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.place_file(path, content);
        self
    }

    /// As [`Memory::with_file`], on a machine at hand: what an effect of a command does.
    pub fn place_file(&mut self, path: &str, content: impl AsRef<[u8]>) {
        self.place_directory(parent(path));
        self.put(path, What::File(content.as_ref().to_vec()), 0o644);
    }

    /// A directory of root, mode 0755, with all above it.
    pub fn place_directory(&mut self, path: &str) {
        if !self.entries.contains_key(path) {
            self.place_directory(parent(path));
            self.put(path, What::Directory, 0o755);
        }
    }

    /// A directory, as [`Memory::place_directory`].
    #[must_use]
    pub fn with_directory(mut self, path: &str) -> Self {
        self.place_directory(path);
        self
    }

    /// A symlink.
    #[must_use]
    pub fn with_link(mut self, path: &str, target: &str) -> Self {
        self.place_directory(parent(path));
        self.put(path, What::Link(target.to_owned()), 0o777);
        self
    }

    /// A FIFO, socket or device.
    #[must_use]
    pub fn with_special(mut self, path: &str) -> Self {
        self.place_directory(parent(path));
        self.put(path, What::Special, 0o644);
        self
    }

    /// Owner, group and mode of what is at a path.
    #[must_use]
    pub fn with_attributes(mut self, path: &str, uid: u32, gid: u32, mode: u32) -> Self {
        if let Some(entry) = self.entries.get_mut(path) {
            (entry.uid, entry.gid, entry.mode) = (uid, gid, mode);
        }
        self
    }

    /// A user and a group of that name and number.
    #[must_use]
    pub fn with_account(mut self, name: &str, id: u32) -> Self {
        self.add_account(name, id);
        self
    }

    /// As [`Memory::with_account`], on a machine at hand.
    pub fn add_account(&mut self, name: &str, id: u32) {
        self.users.push((name.to_owned(), id));
        self.groups.push((name.to_owned(), id));
    }

    /// A command line (`*` stands for any text) and its answer. The first that fits is taken.
    #[must_use]
    pub fn with_command(mut self, pattern: &str, reply: Reply) -> Self {
        self.commands.push(Scripted { pattern: pattern.to_owned(), reply });
        self
    }

    /// The TZif bytes of a zone.
    #[must_use]
    pub fn with_zone(mut self, name: &str, bytes: &[u8]) -> Self {
        self.zones.insert(name.to_owned(), bytes.to_vec());
        self
    }

    /// Every change of this path fails so; [`Cause::Busy`] makes a write go in place, as on a bind mount.
    #[must_use]
    pub fn refusing(mut self, path: &str, cause: Cause) -> Self {
        self.refusals.insert(path.to_owned(), cause);
        self
    }

    /// Every change of any file fails, as on a read-only root.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// The signal has arrived.
    pub fn stop(&self, stop: Stop) {
        self.stop.set(Some(stop));
    }

    fn put(&mut self, path: &str, what: What, mode: u32) {
        let modified = self.now();
        self.entries.insert(path.to_owned(), Entry { what, uid: 0, gid: 0, mode, modified });
    }
}

/// What a test looks at afterwards.
impl Memory {
    /// Changes made through [`crate::host::Files`], in order: `write /etc/motd`, `attributes /etc/motd`, `directory /srv`,
    /// `remove /x`.
    #[must_use]
    pub fn journal(&self) -> &[String] {
        &self.journal
    }

    /// Command lines asked and run, in order, words joined by blanks.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.calls.borrow().clone()
    }

    /// Forgets the journal and the calls, before a second run.
    pub fn forget(&mut self) {
        self.journal.clear();
        self.calls.borrow_mut().clear();
    }

    /// The text of a regular file.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.entries.get(path).map(|entry| &entry.what) {
            Some(What::File(bytes)) => core::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// Owner, group and mode of what is at a path.
    #[must_use]
    pub fn attributes(&self, path: &str) -> Option<(u32, u32, u32)> {
        self.entries.get(path).map(|entry| (entry.uid, entry.gid, entry.mode))
    }
}

impl Accounts for Memory {
    fn user(&self, name: &str) -> Result<Option<u32>> {
        Ok(number(&self.users, name))
    }

    fn group(&self, name: &str) -> Result<Option<u32>> {
        Ok(number(&self.groups, name))
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        name(&self.users, uid)
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        name(&self.groups, gid)
    }

    fn current(&self) -> (u32, u32) {
        (0, 0)
    }
}

impl Clock for Memory {
    fn now(&self) -> Timestamp {
        let time = self.time.get();
        Timestamp { seconds: time.as_secs() as i64, nanos: time.subsec_nanos() }
    }

    fn monotonic(&self) -> Duration {
        self.time.get()
    }

    fn sleep(&self, duration: Duration) {
        self.time.set(self.time.get() + duration);
    }

    /// The same bytes in the same order on each new machine.
    fn random(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for half in bytes.chunks_exact_mut(8) {
            let mut state = self.dice.get();
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            self.dice.set(state);
            half.copy_from_slice(&state.to_le_bytes());
        }
        bytes
    }

    fn zone(&self, name: &str) -> Option<Vec<u8>> {
        self.zones.get(name).cloned()
    }
}

fn parent(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

fn number(accounts: &[(String, u32)], name: &str) -> Option<u32> {
    accounts.iter().find(|(known, _)| known == name).map(|&(_, id)| id).or_else(|| name.parse().ok())
}

fn name(accounts: &[(String, u32)], id: u32) -> Option<String> {
    accounts.iter().find(|&&(_, known)| known == id).map(|(name, _)| name.clone())
}

fn refused(operation: &'static str, object: &str, cause: Cause) -> Error {
    let text = match cause {
        Cause::NotFound => "no such file or directory",
        Cause::Exists => "file exists",
        Cause::Denied => "permission denied",
        Cause::ReadOnly => "read-only file system",
        Cause::Busy => "device or resource busy",
        Cause::CrossDevice => "invalid cross-device link",
        Cause::NotDirectory => "not a directory",
        Cause::IsDirectory => "is a directory",
        Cause::NotEmpty => "directory not empty",
        Cause::Symlink => "too many levels of symbolic links",
        Cause::Full => "no space left on device",
        Cause::Unsupported => "operation not supported",
        Cause::TimedOut => "timed out",
        Cause::Stopped => "ended by a signal to ccm",
        Cause::Other => "invalid argument",
    };
    Kind::System(System { operation, object: object.to_string(), cause, text: text.to_owned() }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Attributes, Command, Content, FileKind, Files, Processes};

    fn cause(result: Result<impl Sized>) -> Cause {
        match result.err().unwrap().kind() {
            Kind::System(system) => system.cause,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_written_file_keeps_the_attributes_it_had() {
        let mut machine = Memory::new().with_file("/etc/motd", "old").with_attributes("/etc/motd", 1, 2, 0o640);
        let mode = Attributes { mode: Some(0o600), ..Attributes::default() };
        machine.write("/etc/motd", Content::Bytes(b"new"), &mode).unwrap();
        assert_eq!(machine.text("/etc/motd"), Some("new"));
        assert_eq!(machine.attributes("/etc/motd"), Some((1, 2, 0o600)));
        assert_eq!(machine.journal(), ["write /etc/motd"]);
    }

    #[test]
    fn a_link_is_replaced_and_its_target_stays() {
        let mut machine = Memory::new().with_file("/etc/victim", "v").with_link("/tmp/l", "../etc/victim");
        assert!(machine.stat("/tmp/l").unwrap().is_some_and(|stat| stat.kind == FileKind::Symlink));
        assert!(machine.stat_target("/tmp/l").unwrap().is_some_and(|stat| stat.kind == FileKind::Regular));
        machine.write("/tmp/l", Content::Bytes(b"x"), &Attributes::default()).unwrap();
        assert_eq!((machine.text("/tmp/l"), machine.text("/etc/victim")), (Some("x"), Some("v")));
    }

    #[test]
    fn a_path_below_a_file_is_absent_and_cannot_be_written() {
        let mut machine = Memory::new().with_file("/etc/motd", "");
        assert!(machine.stat("/etc/motd/x").unwrap().is_none());
        let written = machine.write("/etc/motd/x", Content::Bytes(b""), &Attributes::default());
        assert_eq!(cause(written), Cause::NotDirectory);
    }

    #[test]
    fn a_link_that_leads_to_itself_is_an_error() {
        let machine = Memory::new().with_link("/tmp/l", "l");
        assert_eq!(cause(machine.stat_target("/tmp/l")), Cause::Symlink);
    }

    #[test]
    fn only_a_recursive_removal_empties_a_directory() {
        let mut machine = Memory::new().with_file("/srv/a/b", "").with_file("/srv2", "");
        assert_eq!(cause(machine.remove_directory("/srv", false)), Cause::NotEmpty);
        machine.remove_directory("/srv", true).unwrap();
        assert!(machine.stat("/srv/a/b").unwrap().is_none() && machine.stat("/srv2").unwrap().is_some());
        assert_eq!(machine.list("/").unwrap(), ["etc", "srv2", "tmp"]);
    }

    #[test]
    fn scripts_answer_in_order_and_change_the_machine_only_when_run() {
        let effect = |machine: &mut Memory| machine.place_file("/made", "");
        let mut machine = Memory::new()
            .with_command("/bin/make *", Reply::says("first").once().doing(effect))
            .with_command("/bin/make*", Reply::exits(2));
        let command =
            Command { program: "/bin/make".to_owned(), arguments: Vec::from(["it".to_owned()]), ..Command::default() };
        assert_eq!(machine.ask(&command).unwrap().stdout, b"first");
        assert!(machine.text("/made").is_none());
        machine.run(&command).unwrap();
        assert!(machine.text("/made").is_some());
        assert_eq!(machine.run(&command).unwrap().code, 2);
        assert_eq!(machine.find("make").as_deref(), Some("/bin/make"));
        assert_eq!(machine.calls().len(), 3);
    }

    #[test]
    fn a_command_past_its_deadline_is_ended_there() {
        let mut machine = Memory::new().with_command("sleep*", Reply::exits(0).taking(Duration::from_secs(9)));
        let command =
            Command { program: "sleep".to_owned(), timeout: Some(Duration::from_secs(1)), ..Command::default() };
        let before = machine.monotonic();
        assert_eq!(cause(machine.run(&command)), Cause::TimedOut);
        assert_eq!(machine.monotonic() - before, Duration::from_secs(1));
    }
}
