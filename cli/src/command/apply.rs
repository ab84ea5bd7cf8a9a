//! `ccm apply`: brings this machine to the state of a manifest.

use ccm_core::engine::{Loaded, Plan, Rendered};
use ccm_core::{Error, Result, yaml};

use super::run::{self, Data, Options, Setup, Shown};
use crate::args::Given;
use crate::definition::{Command, Count, Flag, Takes, Then, Word};
use crate::exit;
use crate::guard::Guard;
use crate::load::Loader;
use crate::logger::Console;

/// `ccm apply`.
pub(crate) static APPLY: Command = Command {
    name: "apply",
    also: &[],
    about: "Applies a manifest: a file, `-` for standard input, a tarball that holds a manifest.yaml, or a signed bundle.",
    flags: &[run::FLAGS, FLAGS, &[&KEY, &ALLOW_ROLLBACK]],
    then: Then::Run(&[Word::new("manifest", Count::One, "the manifest")], run),
};

/// The flags of whatever applies a manifest and reports of it.
pub(super) static FLAGS: &[&Flag] = &[&HIERA, &MONITOR_ONLY, &RENDER, &NO_REPORT, &REGISTRATION];

static HIERA: Flag = Flag::new("hiera", Takes::One("SOURCE"), "data that overrides the manifest's (CCM_HIERA_DATA)");
static MONITOR_ONLY: Flag = Flag::switch("monitor-only", "run health checks only");
static RENDER: Flag = Flag::switch("render", "print the resolved manifest and end");
static NO_REPORT: Flag = Flag::switch("no-report", "print no summary");
/// Taken already, for calls that name it; registrations() will want it.
static REGISTRATION: Flag =
    Flag::new("registration", Takes::One("STREAM"), "the stream that registrations() reads (REGISTRATION)").or('R');
static KEY: Flag = Flag::new(
    "key",
    Takes::One("PUBLIC"),
    "take nothing but a bundle signed with this public key (of bundles: all in keys/ of the configuration directory)",
);
static ALLOW_ROLLBACK: Flag = Flag::switch("allow-rollback", "take a bundle though a later version of it was applied");

fn run(given: &Given, console: &Console) -> Result<u8> {
    let guard = Guard::new(given.text(&KEY).map(Into::into), given.on(&ALLOW_ROLLBACK))?;
    run_on(given, guard, console, |setup, loader| loader.load(setup.host(), "", given.word(0)))
}

/// Applies what a function finds or makes.
pub(super) fn run_on(
    given: &Given,
    guard: Guard,
    console: &Console,
    load: impl FnOnce(&Setup<'_>, &Loader) -> Result<Loaded>,
) -> Result<u8> {
    let hiera = given.text(&HIERA).map(Into::into).or_else(|| super::variable("CCM_HIERA_DATA"));
    let options = Options {
        monitor_only: given.on(&MONITOR_ONLY),
        hiera: hiera.map_or(Data::None, Data::Wanted),
        ..Options::of(given)
    };
    let mut setup = Setup::new(options, console)?;
    let loader = Loader::new(guard);
    let result = load(&setup, &loader).and_then(|loaded| match given.on(&RENDER) {
        true => render(&setup.render(&loaded)?, console),
        false => setup.apply(&loaded, &loader, Shown::Run { report: !given.on(&NO_REPORT) }),
    });
    setup.end(result)
}

fn render(plan: &Plan, console: &Console) -> Result<u8> {
    let text = yaml::write(&Rendered(plan)).map_err(|error| Error::invalid(format!("cannot render: {error}")))?;
    // The empty line at the end is the reference's (vectors jet_manifests).
    console.out.text(&format!("{text}\n"));
    Ok(exit::SUCCESS)
}
