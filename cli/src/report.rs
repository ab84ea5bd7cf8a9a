//! What the user follows while a run goes on: one line a resource, in the reference's words and order
//! (ledger resources.md 6.3), since scripts read them.

use std::time::Duration;

use ccm_core::engine::{Event, Note, Observer, Outcome, Tally};
use ccm_core::text::time::duration;

use crate::logger::{Console, Level, Line};
use crate::problem;

/// Shows a run on a console.
pub(crate) struct Reporter<'a> {
    console: &'a Console,
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(console: &'a Console) -> Self {
        Self { console }
    }
}

impl Observer for Reporter<'_> {
    fn event(&mut self, event: &Event, within: Option<&str>) {
        if event.health_only && event.health.is_empty() && !event.outcome.failed && event.unmet.is_empty() {
            return;
        }
        let (level, word) = word(event);
        let line = self.console.line(level, &event.title()).text(" ").text(word);
        describe(line, event, within).say();
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

fn describe<'a>(line: Line<'a>, event: &Event, within: Option<&str>) -> Line<'a> {
    let mut line = line.pair("ensure", &event.requested);
    line = line.pair("runtime", &shown(event.duration)).pair("provider", event.provider);
    line = match &event.would {
        Some(would) => line.pair("noop", would),
        None if event.noop => line.pair("noop", "true"),
        None => line,
    };
    if event.health_only {
        line = line.pair("healthcheck", "true");
    }
    if !event.errors.is_empty() {
        line = line.pair("errors", &event.errors.join(", "));
    }
    for reference in &event.unmet {
        line = line.pair("unmet", reference.as_str());
    }
    match within {
        Some(name) => line.pair("manifest", name),
        None => line,
    }
}

/// A time in whole milliseconds, as Go writes it.
fn shown(time: Duration) -> String {
    let nanos = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    duration::format(duration::truncate(nanos, 1_000_000))
}
