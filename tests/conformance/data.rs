//! Data in the notation of `data-and-templates.md`: JSON with the type kept, `{"$float": …}` and the like
//! for what JSON cannot hold.

use ccm_core::Value;
use serde_json::Value as Json;

/// Says how our value differs from the expected one; `1` and `1.0` differ.
pub fn compare(ours: &Value, expected: &Json) -> Result<(), String> {
    differ(ours, expected, "").map_or(Ok(()), |place| Err(format!("{place}: {ours:?} is not {expected}")))
}

/// As [`compare`], but an integral float and an integer of one value are equal.
pub fn compare_loosely(ours: &Value, expected: &Json) -> Result<(), String> {
    let same = *ours == value(expected, false);
    if same { Ok(()) } else { Err(format!("{ours:?} is not {expected}")) }
}

fn differ(ours: &Value, expected: &Json, place: &str) -> Option<String> {
    let here = |same: bool| (!same).then(|| format!("at {place:?}"));
    match (ours, expected) {
        (Value::Null, Json::Null) => None,
        (Value::Bool(a), Json::Bool(b)) => here(a == b),
        (Value::Text(a), Json::String(b)) => here(&**a == b),
        (Value::Int(a), Json::Number(b)) => here(!b.is_f64() && a.to_string() == b.to_string()),
        (Value::Float(a), Json::Number(b)) => here(b.is_f64() && b.as_f64().is_some_and(|b| same_float(*a, b))),
        (Value::List(a), Json::Array(b)) => {
            let mut pairs = a.iter().zip(b).enumerate();
            here(a.len() == b.len()).or_else(|| pairs.find_map(|(at, (a, b))| differ(a, b, &format!("{place}[{at}]"))))
        }
        (ours, Json::Object(b))
            if b.keys().next().is_some_and(|key| matches!(key.as_str(), "$float" | "$bytes" | "$time" | "$go")) =>
        {
            here(special(ours, b))
        }
        (Value::Map(a), Json::Object(b)) => here(a.len() == b.len()).or_else(|| {
            a.iter().find_map(|(key, value)| {
                let at = format!("{place}.{key}");
                b.get(&**key).map_or_else(|| Some(at.clone()), |expected| differ(value, expected, &at))
            })
        }),
        _ => here(false),
    }
}

fn same_float(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

/// Bytes and times are text of ours, in the form that JSON output has; another type of Go is compared by its
/// text form.
fn special(ours: &Value, expected: &serde_json::Map<String, Json>) -> bool {
    if let Some(text) = expected.get("$text") {
        return text == &*ccm_core::value::show::text(ours);
    }
    let (kind, expected) = expected.iter().next().expect("one key");
    let expected = expected.as_str().unwrap_or_default();
    match (kind.as_str(), ours) {
        ("$float", Value::Float(ours)) => match expected {
            "inf" => *ours == f64::INFINITY,
            "-inf" => *ours == f64::NEG_INFINITY,
            _ => ours.is_nan(),
        },
        ("$bytes" | "$time", Value::Text(ours)) => &**ours == expected,
        _ => false,
    }
}

/// Input data: a number without dot or exponent is an integer, any other a float; with `read` they are what
/// our JSON reader makes of them, integers where they are whole.
pub fn value(json: &Json, read: bool) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(yes) => Value::Bool(*yes),
        Json::Number(number) if read && number.is_f64() => {
            ccm_core::value::json::number(number.as_f64().expect("a number"))
        }
        Json::Number(number) if number.is_f64() => Value::Float(number.as_f64().expect("a number")),
        Json::Number(number) => match number.as_i64() {
            Some(int) => Value::Int(int.into()),
            None => Value::Int(number.as_u64().expect("a number").into()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(|item| value(item, read)).collect()),
        Json::Object(entries) => {
            Value::Map(entries.iter().map(|(key, item)| (key.as_str().into(), value(item, read))).collect())
        }
    }
}
