//! Functions on maps.

use super::Builtin;

/// The functions of this file.
pub const TABLE: &[Builtin] = &[];
