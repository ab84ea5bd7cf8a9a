//! Paths over JSON documents, some of them broken.

use ccm_core::value::{Value, json, lookup};
use serde_json::Value as Json;

use crate::typed::{self, Loose};
use crate::{Case, Folder, each};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| check(&case.json, case.deviation.as_ref()))
}

fn check(case: &Json, deviation: Option<&Json>) -> Result<(), String> {
    let wanted = deviation.unwrap_or(case);
    let (document, path) = (case["json"].as_str().unwrap(), case["path"].as_str().unwrap());
    let found = lookup::in_json(document, path).map_err(|fault| format!("{path:?}: {fault}"))?;
    over_values(document, path, found.as_ref())?;
    let Some(found) = found else {
        return if wanted["exists"] == false {
            Ok(())
        } else {
            Err(format!("{path:?}: found nothing, wanted {}", wanted["raw"]))
        };
    };
    let raw = wanted["raw"].as_str().unwrap();
    if wanted["exists"] == false {
        return Err(format!("{path:?}: found {}, wanted nothing", found.json));
    }
    let kind = wanted["type"].as_str().unwrap();
    let shape = match &found.value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Text(_) => "string",
        Value::List(_) | Value::Map(_) => "json",
    };
    if kind != shape {
        return Err(format!("{path:?}: found {} of type {shape}, wanted {kind}: {raw}", found.json));
    }
    if kind == "number" {
        // The vector's value is the reference's conversion; ours keeps the number that is written.
        let number = raw.parse().unwrap_or(0.0);
        let same = match &found.value {
            Value::Int(int) => int.to_string() == raw || int.as_f64() == number,
            Value::Float(float) => *float == number || (float.is_nan() && number.is_nan()),
            _ => false,
        };
        return if same && found.json == raw { Ok(()) } else { Err(format!("{path:?}: {} for {raw}", found.json)) };
    }
    if kind != "json" && found.json != raw {
        return Err(format!("{path:?}: raw {} for {raw}", found.json));
    }
    match typed::same(&wanted["value"], &found.value, Loose { numbers: true, ulp: false }) {
        true => Ok(()),
        false => Err(format!("{path:?}: {:?} for {raw} {}", found.value, wanted["value"])),
    }
}

/// A walk over the document as values finds the same, wherever order and spelling in the text do not matter.
fn over_values(document: &str, path: &str, found: Option<&lookup::Found>) -> Result<(), String> {
    let Ok(value) = json::parse(document) else { return Ok(()) };
    let ordered = serde_json::from_str::<Json>(document).is_ok_and(|_| is_sorted(document, &value));
    if !ordered || path.starts_with("..") || path.contains("tostr") {
        return Ok(());
    }
    let ours = lookup::within(&value, path).map_err(|fault| format!("over values: {fault}"))?;
    match (&ours, found.map(|found| &found.value)) {
        (None, None) => Ok(()),
        (Some(ours), Some(theirs)) if typed::equal(theirs, ours, Loose { numbers: true, ulp: false }) => Ok(()),
        (ours, theirs) => Err(format!("{path:?}: over values {ours:?}, over text {theirs:?}")),
    }
}

/// Whether the members of a document stand in the order that our maps have.
fn is_sorted(document: &str, value: &Value) -> bool {
    let compact: String = document.split_whitespace().collect();
    ccm_core::value::wire::json(value, ccm_core::value::wire::Layout::PLAIN)
        .is_ok_and(|text| text.split_whitespace().collect::<String>() == compact)
}
