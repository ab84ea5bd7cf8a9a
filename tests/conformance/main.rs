//! Runs golden vectors: every `*.jsonl` of a folder whose name it knows, each case by its id.
//!
//! Usage: `conformance [DIR]` (default `tests/vectors`); `CCM_ONLY=expr,jet` picks files. A case that
//! answers differently on purpose stands in `deviations.jsonl` (`{file, id, expect, reason}`): its
//! `expect` then replaces the case's own. A case that does not hold yet stands in
//! `tests/known/FILE.txt` (`id  reason`); a listed id that passes is a failure too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs, unreachable_pub)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value as Json;

mod data;
mod envs;
mod expr;
mod gjson;
mod hiera;
mod hiera_multi;
mod jet;
mod jet_manifests;
mod lookup;
mod template;
mod typed;
mod validator;
mod yaml;
mod yaml_bombs;

mod mesh_facts;
mod text_template;

/// One case, as read from its line.
pub struct Case {
    pub id: String,
    pub json: Json,
    /// What `deviations.jsonl` says we answer instead.
    pub deviation: Option<Json>,
}

/// The folder that the cases came from, for the files beside them.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn lines(&self, name: &str) -> Vec<Json> {
        let text = std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).expect(name)).collect()
    }

    pub fn json(&self, name: &str) -> Json {
        let text = std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        serde_json::from_str(&text).expect(name)
    }
}

/// A runner gets all cases of its file and says for each what is wrong with our answer.
type Runner = fn(&Folder, &[Case]) -> Vec<Result<(), String>>;

/// Runs a check over each case; a panic is that case's failure.
pub fn each(cases: &[Case], check: impl Fn(&Case) -> Result<(), String>) -> Vec<Result<(), String>> {
    let check = std::panic::AssertUnwindSafe(check);
    cases
        .iter()
        .map(|case| {
            std::panic::catch_unwind(|| check(case)).unwrap_or_else(|cause| {
                let text = cause.downcast_ref::<String>().cloned();
                let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                Err(format!("PANIC: {}", text.unwrap_or_default()))
            })
        })
        .collect()
}

/// The files known, by stem. `envs`, `lookup-envs` and the like are read by their users.
const RUNNERS: &[(&str, Runner)] = &[
    ("expr", expr::run),
    ("validator", validator::run),
    ("gjson", gjson::run),
    ("hiera", hiera::run),
    ("hiera_multi", hiera_multi::run),
    ("jet", jet::run),
    ("jet_manifests", jet_manifests::run),
    ("lookup", lookup::run),
    ("template", template::run),
    ("mesh_facts", mesh_facts::run),
    ("text_template", text_template::run),
    ("yaml", yaml::run),
    ("yaml_bombs", yaml_bombs::run),
];

fn main() -> ExitCode {
    let folder = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors"), PathBuf::from);
    let only: Option<BTreeSet<String>> =
        std::env::var("CCM_ONLY").ok().map(|names| names.split(',').map(str::to_owned).collect());
    let known_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/known");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let deviations = deviations(&own);
    let (mut passed, mut failed) = (0_usize, 0_usize);
    for (stem, run) in RUNNERS {
        let path = folder.join(format!("{stem}.jsonl"));
        if !path.exists() || only.as_ref().is_some_and(|only| !only.contains(*stem)) {
            continue;
        }
        let home = Folder(folder.clone());
        let cases: Vec<Case> = home
            .lines(&format!("{stem}.jsonl"))
            .into_iter()
            .map(|json| {
                let id = json["id"].as_str().expect("id").to_owned();
                let deviation = deviations.get(&((*stem).to_owned(), id.clone())).cloned();
                Case { id, json, deviation }
            })
            .collect();
        let known = known(&known_folder.join(format!("{stem}.txt")));
        let outcomes = run(&home, &cases);
        assert_eq!(outcomes.len(), cases.len(), "{stem}: a runner answers every case");
        let (mut good, mut bad, mut gaps) = (0, 0, 0);
        for (case, outcome) in cases.iter().zip(outcomes) {
            match (outcome, known.contains(&case.id)) {
                (Ok(()), false) => good += 1,
                // A known gap holds nobody up, and is no success.
                (Err(_), true) => gaps += 1,
                (Ok(()), true) => {
                    bad += 1;
                    println!("{stem} {}: holds, but stands in tests/known/{stem}.txt", case.id);
                }
                (Err(reason), false) => {
                    bad += 1;
                    println!("{stem} {}: {reason}", case.id);
                }
            }
        }
        println!("{stem}: {good} of {} ({gaps} known gaps)", cases.len());
        passed += good;
        failed += bad;
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn deviations(folder: &Path) -> BTreeMap<(String, String), Json> {
    let text = std::fs::read_to_string(folder.join("deviations.jsonl")).unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let row: Json = serde_json::from_str(line).expect("deviations.jsonl");
            let key = |name: &str| row[name].as_str().expect("deviations.jsonl: file and id").to_owned();
            assert!(row["reason"].is_string(), "a deviation has its reason");
            ((key("file"), key("id")), row["expect"].clone())
        })
        .collect()
}

fn known(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split_whitespace().next().expect("an id").to_owned())
        .collect()
}
