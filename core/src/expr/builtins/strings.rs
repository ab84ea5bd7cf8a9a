//! Functions on text. Text is UTF-8 and its places are bytes, as in the reference; only `len` counts characters.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64ct::{Base64, Encoding};

use super::{Builtin, Call, Check, Nature, Overload};
use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::expr::show;
use crate::expr::val::{Items, Val};
use crate::text::case;
use crate::value::{Map, Text, Value, json};

const TEXT: Nature = Nature::TEXT;
const INT: Nature = Nature::INT;

/// The functions of this file. Forms stand in the order in which the reference tries them: the fault of
/// the last one is what a caller sees.
pub const TABLE: &[Builtin] = &[
    text_function("trim", &[Overload(&[TEXT], TEXT), Overload(&[TEXT, TEXT], TEXT)], trim),
    text_function("trimPrefix", &[Overload(&[TEXT, TEXT], TEXT), Overload(&[TEXT], TEXT)], trim_prefix),
    text_function("trimSuffix", &[Overload(&[TEXT, TEXT], TEXT), Overload(&[TEXT], TEXT)], trim_suffix),
    text_function("upper", &[Overload(&[TEXT], TEXT)], |call| Ok(case::upper(call.text(0)?).into())),
    text_function("lower", &[Overload(&[TEXT], TEXT)], |call| Ok(case::lower(call.text(0)?).into())),
    text_function("split", SPLITS, |call| split(call, false)),
    text_function("splitAfter", SPLITS, |call| split(call, true)),
    text_function("replace", &[Overload(&[TEXT, TEXT, TEXT, INT], TEXT), Overload(&[TEXT, TEXT, TEXT], TEXT)], replace),
    text_function("repeat", &[Overload(&[TEXT, INT], TEXT)], repeat),
    text_function("join", JOINS, join),
    text_function("indexOf", &[Overload(&[TEXT, TEXT], INT)], |call| Ok(position(call.text(0)?.find(call.text(1)?)))),
    text_function("lastIndexOf", &[Overload(&[TEXT, TEXT], INT)], |call| {
        Ok(position(call.text(0)?.rfind(call.text(1)?)))
    }),
    text_function("hasPrefix", &[Overload(&[TEXT, TEXT], Nature::BOOL)], |call| {
        Ok(call.text(0)?.starts_with(call.text(1)?).into())
    }),
    text_function("hasSuffix", &[Overload(&[TEXT, TEXT], Nature::BOOL)], |call| {
        Ok(call.text(0)?.ends_with(call.text(1)?).into())
    }),
    text_function("toJSON", &[Overload(&[Nature::ANY], TEXT)], |call| {
        let text = show::json(call.argument(0))?;
        made(call, text)
    }),
    text_function("fromJSON", &[Overload(&[TEXT], Nature::ANY)], from_json),
    text_function("toBase64", &[Overload(&[TEXT], TEXT)], |call| {
        let text = Base64::encode_string(call.text(0)?.as_bytes());
        made(call, text)
    }),
    text_function("fromBase64", &[Overload(&[TEXT], TEXT)], from_base64),
    text_function("string", &[Overload(&[Nature::ANY], TEXT)], |call| {
        let text = call.argument(0).to_string();
        made(call, text)
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

/// Text that a function made, paid for.
fn made(call: &Call<'_>, text: String) -> Result<Val> {
    call.scope.fuel.allocate(text.len())?;
    Ok(text.into())
}

fn trim(call: &mut Call<'_>) -> Result<Val> {
    let text = call.text(0)?;
    Ok(match call.arguments.len() {
        1 => text.trim().into(),
        _ => {
            let set = call.text(1)?;
            text.trim_matches(|c| set.contains(c)).into()
        }
    })
}

fn trim_prefix(call: &mut Call<'_>) -> Result<Val> {
    let text = call.text(0)?;
    Ok(text.strip_prefix(trimmed(call)?).unwrap_or(text).into())
}

fn trim_suffix(call: &mut Call<'_>) -> Result<Val> {
    let text = call.text(0)?;
    Ok(text.strip_suffix(trimmed(call)?).unwrap_or(text).into())
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
    let (text, mark) = (call.text(0)?, call.text(1)?);
    let most = limit(call, 2)?.unwrap_or(usize::MAX);
    let parts: Vec<Value> = match (most, mark) {
        (0, _) => Vec::new(),
        (most, "") => characters(text, most),
        (most, mark) if keep => text_values(kept(text, mark, most)),
        (most, mark) => text_values(text.splitn(most, mark).collect()),
    };
    call.scope.fuel.allocate(parts.len().saturating_mul(size_of::<Value>()).saturating_add(text.len()))?;
    Ok(Value::list(parts).into())
}

fn text_values(parts: Vec<&str>) -> Vec<Value> {
    parts.into_iter().map(Value::from).collect()
}

/// A part for each character, the rest in the last.
fn characters(text: &str, most: usize) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if parts.len() + 1 < most { first.len_utf8() } else { rest.len() };
        let (part, after) = rest.split_at(end);
        parts.push(Value::from(part));
        rest = after;
    }
    parts
}

/// Parts that keep the mark they end with.
fn kept<'a>(text: &'a str, mark: &str, most: usize) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.len() + 1 < most {
        let Some(at) = rest.find(mark) else { break };
        let (part, after) = rest.split_at(at + mark.len());
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

fn replace(call: &mut Call<'_>) -> Result<Val> {
    let (text, old, new) = (call.text(0)?, call.text(1)?, call.text(2)?);
    let most = limit(call, 3)?.unwrap_or(usize::MAX);
    // Counted before it is made, so that nothing too large is ever made.
    let count = text.matches(old).take(most).count();
    let size = text.len().saturating_add(count.saturating_mul(new.len()));
    call.scope.fuel.allocate(size)?;
    Ok(text.replacen(old, new, most).into())
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
    Ok(text.repeat(count).into())
}

fn join(call: &mut Call<'_>) -> Result<Val> {
    let glue = if call.arguments.len() == 2 { call.text(1)? } else { "" };
    let items = match call.argument(0).items() {
        Some(Items::Bytes(_)) | None => return Err(call.wrong(0)),
        Some(Items::Plain(items)) => items,
        Some(Items::Mixed(items)) => match items.iter().find(|item| item.as_text().is_none()) {
            Some(other) => return Err(ExprFault::WrongType("text", other.kind()).into()),
            None => &[],
        },
    };
    let mut joined = String::new();
    for (at, item) in items.iter().enumerate() {
        let Some(text) = item.as_text() else {
            return Err(ExprFault::WrongType("text", Val::Plain(item.clone()).kind()).into());
        };
        let glue = if at > 0 { glue } else { "" };
        call.scope.fuel.allocate(glue.len().saturating_add(text.len()))?;
        joined.push_str(glue);
        joined.push_str(text);
    }
    Ok(joined.into())
}

/// A place in bytes, or -1.
fn position(at: Option<usize>) -> Val {
    Val::int(at.map_or(-1, |at| i64::try_from(at).unwrap_or(i64::MAX)))
}

fn from_json(call: &mut Call<'_>) -> Result<Val> {
    let text = call.text(0)?;
    call.scope.fuel.allocate(text.len())?;
    let value = json::parse(text).map_err(|fault| ExprFault::BadJson(fault.to_string()))?;
    Ok(floats(value).into())
}

/// Every number of JSON text is a float to an expression, as vectors builtin-detail-0326 and on. The
/// reader has bounded how deep this goes.
fn floats(value: Value) -> Value {
    match value {
        Value::Int(int) => Value::Float(int.as_f64()),
        Value::List(items) => Value::list(items.iter().cloned().map(floats).collect()),
        Value::Map(map) => {
            let entries = map.into_entries().into_iter().map(|(key, value)| (key, floats(value)));
            Value::Map(entries.collect::<Vec<(Text, Value)>>().into_iter().collect::<Map>())
        }
        other => other,
    }
}

fn from_base64(call: &mut Call<'_>) -> Result<Val> {
    let text = call.text(0)?;
    let bytes =
        decoded(text).ok_or_else(|| ExprFault::BadBase64("wanted groups of four of A-Z a-z 0-9 + / and =".into()))?;
    let text = String::from_utf8(bytes).map_err(|_| ExprFault::BadBase64("its bytes are no text".into()))?;
    made(call, text)
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

    #[test]
    fn parts_end_where_their_number_says() {
        assert_eq!(kept("a,b,c", ",", 2), ["a,", "b,c"]);
        assert_eq!(kept("", ",", 9), [""]);
        assert_eq!(characters("hé", 9).len(), 2);
        assert!(characters("", 9).is_empty());
    }
}
