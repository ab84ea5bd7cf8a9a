//! Functions on text. Text is UTF-8 and its places are bytes, as in the reference; only `len` counts characters.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64ct::{Base64, Encoding};

use super::{Builtin, Call, Check, Nature, Overload};
use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::expr::ops::pay_text;
use crate::expr::show;
use crate::expr::val::{Items, Val};
use crate::names::Fuel;
use crate::text::case;
use crate::value::{Map, Value, json};

const TEXT: Nature = Nature::TEXT;
const INT: Nature = Nature::INT;

/// The functions of this file. Forms stand in the order in which the reference tries them: the fault of
/// the last one is what a caller sees.
pub const TABLE: &[Builtin] = &[
    text_function("trim", &[Overload(&[TEXT], TEXT), Overload(&[TEXT, TEXT], TEXT)], trim),
    text_function("trimPrefix", &[Overload(&[TEXT, TEXT], TEXT), Overload(&[TEXT], TEXT)], trim_prefix),
    text_function("trimSuffix", &[Overload(&[TEXT, TEXT], TEXT), Overload(&[TEXT], TEXT)], trim_suffix),
    text_function("upper", &[Overload(&[TEXT], TEXT)], |call| cased(call, case::upper)),
    text_function("lower", &[Overload(&[TEXT], TEXT)], |call| cased(call, case::lower)),
    text_function("split", SPLITS, |call| split(call, false)),
    text_function("splitAfter", SPLITS, |call| split(call, true)),
    text_function("replace", &[Overload(&[TEXT, TEXT, TEXT, INT], TEXT), Overload(&[TEXT, TEXT, TEXT], TEXT)], replace),
    text_function("repeat", &[Overload(&[TEXT, INT], TEXT)], repeat),
    text_function("join", JOINS, join),
    text_function("indexOf", &[Overload(&[TEXT, TEXT], INT)], |call| search(call, |text, part| text.find(part))),
    text_function("lastIndexOf", &[Overload(&[TEXT, TEXT], INT)], |call| search(call, |text, part| text.rfind(part))),
    text_function("hasPrefix", &[Overload(&[TEXT, TEXT], Nature::BOOL)], |call| {
        ends(call, |text, part| text.starts_with(part))
    }),
    text_function("hasSuffix", &[Overload(&[TEXT, TEXT], Nature::BOOL)], |call| {
        ends(call, |text, part| text.ends_with(part))
    }),
    text_function("toJSON", &[Overload(&[Nature::ANY], TEXT)], |call| {
        show::json(call.argument(0), call.scope.fuel).map(Val::from)
    }),
    text_function("fromJSON", &[Overload(&[TEXT], Nature::ANY)], from_json),
    text_function("toBase64", &[Overload(&[TEXT], TEXT)], |call| {
        let text = call.text(0)?;
        // Encoded in a time that does not depend on the text, which is slow.
        call.scope.fuel.scan(text.len().saturating_mul(4))?;
        call.scope.fuel.text((text.len() / 3 + 1).saturating_mul(4))?;
        Ok(Base64::encode_string(text.as_bytes()).into())
    }),
    text_function("fromBase64", &[Overload(&[TEXT], TEXT)], from_base64),
    text_function("string", &[Overload(&[Nature::ANY], TEXT)], |call| {
        Ok(Val::Plain(Value::Text(show::text(call.argument(0), call.scope.fuel)?)))
    }),
];

const SPLITS: &[Overload] = &[Overload(&[TEXT, TEXT], Nature::TEXTS), Overload(&[TEXT, TEXT, INT], Nature::TEXTS)];

const JOINS: &[Overload] = &[
    Overload(&[Nature::TEXTS, TEXT], TEXT),
    Overload(&[Nature::LIST, TEXT], TEXT),
    Overload(&[Nature::LIST], TEXT),
    Overload(&[Nature::TEXTS], TEXT),
];

const fn text_function(
    name: &'static str,
    forms: &'static [Overload],
    call: fn(&mut Call<'_>) -> Result<Val>,
) -> Builtin {
    Builtin { name, check: Check::Overloads(forms), call }
}

/// A part of the first argument, which stays the text it is if the part is all of it.
fn part(call: &Call<'_>, part: &str) -> Result<Val> {
    if call.argument(0).as_text().is_some_and(|text| text.len() == part.len()) {
        return Ok(call.argument(0).clone());
    }
    call.scope.fuel.copy(part.len())?;
    Ok(part.into())
}

fn cased(call: &mut Call<'_>, convert: fn(&str) -> String) -> Result<Val> {
    let text = call.text(0)?;
    // The other case of a character may be longer, and is looked for in a table.
    let wide = text.bytes().filter(|byte| !byte.is_ascii()).count();
    call.scope.fuel.step(wide as u64 * 4)?;
    call.scope.fuel.text(text.len().saturating_add(wide.saturating_mul(2)))?;
    Ok(convert(text).into())
}

fn search(call: &mut Call<'_>, find: fn(&str, &str) -> Option<usize>) -> Result<Val> {
    let (text, part) = (call.text(0)?, call.text(1)?);
    call.scope.fuel.scan(text.len())?;
    Ok(position(find(text, part)))
}

fn ends(call: &mut Call<'_>, has: fn(&str, &str) -> bool) -> Result<Val> {
    let (text, part) = (call.text(0)?, call.text(1)?);
    pay_text(part, call.scope.fuel)?;
    Ok(has(text, part).into())
}

fn trim(call: &mut Call<'_>) -> Result<Val> {
    let (text, fuel) = (call.text(0)?, call.scope.fuel);
    if call.arguments.len() == 1 {
        let rest = text.trim();
        fuel.scan(text.len() - rest.len())?;
        return part(call, rest);
    }
    let set = call.text(1)?;
    // Each character that is trimmed is looked for in the whole set.
    let mut paid = Ok(());
    let rest = text.trim_matches(|character| {
        paid = fuel.scan(set.len());
        paid.is_ok() && set.contains(character)
    });
    paid?;
    part(call, rest)
}

fn trim_prefix(call: &mut Call<'_>) -> Result<Val> {
    let (text, prefix) = (call.text(0)?, trimmed(call)?);
    pay_text(prefix, call.scope.fuel)?;
    part(call, text.strip_prefix(prefix).unwrap_or(text))
}

fn trim_suffix(call: &mut Call<'_>) -> Result<Val> {
    let (text, suffix) = (call.text(0)?, trimmed(call)?);
    pay_text(suffix, call.scope.fuel)?;
    part(call, text.strip_suffix(suffix).unwrap_or(text))
}

/// What is taken off: a blank unless something else is given.
fn trimmed<'a>(call: &Call<'a>) -> Result<&'a str> {
    if call.arguments.len() == 2 { call.text(1) } else { Ok(" ") }
}

/// How many parts or replacements a call asks for; `None` is all of them.
fn limit(call: &Call<'_>, index: usize) -> Result<Option<usize>> {
    if call.arguments.len() <= index {
        return Ok(None);
    }
    Ok(usize::try_from(call.int(index)?).ok())
}

fn split(call: &mut Call<'_>, keep: bool) -> Result<Val> {
    let (text, mark, fuel) = (call.text(0)?, call.text(1)?, call.scope.fuel);
    let most = limit(call, 2)?.unwrap_or(usize::MAX);
    if most == 0 {
        return Ok(Val::list(Vec::new()));
    }
    fuel.scan(text.len())?;
    // Counted before they are made.
    let count = if mark.is_empty() { text.chars().count() } else { text.matches(mark).take(most).count() + 1 };
    let count = count.min(most);
    fuel.step(count as u64)?;
    fuel.list(count)?;
    fuel.allocate(text.len().saturating_add(count.saturating_mul(Fuel::TEXT)))?;
    let mut parts = Vec::with_capacity(count);
    let mut rest = text;
    while parts.len() + 1 < count {
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let found = if mark.is_empty() { Some(first) } else { rest.find(mark) };
        let Some((part, after)) = found.and_then(|at| rest.split_at_checked(at)) else { break };
        let marked = if keep { rest.get(..part.len() + mark.len()) } else { None };
        parts.push(Value::from(marked.unwrap_or(part)));
        rest = after.get(mark.len()..).unwrap_or("");
    }
    if count > 0 {
        parts.push(Value::from(rest));
    }
    Ok(Value::list(parts).into())
}

fn replace(call: &mut Call<'_>) -> Result<Val> {
    let (text, old, new) = (call.text(0)?, call.text(1)?, call.text(2)?);
    let most = limit(call, 3)?.unwrap_or(usize::MAX);
    // Counted before it is made, so that nothing too large is ever made.
    call.scope.fuel.scan(text.len().saturating_mul(3))?;
    let count = text.matches(old).take(most).count();
    call.scope.fuel.step(count as u64)?;
    let size = (text.len() - count * old.len()).saturating_add(count.saturating_mul(new.len()));
    call.scope.fuel.copy(size)?;
    let mut replaced = String::with_capacity(size);
    let mut done = 0;
    for (at, found) in text.match_indices(old).take(most) {
        replaced.push_str(text.get(done..at).unwrap_or(""));
        replaced.push_str(new);
        done = at + found.len();
    }
    replaced.push_str(text.get(done..).unwrap_or(""));
    Ok(replaced.into())
}

fn repeat(call: &mut Call<'_>) -> Result<Val> {
    let (text, count) = (call.text(0)?, call.int(1)?);
    if count < 0 {
        return Err(ExprFault::ArgumentType(call.name.into(), "a negative count".into()).into());
    }
    let Some(count) = usize::try_from(count).ok().filter(|count| *count <= 1_000_000) else {
        return Err(ExprFault::Memory(1_000_000).into());
    };
    let size = text.len().saturating_mul(count);
    call.charge(size)?;
    call.scope.fuel.copy(size)?;
    Ok(text.repeat(count).into())
}

fn join(call: &mut Call<'_>) -> Result<Val> {
    let glue = if call.arguments.len() == 2 { call.text(1)? } else { "" };
    let items = match call.argument(0).items() {
        Some(Items::Bytes(_)) | None => return Err(call.wrong(0)),
        Some(Items::Range(..)) => return Err(ExprFault::WrongType("text", "an integer".into()).into()),
        Some(Items::Plain(items)) => items,
        Some(Items::Mixed(items)) => match items.iter().find(|item| item.as_text().is_none()) {
            Some(other) => return Err(ExprFault::WrongType("text", other.kind()).into()),
            None => &[],
        },
    };
    let mut size = glue.len().saturating_mul(items.len().saturating_sub(1));
    call.scope.fuel.step(items.len() as u64)?;
    for item in items {
        let text = item.as_text();
        let text = text.ok_or_else(|| ExprFault::WrongType("text", Val::Plain(item.clone()).kind()))?;
        size = size.saturating_add(text.len());
    }
    call.scope.fuel.copy(size)?;
    let mut joined = String::with_capacity(size);
    for (at, item) in items.iter().enumerate() {
        joined.push_str(if at > 0 { glue } else { "" });
        joined.push_str(item.as_text().unwrap_or(""));
    }
    Ok(joined.into())
}

/// A place in bytes, or -1.
fn position(at: Option<usize>) -> Val {
    Val::int(at.map_or(-1, |at| i64::try_from(at).unwrap_or(i64::MAX)))
}

fn from_json(call: &mut Call<'_>) -> Result<Val> {
    let (text, fuel) = (call.text(0)?, call.scope.fuel);
    // Before it is read the text tells how much it can become at most: each item has a comma, a colon or a bracket.
    fuel.scan(text.len().saturating_mul(4))?;
    let (mut lists, mut items, mut texts) = (1_usize, 1_usize, 0_usize);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => lists += 1,
            b',' | b':' => items += 1,
            b'"' => texts += 1,
            _ => {}
        }
    }
    fuel.step((lists + items + texts) as u64)?;
    let mark = fuel.mark();
    // Lists grow by doubling, and for a moment there is the old one, too.
    fuel.allocate(lists.saturating_mul(Fuel::CONTAINER))?;
    fuel.allocate(items.saturating_add(lists).saturating_mul(3 * size_of::<Value>()))?;
    fuel.text(text.len().saturating_add((texts / 2).saturating_mul(Fuel::TEXT)))?;
    let value = floats(json::parse(text).map_err(|fault| ExprFault::BadJson(fault.to_string()))?);
    fuel.forget(mark, value.most_bytes());
    Ok(value.into())
}

/// Every number of JSON text is a float to an expression, as vectors builtin-detail-0326 and on. The
/// reader has bounded how deep this goes.
fn floats(value: Value) -> Value {
    match value {
        Value::Int(int) => Value::Float(int.as_f64()),
        Value::List(items) => Value::list(items.into_items().into_iter().map(floats).collect()),
        Value::Map(map) => {
            let entries = map.into_entries().into_iter().map(|(key, value)| (key, floats(value)));
            Value::Map(Map::from_entries(entries.collect()))
        }
        other => other,
    }
}

fn from_base64(call: &mut Call<'_>) -> Result<Val> {
    let text = call.text(0)?;
    call.scope.fuel.scan(text.len().saturating_mul(3))?;
    call.scope.fuel.text(text.len())?;
    let bytes =
        decoded(text).ok_or_else(|| ExprFault::BadBase64("wanted groups of four of A-Z a-z 0-9 + / and =".into()))?;
    let text = String::from_utf8(bytes).map_err(|_| ExprFault::BadBase64("its bytes are no text".into()))?;
    Ok(text.into())
}

/// The bytes of base64 text as Go reads it: line ends do not count, padding must be whole, and the bits
/// that padding leaves over may be anything.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    let groups = digits.len() / 4;
    for (at, group) in digits.chunks_exact(4).enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || (padding > 0 && at + 1 < groups) {
            return None;
        }
        let filled = group.iter().take(4 - padding);
        let bits =
            filled.clone().try_fold(0_u32, |bits, byte| Some(bits << 6 | sextet(*byte)?))? << (6 * padding as u32);
        let [_, first, second, third] = bits.to_be_bytes();
        bytes.extend_from_slice([first, second, third].get(..3 - padding)?);
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_go_reads_it() {
        assert_eq!(decoded("aGVs\nbG8="), Some(b"hello".to_vec()));
        assert_eq!(decoded("YR=="), Some(b"a".to_vec()));
        assert_eq!(decoded(""), Some(Vec::new()));
        for bad in ["aGVsbG8", "aGVs bG8=", "!!!!", "_-8=", "YQ==YQ==", "Y===", "===="] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }
}
