//! `validator.jsonl`: a rule over a text, or over typed data as `@require` and `@validate` hold it.

use ccm_core::error::Kind;
use ccm_core::hiera::{Check, Reason, Resolved, Rule};
use ccm_core::span::{Source, Span};
use ccm_core::value::Value;
use serde_json::Value as Json;

use crate::{Case, Folder, each, typed};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| {
        let wanted = case.deviation.as_ref().unwrap_or(&case.json);
        match case.json["group"].as_str() {
            Some("typed-data") => of_data(&case.json, wanted),
            _ => of_text(&case.json, wanted),
        }
    })
}

fn of_text(case: &Json, wanted: &Json) -> Result<(), String> {
    let value = Value::from(case["value"].as_str().expect("value"));
    let rule = case["expr"].as_str().expect("expr");
    let compiled = Check::compile(rule, &value);
    let stage = if compiled.is_err() { "compile" } else { "run" };
    let error = match compiled.and_then(|check| check.holds()) {
        Ok(ours) if wanted["ok"] == ours && wanted["error"].is_null() => return Ok(()),
        Ok(ours) => return Err(format!("{rule} of {value}: want {wanted}, got {ours}")),
        Err(error) => error,
    };
    let kind = match error.kind() {
        Kind::Expr(fault) => fault.code(),
        _ => "other",
    };
    let place = error.sites().first().map(|site| site.position());
    let (line, column) = (wanted["error"]["line"].as_u64(), wanted["error"]["col"].as_u64());
    let placed = line.is_none()
        || place.is_some_and(|at| (Some(u64::from(at.line)), Some(u64::from(at.column))) == (line, column));
    if wanted["error"]["stage"] == stage && wanted["error"]["kind"] == kind && placed {
        return Ok(());
    }
    Err(format!("{rule} of {value}: want {wanted}, got {stage} {kind}: {error}"))
}

fn of_data(case: &Json, wanted: &Json) -> Result<(), String> {
    // A list that was declared to hold text alone is printed and then checked by the reference. No data
    // has a declared kind, so such a list is here what it can be: one of anything, which skips validation.
    let declared = case["value"]["type"] == "array" && case["value"]["elem"].is_string();
    let value = typed::decode(&case["value"]).expect("data");
    let site = Source::anonymous("").at(Span::point(0));
    let rule = Rule {
        key: "key".into(),
        path: vec!["key".into()],
        required: case["required"] == true,
        validation: case["expr"].as_str().expect("expr").into(),
        site,
    };
    let data = [("key".into(), value.clone())].into_iter().collect();
    let resolved = Resolved { data, rules: vec![rule], ..Resolved::default() };
    let reasons: Vec<&str> = resolved
        .failures()
        .iter()
        .flat_map(|failure| &failure.reasons)
        .map(|(reason, _)| match reason {
            Reason::Required => "required",
            Reason::False(_) => "validator_false",
            Reason::Undecided(..) => "validator_error",
        })
        .collect();
    let errors: Vec<&str> = match wanted["errors"].as_array() {
        Some(errors) if !declared => errors.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    if reasons == errors { Ok(()) } else { Err(format!("{} of {value}: want {wanted}, got {reasons:?}", case["expr"])) }
}
