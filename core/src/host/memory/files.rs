//! The files of the machine in memory: a path, what stands there, and where symlinks lead.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use super::{Memory, parent, refused};
use crate::error::{Cause, Error, Kind, Result, System};
use crate::host::{Attributes, Clock, Content, FileKind, Files, Stat, Timestamp, Written};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) what: What,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) mode: u32,
    pub(super) modified: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    File(Vec<u8>),
    Directory,
    Link(String),
    Special,
}

impl Memory {
    /// The path with every symlink on its way replaced, the last one too if asked.
    fn resolve(&self, path: &str, follow_last: bool) -> Result<String> {
        let mut left: Vec<String> = path.split('/').rev().filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let mut done = String::new();
        let mut links = 0;
        while let Some(name) = left.pop() {
            if name == ".." {
                done.truncate(done.rfind('/').unwrap_or(0));
                continue;
            }
            let here = format!("{done}/{name}");
            match self.entries.get(&here).map(|entry| &entry.what) {
                Some(What::Link(target)) if follow_last || !left.is_empty() => {
                    links += 1;
                    if links > 40 {
                        return Err(refused("open", path, Cause::Symlink));
                    }
                    if target.starts_with('/') {
                        done.clear();
                    }
                    left.extend(
                        target.split('/').rev().filter(|name| !name.is_empty() && *name != ".").map(str::to_owned),
                    );
                }
                Some(What::File(_) | What::Special) if !left.is_empty() => {
                    return Err(refused("open", path, Cause::NotDirectory));
                }
                _ => done = here,
            }
        }
        Ok(if done.is_empty() { "/".to_owned() } else { done })
    }

    fn look(&self, path: &str, follow: bool) -> Result<Option<Stat>> {
        match self.resolve(path, follow) {
            Ok(path) => Ok(self.entries.get(&path).map(Entry::stat)),
            Err(error) if matches!(error.kind(), Kind::System(System { cause: Cause::NotDirectory, .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn bytes(&self, path: &str, follow: bool) -> Result<&[u8]> {
        match self.entries.get(&self.resolve(path, follow)?).map(|entry| &entry.what) {
            Some(What::File(bytes)) => Ok(bytes),
            Some(What::Directory) => Err(refused("read", path, Cause::IsDirectory)),
            Some(What::Link(_)) => Err(refused("open", path, Cause::Symlink)),
            Some(What::Special) => Err(refused("read", path, Cause::Unsupported)),
            None => Err(refused("open", path, Cause::NotFound)),
        }
    }

    /// Where a change of this path lands, if the machine allows it and its directory exists.
    fn target(&self, operation: &'static str, path: &str) -> Result<String> {
        let real = self.resolve(path, false)?;
        if self.read_only {
            return Err(refused(operation, path, Cause::ReadOnly));
        }
        if let Some(&cause) = self.refusals.get(&real).filter(|&&cause| cause != Cause::Busy) {
            return Err(refused(operation, path, cause));
        }
        match self.entries.get(parent(&real)).map(|entry| &entry.what) {
            Some(What::Directory) => Ok(real),
            Some(_) => Err(refused(operation, path, Cause::NotDirectory)),
            None => Err(refused(operation, path, Cause::NotFound)),
        }
    }

    fn children(&self, path: &str) -> impl Iterator<Item = &str> {
        let prefix = if path == "/" { path.to_owned() } else { format!("{path}/") };
        let length = prefix.len();
        self.entries
            .range(prefix.clone()..)
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(move |(path, _)| &path[length..])
            .filter(|name| !name.is_empty())
    }
}

impl Entry {
    fn stat(&self) -> Stat {
        let (kind, size) = match &self.what {
            What::File(bytes) => (FileKind::Regular, bytes.len()),
            What::Directory => (FileKind::Directory, 0),
            What::Link(target) => (FileKind::Symlink, target.len()),
            What::Special => (FileKind::Special, 0),
        };
        Stat { kind, mode: self.mode, uid: self.uid, gid: self.gid, size: size as u64, modified: self.modified }
    }

    fn apply(&mut self, attributes: &Attributes) {
        self.uid = attributes.uid.unwrap_or(self.uid);
        self.gid = attributes.gid.unwrap_or(self.gid);
        self.mode = attributes.mode.unwrap_or(self.mode);
    }
}

impl Files for Memory {
    fn stat(&self, path: &str) -> Result<Option<Stat>> {
        self.look(path, false)
    }

    fn stat_target(&self, path: &str) -> Result<Option<Stat>> {
        self.look(path, true)
    }

    fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>> {
        let bytes = self.bytes(path, true)?;
        if bytes.len() as u64 > limit {
            return Err(Error::limit(format!("{path} is larger than {limit} bytes")));
        }
        Ok(bytes.to_vec())
    }

    fn holds(&self, path: &str, content: &[u8]) -> Result<bool> {
        self.bytes(path, false).map(|bytes| bytes == content)
    }

    fn digest(&self, path: &str) -> Result<String> {
        let digest = Sha256::digest(self.bytes(path, true)?);
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn list(&self, path: &str) -> Result<Vec<String>> {
        let real = self.resolve(path, true)?;
        match self.entries.get(&real).map(|entry| &entry.what) {
            Some(What::Directory) => {
                Ok(self.children(&real).filter(|name| !name.contains('/')).map(str::to_owned).collect())
            }
            Some(_) => Err(refused("list", path, Cause::NotDirectory)),
            None => Err(refused("list", path, Cause::NotFound)),
        }
    }

    fn read_link(&self, path: &str) -> Result<String> {
        match self.entries.get(&self.resolve(path, false)?).map(|entry| &entry.what) {
            Some(What::Link(target)) => Ok(target.clone()),
            Some(_) => Err(refused("readlink", path, Cause::Other)),
            None => Err(refused("readlink", path, Cause::NotFound)),
        }
    }

    fn write(&mut self, path: &str, content: Content<'_>, attributes: &Attributes) -> Result<Written> {
        let real = self.target("write", path)?;
        let bytes = match content {
            Content::Bytes(bytes) => bytes.to_vec(),
            Content::CopyOf(source) => self.bytes(source, true)?.to_vec(),
        };
        let now = self.now();
        let mut entry = match self.entries.get(&real) {
            Some(Entry { what: What::Directory, .. }) => return Err(refused("write", path, Cause::IsDirectory)),
            Some(entry) if matches!(entry.what, What::File(_)) => entry.clone(),
            _ => Entry { what: What::Special, uid: 0, gid: 0, mode: 0o600, modified: now },
        };
        entry.what = What::File(bytes);
        entry.modified = now;
        entry.apply(attributes);
        let written = if self.refusals.contains_key(&real) { Written::InPlace } else { Written::Atomically };
        self.journal.push(format!("write {real}"));
        self.entries.insert(real, entry);
        Ok(written)
    }

    fn set_attributes(&mut self, path: &str, attributes: &Attributes) -> Result<()> {
        let real = self.target("chmod", path)?;
        match self.entries.get_mut(&real) {
            None => return Err(refused("chmod", path, Cause::NotFound)),
            Some(Entry { what: What::Link(_), .. }) => return Err(refused("chmod", path, Cause::Symlink)),
            Some(entry) => entry.apply(attributes),
        }
        self.journal.push(format!("attributes {real}"));
        Ok(())
    }

    fn make_directory(&mut self, path: &str, attributes: &Attributes) -> Result<()> {
        let real = self.target("mkdir", path)?;
        if self.entries.contains_key(&real) {
            return Err(refused("mkdir", path, Cause::Exists));
        }
        let mut entry = Entry { what: What::Directory, uid: 0, gid: 0, mode: 0o700, modified: self.now() };
        entry.apply(attributes);
        self.journal.push(format!("directory {real}"));
        self.entries.insert(real, entry);
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        if self.look(path, false)?.is_none() {
            return Ok(());
        }
        let real = self.target("remove", path)?;
        if matches!(self.entries.get(&real), Some(Entry { what: What::Directory, .. })) {
            return Err(refused("remove", path, Cause::IsDirectory));
        }
        self.journal.push(format!("remove {real}"));
        self.entries.remove(&real);
        Ok(())
    }

    fn remove_directory(&mut self, path: &str, recursive: bool) -> Result<()> {
        match self.look(path, false)? {
            None => return Ok(()),
            Some(stat) if stat.kind != FileKind::Directory => {
                return Err(refused("rmdir", path, Cause::NotDirectory));
            }
            Some(_) => {}
        }
        let real = self.target("rmdir", path)?;
        let below: Vec<String> = self.children(&real).map(|name| format!("{real}/{name}")).collect();
        if !below.is_empty() && !recursive {
            return Err(refused("rmdir", path, Cause::NotEmpty));
        }
        for path in &below {
            self.entries.remove(path);
        }
        self.entries.remove(&real);
        self.journal.push(format!("remove {real}"));
        Ok(())
    }
}
