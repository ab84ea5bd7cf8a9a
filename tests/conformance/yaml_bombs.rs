//! `yaml_bombs.jsonl`: documents that expand without bound are refused, by counting and not by the clock.

use ccm_core::span::Source;
use ccm_core::yaml::{self, Limits};

use crate::{Case, Folder, each};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| {
        let text = match case.json["yaml"].as_str() {
            Some(text) => text.to_owned(),
            None => recipe(case.json["recipe"].as_str().expect("yaml or recipe")),
        };
        let began = std::time::Instant::now();
        let outcome = yaml::read(&Source::new("bomb.yaml", text), &Limits::default());
        let nodes = outcome.map(|document| count(document.root()));
        let took = began.elapsed();
        if took.as_millis() > 500 {
            return Err(format!("took {took:?}"));
        }
        match (case.json["expect"].as_str(), nodes) {
            (Some("any"), _) => Ok(()),
            (Some("decoded"), Ok(nodes)) if case.json["nodes"].as_u64() == Some(nodes) => Ok(()),
            (Some("limit"), Err(error)) if matches!(error.kind(), ccm_core::error::Kind::Limit(_)) => Ok(()),
            (expect, outcome) => Err(format!("{outcome:?}, must be {expect:?}")),
        }
    })
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
