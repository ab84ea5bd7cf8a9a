//! `cargo xtask scenarios [DIR] [--ccm BIN]`: what a `ccm` binary must do, seen from outside.
//!
//! Every `*.jsonl` of the folder whose name is known runs; `tests/scenarios/README.md` describes the format.
//! What a scenario `uses` beyond what the program has is left out, and counted. A scenario that does not
//! hold yet stands in `tests/known/scenarios.txt` with its reason; a listed one that passes is a failure.

pub mod archive;
mod fake;
mod http;
mod look;
mod net;
mod prestate;
mod process;
mod scenario;
mod text;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::Value as Json;

use crate::{Outcome, shell};

/// The files of the first format that the program can answer today.
const FILES: &[&str] = &[
    "apply",
    "engine",
    "ensure",
    "env_files",
    "exec",
    "facts",
    "file",
    "hiera_cli",
    "manifest",
    "session",
    "template_cli",
];
/// The files of the second format.
const NET_FILES: &[&str] = &["net_facts"];
/// What scenarios may use beyond `file`, `exec` and local data.
const HAVE: &[&str] = &["jet", "block", "apply"];

/// The choices of one run.
pub struct Options {
    pub ccm: PathBuf,
    pub have: BTreeSet<String>,
    pub filter: Option<regex::Regex>,
    pub jobs: usize,
    pub keep: bool,
    pub verbose: bool,
    pub slow: f64,
    pub have_namespaces: bool,
    pub private_run: bool,
    /// The folder of temporary roots.
    pub temporary: PathBuf,
}

/// How a scenario ended.
pub enum Verdict {
    Passed,
    Failed(Vec<String>),
    Skipped(String),
}

/// How many ended how.
#[derive(Default)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    pub gaps: usize,
    pub skipped: usize,
    pub left_out: usize,
}

pub fn run(arguments: &[String]) -> Outcome {
    let (folder, options) = options(arguments)?;
    let tally = all(&folder, &options, &known("scenarios.txt"))?;
    if tally.failed == 0 { Ok(()) } else { Err("some scenarios do not hold".to_owned()) }
}

/// All scenarios through a program that runs another machine's `ccm`; `more` stand for gaps of the emulation.
pub fn emulated(ccm: &Path, arguments: &[String], more: &[String]) -> Result<Tally, String> {
    let mut words = vec!["--ccm".to_owned(), ccm.display().to_string()];
    words.extend_from_slice(arguments);
    let (folder, options) = options(&words)?;
    let mut known = known("scenarios.txt");
    known.extend(more.iter().cloned());
    all(&folder, &options, &known)
}

fn all(folder: &Path, options: &Options, known: &BTreeSet<String>) -> Result<Tally, String> {
    let (mut todo, mut tally) = (Vec::new(), Tally::default());
    for (net, names) in [(false, FILES), (true, NET_FILES)] {
        for name in names {
            let path = folder.join(format!("{name}.jsonl"));
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let json: Json = serde_json::from_str(line)
                    .map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))?;
                if options.wants(&json) {
                    if options.can(&json) { todo.push((net, json)) } else { tally.left_out += 1 }
                }
            }
        }
    }
    let tools = process::Tools::new(&options.temporary)?;
    let queue = Mutex::new(todo.iter().enumerate());
    let verdicts = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
                    let Some((index, (net, json))) = next else { break };
                    let run = || if *net { net::run(json, options) } else { scenario::run(json, options, &tools) };
                    let verdict = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
                        .unwrap_or_else(|_| Verdict::Failed(vec!["the runner panicked".to_owned()]));
                    verdicts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, verdict));
                }
            });
        }
    });
    drop(tools);
    let mut verdicts = verdicts.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    verdicts.sort_by_key(|(index, _)| *index);
    for (index, verdict) in verdicts {
        let id = todo[index].1["id"].as_str().unwrap_or("?");
        match (verdict, known.contains(id)) {
            (Verdict::Passed, false) => tally.passed += 1,
            (Verdict::Passed, true) => {
                tally.failed += 1;
                println!("FAIL {id}: passes, but stands in tests/known");
            }
            (Verdict::Failed(_), true) => tally.gaps += 1,
            (Verdict::Failed(reasons), false) => {
                tally.failed += 1;
                println!("FAIL {id}: {}", reasons.join("\n     "));
            }
            (Verdict::Skipped(reason), _) => {
                tally.skipped += 1;
                println!("SKIP {id}: {reason}");
            }
        }
    }
    let Tally { passed, failed, gaps, skipped, left_out } = tally;
    println!("{left_out} left out (they use what is not built yet), {gaps} known gaps, {skipped} skipped");
    println!("{passed} passed, {failed} failed");
    Ok(tally)
}

impl Options {
    fn wants(&self, json: &Json) -> bool {
        let Some(filter) = &self.filter else { return true };
        ["id", "group"].iter().any(|key| json[*key].as_str().is_some_and(|text| filter.is_match(text)))
    }

    fn can(&self, json: &Json) -> bool {
        json["uses"]
            .as_array()
            .into_iter()
            .flatten()
            .all(|used| used.as_str().is_some_and(|used| self.have.contains(used)))
    }
}

fn options(arguments: &[String]) -> Result<(PathBuf, Options), String> {
    let mut folder = shell::root().join("tests/scenarios");
    let mut ccm = None;
    let mut options = Options {
        ccm: PathBuf::new(),
        have: HAVE.iter().map(|name| (*name).to_owned()).collect(),
        filter: None,
        jobs: 4,
        keep: false,
        verbose: false,
        slow: 1.0,
        have_namespaces: process::have_namespaces(),
        private_run: false,
        temporary: std::env::temp_dir(),
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--ccm" => ccm = Some(PathBuf::from(value()?)),
            "--have" => options.have = value()?.split(',').map(str::to_owned).collect(),
            "--filter" => options.filter = Some(regex::Regex::new(&value()?).map_err(|error| error.to_string())?),
            "--jobs" => options.jobs = value()?.parse().map_err(|_| "--jobs takes a number".to_owned())?,
            "--slow" => options.slow = value()?.parse().map_err(|_| "--slow takes a number".to_owned())?,
            "--tmp" => options.temporary = PathBuf::from(value()?),
            "--keep" => options.keep = true,
            "-v" => {
                options.verbose = true;
                options.jobs = 1;
            }
            other if !other.starts_with('-') => folder = PathBuf::from(other),
            other => return Err(format!("unknown flag {other}")),
        }
    }
    let ccm = match ccm {
        Some(path) => path,
        None => shell::build_ccm()?,
    };
    options.ccm = ccm.canonicalize().map_err(|error| format!("{}: {error}", ccm.display()))?;
    options.private_run = options.have_namespaces && Path::new("/usr/bin/setpriv").exists();
    process::adopt_orphans();
    Ok((folder, options))
}

fn known(name: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(shell::root().join("tests/known").join(name)).unwrap_or_default();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}
