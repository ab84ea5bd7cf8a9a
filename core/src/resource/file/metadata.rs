//! What is known of a file, as events and `ccm status file` show it.

use alloc::format;
use alloc::string::{String, ToString};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Bytes, Ensure, Properties, State};
use crate::error::Result;
use crate::host::{FileKind, Host, Stat, Timestamp};
use crate::resource::record::sha256;
use crate::value::Text;

/// The `metadata` of a file's state (resources.md 6.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// The path.
    pub name: Text,
    /// SHA-256 of the bytes of a regular file.
    pub checksum: Option<String>,
    /// The owner's name, or number where it has none.
    pub owner: String,
    /// The group's name, or number.
    pub group: String,
    /// Four octal digits, special bits included.
    pub mode: String,
    /// When the bytes were last changed; `None` where nothing is.
    pub modified: Option<Timestamp>,
    /// Bytes.
    pub size: u64,
}

impl Metadata {
    /// What is known of a path. Reads the whole file for its checksum, so it is asked only by what leaves
    /// this process: an event that is stored, a status that is shown.
    ///
    /// # Errors
    /// When the path cannot be looked at.
    pub fn look(path: &Text, host: &dyn Host) -> Result<Self> {
        Ok(Self::new(path, host.stat_target(path)?.as_ref(), None, host))
    }

    /// The same of a state at hand; bytes that were just compared are not read again.
    #[must_use]
    pub fn of(wanted: &Properties<Text>, path: &Text, seen: &State, host: &dyn Host) -> Self {
        let content = match &wanted.content {
            Some(content) if seen.content == Bytes::Same && !wanted.block && wanted.ensure == Ensure::Present => {
                Some(content)
            }
            _ => None,
        };
        Self::new(path, seen.met(), content, host)
    }

    fn new(path: &Text, met: Option<&Stat>, content: Option<&Text>, host: &dyn Host) -> Self {
        let Some(stat) = met else {
            return Self {
                name: path.clone(),
                checksum: None,
                owner: String::new(),
                group: String::new(),
                mode: String::new(),
                modified: None,
                size: 0,
            };
        };
        let checksum = match content {
            _ if stat.kind != FileKind::Regular => None,
            Some(content) => Some(sha256(content.as_bytes())),
            None => host.digest(path).ok(),
        };
        Self {
            name: path.clone(),
            checksum,
            owner: host.user_name(stat.uid).unwrap_or_else(|| stat.uid.to_string()),
            group: host.group_name(stat.gid).unwrap_or_else(|| stat.gid.to_string()),
            mode: format!("{:04o}", stat.mode),
            modified: Some(stat.modified),
            size: stat.size,
        }
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &*self.name)?;
        if let Some(checksum) = &self.checksum {
            map.serialize_entry("checksum", checksum)?;
        }
        map.serialize_entry("owner", &self.owner)?;
        map.serialize_entry("group", &self.group)?;
        map.serialize_entry("mode", &self.mode)?;
        map.serialize_entry("provider", "posix")?;
        if let Some(modified) = self.modified {
            map.serialize_entry("mtime", &modified.rfc3339())?;
        }
        if self.size > 0 {
            map.serialize_entry("size", &self.size)?;
        }
        map.end()
    }
}
