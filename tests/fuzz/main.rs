//! Damaged input for every reader and language: everything returns, nothing panics, nothing takes long.
//!
//! Usage: `fuzz [--inputs N] [--seed S] [--from N] [--stack BYTES] [TARGET…]`. The inputs are those of the golden
//! vectors, mutated by a small seeded generator, so a run can be repeated exactly; a crash that ends the process (a
//! stack overflow) is found again with `--from` and the number printed last. What was found stands in `found.jsonl`
//! beside this file and is run first, every time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs, unreachable_pub)]

mod mutate;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mutate::Mutator;
use targets::{TARGETS, Target};

/// Inputs for each target when nothing is said: a few seconds in all.
const INPUTS: u64 = 1_000;
/// No single input may take longer, on a loaded machine, unoptimised.
const SLOW: Duration = Duration::from_secs(5);

struct Choices {
    inputs: u64,
    seed: u64,
    from: u64,
    stack: usize,
    only: Vec<String>,
}

fn main() -> ExitCode {
    let choices = choices();
    let mut found = 0;
    for target in TARGETS {
        if !choices.only.is_empty() && !choices.only.iter().any(|name| name == target.name) {
            continue;
        }
        let (inputs, seed, from) = (choices.inputs, choices.seed, choices.from);
        let run = move || hammer(target, inputs, seed, from);
        let thread = std::thread::Builder::new().stack_size(choices.stack).spawn(run).expect("a thread");
        found += thread.join().expect("the harness itself does not panic");
    }
    println!("{} passed, {found} failed", TARGETS.len());
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn choices() -> Choices {
    let mut choices = Choices { inputs: INPUTS, seed: 1, from: 0, stack: 1 << 20, only: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).expect("a number");
        match word.as_str() {
            "--inputs" => choices.inputs = number(),
            "--seed" => choices.seed = number(),
            "--from" => choices.from = number(),
            "--stack" => choices.stack = usize::try_from(number()).expect("a size"),
            name if !name.starts_with('-') => choices.only.push(name.to_owned()),
            _ => {}
        }
    }
    choices
}

pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests").join(name)
}

/// Runs one target; gives how many inputs it did not survive.
fn hammer(target: &'static Target, inputs: u64, seed: u64, from: u64) -> u32 {
    std::panic::set_hook(Box::new(|_| {}));
    let corpus = (target.corpus)();
    assert!(!corpus.is_empty(), "{}: no inputs", target.name);
    let started = Instant::now();
    let (mut failed, mut slowest) = (0, Duration::ZERO);
    let known = targets::found(target.name);
    let pinned = known.iter().map(|input| (u64::MAX, input.clone()));
    let mutated = (from..inputs).map(|number| {
        let mut mutator = Mutator::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number, target.words);
        (number, mutator.mutate(&corpus))
    });
    for (number, input) in pinned.chain(mutated) {
        if number % 100_000 == 0 && number > 0 {
            println!("{}: {number}", target.name);
        }
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        let took = began.elapsed();
        slowest = slowest.max(took);
        if let Err(cause) = outcome {
            let text = cause.downcast_ref::<String>().cloned();
            let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            println!("{} {number}: PANIC {}: {input:?}", target.name, text.unwrap_or_default());
            failed += 1;
        } else if took > SLOW {
            println!("{} {number}: took {} ms: {input:?}", target.name, took.as_millis());
            failed += 1;
        }
        if failed > 10 {
            println!("{}: and so on", target.name);
            break;
        }
    }
    let total = inputs.saturating_sub(from);
    println!(
        "{}: {total} inputs in {} ms, slowest {} ms, {failed} findings",
        target.name,
        started.elapsed().as_millis(),
        slowest.as_millis()
    );
    failed
}
