//! Values as the vectors write them: `{"type": T, "value": V}`, numbers as text.

use base64ct::{Base64, Encoding};
use ccm_core::value::{Int, Map, Shape, Text, Value};
use serde_json::Value as Json;

/// The data a typed value stands for; `None` where our data has no such kind (a function, a location).
/// What JSON would make of it otherwise: bytes are base64, a duration its nanoseconds, a time its text.
pub fn decode(json: &Json) -> Option<Value> {
    let text = || json["value"].as_str();
    Some(match json["type"].as_str()? {
        "nil" => Value::Null,
        "bool" => Value::Bool(json["value"].as_bool()?),
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64"
        | "duration" | "month" | "weekday" => Value::Int(int(text()?)?),
        "float" | "float32" => Value::Float(float(text()?)?),
        "string" => match text() {
            Some(text) => Value::from(text),
            None => Value::from(String::from_utf8_lossy(&unhex(json["hex"].as_str()?)?).as_ref()),
        },
        "time" => Value::from(text()?),
        "bytes" => Value::from(Base64::encode_string(&unhex(json["hex"].as_str()?)?)),
        "array" if json["null"] == true => Value::Null,
        "array" => Value::list(json["value"].as_array()?.iter().map(decode).collect::<Option<_>>()?),
        "map" if json["null"] == true => Value::Null,
        "map" => Value::Map(json["value"].as_array()?.iter().map(member).collect::<Option<_>>()?),
        "struct" => record(json["value"].as_array()?)?,
        _ => return None,
    })
}

fn member(pair: &Json) -> Option<(Text, Value)> {
    Some((pair[0]["value"].as_str()?.into(), decode(&pair[1])?))
}

/// A record answers to its fields' names and to their JSON names.
fn record(fields: &[Json]) -> Option<Value> {
    let mut names: Vec<(&'static str, &'static str)> = Vec::new();
    let mut entries: Vec<(Text, Value)> = Vec::new();
    for field in fields {
        let (name, key) = (field[0].as_str()?, field[1].as_str()?);
        names.push((leak(name), leak(key)));
        entries.push((key.into(), decode(&field[2])?));
    }
    names.sort_unstable();
    Some(Value::Map(Map::from_entries(entries).shaped(Shape::Record(names.leak()))))
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

pub fn int(text: &str) -> Option<Int> {
    text.parse::<i128>().ok().and_then(|whole| Int::try_from(whole).ok())
}

pub fn float(text: &str) -> Option<f64> {
    match text {
        "+Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        text => text.parse().ok(),
    }
}

pub fn unhex(text: &str) -> Option<Vec<u8>> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

/// How exactly numbers must agree.
#[derive(Clone, Copy, Default)]
pub struct Loose {
    /// An integral float and an integer of one value are equal.
    pub numbers: bool,
    /// The last bit of a float may differ.
    pub ulp: bool,
}

impl Loose {
    /// The marks of a case.
    pub fn of(case: &Json) -> Self {
        Self { numbers: case["loose_numbers"] == true, ulp: case["ulp"].as_u64().is_some_and(|bits| bits > 0) }
    }
}

/// Whether our value is the one that a typed value stands for. What only an expression can hold leaves
/// it as data: a duration and a time as the text they print, bytes as a list of numbers.
pub fn same(wanted: &Json, ours: &Value, loose: Loose) -> bool {
    match (wanted["type"].as_str(), ours) {
        (Some("duration" | "time"), Value::Text(text)) => wanted["text"] == **text,
        (Some("bytes"), Value::List(items)) => {
            let bytes = wanted["hex"].as_str().and_then(unhex).unwrap_or_default();
            equal(
                &Value::list(bytes.into_iter().map(|byte| Value::from(u64::from(byte))).collect()),
                &Value::List(items.clone()),
                loose,
            )
        }
        _ => decode(wanted).is_some_and(|wanted| equal(&wanted, ours, loose)),
    }
}

pub fn equal(wanted: &Value, ours: &Value, loose: Loose) -> bool {
    match (wanted, ours) {
        (Value::Null, Value::Null) => true,
        // A nil map or list of the reference is an empty one of ours, where it is not null.
        (Value::Null, Value::Map(map)) => map.is_empty(),
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => {
            a.to_bits() == b.to_bits()
                || (a.is_nan() && b.is_nan())
                || (loose.numbers && a == b)
                || (loose.ulp && a.to_bits().abs_diff(b.to_bits()) <= 1)
        }
        (Value::Float(a), Value::Int(b)) => loose.numbers && *a == b.as_f64(),
        (Value::Int(a), Value::Float(b)) => loose.numbers && a.as_f64() == *b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(a, b, loose))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((ka, a), (kb, b))| ka == kb && equal(a, b, loose))
        }
        _ => false,
    }
}
