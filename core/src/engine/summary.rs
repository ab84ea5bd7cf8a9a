//! What a run, or a session of many, came to: counters, the report, the exit code.

use alloc::string::String;
use core::fmt::{self, Write};
use core::time::Duration;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::event::{Health, Outcome, Record};
use crate::host::{Stop, Timestamp};
use crate::text::time::duration;

/// Counts of outcomes. An event is in one of failed, skipped, changed, stable, the first that fits;
/// refreshed and unmet are counted besides (ledger resources.md 6.5).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// When the session began.
    pub start: Timestamp,
    /// When its last event ended.
    pub end: Timestamp,
    /// From the one to the other, by a clock that is never set back.
    pub duration: Duration,
    /// Events.
    pub total: u64,
    /// Resources with events, each counted once.
    pub unique: u64,
    /// Neither failed nor skipped, changed.
    pub changed: u64,
    /// Failed.
    pub failed: u64,
    /// Not run: by their control, or for want of a requirement.
    pub skipped: u64,
    /// As wanted already.
    pub stable: u64,
    /// Acted upon a trigger.
    pub refreshed: u64,
    /// Not run for want of a requirement.
    pub unmet: u64,
    /// Events with a health check, and of all checks the results by status: OK, warning, critical, unknown.
    pub checked: u64,
    /// Checks by status.
    pub checks: [u64; 4],
    /// Errors.
    pub errors: u64,
}

impl Summary {
    /// Counts one event in.
    pub fn count(&mut self, record: &Record) {
        self.total += 1;
        let Outcome { changed, refreshed, failed, skipped } = record.outcome;
        match (failed, skipped || record.unmet, changed) {
            // An `apply` whose child failed: the failure is counted there.
            (true, _, _) if record.inherited => {}
            (true, _, _) => {
                self.failed += 1;
                self.errors += 1;
            }
            (_, true, _) => self.skipped += 1,
            (_, _, true) => self.changed += 1,
            _ => self.stable += 1,
        }
        self.refreshed += u64::from(refreshed);
        self.unmet += u64::from(record.unmet);
        self.checked += u64::from(!record.health.is_empty());
        for health in &record.health {
            self.checks[health.index()] += 1;
        }
    }

    /// The exit code of a run (`DECISIONS.md`): 0, or 4 when something failed or lacked a requirement;
    /// in detail 0 unchanged, 2 changed, 4 failed, 6 both. A stop is 130 or 143 whatever else happened.
    #[must_use]
    pub fn exit_code(&self, detailed: bool, stop: Option<Stop>) -> u8 {
        match stop {
            Some(Stop::Interrupt) => 130,
            Some(Stop::Terminate) => 143,
            None => {
                let failed = if self.failed > 0 || self.unmet > 0 { 4 } else { 0 };
                failed + if detailed && self.changed > 0 { 2 } else { 0 }
            }
        }
    }

    /// The report after a run.
    #[must_use]
    pub fn run_report(&self) -> String {
        let mut out = String::from("Manifest Run Summary\n\n");
        self.lines(&mut out, false);
        out
    }

    /// The report of a session.
    #[must_use]
    pub fn session_report(&self) -> String {
        let mut out = String::from("Session Summary\n\n");
        self.lines(&mut out, true);
        out
    }

    fn lines(&self, out: &mut String, session: bool) {
        // Writing into a String cannot fail.
        let mut line = |label: &str, value: &dyn fmt::Display| {
            let _ok = writeln!(out, "{label:>21}: {value}");
        };
        line("Run Time", &Elapsed(self.duration));
        line("Total Resources", &self.total);
        if session {
            line("Unique Resources", &self.unique);
        }
        line("Stable Resources", &self.stable);
        line("Changed Resources", &self.changed);
        line("Failed Resources", &self.failed);
        line("Skipped Resources", &self.skipped);
        line("Refreshed Resources", &self.refreshed);
        if !session {
            line("Unmet Requirements", &self.unmet);
            line("Checked Resources", &Checks(self));
        }
        line("Total Errors", &self.errors);
    }
}

/// `1 (ok: 1, critical: 0, warning: 0 unknown: 0)`, or `0`.
struct Checks<'a>(&'a Summary);

impl fmt::Display for Checks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { checked, checks: [ok, warning, critical, unknown], .. } = self.0;
        write!(f, "{checked}")?;
        match checked {
            0 => Ok(()),
            _ => write!(f, " (ok: {ok}, critical: {critical}, warning: {warning} unknown: {unknown})"),
        }
    }
}

/// A duration as the report shows it: `1ms`, `2.503s`, `1m4s`, in Go's form, not finer than a millisecond.
struct Elapsed(Duration);

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = i64::try_from(self.0.as_nanos()).unwrap_or(i64::MAX);
        let unit = if nanos < 1_000_000 { 1_000 } else { 1_000_000 };
        f.write_str(&duration::format(duration::truncate(nanos, unit)))
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("start_time", &self.start.rfc3339())?;
        map.serialize_entry("end_time", &self.end.rfc3339())?;
        map.serialize_entry("total_duration", &u64::try_from(self.duration.as_nanos()).unwrap_or(u64::MAX))?;
        let [ok, warning, critical, unknown] = self.checks;
        for (key, count) in [
            ("total_resources", self.total),
            ("unique_resources", self.unique),
            ("changed_resources", self.changed),
            ("failed_resources", self.failed),
            ("skipped_resources", self.skipped),
            ("stable_resources", self.stable),
            ("refreshed_count", self.refreshed),
            ("requirements_unmet_count", self.unmet),
            ("health_checked_count", self.checked),
            ("health_check_ok_count", ok),
            ("health_check_warning_count", warning),
            ("health_check_critical_count", critical),
            ("health_check_unknown_count", unknown),
            ("total_errors", self.errors),
        ] {
            map.serialize_entry(key, &count)?;
        }
        map.end()
    }
}

impl Health {
    /// The place of a status in [`Summary::checks`].
    fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn record(outcome: Outcome) -> Record {
        Record { outcome, ..Record::default() }
    }

    fn summary(records: &[Record]) -> Summary {
        let mut summary = Summary::default();
        records.iter().for_each(|record| summary.count(record));
        summary
    }

    const CHANGED: Outcome = Outcome { changed: true, refreshed: false, failed: false, skipped: false };
    const FAILED: Outcome = Outcome { changed: true, refreshed: false, failed: true, skipped: false };
    const SKIPPED: Outcome = Outcome { changed: false, refreshed: false, failed: false, skipped: true };

    #[test]
    fn an_event_is_counted_in_the_first_bucket_that_fits() {
        let unmet = Record { unmet: true, ..record(SKIPPED) };
        let counted = summary(&[record(FAILED), unmet, Record::default()]);
        assert_eq!((counted.failed, counted.changed, counted.skipped, counted.stable), (1, 0, 1, 1));
        assert_eq!((counted.unmet, counted.errors, counted.total), (1, 1, 3));
    }

    #[test]
    fn a_failure_inside_a_child_is_counted_once() {
        let counted = summary(&[record(FAILED), Record { inherited: true, ..record(FAILED) }]);
        assert_eq!((counted.failed, counted.errors, counted.stable, counted.total), (1, 1, 0, 2));
    }

    #[test]
    fn exit_codes_follow_the_outcome() {
        let changed = summary(&[record(CHANGED)]);
        let failed = summary(&[record(FAILED)]);
        let unmet = summary(&[Record { unmet: true, ..record(SKIPPED) }]);
        assert_eq!((changed.exit_code(false, None), changed.exit_code(true, None)), (0, 2));
        assert_eq!((failed.exit_code(false, None), unmet.exit_code(true, None)), (4, 4));
        assert_eq!(changed.exit_code(true, Some(Stop::Terminate)), 143);
    }

    #[test]
    fn the_report_has_brackets_only_when_something_was_checked() {
        assert!(summary(&[Record::default()]).run_report().contains("    Checked Resources: 0\n"));
        let checked = Record { health: alloc::vec![Health::Ok], ..Record::default() };
        assert!(
            summary(&[checked])
                .run_report()
                .contains("    Checked Resources: 1 (ok: 1, critical: 0, warning: 0 unknown: 0)\n")
        );
    }

    #[test]
    fn times_are_short() {
        for (millis, shown) in [(0, "0s"), (1, "1ms"), (2503, "2.503s"), (64_000, "1m4s"), (3_600_500, "1h0m0.5s")] {
            assert_eq!(Elapsed(Duration::from_millis(millis)).to_string(), shown);
        }
    }
}
