//! A run of a manifest on a machine in memory, and what was told of it.

use std::collections::BTreeMap;

use ccm_core::engine::{self, Event, Loaded, Mode, Note, Observer, Plan, Run, Session, Stage, Tally};
use ccm_core::host::memory::{Memory, Reply};
use ccm_core::manifest::{Document, Inputs, Manifest, Unknown};
use ccm_core::span::Source;
use ccm_core::value::{Map, Value};
use ccm_core::{Error, Result};

/// Commands that most cases need.
pub(crate) fn machine() -> Memory {
    Memory::new()
        .with_command("/bin/true", Reply::exits(0))
        .with_command("/bin/false", Reply::exits(1))
        .with_command("/bin/reload", Reply::exits(0))
}

/// What a run came to: a word a resource, in order, and everything else that was told.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) lines: Vec<String>,
    pub(crate) notes: Vec<String>,
}

impl Observer for Told {
    fn event(&mut self, event: &Event, within: Option<&str>) {
        let outcome = event.outcome;
        let word = match () {
            () if outcome.failed => "failed",
            () if !event.unmet.is_empty() => "unmet",
            () if outcome.skipped => "skipped",
            () if outcome.refreshed => "refreshed",
            () if outcome.changed => "changed",
            () => "stable",
        };
        let within = within.map(|name| format!("{name}: ")).unwrap_or_default();
        self.lines.push(format!("{within}{} {word}", event.title()));
        self.notes.extend(event.errors.iter().cloned());
    }

    fn note(&mut self, note: &Note<'_>) {
        self.notes.push(format!("{note:?}"));
    }
}

/// The manifests of a case: `m.yaml` is run, the others are what an `apply` may name.
pub(crate) struct Case(BTreeMap<String, String>);

impl Case {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect())
    }

    fn load(&self, name: &str) -> Result<Loaded> {
        let text = self.0.get(name).ok_or_else(|| Error::invalid(format!("{name} does not exist")))?;
        Ok(Loaded {
            source: Source::new(name, text.as_str()),
            directory: String::new(),
            identity: name.into(),
            digest: None,
        })
    }

    /// Reads, plans and applies `m.yaml`.
    pub(crate) fn run(&self, mode: Mode, host: &mut Memory) -> Result<(Tally, Told)> {
        let mut session = Session::memory(host);
        self.run_in(&mut session, mode, host)
    }

    /// The same in a session that may have a past.
    pub(crate) fn run_in(&self, session: &mut Session, mode: Mode, host: &mut Memory) -> Result<(Tally, Told)> {
        let run = Run {
            mode,
            facts: Value::Map(Map::new()),
            environ: Map::new(),
            overlay: None,
            unknown: Unknown::Refuse,
            chain: vec!["m.yaml".into()],
            within: None,
        };
        let document = Document::read(&self.load("m.yaml")?.source, run.unknown)?;
        let (facts, environ) = (&run.facts, &run.environ);
        let inputs = Inputs { facts, environ, directory: "", given: None, overlay: None, host: &*host };
        let plan = Plan::of(Manifest::resolve(document, &inputs)?, &run, host, session)?;
        let notes = plan.warnings.iter().map(ToString::to_string).collect();
        let mut told = Told { notes, ..Told::default() };
        let load = |_: &str, name: &str| self.load(name);
        let mut stage = Stage { host, session, observer: &mut told, load: &load };
        let tally = engine::apply(&plan, &run, &mut stage);
        Ok((tally, told))
    }
}
