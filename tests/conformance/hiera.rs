//! `hiera.jsonl`: one document resolved, its rules held against the outcome.

use ccm_core::error::{HieraFault, Kind};
use ccm_core::hiera::{Document, Failure, Options, Reason, Resolved, Rule};
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::value::wire::{self, Layout};
use ccm_core::{Error, Value};
use serde_json::{Value as Json, json};

use crate::{Case, Folder, data, each};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| {
        let expect = case.deviation.as_ref().unwrap_or(&case.json);
        let outcome = resolve(&case.json);
        if expect["any"] == true {
            return Ok(());
        }
        match (expect["error_kind"].as_str(), outcome) {
            (None, Ok(resolved)) => {
                compare(&resolved, expect)?;
                printed(&resolved, expect)
            }
            (None, Err((_, error))) => Err(format!("{error}, must be {}", expect["resolved"])),
            (Some(kind), Ok(resolved)) => Err(format!("{:?}, must fail with {kind}", resolved.data)),
            (Some(kind), Err((stage, error))) => same_kind(kind, stage, &error),
        }
    })
}

fn resolve(json: &Json) -> Result<Resolved, (&'static str, Error)> {
    let facts = data::value(&json["facts"], json["facts_as_json"] == true);
    let document = match json["yaml"].as_str() {
        Some(text) => Document::yaml(&Source::new("h.yaml", text)).map_err(|error| ("yaml_parse", error))?,
        None => Document::json(&Source::new("h.json", json["json"].as_str().expect("yaml or json")))
            .map_err(|error| ("json_parse", error))?,
    };
    let overrides = &json["options"]["data_overrides"];
    let options = Options {
        data_key: json["options"]["data_key"].as_str().map(str::to_owned),
        data_overrides: data::value(overrides, false).as_map().cloned().unwrap_or_default(),
    };
    let world = World::sandbox(facts);
    document.resolve(&Env::confined(&world), &options).map_err(|error| ("resolve", error))
}

/// Data, rules and failures.
pub fn compare(resolved: &Resolved, expect: &Json) -> Result<(), String> {
    let ours = Value::Map(resolved.data.clone());
    if expect["loose_numbers"] == true {
        data::compare_loosely(&ours, &expect["resolved"])?;
    } else {
        data::compare(&ours, &expect["resolved"])?;
    }
    let rules: Vec<Json> = resolved.rules.iter().map(rule).collect();
    let failures = failures(&resolved.failures());
    match () {
        () if Json::from(rules.clone()) != expect["rules"] => {
            Err(format!("rules {rules:?}, must be {}", expect["rules"]))
        }
        () if failures != expect["failures"] => Err(format!("failures {failures}, must be {}", expect["failures"])),
        () => Ok(()),
    }
}

fn rule(rule: &Rule) -> Json {
    json!({"key": rule.key, "required": rule.required, "validation": rule.validation})
}

pub fn failures(failures: &[Failure]) -> Json {
    let reason = |reason: &Reason| match reason {
        Reason::Required => "required",
        Reason::False(_) => "validation_false",
        Reason::Undecided(..) => "validation_error",
    };
    let reasons = |failure: &Failure| failure.reasons.iter().map(|(why, _)| reason(why)).collect::<Vec<_>>();
    failures.iter().map(|failure| json!({"key": failure.key, "reasons": reasons(failure)})).collect()
}

fn printed(resolved: &Resolved, expect: &Json) -> Result<(), String> {
    let ours = wire::json(&Value::Map(resolved.data.clone()), Layout::INDENTED);
    match (expect.get("printed"), ours) {
        (None, _) | (Some(Json::Null), Err(_)) => Ok(()),
        (Some(printed), Ok(ours)) if printed == ours.as_str() => Ok(()),
        (Some(printed), ours) => Err(format!("printed {ours:?}, must be {printed}")),
    }
}

/// The kinds of the vectors are names of the stage for faults of the text, else of the fault.
pub fn same_kind(kind: &str, stage: &str, error: &Error) -> Result<(), String> {
    let ours = match error.kind() {
        _ if stage != "resolve" => stage,
        Kind::Hiera(fault) => match fault {
            HieraFault::HierarchyNotMap => "hierarchy_not_map",
            HieraFault::OrderNotList => "order_not_list",
            HieraFault::OrderNotTexts => "order_not_strings",
            HieraFault::UnknownMerge(_) => "unsupported_merge",
            HieraFault::OverridesNotMap | HieraFault::LevelNotMap(_) => "overrides_not_map",
            HieraFault::Empty | HieraFault::DocumentNotMap | HieraFault::Broken(_) => "other",
        },
        Kind::Expr(_) | Kind::Render(_) | Kind::Limit(_) if kind.starts_with("expr_") => kind,
        _ => "other",
    };
    // What crashes the reference is a plain error here.
    if matches!(kind, "any" | "panic") || kind == ours {
        Ok(())
    } else {
        Err(format!("{ours} ({error}), must be {kind}"))
    }
}
