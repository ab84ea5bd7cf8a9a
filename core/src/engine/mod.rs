//! Runs resources in the order written and records what happened.
//!
//! ```text
//! Manifest → Plan        every resource read and checked, before anything is run   plan
//! Plan → Event …         one resource after the other                              step
//!     control gate → require gate → deferred fields → observe, decide, carry out, verify → health checks
//! Event → Session        what later resources and the report need to know          session
//! Session → Summary      counters, report, exit code                               summary
//! ```
//!
//! There is no graph: `require` holds a resource back and `subscribe` triggers it by what the latest
//! event of another one says. A resource's trouble is that resource's event (`DECISIONS.md` P3); the run
//! goes on, or ends with `fail_on_error`.
//!
//! A child manifest runs in a [`Run`] made from its parent's; nothing is saved and restored. What all
//! runs share, the machine, the session and whoever listens, is the [`Stage`].

pub mod event;
mod health;
pub mod id;
mod key;
mod mode;
mod nested;
pub mod plan;
mod rendered;
pub mod session;
mod step;
pub mod summary;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

pub use event::{Checked, Event, Health, Outcome};
pub use mode::Mode;
pub use plan::Plan;
pub use rendered::Rendered;
pub use session::Session;
pub use summary::Summary;

use crate::error::{Error, Result};
use crate::hiera;
use crate::host::Host;
use crate::manifest::Unknown;
use crate::resource::HealthCheck;
use crate::span::Source;
use crate::value::{Map, Text, Value};

/// What every run of a session shares.
pub struct Stage<'a> {
    /// The machine.
    pub host: &'a mut dyn Host,
    /// What happened so far.
    pub session: &'a mut Session,
    /// Whoever is told what happens while it happens.
    pub observer: &'a mut dyn Observer,
    /// Finds the manifest that an `apply` names, seen from a directory.
    pub load: &'a dyn Fn(&str, &str) -> Result<Loaded>,
}

/// A manifest that was found.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its text, under the name that errors show.
    pub source: Source,
    /// The directory that its relative paths are seen from.
    pub directory: String,
    /// What it is the same as, however it was named: cycles are found by it.
    pub identity: String,
    /// SHA-256 of the tarball that it came in, in lower-case hex.
    pub digest: Option<String>,
}

/// Whoever follows a run while it goes on.
pub trait Observer {
    /// A resource has had its turn. `within` names the child manifest it is in.
    fn event(&mut self, event: &Event, within: Option<&str>);

    /// Something else worth telling.
    fn note(&mut self, note: &Note<'_>);

    /// Events are shown with their status, which for a file costs reading it once more.
    fn wants_status(&self) -> bool {
        false
    }
}

/// What is told beside events.
#[derive(Debug)]
pub enum Note<'a> {
    /// An attempt of a health check was not OK.
    CheckFailed {
        /// The resource.
        title: &'a str,
        /// The check.
        check: &'a HealthCheck,
        /// What came of the attempt, and which one it was.
        checked: &'a Checked,
    },
    /// The run ends early because a resource failed (`fail_on_error`).
    Terminating,
    /// A child manifest has run.
    Child {
        /// As the `apply` names it.
        name: &'a str,
        /// What came of it.
        tally: &'a Tally,
    },
    /// All went well, but not in the usual way.
    Warning {
        /// The resource.
        title: &'a str,
        /// What happened.
        text: &'a str,
    },
    /// A fault that stops nothing: in a child manifest's document, or a record that could not be written.
    Fault(&'a Error),
}

/// What a run takes from whoever starts it.
#[derive(Debug, Clone)]
pub struct Run {
    /// How much it may do.
    pub mode: Mode,
    /// What all manifests of the run see of the machine.
    pub facts: Value,
    /// The environment as templates see it.
    pub environ: Map,
    /// Data that is laid over every manifest's own.
    pub overlay: Option<Arc<hiera::Resolved>>,
    /// What is done about unknown keys.
    pub unknown: Unknown,
    /// The manifests that led here, the running one last: their identities.
    pub chain: Vec<Text>,
    /// The name that lines of a child manifest carry.
    pub within: Option<Text>,
}

impl Run {
    /// How deep `apply` may nest (F6).
    pub const DEPTH: usize = 10;
}

/// Outcomes of one manifest, its children's not included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Resources that had their turn.
    pub resources: u64,
    /// Of them changed.
    pub changed: u64,
    /// Of them failed, their children's failures included.
    pub failed: u64,
}

impl Tally {
    fn count(&mut self, event: &Event) {
        self.resources += 1;
        self.failed += u64::from(event.outcome.failed);
        self.changed += u64::from(event.outcome.changed && !event.outcome.failed);
    }

    /// Neither changed nor failed.
    #[must_use]
    pub fn rest(&self) -> u64 {
        self.resources.saturating_sub(self.changed).saturating_sub(self.failed)
    }
}

/// Runs a plan. A stop that the host was asked for is honoured before each resource; where a resource was
/// found as wanted within a millisecond, the one before it has just been asked.
pub fn apply(plan: &Plan, run: &Run, stage: &mut Stage<'_>) -> Tally {
    let mut tally = Tally::default();
    let mut unasked = STOP;
    for resource in &plan.resources {
        if unasked >= STOP {
            unasked = Duration::ZERO;
            if stage.host.stop_requested().is_some() {
                break;
            }
        }
        let event = step::take(resource, plan, run, stage);
        unasked = if event.outcome == Outcome::default() { unasked.saturating_add(event.duration) } else { STOP };
        tally.count(&event);
        record(&event, run, stage);
        if event.outcome.failed && plan.fail_on_error && !run.mode.health_only {
            stage.observer.note(&Note::Terminating);
            break;
        }
    }
    tally
}

/// How long a run of resources that need nothing may go on before it asks whether to stop: to ask is a system
/// call, and so is half of what such a resource takes.
const STOP: Duration = Duration::from_millis(1);

fn record(event: &Event, run: &Run, stage: &mut Stage<'_>) {
    if let Err(error) = stage.session.record(event, &mut *stage.host) {
        stage.observer.note(&Note::Fault(&error.doing("saving the event")));
    }
    stage.observer.event(event, run.within.as_deref());
}
