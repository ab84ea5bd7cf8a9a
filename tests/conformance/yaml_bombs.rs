//! `yaml_bombs.jsonl`: documents that expand without bound are refused by counting, on a small stack.

use std::time::{Duration, Instant};

use ccm_core::error::Kind;
use ccm_core::span::Source;
use ccm_core::yaml::{self, Limits};
use serde_json::Value as Json;

use crate::{Case, Folder, each};

/// Generous beside the 50 ms of a release build: this only catches an explosion.
const PATIENCE: Duration = Duration::from_millis(500);

const STACK: usize = 256 << 10;

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| {
        let json = case.json.clone();
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || check(&json));
        thread.expect("a thread").join().map_err(|_| "panicked".to_owned())?
    })
}

fn check(json: &Json) -> Result<(), String> {
    let text = match json["yaml"].as_str() {
        Some(text) => text.to_owned(),
        None => recipe(json["recipe"].as_str().expect("yaml or recipe")),
    };
    let began = Instant::now();
    let outcome = yaml::read(&Source::new("bomb.yaml", text), &Limits::default()).map(|document| {
        let _lowered = document.root().to_value();
        count(document.root())
    });
    let took = began.elapsed();
    if took > PATIENCE {
        return Err(format!("took {took:?}"));
    }
    match (json["expect"].as_str(), outcome) {
        (Some("any"), _) => Ok(()),
        (Some("decoded"), Ok(nodes)) if json["nodes"].as_u64() == Some(nodes) => Ok(()),
        (Some("limit"), Err(error)) if matches!(error.kind(), Kind::Limit(_)) => Ok(()),
        (expect, outcome) => Err(format!("{outcome:?}, must be {expect:?}")),
    }
}

fn recipe(text: &str) -> String {
    if text.starts_with("20000") {
        return format!("{}{}\n", "[".repeat(20_000), "]".repeat(20_000));
    }
    assert!(text.starts_with("for i in 0..2000"), "unknown recipe {text}");
    (0..2000).map(|at| format!("{}k:\n", " ".repeat(at))).collect()
}

fn count(node: &yaml::Node) -> u64 {
    let items: u64 = node.items().unwrap_or(&[]).iter().map(count).sum();
    let entries: u64 = node.entries().unwrap_or(&[]).iter().map(|entry| count(&entry.value)).sum();
    1 + items + entries
}
