//! Functions on text.

use crate::error::Result;

use super::{Builtin, Call, Check, Nature, Overload};
use crate::expr::val::Val;

/// The functions of this file.
pub const TABLE: &[Builtin] = &[Builtin {
    name: "hasPrefix",
    check: Check::Overloads(&[Overload(&[Nature::TEXT, Nature::TEXT], Nature::BOOL)]),
    call: has_prefix,
}];

fn has_prefix(call: &mut Call<'_>) -> Result<Val> {
    Ok(call.text(0)?.starts_with(call.text(1)?).into())
}
