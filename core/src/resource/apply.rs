//! `apply`: a child manifest, run where it stands. The engine runs it; this is only what was asked for.

use crate::value::{Map, Text};

/// What an `apply` asks for.
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
    /// Data put over the child's own; `None` when the key is not there, which differs from `{}`.
    pub data: Option<Map>,
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
