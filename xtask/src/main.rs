//! The project's own tasks, run as `cargo xtask TASK`.
//!
//! Each task is one file; none of them uses the crates of the program, they call cargo and the built
//! binary as anyone would.

mod bench;
mod debian;
mod dist;
mod emulate;
mod fuzz;
mod initramfs;
mod linear;
mod lint;
mod packages;
mod rust_src;
mod scenarios;
mod shell;
mod test;
mod tidy;
mod vectors;
mod vm;

use std::process::ExitCode;

/// What a task gives: a sentence when it failed.
type Outcome = Result<(), String>;

const USAGE: &str = "usage: cargo xtask TASK
  lint                               formatting, clippy, docs, tidy, core on a bare target
  tidy                               the order of rooms, file sizes, stray debug output
  test [--system]                    gets what the tests need and runs them all
  bench [--ccm BIN | --count | --linear]
                                     our figures beside a lower bound in C; instructions of each language;
                                     whether twice the input is twice the work
  dist [--target T]… [--record]      static binaries, packages, checksums, sizes in dist/VERSION
  emulate [--target T]… [--only units|vectors|scenarios]… [--filter RE]
                                     tests, vectors and scenarios of each target under qemu's user emulation
  vm [--only CASE]…                  boots guests that hold nothing but ccm, on three kinds of machine
  initramfs [--only TOOL]…           has initramfs-tools and dracut put ccm in an image each, and boots them
  packages                           installs, upgrades and removes our packages with the real package managers
  fuzz [--inputs N] [--seed S] [TARGET…]
                                     damaged input, a million of each kind
  rust-src                           the standard library's source, for core on a bare target and for dist
  vectors [DIR]                      golden vectors of a folder (default tests/vectors)
  scenarios [DIR] [--ccm BIN] [--filter RE] [--have A,B] [--jobs N] [--keep] [-v] [--slow F]
                                     black-box scenarios of a folder (default tests/scenarios)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let outcome = match task {
        "bench" => bench::run(rest),
        "dist" => dist::run(rest),
        "emulate" => emulate::run(rest),
        "fuzz" => fuzz::run(rest),
        "initramfs" => initramfs::run(rest),
        "lint" => lint::run(),
        "tidy" => tidy::run(),
        "packages" => packages::run(),
        "rust-src" => rust_src::run(),
        "test" => test::run(rest),
        "vectors" => vectors::run(rest),
        "scenarios" => scenarios::run(rest),
        "vm" => vm::run(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => Err(format!("unknown task {other}\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask {task}: {reason}");
            ExitCode::FAILURE
        }
    }
}
