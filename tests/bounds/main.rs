//! Attacks on every language, and what refusing each of them costs: bytes at the peak and time of the processor.
//!
//! Usage: `bounds [--all] [--known] [PART OF A NAME…]`. Each attack runs alone, on a thread with a stack of 256 KiB. It is
//! refused by a limit that says its name, within 16 MiB above its own text and 50 ms, or it is answered within
//! [`LARGER`] times as much.
//! Bytes are the same on every machine. Time is that of the thread on the processor, the best of three where the first
//! exceeds; 50 ms is the bound where the compiler optimises as for users (`cargo test --release --test bounds`), and
//! [`SLOWER`] times as much under the profile of `cargo xtask test`.
//!
//! An attack that does not hold yet stands in `tests/known/bounds.txt` (`name  reason`), is run with `--known`
//! only, and fails there once it holds. `--all` prints every attack, otherwise only failures and the dearest are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs, unreachable_pub)]

mod attack;
mod expressions;
mod gotmpl;
mod hiera;
mod jet;
mod json;
mod paths;
mod patterns;
mod rules;
mod yaml;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use ccm_core::error::{Kind, expr::ExprFault};
use ccm_core::span::Source;
use ccm_core::{Error, Result};
use nix::time::{ClockId, clock_gettime};
use peak_alloc::PeakAlloc;

use attack::{Expected, Language};

#[global_allocator]
static BYTES: PeakAlloc = PeakAlloc;

const LANGUAGES: &[&[Language]] = &[
    expressions::LANGUAGES,
    paths::LANGUAGES,
    yaml::LANGUAGES,
    json::LANGUAGES,
    jet::LANGUAGES,
    gotmpl::LANGUAGES,
    hiera::LANGUAGES,
    rules::LANGUAGES,
    patterns::LANGUAGES,
];

/// What a refusal may take.
const MOST_BYTES: usize = 16 << 20;
const MOST_TIME: Duration = Duration::from_millis(50);

/// How many times as much an answer may take: it is in proportion to its text or to what vectors want.
const LARGER: u32 = 4;

/// How many times as long the code takes that is not optimised as for users.
const SLOWER: u32 = if cfg!(debug_assertions) { 4 } else { 1 };

const STACK: usize = 256 << 10;

struct Outcome {
    result: Result<()>,
    bytes: usize,
    time: Duration,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| words.iter().any(|word| word == name);
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let (known, mut dearest) = (known(), Vec::new());
    let (mut passed, mut failed, mut gaps) = (0, 0, 0);
    attack::data();
    for language in LANGUAGES.iter().copied().flatten() {
        for (name, expected, text) in (language.rows)() {
            let name = format!("{}: {name}", language.name);
            if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
                continue;
            }
            let is_known = known.contains(&name);
            if is_known && !flag("--known") {
                gaps += 1;
                continue;
            }
            let outcome = measure(language.run, &Source::new("attack", text), &name);
            let verdict = judge(expected, &outcome);
            let line = told(&name, &outcome);
            match &verdict {
                Ok(()) if is_known => println!("{line}\n    FAILED: holds, but stands in tests/known/bounds.txt"),
                Err(reason) => println!("{line}\n    {}: {reason}", if is_known { "KNOWN" } else { "FAILED" }),
                Ok(()) if flag("--all") => println!("{line}"),
                Ok(()) => {}
            }
            match (verdict, is_known) {
                (Ok(()), false) => passed += 1,
                (Err(_), true) => gaps += 1,
                _ => failed += 1,
            }
            dearest.push((outcome.time, line));
        }
    }
    dearest.sort_by_key(|(time, _)| core::cmp::Reverse(*time));
    println!("the dearest:");
    dearest.iter().take(3).for_each(|(_, line)| println!("{line}"));
    println!("bounds: {passed} passed, {failed} failed, {gaps} known gaps");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn known() -> BTreeSet<String> {
    let lines = include_str!("../known/bounds.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.split_once("  ")?.0.to_owned())).collect()
}

fn told(name: &str, outcome: &Outcome) -> String {
    let answer = match &outcome.result {
        Ok(()) => "an answer".to_owned(),
        Err(error) => error.to_string().chars().take(160).collect(),
    };
    format!("{:7.1} ms {:7} KiB  {name}: {answer}", outcome.time.as_secs_f64() * 1e3, outcome.bytes >> 10)
}

/// The first run, or the best of three where that one took too long.
fn measure(run: fn(&Source) -> Result<()>, source: &Source, name: &str) -> Outcome {
    let once = || {
        let source = source.clone();
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            BYTES.reset_peak_usage();
            let (before, began) = (BYTES.current_usage(), spent());
            let result = run(&source);
            Outcome { result, time: spent() - began, bytes: BYTES.peak_usage().saturating_sub(before) }
        });
        thread.expect("a thread").join().unwrap_or_else(|_| panic!("{name}: panicked"))
    };
    let first = once();
    // What takes seconds is not late by chance.
    if first.time < MOST_TIME * SLOWER || first.time > MOST_TIME * SLOWER * 4 {
        return first;
    }
    [first, once(), once()].into_iter().min_by_key(|outcome| outcome.time).expect("a run")
}

/// Time of this thread on the processor: others may have the machine meanwhile.
fn spent() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("the clock of this thread").into()
}

fn judge(expected: Expected, outcome: &Outcome) -> Result<(), String> {
    match (expected, &outcome.result) {
        (Expected::Limit, Err(error)) if !is_limit(error) => return Err("refused, but by no limit".to_owned()),
        (Expected::Limit, Ok(())) => return Err("not refused".to_owned()),
        (Expected::Answer, Err(_)) => return Err("refused".to_owned()),
        _ => {}
    }
    let larger = if outcome.result.is_ok() { LARGER } else { 1 };
    if outcome.bytes > MOST_BYTES * larger as usize {
        return Err(format!("takes more than {} MiB", (MOST_BYTES >> 20) * larger as usize));
    }
    let most = MOST_TIME * larger * SLOWER;
    if outcome.time > most {
        return Err(format!("takes more than {} ms", most.as_millis()));
    }
    Ok(())
}

/// Refused by a bound of ours, in whichever room it stands.
fn is_limit(error: &Error) -> bool {
    match error.kind() {
        Kind::Limit(_) => true,
        Kind::Expr(ExprFault::Nodes(_) | ExprFault::Depth(_) | ExprFault::Memory(_)) => true,
        kind => {
            let text = kind.to_string();
            ["deeper than", "larger than", "longer than", "at most", "too many", "too deep", "more than"]
                .iter()
                .any(|words| text.contains(words))
        }
    }
}
