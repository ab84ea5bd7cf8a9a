//! `cargo xtask bench`: our figures beside a lower bound in C, in one run.
//!
//! The machines are shared and noisy, so a figure is the median of several runs, CPU time before wall time, and
//! what is promised is a ratio between two programs measured in turn.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::{Outcome, linear, shell};

/// One whole process: CPU of it and its children, wall time, peak memory.
#[derive(Clone, Copy, Default)]
struct Figure {
    cpu: Duration,
    wall: Duration,
    /// KiB.
    peak: u64,
}

pub fn run(arguments: &[String]) -> Outcome {
    if let [flag, rest @ ..] = arguments
        && flag == "--measure"
    {
        return measure_child(rest);
    }
    match arguments {
        [flag] if flag == "--count" => return count(),
        [flag] if flag == "--linear" => return linear::run(),
        _ => {}
    }
    let ccm = match arguments {
        [flag, path] if flag == "--ccm" => PathBuf::from(path),
        [] => release()?,
        _ => return Err("usage: bench [--count | --linear | --ccm BINARY]".to_owned()),
    };
    let folder = shell::root().join("target/bench");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let floor = folder.join("floor");
    let source = shell::root().join("tests/bench/floor.c");
    shell::run(Command::new("cc").args(["-O2", "-static", "-o"]).arg(&floor).arg(source))?;
    println!("{:<34} {:>10} {:>10} {:>9}", "", "CPU ms", "wall ms", "peak KiB");
    let start = |program: &Path, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words);
        command
    };
    let [bare, version] = paired([&|| start(&floor, &[]), &|| start(&ccm, &["--version"])], 41)?;
    show("floor: start and end", bare);
    show("ccm --version", version);
    let ratio = version.wall.as_secs_f64() / bare.wall.as_secs_f64();
    println!("  {ratio:.2} times the wall time of an empty C program (promised: 3)");
    let [facts, _] = paired([&|| start(&ccm, &["facts"]), &|| start(&floor, &[])], 15)?;
    show("ccm facts", facts);
    println!("  promised: 5 ms CPU");
    let (thousand, floor_thousand) = files(&ccm, &floor, &folder, 1_000)?;
    let (many, _) = files(&ccm, &floor, &folder, 10_000)?;
    let of = |a: Figure, b: Figure| a.cpu.as_secs_f64() / b.cpu.as_secs_f64();
    println!("  1,000 converged: {:.2} times the floor's CPU (promised: 8)", of(thousand, floor_thousand));
    println!("  1,000 converged: {:.1} MiB peak (promised: 10)", thousand.peak as f64 / 1024.0);
    println!("  10,000 converged: {:.2} times 1,000 (promised: 11)", of(many, thousand));
    shell::run(shell::cargo().args(["bench", "--quiet", "--package", "ccm-core", "--bench", "languages"]))
}

/// What `--count` counts, each used so often, and how many parts one use has.
const COUNTED: &[(&str, u64, u64)] = &[
    ("compile", 10, 10),
    ("evaluate", 10, 10),
    ("by-hand", 10, 10),
    ("lookup", 100, 1),
    ("hierarchy", 10, 1),
    ("jet", 10, 1),
    ("hosts", 10, 1),
    ("yaml", 1, 1),
];

/// Instructions of one use of each language: of twice as many uses less those of the uses, so that what is
/// made ready before does not count.
fn count() -> Outcome {
    if !shell::have("valgrind") {
        return Err("valgrind is missing; it counts the instructions".to_owned());
    }
    for (name, uses, parts) in COUNTED {
        let [once, twice] = [instructions(name, *uses)?, instructions(name, uses * 2)?];
        println!("{name:<12} {:>14} instructions", twice.saturating_sub(once) / uses / parts);
    }
    Ok(())
}

fn instructions(name: &str, uses: u64) -> Result<u64, String> {
    let mut bench = shell::cargo();
    let runner = "target.'cfg(all())'.runner='valgrind --tool=callgrind --callgrind-out-file=/dev/null'";
    bench.args(["bench", "--quiet", "--config", runner, "--package", "ccm-core", "--bench", "languages", "--", name]);
    bench.arg(uses.to_string());
    let ended = bench.output().map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&ended.stderr);
    let line = told.lines().find_map(|line| line.split_once("refs:"));
    let digits: String =
        line.map(|(_, number)| number.chars().filter(char::is_ascii_digit).collect()).unwrap_or_default();
    digits.parse().map_err(|_| format!("{name}: no count from callgrind"))
}

/// The release binary, static where the musl target is there: what users run.
fn release() -> Result<PathBuf, String> {
    shell::run(shell::cargo().args(["build", "--release", "--quiet", "--package", "ccm"]))?;
    Ok(shell::root().join("target/release/ccm"))
}

/// The workload of `n` files: first laid down, then applied again and again.
fn files(ccm: &Path, floor: &Path, folder: &Path, n: usize) -> Result<(Figure, Figure), String> {
    let text = |error: std::io::Error| error.to_string();
    let (uid, gid) = (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw());
    let mut figures = Vec::new();
    let mut manifest = String::from("ccm:\n  resources:\n");
    let mut list = String::new();
    let (ours, theirs) = (folder.join(format!("ccm-{n}")), folder.join(format!("floor-{n}")));
    for place in [&ours, &theirs] {
        let _absent = fs::remove_dir_all(place);
        fs::create_dir_all(place).map_err(text)?;
    }
    for index in 1..=n {
        let mode = if index % 10 == 0 { "0600" } else { "0644" };
        let mut lines = vec![format!("# managed file {index}"), format!("listen_port = {}", 1024 + index % 50_000)];
        lines.extend(
            (0..3 + index % 9).map(|k| format!("option_{k} = value-{index}-{}", (index * 7919 + k * 31) % 100_003)),
        );
        manifest += &format!(
            "    - file:\n        - {}/f{index:05}.conf:\n            ensure: present\n            owner: \"{uid}\"\n            \
             group: \"{gid}\"\n            mode: \"{mode}\"\n            content: |\n",
            ours.display()
        );
        for line in &lines {
            manifest += &format!("              {line}\n");
        }
        let content = lines.join("\\n");
        list += &format!("{}/f{index:05}.conf\t{mode}\t{uid}\t{gid}\t{content}\\n\n", theirs.display());
    }
    let (manifest_path, list_path) = (folder.join(format!("{n}.yaml")), folder.join(format!("{n}.list")));
    fs::write(&manifest_path, manifest).map_err(text)?;
    fs::write(&list_path, list).map_err(text)?;
    let apply = |extra: &[&str]| {
        let mut command = Command::new(ccm);
        command.arg("apply").args(extra).arg(&manifest_path);
        command
    };
    let lay = || {
        let mut command = Command::new(floor);
        command.arg(&list_path);
        command
    };
    figures.push(("ccm apply: first", measure(&mut apply(&["--no-sync"]))?));
    figures.push(("floor: first", measure(&mut lay())?));
    let runs = if n > 1_000 { 5 } else { 15 };
    let [converged, bound] = paired([&|| apply(&[]), &lay], runs)?;
    let [noop, _] = paired([&|| apply(&["--noop"]), &lay], runs)?;
    figures.extend([
        ("ccm apply: converged", converged),
        ("floor: converged", bound),
        ("ccm apply --noop: converged", noop),
    ]);
    for (name, figure) in figures {
        show(&format!("{n} files, {name}"), figure);
    }
    Ok((converged, bound))
}

fn show(name: &str, figure: Figure) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{name:<34} {:>10.2} {:>10.2} {:>9}", ms(figure.cpu), ms(figure.wall), figure.peak);
}

/// Medians of two commands run in turn.
fn paired(commands: [&dyn Fn() -> Command; 2], runs: usize) -> Result<[Figure; 2], String> {
    let mut all = [Vec::new(), Vec::new()];
    for round in 0..=runs {
        for (figures, command) in all.iter_mut().zip(commands) {
            let figure = measure(&mut command())?;
            if round > 0 {
                figures.push(figure);
            }
        }
    }
    let median = |figures: &mut Vec<Figure>, key: &dyn Fn(&Figure) -> Duration| {
        figures.sort_by_key(|figure| key(figure));
        key(&figures[figures.len() / 2])
    };
    Ok(all.map(|mut figures| Figure {
        cpu: median(&mut figures, &|figure| figure.cpu),
        wall: median(&mut figures, &|figure| figure.wall),
        peak: figures.iter().map(|figure| figure.peak).max().unwrap_or(0),
    }))
}

/// Runs a command below a small process of its own, whose account of children is then the command's alone.
fn measure(command: &mut Command) -> Result<Figure, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut wrapped = Command::new(own);
    wrapped.args(["bench", "--measure"]).arg(command.get_program()).args(command.get_args());
    let printed = shell::output(&mut wrapped)?;
    let mut numbers = printed.split_whitespace().filter_map(|word| word.parse::<u64>().ok());
    let mut next = || numbers.next().ok_or("no figures");
    Ok(Figure { cpu: Duration::from_nanos(next()?), wall: Duration::from_nanos(next()?), peak: next()? })
}

fn measure_child(words: &[String]) -> Outcome {
    let (program, arguments) = words.split_first().ok_or("nothing to measure")?;
    let started = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("{program}: {error}"))?;
    let wall = started.elapsed();
    if !status.success() {
        return Err(format!("{program} {}: {status}", arguments.join(" ")));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let cpu = (usage.user_time() + usage.system_time()).num_microseconds() * 1000;
    println!("{cpu} {} {}", wall.as_nanos(), usage.max_rss());
    Ok(())
}
