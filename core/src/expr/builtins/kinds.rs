//! What kind a value is.

use crate::error::Result;
use crate::expr::val::Val;
use crate::value::{Shape, Value};

use super::{Builtin, Call, Check, Nature, Overload};

/// The functions of this file.
pub const TABLE: &[Builtin] =
    &[Builtin { name: "type", check: Check::Overloads(&[Overload(&[Nature::ANY], Nature::TEXT)]), call: kind }];

/// Named as in the reference, except that all integers are `int`.
fn kind(call: &mut Call<'_>) -> Result<Val> {
    Ok(match call.argument(0) {
        Val::Plain(Value::Null) => "nil",
        Val::Plain(Value::Bool(_)) => "bool",
        Val::Plain(Value::Int(_)) => "int",
        Val::Plain(Value::Float(_)) => "float",
        Val::Plain(Value::Text(_)) => "string",
        Val::Plain(Value::List(_)) | Val::List(_) | Val::Range(..) | Val::Bytes(_) => "array",
        Val::Plain(Value::Map(map)) if matches!(map.shape(), Shape::Struct(_)) => "struct",
        Val::Plain(Value::Map(_)) | Val::Map(_) | Val::Groups(_) => "map",
        Val::Time(_) => "time.Time",
        Val::Duration(_) => "time.Duration",
        Val::Zone(_) => "time.Location",
        Val::Month(_) => "time.Month",
        Val::Weekday(_) => "time.Weekday",
        Val::Method(_) => "func",
        Val::Env => "struct",
    }
    .into())
}
