//! A run from its flags to its exit code: what `ccm apply` and `ccm ensure` share.

use std::sync::Arc;

use ccm_core::engine::{self, Loaded, Mode, Plan, Run, Session, Stage};
use ccm_core::host::Processes;
use ccm_core::manifest::{Document, Inputs, Manifest, Unknown};
use ccm_core::span::Source;
use ccm_core::{Error, Result};
use ccm_platform::Linux;

use crate::args::Given;
use crate::definition::{Flag, Takes};
use crate::load::{self, Loader};
use crate::logger::{Console, Level};
use crate::problem;
use crate::report::Reporter;

/// The flags of every run.
pub(super) static FLAGS: &[&Flag] = &[
    &FACT,
    &FLAT_FACTS,
    &FACTS,
    &NO_READ_ENV,
    &NOOP,
    &NOOP_GUARDS,
    &DETAILED_EXITCODES,
    &LOCK_TIMEOUT,
    &NO_SYNC,
    &CONTEXT,
];

static FACT: Flag =
    Flag::new("fact", Takes::Many("K=V"), "a fact for this run, K=V; a dotted K sets a nested fact; may be repeated");
static FLAT_FACTS: Flag = Flag::switch("flat-facts", "keep dotted keys of --fact as they are");
static FACTS: Flag =
    Flag::new("facts", Takes::One("FILE"), "a YAML or JSON file of facts to merge over those gathered");
static NO_READ_ENV: Flag = Flag::switch("no-read-env", "do not read .env from the current directory");
static NOOP: Flag = Flag::switch("noop", "change nothing, say what would change");
static NOOP_GUARDS: Flag = Flag::switch("noop-guards", "with --noop: run guard commands too");
static DETAILED_EXITCODES: Flag =
    Flag::switch("detailed-exitcodes", "end with 0 unchanged, 2 changed, 4 failed, 6 changed and failed");
static LOCK_TIMEOUT: Flag =
    Flag::new("lock-timeout", Takes::One("DURATION"), "how long to wait for another run to end (60s)");
static NO_SYNC: Flag = Flag::switch("no-sync", "do not wait for disks: for building images");
/// Taken already, for calls that name it; sources in NATS will want it.
static CONTEXT: Flag = Flag::new("context", Takes::One("NAME"), "the NATS context (NATS_CONTEXT, or CCM)");

/// What the flags ask for.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct Options {
    pub(crate) noop: bool,
    pub(crate) noop_guards: bool,
    pub(crate) monitor_only: bool,
    /// Read `.env` of the working directory.
    pub(crate) read_env: bool,
    pub(crate) fact: Vec<String>,
    pub(crate) flat_facts: bool,
    pub(crate) facts: Option<String>,
    pub(crate) hiera: Data,
    pub(crate) lock_timeout: Option<String>,
    /// Flush what is written to the disk.
    pub(crate) sync: bool,
    pub(crate) detailed: bool,
}

impl Options {
    /// What the flags of every run ask for.
    pub(super) fn of(given: &Given) -> Self {
        Self {
            noop: given.on(&NOOP),
            noop_guards: given.on(&NOOP_GUARDS),
            monitor_only: false,
            read_env: !given.on(&NO_READ_ENV),
            fact: given.texts(&FACT).map(Into::into).collect(),
            flat_facts: given.on(&FLAT_FACTS),
            facts: given.text(&FACTS).map(Into::into),
            hiera: Data::None,
            lock_timeout: given.text(&LOCK_TIMEOUT).map(Into::into),
            sync: !given.on(&NO_SYNC),
            detailed: given.on(&DETAILED_EXITCODES),
        }
    }
}

/// Data that is laid over a manifest's own.
#[derive(Default)]
pub(crate) enum Data {
    #[default]
    None,
    /// It must be there.
    Wanted(String),
    /// A file that need not be there.
    IfThere(String),
}

/// What is shown around a run.
#[derive(Clone, Copy)]
pub(crate) enum Shown {
    /// Messages, the line before the run, the summary if asked for.
    Run { report: bool },
    /// The lines of the resources alone.
    Lines,
}

/// A machine and a console, ready to run manifests.
pub(crate) struct Setup<'a> {
    options: Options,
    console: &'a Console,
    host: Linux,
}

impl<'a> Setup<'a> {
    /// Checks the flags and takes hold of the machine: nothing is read or changed yet.
    pub(crate) fn new(options: Options, console: &'a Console) -> Result<Self> {
        if options.noop && options.monitor_only {
            return Err(Error::invalid("--noop and --monitor-only exclude each other"));
        }
        let lines = console.clone();
        let mut host = Linux::new().streaming_to(move |line| {
            lines.user(Level::Info, line, &[]);
            lines.out.flush();
        });
        if !options.sync {
            host = host.without_sync();
        }
        host.watch_signals()?;
        Ok(Self { options, console, host })
    }

    /// How a call ends: one that was asked to stop with its signal's code, whatever could not be done then.
    pub(crate) fn end(&self, result: Result<u8>) -> Result<u8> {
        match (result, self.host.stop_requested()) {
            (Err(error), stop @ Some(_)) => {
                problem::show(self.console, &error);
                Ok(engine::Summary::default().exit_code(false, stop))
            }
            (result, _) => result,
        }
    }

    pub(crate) fn host(&self) -> &Linux {
        &self.host
    }

    /// What every manifest of this call sees and how much it may do.
    fn run(&self, identity: &str) -> Result<Run> {
        let options = &self.options;
        let facts = load::facts(options, &self.host, self.console)?;
        let overlay = load::overlay(&options.hiera, &facts, &self.host)?;
        for warning in overlay.iter().flat_map(|overlay| &overlay.warnings) {
            self.console.diagnose(Level::Warn, problem::text(warning).trim_end(), &[]);
        }
        Ok(Run {
            mode: Mode { noop: options.noop, noop_guards: options.noop_guards, health_only: options.monitor_only },
            facts,
            environ: load::environ(options.read_env, self.console)?,
            overlay: overlay.map(Arc::new),
            unknown: match super::variable("NO_SCHEMA_VALIDATION").as_deref() {
                Some("1") => Unknown::Warn,
                _ => Unknown::Refuse,
            },
            chain: vec![identity.into()],
            within: None,
        })
    }

    /// Reads a manifest and all its resources.
    fn plan(&self, loaded: &Loaded, run: &Run, session: &Session) -> Result<Plan> {
        let document = Document::read(&loaded.source, run.unknown)?;
        // Kept to the end of the process: to give back each node of a large document is work for nothing.
        core::mem::forget(document.yaml.clone());
        let inputs = Inputs {
            facts: &run.facts,
            environ: &run.environ,
            directory: &loaded.directory,
            given: None,
            overlay: run.overlay.as_deref(),
            host: &self.host,
        };
        let plan = Plan::of(Manifest::resolve(document, &inputs)?, run, &self.host, session)?;
        for warning in &plan.warnings {
            self.console.diagnose(Level::Warn, problem::text(warning).trim_end(), &[]);
        }
        Ok(plan)
    }

    /// Reads a manifest and gives the plan alone, for `--render`.
    pub(crate) fn render(&self, loaded: &Loaded) -> Result<Plan> {
        self.plan(loaded, &self.run(&loaded.identity)?, &Session::memory(&self.host))
    }

    /// Runs a manifest that was loaded.
    pub(crate) fn apply(&mut self, loaded: &Loaded, loader: &Loader, shown: Shown) -> Result<u8> {
        let session = Session::memory(&self.host);
        self.carry_out(loaded, loader, session, shown)
    }

    /// Runs the manifest of one resource, its events kept in a directory if one is given.
    pub(crate) fn ensure(&mut self, manifest: String, store: Option<&str>) -> Result<u8> {
        let session = match store {
            None => Session::memory(&self.host),
            Some(path) => {
                let (session, warnings) = Session::open(path, &self.host)?;
                for warning in &warnings {
                    self.console.diagnose(Level::Warn, problem::text(warning).trim_end(), &[]);
                }
                session
            }
        };
        let loaded = Loaded {
            source: Source::new("command line", manifest),
            directory: String::new(),
            identity: String::new(),
            digest: None,
        };
        self.carry_out(&loaded, &Loader::default(), session, Shown::Lines)
    }

    fn carry_out(&mut self, loaded: &Loaded, loader: &Loader, session: Session, shown: Shown) -> Result<u8> {
        let run = self.run(&loaded.identity)?;
        let mut session = session;
        let plan = self.plan(loaded, &run, &session)?;
        let _lock = load::lock(&self.options, &self.host, self.console)?;
        let changing = !self.options.noop && !self.options.monitor_only;
        if changing {
            // Before anything is changed: a run that is cut short does not open the door to an older bundle.
            loader.guard.record(&mut self.host, self.console)?;
        }
        if let Shown::Run { .. } = shown {
            self.announce(&plan, loaded);
        }
        let mut reporter = Reporter::new(self.console);
        let load = |directory: &str, name: &str| loader.load(&Linux::new(), directory, name);
        let mut stage = Stage { host: &mut self.host, session: &mut session, observer: &mut reporter, load: &load };
        engine::apply(&plan, &run, &mut stage);
        if changing {
            loader.guard.record(&mut self.host, self.console)?;
        }
        let summary = session.finish(&self.host);
        if let Shown::Run { report } = shown {
            self.conclude(&plan, &summary, report);
        }
        // The process ends: to give back each piece of a large plan is work for nothing.
        core::mem::forget(plan);
        Ok(summary.exit_code(self.options.detailed, self.host.stop_requested()))
    }

    fn announce(&self, plan: &Plan, loaded: &Loaded) {
        if let Some(message) = &plan.pre_message {
            self.console.out.text(&format!("\n{message}\n"));
        }
        let text = match self.options.monitor_only {
            true => "Executing manifest health checks",
            false => "Executing manifest",
        };
        let pairs = [("manifest", loaded.source.name().to_string()), ("resources", plan.resources.len().to_string())];
        self.console.user(Level::Info, text, &pairs);
    }

    fn conclude(&self, plan: &Plan, summary: &engine::Summary, report: bool) {
        if let Some(message) = plan.post_message.as_ref().filter(|_| summary.errors == 0) {
            self.console.out.text(&format!("{message}\n"));
        }
        if report {
            self.console.out.text(&format!("\n{}", summary.run_report()));
        }
    }
}
