//! What an expression computes with, as text: Go's `%v`, and JSON.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display, Write};

use base64ct::{Base64, Encoding};

use super::val::{Items, Val};
use crate::error::expr::ExprFault;
use crate::error::{Kind, Result};
use crate::names::Fuel;
use crate::text::time::{self, MONTHS, WEEKDAYS};
use crate::value::show::{append, write_paid};
use crate::value::wire::{self, Layout};
use crate::value::{Map, Text, Value};

/// How deep lists and maps may be nested that are shown.
const DEPTH: usize = 128;

/// As Go's `%v`: lists `[1 2]`, maps `map[a:1]`, nil `<nil>`, times and durations in their own form.
impl Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self, f, DEPTH)
    }
}

fn show(val: &Val, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
    let Some(deeper) = depth.checked_sub(1) else { return f.write_char('…') };
    match val {
        Val::Plain(value) => value.fmt(f),
        Val::Duration(nanos) => f.write_str(&time::duration::format(*nanos)),
        Val::Time(moment) => f.write_str(&time::layout::format(moment, time::layout::STRING)),
        Val::Zone(zone) => f.write_str(zone.name()),
        Val::Month(month) => f.write_str(month_name(*month)),
        Val::Weekday(day) => f.write_str(weekday_name(*day)),
        Val::Bytes(_) | Val::Range(..) => {
            spaced(f, "[", val.items().into_iter().flat_map(Items::iter), |f, item| show(&item, f, deeper))
        }
        Val::List(items) => spaced(f, "[", items.iter(), |f, item| show(item, f, deeper)),
        Val::Map(entries) => spaced(f, "map[", entries.iter(), |f, (key, value)| {
            write!(f, "{key}:")?;
            show(value, f, deeper)
        }),
        Val::Groups(groups) => spaced(f, "map[", groups.entries.iter(), |f, (key, value)| {
            show(key, f, deeper)?;
            f.write_char(':')?;
            show(value, f, deeper)
        }),
        Val::Method(_) => f.write_str("<function>"),
        Val::Env => f.write_str("$env"),
    }
}

fn spaced<'a, T>(
    f: &mut fmt::Formatter<'a>,
    open: &str,
    items: impl Iterator<Item = T>,
    mut each: impl FnMut(&mut fmt::Formatter<'a>, T) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (at, item) in items.enumerate() {
        if at > 0 {
            f.write_char(' ')?;
        }
        each(f, item)?;
    }
    f.write_char(']')
}

/// `February`.
pub(super) fn month_name(month: u8) -> &'static str {
    MONTHS.get(usize::from(month).wrapping_sub(1)).copied().unwrap_or("")
}

/// `Thursday`.
pub(super) fn weekday_name(day: u8) -> &'static str {
    WEEKDAYS.get(usize::from(day)).copied().unwrap_or("")
}

/// The text of a value, paid for as it grows.
pub(super) fn text(val: &Val, fuel: &Fuel) -> Result<Text> {
    match val {
        Val::Plain(Value::Text(text)) => return Ok(text.clone()),
        Val::Plain(value @ (Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_))) => {
            const WIDEST: usize = 24;
            fuel.allocate(Fuel::TEXT + WIDEST)?;
            let mut out = String::with_capacity(WIDEST);
            append(&mut out, value);
            return Ok(out.into());
        }
        _ => {}
    }
    let mut out = String::new();
    write_paid(&mut out, val, &|from, to| pay(fuel, from, to))?;
    fuel.allocate(Fuel::TEXT)?;
    fuel.room(out.len())?;
    Ok(out.into())
}

/// Text is made as fast as four times of it is looked at.
fn pay(fuel: &Fuel, from: usize, to: usize) -> Result<()> {
    fuel.scan((to - from).saturating_mul(4))?;
    fuel.grow(from, to)
}

/// Plain data of the same meaning, as far as text can hold it: what a field of a resource gets.
///
/// # Errors
/// What the fuel does not suffice for: data that shares its parts is larger when it is plain.
pub(super) fn plain(val: &Val, fuel: &Fuel) -> Result<Value> {
    match val {
        Val::Plain(value) => Ok(value.clone()),
        Val::Groups(groups) => {
            fuel.map(groups.entries.len())?;
            let mut entries = Vec::with_capacity(groups.entries.len());
            for (key, value) in &groups.entries {
                entries.push((text(key, fuel)?, plain(value, fuel)?));
            }
            Ok(Value::Map(Map::from_entries(entries)))
        }
        Val::Bytes(_) | Val::List(_) | Val::Range(..) | Val::Map(_) => inside(val, fuel, &|inner| plain(inner, fuel)),
        other => Ok(Value::Text(text(other, fuel)?)),
    }
}

/// A list or a map from text, with something made of each value in it.
fn inside(val: &Val, fuel: &Fuel, made: &dyn Fn(&Val) -> Result<Value>) -> Result<Value> {
    if let Val::Map(members) = val {
        fuel.map(members.len())?;
        let mut entries = Vec::with_capacity(members.len());
        for (key, member) in members.iter() {
            fuel.step(1)?;
            entries.push((key.clone(), made(member)?));
        }
        return Ok(Value::Map(Map::from_entries(entries)));
    }
    let Some(items) = val.items() else { return Ok(Value::Null) };
    fuel.list(items.len())?;
    let mut list = Vec::with_capacity(items.len());
    for item in items.iter() {
        fuel.step(1)?;
        list.push(made(&item)?);
    }
    Ok(Value::list(list))
}

/// JSON as Go's `MarshalIndent` with two spaces.
///
/// # Errors
/// [`ExprFault::BadJson`] for what JSON cannot hold: functions, maps with keys that are no text, NaN. What the fuel does
/// not suffice for.
pub(super) fn json(val: &Val, fuel: &Fuel) -> Result<String> {
    let value = encodable(val, DEPTH, fuel)?;
    let text = wire::json_paid(&value, Layout::INDENTED, &|from, to| pay(fuel, from, to));
    let text = text.map_err(|fault| match fault.kind() {
        Kind::Limit(_) => fault,
        _ => ExprFault::BadJson(fault.to_string()).into(),
    })?;
    fuel.allocate(Fuel::TEXT)?;
    fuel.room(text.len())?;
    Ok(text)
}

/// The plain data that Go's encoder would write.
fn encodable(val: &Val, depth: usize, fuel: &Fuel) -> Result<Value> {
    let deeper = depth.checked_sub(1).ok_or_else(|| ExprFault::BadJson("nested too deeply".into()))?;
    Ok(match val {
        Val::Plain(value) => value.clone(),
        Val::Bytes(bytes) => {
            fuel.text(bytes.len().saturating_mul(2))?;
            Value::from(Base64::encode_string(bytes))
        }
        Val::Duration(nanos) => Value::from(*nanos),
        Val::Time(moment) if (0..=9999).contains(&moment.civil().year) => {
            Value::from(time::layout::format(moment, "2006-01-02T15:04:05.999999999Z07:00"))
        }
        Val::Time(_) => return Err(ExprFault::BadJson("the year of a time lies outside of 0 to 9999".into()).into()),
        Val::Zone(_) => Value::Map(Map::new()),
        Val::Month(number) | Val::Weekday(number) => Value::from(i64::from(*number)),
        Val::List(_) | Val::Range(..) | Val::Map(_) => {
            return inside(val, fuel, &|inner| encodable(inner, deeper, fuel));
        }
        Val::Groups(_) => return Err(ExprFault::BadJson("the keys of a group may be other than text".into()).into()),
        Val::Method(_) | Val::Env => return Err(ExprFault::BadJson("functions have no JSON".into()).into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::time::{Moment, Timestamp, Zone};
    use alloc::sync::Arc;

    #[test]
    fn times_and_durations_show_in_their_own_form_at_any_depth() {
        let moment = Moment::utc(Timestamp { seconds: 1_709_164_800, nanos: 0 });
        let list = Val::list(alloc::vec![Val::Time(Arc::new(moment)), Val::Duration(1_500_000_000), Val::Month(2)]);
        assert_eq!(list.to_string(), "[2024-02-29 00:00:00 +0000 UTC 1.5s February]");
        assert_eq!(json(&list, &Fuel::new()).unwrap(), "[\n  \"2024-02-29T00:00:00Z\",\n  1500000000,\n  2\n]");
        assert_eq!(Val::Zone(Zone::utc()).to_string(), "UTC");
    }
}
