//! `cargo xtask emulate [--target T]…`: every target's binary proved on an emulated machine.
//!
//! qemu's user emulation runs the tests and vectors of the crates built for the target, then all scenarios with the
//! binary that `dist` makes. What the emulator itself cannot do stands in `tests/known/emulated.txt`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::{Target, Toolchain, build, targets, write};
use crate::{Outcome, scenarios, shell};

/// What can be run, in this order.
const SUITES: &[&str] = &["units", "vectors", "scenarios"];
/// The emulator is slower than a machine; a larger factor would send signals after the commands they should end.
const SLOW: &str = "2";
/// In the table, of a suite that was not asked for.
const NOT_RUN: &str = "not run";

pub fn run(arguments: &[String]) -> Outcome {
    let (mut wanted, mut suites, mut filter) = (Vec::new(), Vec::new(), Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().cloned().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--target" => wanted.push(value),
            "--only" => suites.push(value),
            "--filter" => filter = vec!["--filter".to_owned(), value],
            other => return Err(format!("unknown flag {other}; emulate [--target T]… [--only SUITE]… [--filter RE]")),
        }
    }
    if let Some(unknown) = suites.iter().find(|suite| !SUITES.contains(&suite.as_str())) {
        return Err(format!("unknown suite {unknown}; known are {}", SUITES.join(", ")));
    }
    let chosen = |suite: &str| suites.is_empty() || suites.iter().any(|name| name == suite);
    let (mut table, mut failed) = (Vec::new(), Vec::new());
    for target in targets(&wanted)? {
        match machine(target, &chosen, &filter) {
            Ok((line, good)) => {
                println!("{line}");
                table.push(line);
                failed.extend((!good).then_some(target.triple));
            }
            Err(reason) => {
                table.push(format!("| {} | {reason} |", target.triple));
                failed.push(target.triple);
            }
        }
    }
    println!("\n| target | tests | vectors | scenarios |\n|---|---|---|---|\n{}", table.join("\n"));
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// The line of one target, and whether all held.
fn machine(target: &Target, chosen: &dyn Fn(&str) -> bool, filter: &[String]) -> Result<(String, bool), String> {
    let config = shell::root().join("cross").join(format!("{}.toml", target.triple));
    let runner = runner(&config)?;
    let (mut cells, mut good) = (Vec::new(), true);
    let groups: [(&str, &[&str]); 2] =
        [("units", &["--lib", "--test", "engine", "--test", "platform"]), ("vectors", &["--test", "conformance"])];
    for (suite, tests) in groups {
        if !chosen(suite) {
            cells.push(NOT_RUN.to_owned());
            continue;
        }
        let (passed, bad) = crates(target, &config, tests)?;
        good &= bad == 0;
        cells.push(format!("{passed} passed, {bad} failed"));
    }
    if chosen("scenarios") {
        let binary = build(target)?.stripped;
        let ccm = wrapper(target, &binary, &runner)?;
        let mut arguments: Vec<String> = ["--slow", SLOW, "--jobs", "3"].map(str::to_owned).to_vec();
        arguments.extend_from_slice(filter);
        let tally = scenarios::emulated(&ccm, &arguments, &known(target)?)?;
        good &= tally.failed == 0;
        cells.push(format!("{} passed, {} failed, {} known gaps", tally.passed, tally.failed, tally.gaps));
    } else {
        cells.push(NOT_RUN.to_owned());
    }
    Ok((format!("| {} | {} |", target.triple, cells.join(" | ")), good))
}

/// Runs tests of the crates, built for the target with panics caught; how many passed and failed.
fn crates(target: &Target, config: &Path, tests: &[&str]) -> Result<(u64, u64), String> {
    let mut command = shell::cargo();
    command.args(["test", "--quiet", "--profile", "fast", "--package", "ccm-core", "--package", "ccm-platform"]);
    command.args(tests).arg("--no-fail-fast").arg("--target-dir").arg(shell::root().join("target/emulate"));
    command.arg("--config").arg(config).args(["--config", "unstable.build-std=[\"panic_unwind\"]"]);
    // Built once and run once.
    command.args(["--config", "profile.fast.debug=false"]).env("CARGO_INCREMENTAL", "0");
    Toolchain::of(target)?.apply(&mut command, &["-Cforce-unwind-tables=yes"]);
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let (mut passed, mut failed) = (0, 0);
    for line in said.lines() {
        // `test result: ok. 7 passed; 0 failed; …` of a test binary, `7 passed, 0 failed` of the vectors.
        let counts = line.strip_prefix("test result: ").map_or(line, |rest| rest.split_once(". ").map_or("", |c| c.1));
        let mut numbers = counts.split([';', ',']).filter_map(|part| part.trim().split_once(' '));
        let mut number = |what: &str| numbers.next().filter(|(_, word)| *word == what)?.0.parse::<u64>().ok();
        if let (Some(good), Some(bad)) = (number("passed"), number("failed")) {
            passed += good;
            failed += bad;
        } else if !line.is_empty() {
            println!("{line}");
        }
    }
    if !output.status.success() && failed == 0 {
        return Err(format!("tests do not run: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok((passed, failed))
}

/// The emulator that a target's file names.
fn runner(config: &Path) -> Result<String, String> {
    let text = fs::read_to_string(config).map_err(|error| format!("{}: {error}", config.display()))?;
    let line =
        text.lines().find_map(|line| line.strip_prefix("runner = \"")).ok_or("no runner in the target's file")?;
    let words = line.trim_end_matches('"');
    let (program, flags) = words.split_once(' ').unwrap_or((words, ""));
    let missing = || format!("needs {program}: `apt-get install qemu-user-static` gets it");
    Ok(format!("{} {flags}", shell::find(program).ok_or_else(missing)?.display()))
}

/// A `ccm` that starts the target's in the emulator, for machines whose kernel does not do that itself.
fn wrapper(target: &Target, binary: &Path, runner: &str) -> Result<PathBuf, String> {
    let folder = shell::root().join("target/emulate/bin").join(target.triple);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let path = folder.join("ccm");
    let script = format!("#!/bin/sh\nexec {} {} \"$@\"\n", runner.trim_end(), binary.display());
    write(&path, script.as_bytes(), 0o755)?;
    shell::output(Command::new(&path).arg("--version"))?;
    Ok(path)
}

/// Scenarios that do not hold in a target's emulation: lines of a target or `*`, the id, the reason.
fn known(target: &Target) -> Result<Vec<String>, String> {
    let path = shell::root().join("tests/known/emulated.txt");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace());
    Ok(rows
        .filter_map(|mut row| Some((row.next()?, row.next()?)))
        .filter(|(on, _)| *on == "*" || *on == target.triple)
        .map(|(_, id)| id.to_owned())
        .collect())
}
