//! `hiera_multi.jsonl`: a manifest's data, an overriding source, and data resolved elsewhere.

use ccm_core::Error;
use ccm_core::hiera::{Document, Options, Resolved};
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use serde_json::Value as Json;

use crate::{Case, Folder, data, each, hiera};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| {
        let expect = case.deviation.as_ref().unwrap_or(&case.json);
        let stage = expect["error"]["stage"].as_str();
        match resolve(&case.json) {
            Ok(resolved) if stage.is_none() => hiera::compare(&resolved, expect),
            // Rules are held once, against the data of all sources: the outcome is the same refusal.
            Ok(resolved) if stage == Some("overriding_validation") => {
                let failures = hiera::failures(&resolved.failures());
                let same = failures == expect["failures"];
                if same { Ok(()) } else { Err(format!("failures {failures}, must be {}", expect["failures"])) }
            }
            Ok(resolved) => Err(format!("{:?}, must fail with {}", resolved.data, expect["error"])),
            Err((ours, step, error)) if stage == Some(ours) => {
                hiera::same_kind(expect["error"]["kind"].as_str().expect("kind"), step, &error)
            }
            Err((ours, _, error)) => Err(format!("{ours}: {error}, must be {}", expect["error"])),
        }
    })
}

type Stage = (&'static str, &'static str, Error);

fn resolve(json: &Json) -> Result<Resolved, Stage> {
    let world = World::sandbox(data::value(&json["facts"], false));
    let mut resolved = source(&world, json, "manifest")?;
    if json["overriding"].is_string() {
        resolved.merge(&source(&world, json, "overriding")?);
    }
    let overrides = data::value(&json["resolved_overrides"], false);
    resolved.overlay(overrides.as_map().cloned().unwrap_or_default());
    Ok(resolved)
}

fn source(world: &World, json: &Json, stage: &'static str) -> Result<Resolved, Stage> {
    let text = json[stage].as_str().expect("a text");
    let step = if text.trim_start().starts_with(['{', '[']) { "json_parse" } else { "yaml_parse" };
    let document = Document::read(&Source::new(stage, text)).map_err(|error| (stage, step, error))?;
    let resolved = document.resolve(&Env::confined(world), &Options::default());
    resolved.map_err(|error| (stage, "resolve", error))
}
