//! `cargo xtask bench --linear`: twice the input is at most 2.2 times the work, for every shape of `tests/linear`.
//!
//! Work is counted by callgrind, so the same program gives the same figures on a busy machine as on an idle one.

use std::fs;

use crate::{Outcome, shell};

/// What twice the input may cost; sorting costs a little more than twice.
const MOST: f64 = 2.2;
/// Less, and the shape does not grow with its input: it would show nothing.
const LEAST: f64 = 1.5;
/// The shape that is quadratic on purpose.
const CONTROL: &str = "control: ";

pub fn run() -> Outcome {
    if !shell::have("valgrind") {
        return Err("valgrind is missing; it counts the instructions".to_owned());
    }
    let folder = shell::target().join("linear");
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let counts = folder.join("counts");
    // A file of counts is written each time the function returns, the first with the number 1.
    let runner = format!(
        "target.'cfg(all())'.runner='valgrind --tool=callgrind --toggle-collect=linear::counted \
         --dump-after=linear::counted --callgrind-out-file={}'",
        counts.display()
    );
    let mut test = shell::cargo();
    test.args(["test", "--quiet", "--profile", "fast", "--package", "ccm-core", "--test", "linear"]);
    // The C library gathers what was freed now and then, which has nothing to do with the input.
    test.args(["--config", &runner]).env("GLIBC_TUNABLES", "glibc.malloc.mxfast=0");
    let names = shell::output(&mut test)?;
    let total = |at: usize| -> Result<f64, String> {
        let path = format!("{}.{at}", counts.display());
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
        total.ok_or_else(|| format!("{path}: no total"))
    };
    let mut worse = Vec::new();
    let mut ratios = Vec::new();
    for (at, name) in names.lines().enumerate() {
        let ratio = total(2 * at + 2)? / total(2 * at + 1)?;
        match name.starts_with(CONTROL) {
            true if ratio < 3.0 => return Err(format!("{name}: {ratio:.2}; the counting does not notice")),
            false if !(LEAST..=MOST).contains(&ratio) => worse.push(format!("  {ratio:.2} times  {name}")),
            _ => ratios.push(ratio),
        }
    }
    if !worse.is_empty() {
        return Err(format!("twice the input takes less than {LEAST} or more than {MOST} times\n{}", worse.join("\n")));
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().ok_or("no shapes")?;
    println!(
        "linear: {} shapes, twice the input is {median:.2} times the work (median), at most {MOST}",
        ratios.len() - 1
    );
    fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}
