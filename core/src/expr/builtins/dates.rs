//! Dates, durations and zones: functions, methods, and what the operators do with them.

use super::{Builtin, Method};

/// The functions of this file.
pub const TABLE: &[Builtin] = &[];

/// Methods of times, durations, zones, months and weekdays.
pub const METHODS: &[Method] = &[];
