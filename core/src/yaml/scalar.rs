//! What a scalar means: `0644` is 420, `1e3` is text, `yes` is text.
//!
//! The rules are the reference's (vectors yaml/ints, floats, bools, nulls, tags): the words of YAML 1.2,
//! integers with the underscores and leading-zero octals of YAML 1.1, floats only with a dot.

use alloc::string::String;
use alloc::vec::Vec;

use base64ct::{Base64, Encoding};

use super::{Style, Tag};
use crate::error::{Kind, Result, YamlFault};
use crate::value::{Int, Text, Value, json, show};

/// The value of a scalar. One that does not fit its tag was refused by [`check`] before.
pub(super) fn value(text: &Text, style: Style, tag: Tag) -> Value {
    let looks = || if style == Style::Plain { plain(text) } else { None };
    let meant = match tag {
        Tag::None => looks(),
        Tag::Str => None,
        tag => tagged(text, tag),
    };
    meant.unwrap_or_else(|| Value::Text(text.clone()))
}

/// Refuses a scalar that does not fit its tag.
pub(super) fn check(text: &str, tag: Tag) -> Result<()> {
    let name = match tag {
        Tag::None | Tag::Str | Tag::Null => return Ok(()),
        Tag::Int => "int",
        Tag::Float => "float",
        Tag::Bool => "bool",
        Tag::Binary => "binary",
        Tag::Timestamp => "timestamp",
    };
    match tagged(text, tag) {
        Some(_) => Ok(()),
        None => Err(Kind::Yaml(YamlFault::BadTag { tag: name, text: text.into() }).into()),
    }
}

/// A plain scalar that is null by its looks.
pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// The value of a plain scalar that is not text.
pub(super) fn plain(text: &str) -> Option<Value> {
    match text.as_bytes().first() {
        None => Some(Value::Null),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text).or_else(|| special(text)),
        Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => word(text),
        Some(_) => None,
    }
}

fn word(text: &str) -> Option<Value> {
    match text {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        _ => is_null(text).then_some(Value::Null),
    }
}

fn special(text: &str) -> Option<Value> {
    match text {
        ".inf" | ".Inf" | ".INF" => Some(Value::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => Some(Value::Float(f64::NEG_INFINITY)),
        ".nan" | ".NaN" | ".NAN" => Some(Value::Float(f64::NAN)),
        _ => None,
    }
}

/// A number as the reference finds one; a number too large for its kind is text.
fn number(text: &str) -> Option<Value> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let joined: String;
    let digits = if digits.contains('_') {
        joined = digits.chars().filter(|&c| c != '_').collect();
        &joined
    } else {
        digits
    };
    let based = [("0x", 16), ("0o", 8), ("0b", 2)];
    if let Some((rest, radix)) = based.iter().find_map(|(mark, radix)| Some((digits.strip_prefix(mark)?, *radix))) {
        return integer(rest, radix, negative);
    }
    match digits.bytes().filter(|&byte| byte == b'.').count() {
        0 if digits.len() > 1 && digits.starts_with('0') => integer(digits, 8, negative),
        0 => integer(digits, 10, negative),
        1 => float(digits, negative),
        _ => None,
    }
}

fn integer(digits: &str, radix: u32, negative: bool) -> Option<Value> {
    if digits.is_empty() {
        return None;
    }
    let magnitude = digits.chars().try_fold(0_u64, |sum, digit| {
        sum.checked_mul(u64::from(radix))?.checked_add(u64::from(digit.to_digit(radix)?))
    })?;
    let number = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    Int::try_from(number).ok().map(Value::Int)
}

fn float(digits: &str, negative: bool) -> Option<Value> {
    if !digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
        return None;
    }
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number: f64 = digits.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(Value::Float(if negative { -number } else { number }))
}

fn tagged(text: &str, tag: Tag) -> Option<Value> {
    match tag {
        Tag::None | Tag::Str => None,
        Tag::Null => Some(Value::Null),
        Tag::Int => match plain(text)? {
            number @ Value::Int(_) => Some(number),
            Value::Float(number) => json::integral(number).map(Value::Int),
            _ => None,
        },
        Tag::Float => match plain(text)? {
            Value::Int(int) => Some(Value::Float(int.as_f64())),
            number @ Value::Float(_) => Some(number),
            _ => text.parse().ok().map(Value::Float),
        },
        Tag::Bool => match text {
            "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(Value::Bool(true)),
            "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(Value::Bool(false)),
            _ => word(text).filter(|value| matches!(value, Value::Bool(_))),
        },
        Tag::Binary => Some(binary(text)),
        Tag::Timestamp => timestamp(text).map(Value::from),
    }
}

/// Bytes as base64 text without breaks, since data is text; what is no base64 is none at all, as vector
/// yaml/tags-007.
fn binary(text: &str) -> Value {
    let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes: Vec<u8> = Base64::decode_vec(&packed).unwrap_or_default();
    Value::from(Base64::encode_string(&bytes))
}

/// A YAML 1.1 timestamp in the form of RFC 3339, in its own zone, UTC where none is given.
fn timestamp(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(text.find([' ', '\t', 'T', 't']).unwrap_or(text.len()))?;
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4, 4)?;
    let month = digits(parts.next()?, 1, 2).filter(|month| (1..=12).contains(month))?;
    let day = digits(parts.next()?, 1, 2).filter(|day| (1..=days_of(year, month)).contains(day))?;
    if parts.next().is_some() {
        return None;
    }
    let clock = rest.trim_start_matches([' ', '\t', 'T', 't']);
    if clock.is_empty() {
        return rest.is_empty().then(|| alloc::format!("{year:04}-{month:02}-{day:02}T00:00:00Z"));
    }
    let zone_at = clock.find([' ', 'Z', 'z', '+', '-']).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at_checked(zone_at)?;
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut parts = whole.split(':');
    let hour = digits(parts.next()?, 1, 2).filter(|&hour| hour < 24)?;
    let minute = digits(parts.next()?, 2, 2).filter(|&minute| minute < 60)?;
    let second = digits(parts.next()?, 2, 2).filter(|&second| second < 60)?;
    if parts.next().is_some() {
        return None;
    }
    let zone = offset(zone.trim())?;
    let point = if fraction.is_empty() { "" } else { "." };
    Some(alloc::format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{point}{fraction}{zone}"))
}

fn offset(zone: &str) -> Option<String> {
    if matches!(zone, "" | "Z" | "z") {
        return Some("Z".into());
    }
    let (sign, rest) = zone.split_at_checked(1)?;
    if !matches!(sign, "+" | "-") {
        return None;
    }
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
    let hours = digits(hours, 1, 2).filter(|&hours| hours < 24)?;
    let minutes = digits(minutes, 2, 2).filter(|&minutes| minutes < 60)?;
    Some(if hours == 0 && minutes == 0 { "Z".into() } else { alloc::format!("{sign}{hours:02}:{minutes:02}") })
}

fn digits(text: &str, least: usize, most: usize) -> Option<u32> {
    let fits = (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// A key as text: numbers in their shortest form, as the reference prints them (vectors yaml/nonstring_keys).
pub(super) fn key(text: &str, style: Style, tag: Tag) -> Option<String> {
    let meant = match tag {
        Tag::None if style == Style::Plain => plain(text)?,
        Tag::None | Tag::Str => return None,
        tag => tagged(text, tag)?,
    };
    Some(match meant {
        Value::Null => "null".into(),
        Value::List(_) | Value::Map(_) => return None,
        meant => (&*show::text(&meant)).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        alloc::format!("{:?}", plain(text))
    }

    #[test]
    fn odd_numbers_are_text_or_numbers_but_never_a_crash() {
        for text in
            ["0x", "0o", "0b2", "-", "+", "+.", ".", "-.", "018", "1e3", "0XFF", "1.0.0", "+-1", "0x+1", "1.0e400"]
        {
            assert!(plain(text).is_none(), "{text}");
        }
        assert_eq!(shown("0_"), shown("0"));
        assert_eq!(shown("1__0"), shown("10"));
        assert_eq!(shown("0o644"), shown("0644"));
        assert_eq!(shown("5."), shown("5.0"));
    }

    #[test]
    fn a_timestamp_becomes_rfc_3339() {
        assert_eq!(timestamp("2001-12-14").as_deref(), Some("2001-12-14T00:00:00Z"));
        assert_eq!(timestamp("2001-12-14t21:59:43.10-05:00").as_deref(), Some("2001-12-14T21:59:43.1-05:00"));
        assert_eq!(timestamp("2001-12-14 21:59:43.10 -5").as_deref(), Some("2001-12-14T21:59:43.1-05:00"));
        for text in ["", "x", "2001-02-30", "2001-1-1T", "2001-01-01T25:00:00Z", "2001-01-01T00:00:00é"] {
            assert!(timestamp(text).is_none(), "{text}");
        }
    }
}
