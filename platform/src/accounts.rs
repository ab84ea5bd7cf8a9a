//! Users and groups, read from `/etc/passwd` and `/etc/group`.
//!
//! Each file is read once and looked at again only after a command ran or a file of its name was written, since
//! nothing else in a run can change it on purpose. On a system that has no such file the name `root` is still 0.

use std::cell::{Cell, RefCell};
use std::os::unix::fs::MetadataExt;

use ccm_core::Result;
use nix::unistd::{getegid, geteuid};

use crate::Linux;
use crate::errno::io_fault;

/// The two files as last seen.
pub(crate) struct Accounts {
    users: RefCell<Table>,
    groups: RefCell<Table>,
}

impl Default for Accounts {
    fn default() -> Self {
        Self { users: Table::of("/etc/passwd").into(), groups: Table::of("/etc/group").into() }
    }
}

impl Accounts {
    /// Something may have changed the files: they are compared with the disk before the next answer.
    pub(crate) fn doubt(&self) {
        self.users.borrow_mut().doubted = true;
        self.groups.borrow_mut().doubted = true;
    }

    /// As [`Accounts::doubt`], if this path may be one of theirs.
    pub(crate) fn doubt_after(&self, path: &str) {
        if path.ends_with("/passwd") || path.ends_with("/group") {
            self.doubt();
        }
    }
}

impl ccm_core::host::Accounts for Linux {
    fn user(&self, name: &str) -> Result<Option<u32>> {
        self.accounts.users.borrow_mut().number(name)
    }

    fn group(&self, name: &str) -> Result<Option<u32>> {
        self.accounts.groups.borrow_mut().number(name)
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        self.accounts.users.borrow_mut().name(uid)
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        self.accounts.groups.borrow_mut().name(gid)
    }

    fn current(&self) -> (u32, u32) {
        (geteuid().as_raw(), getegid().as_raw())
    }
}

/// Names and numbers of one file, in its order.
struct Table {
    path: &'static str,
    entries: Vec<(String, u32)>,
    stamp: Option<Stamp>,
    doubted: bool,
    /// The entry found last: a run asks for the same few names again and again.
    last: Cell<usize>,
}

/// Enough to notice that a file is another one or was rewritten.
#[derive(PartialEq, Clone, Copy)]
struct Stamp {
    inode: u64,
    size: u64,
    seconds: i64,
    nanos: i64,
}

impl Table {
    fn of(path: &'static str) -> Self {
        Self { path, entries: Vec::new(), stamp: None, doubted: true, last: Cell::new(0) }
    }

    fn number(&mut self, name: &str) -> Result<Option<u32>> {
        self.refresh()?;
        if let Some(id) = self.find(|(known, _)| known == name).map(|(_, id)| *id) {
            return Ok(Some(id));
        }
        // The highest number means "leave as it is" to chown.
        let digits = name.bytes().all(|byte| byte.is_ascii_digit());
        let id = if digits { name.parse().ok().filter(|&id| id != u32::MAX) } else { None };
        Ok(id.or((name == "root").then_some(0)))
    }

    fn name(&mut self, id: u32) -> Option<String> {
        let known = self.refresh().is_ok();
        let found = if known { self.find(|&(_, number)| number == id).map(|(name, _)| name.clone()) } else { None };
        found.or_else(|| (id == 0).then(|| "root".to_owned()))
    }

    fn find(&self, fits: impl Fn(&(String, u32)) -> bool) -> Option<&(String, u32)> {
        if let Some(entry) = self.entries.get(self.last.get()).filter(|entry| fits(entry)) {
            return Some(entry);
        }
        let at = self.entries.iter().position(fits)?;
        self.last.set(at);
        self.entries.get(at)
    }

    fn refresh(&mut self) -> Result<()> {
        if !self.doubted {
            return Ok(());
        }
        let stamp = match std::fs::metadata(self.path) {
            Ok(meta) => {
                Some(Stamp { inode: meta.ino(), size: meta.size(), seconds: meta.mtime(), nanos: meta.mtime_nsec() })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(io_fault("stat", self.path, &error)),
        };
        if stamp != self.stamp || stamp.is_none() {
            self.entries = match stamp {
                Some(_) => parse(&std::fs::read(self.path).map_err(|error| io_fault("read", self.path, &error))?),
                None => Vec::new(),
            };
            self.last.set(0);
        }
        self.stamp = stamp;
        self.doubted = false;
        Ok(())
    }
}

/// `name:password:number:…` a line; anything else, such as the `+` of network accounts, is passed over.
fn parse(bytes: &[u8]) -> Vec<(String, u32)> {
    let entry = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty() && !name.starts_with(['+', '-', '#']))?;
        Some((name.to_owned(), fields.nth(1)?.parse().ok()?))
    };
    String::from_utf8_lossy(bytes).lines().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccm_core::host::Accounts as _;

    #[test]
    fn odd_lines_are_passed_over() {
        let parsed = parse(b"root:x:0:0::/root:/bin/sh\n+::::::\nbad\nx:y:z\ndaemon:*:1:");
        assert_eq!(parsed, [("root".to_owned(), 0), ("daemon".to_owned(), 1)]);
    }

    #[test]
    fn digits_are_a_number_and_the_highest_is_none() {
        let machine = Linux::new();
        assert_eq!(machine.user("54321").unwrap(), Some(54321));
        assert_eq!(machine.user("4294967295").unwrap(), None);
        assert_eq!(machine.group("no-such-group").unwrap(), None);
        assert_eq!(machine.user("root").unwrap(), Some(0));
        assert_eq!(machine.user_name(0).as_deref(), Some("root"));
    }

    #[test]
    fn without_a_file_root_is_still_known() {
        let mut table = Table::of("/nonexistent/passwd");
        assert_eq!(table.number("root").unwrap(), Some(0));
        assert_eq!(table.number("bin").unwrap(), None);
    }
}
