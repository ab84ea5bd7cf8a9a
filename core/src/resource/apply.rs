//! `apply`: a child manifest, run where it stands. The engine runs it; this is only what was asked for.

use alloc::format;

use super::Common;
use super::properties::Block;
use crate::error::Result;
use crate::value::{Map, Text};

/// The properties that only an `apply` has.
pub(super) const KEYS: [&str; 5] = ["noop", "health_check_only", "allow_apply", "checksum", "data"];

/// What an `apply` asks for (resources.md 15.3).
#[derive(Clone, Debug)]
pub struct Properties {
    /// The child runs as a dry run.
    pub noop: bool,
    /// The child only runs its health checks.
    pub health_check_only: bool,
    /// The child may hold an `apply` of its own.
    pub allow_apply: bool,
    /// SHA-256 the child manifest must have, in lower-case hex.
    pub checksum: Option<Text>,
    /// Data put over the child's own; `None` when the key is not there.
    pub data: Option<Map>,
}

impl Properties {
    /// Reads and checks the properties of an `apply`.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub(super) fn read(block: &Block<'_>, common: &Common) -> Result<Self> {
        if &*common.ensure != "present" {
            return Err(block.fault("ensure", format!("ensure must be present, found {}", common.ensure)));
        }
        let checksum = block.filled("checksum")?.map(|sum| sum.to_ascii_lowercase().into());
        if checksum
            .as_deref()
            .is_some_and(|sum: &str| sum.len() != 64 || !sum.bytes().all(|digit| digit.is_ascii_hexdigit()))
        {
            return Err(block.fault("checksum", "checksum must be the 64 hex digits of a SHA-256"));
        }
        Ok(Self {
            noop: block.flag("noop")?.unwrap_or(false),
            health_check_only: block.flag("health_check_only")?.unwrap_or(false),
            allow_apply: block.flag("allow_apply")?.unwrap_or(true),
            checksum,
            data: block.data("data")?,
        })
    }
}

/// What the child came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Resources in it.
    pub resources: u64,
    /// Of them changed.
    pub changed: u64,
    /// Of them failed.
    pub failed: u64,
}
