//! What the user follows while a run goes on: one line a resource, in the reference's words and order
//! (ledger resources.md 6.3), since scripts read them.

use std::time::Duration;

use ccm_core::engine::{Event, Note, Observer, Outcome, Summary, Tally};
use ccm_core::text::time::duration;

use crate::logger::{Console, Level};
use crate::problem;

/// Shows a run on a console.
pub(crate) struct Reporter<'a> {
    console: &'a Console,
    summary: Summary,
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(console: &'a Console) -> Self {
        Self { console, summary: Summary::default() }
    }

    /// What this run came to, whatever its session held before.
    pub(crate) fn into_summary(self) -> Summary {
        self.summary
    }
}

impl Observer for Reporter<'_> {
    fn event(&mut self, event: &Event, within: Option<&str>) {
        self.summary.count(&event.record());
        if event.health_only && event.health.is_empty() && !event.outcome.failed && event.unmet.is_empty() {
            return;
        }
        let (level, word) = word(event);
        self.console.user(level, &format!("{} {word}", event.title()), &pairs(event, within));
    }

    fn note(&mut self, note: &Note<'_>) {
        match note {
            Note::CheckFailed { title, check, checked } => {
                let pairs = [
                    ("resource", (*title).into()),
                    ("check", check.name.to_string()),
                    ("try", checked.tries.to_string()),
                    ("sleep", shown(check.try_sleep)),
                    ("status", checked.status.name().into()),
                    ("format", check.format().into()),
                ];
                self.console.user(Level::Warn, "Health check failed", &pairs);
            }
            Note::Terminating => {
                self.console.user(Level::Warn, "Terminating manifest execution due to failed resource", &[]);
            }
            Note::Child { name, tally } => self.child(name, tally),
            Note::Warning { title, text } => {
                self.console.diagnose(Level::Warn, text, &[("resource", (*title).into())]);
            }
            Note::Fault(error) => self.console.diagnose(Level::Warn, problem::text(error).trim_end(), &[]),
        }
    }
}

impl Reporter<'_> {
    fn child(&self, name: &str, tally: &Tally) {
        let (level, text) = match tally {
            Tally { failed: 1.., .. } => (Level::Error, "Child manifest had failures"),
            Tally { changed: 1.., .. } => (Level::Warn, "Child manifest had changes"),
            _ => (Level::Info, "Child manifest completed"),
        };
        let pairs = [
            ("manifest", name.into()),
            ("resources", tally.resources.to_string()),
            ("changed", tally.changed.to_string()),
            ("failed", tally.failed.to_string()),
            ("skipped", tally.rest().to_string()),
        ];
        self.console.user(level, text, &pairs);
    }
}

/// The level and the word of an outcome; the first that fits.
fn word(event: &Event) -> (Level, &'static str) {
    let Outcome { changed, refreshed, failed, skipped } = event.outcome;
    if failed {
        (Level::Error, "failed")
    } else if !event.unmet.is_empty() {
        (Level::Error, "skipped due to unmet requirement")
    } else if skipped {
        (Level::Warn, "skipped")
    } else if refreshed {
        (Level::Warn, "refreshed")
    } else if changed {
        (Level::Warn, "changed")
    } else {
        (Level::Info, "stable")
    }
}

fn pairs(event: &Event, within: Option<&str>) -> Vec<(&'static str, String)> {
    let mut pairs = vec![
        ("ensure", event.requested.to_string()),
        ("runtime", shown(event.duration)),
        ("provider", event.provider.into()),
    ];
    match &event.would {
        Some(would) => pairs.push(("noop", would.clone())),
        None if event.noop => pairs.push(("noop", "true".into())),
        None => {}
    }
    if event.health_only {
        pairs.push(("healthcheck", "true".into()));
    }
    if !event.errors.is_empty() {
        pairs.push(("errors", event.errors.join(", ")));
    }
    pairs.extend(event.unmet.iter().map(|reference| ("unmet", reference.to_string())));
    pairs.extend(within.map(|name| ("manifest", name.into())));
    pairs
}

/// A time in whole milliseconds, as Go writes it.
fn shown(time: Duration) -> String {
    let nanos = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    duration::format(duration::truncate(nanos, 1_000_000))
}
