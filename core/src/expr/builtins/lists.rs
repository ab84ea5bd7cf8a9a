//! Functions on lists.

use super::Builtin;

/// The functions of this file.
pub const TABLE: &[Builtin] = &[];
