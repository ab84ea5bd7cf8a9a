//! What earlier resources came to: in memory for one run, in a directory for many calls.
//!
//! A directory holds one JSON file an event, `<event id>.event`, that both programs read and write. A
//! record is put in place whole or not at all; one that cannot be read is left alone, told of, and
//! makes triggers err towards firing, since it may have been a change (field report 73).

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use super::event::{Event, Record};
use super::id::EventId;
use super::key::Key;
use super::summary::Summary;
use crate::error::{Error, Result};
use crate::host::{Attributes, Clock, Content, FileKind, Files};
use crate::resource::Reference;
use crate::span::Source;
use crate::value::json;

/// The events of a session, as far as they are remembered.
#[derive(Debug, Default)]
pub struct Session {
    /// By `type#name` and `type#alias`: the latest event.
    latest: BTreeMap<Key<String>, Past>,
    /// Of all events.
    summary: Summary,
    /// Of those recorded by this process.
    own: Summary,
    last: EventId,
    /// What makes ids of this process differ from those of others.
    salt: Option<[u8; 16]>,
    /// The newest record that could not be read.
    unreadable: Option<EventId>,
    /// Where records are kept, when they are.
    directory: Option<String>,
    /// By the monotonic clock.
    began: Duration,
}

/// The latest event under one name.
#[derive(Debug, Clone, Copy)]
struct Past {
    id: EventId,
    changed: bool,
    met: bool,
    /// Under the name itself, not an alias: counted as a resource.
    named: bool,
}

/// Bytes that a record may have.
const RECORD: u64 = 16 << 20;

impl Session {
    /// An empty session that ends with the run.
    #[must_use]
    pub fn memory(clock: &dyn Clock) -> Self {
        let now = clock.now();
        let own = Summary { start: now, end: now, ..Summary::default() };
        Self { own, began: clock.monotonic(), ..Self::default() }
    }

    /// The session of a directory, with what was recorded in it so far, and the records that could not be read.
    ///
    /// # Errors
    /// When there is no such directory: told before anything is changed (F15).
    pub fn open(path: &str, files: &dyn Files) -> Result<(Self, Vec<Error>)> {
        match files.stat_target(path)? {
            Some(stat) if stat.kind == FileKind::Directory => {}
            _ => return Err(Error::invalid(format!("session store {path} does not exist"))),
        }
        let mut session = Self { directory: Some(path.into()), ..Self::default() };
        let mut warnings = Vec::new();
        for name in files.list(path)? {
            // Names are sorted, and their order is that of the events.
            let Some(id) = name.strip_suffix(".event").and_then(EventId::parse) else { continue };
            match read(&format!("{path}/{name}"), files) {
                Ok(record) => {
                    session.remember(&record);
                }
                Err(error) => {
                    session.unreadable = Some(id);
                    session.last = session.last.max(id);
                    warnings.push(error.doing(format!("reading the record {path}/{name}")));
                }
            }
        }
        Ok((session, warnings))
    }

    /// Whether events are written out whole.
    #[must_use]
    pub fn keeps_events(&self) -> bool {
        self.directory.is_some()
    }

    /// The id of the next event.
    pub fn next_id(&mut self, clock: &dyn Clock) -> EventId {
        let salt = *self.salt.get_or_insert_with(|| clock.random());
        self.last = EventId::after(self.last, clock.now(), salt);
        self.last
    }

    /// Counts an event in, and writes it where the session keeps its records.
    ///
    /// # Errors
    /// When the record cannot be written; it is counted all the same.
    pub fn record(&mut self, event: &Event, files: &mut dyn Files) -> Result<()> {
        let record = event.record();
        self.own.count(&record);
        self.own.unique += u64::from(self.remember(&record));
        let Some(directory) = &self.directory else { return Ok(()) };
        let json = serde_json::to_string_pretty(event).map_err(|error| Error::invalid(error.to_string()))?;
        let private = Attributes { mode: Some(0o600), ..Attributes::default() };
        files.write(&format!("{directory}/{}.event", event.id), Content::Bytes(json.as_bytes()), &private)?;
        Ok(())
    }

    /// Whether it is the first event of its resource.
    fn remember(&mut self, record: &Record) -> bool {
        self.last = self.last.max(record.id);
        self.summary.count(record);
        if self.directory.is_some() {
            self.span(record);
        }
        let past = |named| Past { id: record.id, changed: record.outcome.changed, met: record.is_met(), named };
        let known = self.latest.entry(Key::of(id(&record.kind, &record.name))).or_insert(past(false));
        let first = !known.named;
        *known = past(true);
        if let Some(alias) = &record.alias {
            let known = self.latest.entry(Key::of(id(&record.kind, alias))).or_insert(past(false));
            *known = past(known.named);
        }
        self.summary.unique += u64::from(first);
        first
    }

    fn past(&self, reference: &Reference) -> Option<&Past> {
        self.latest.get(&Key::of(reference.as_str().into()))
    }

    /// A directory's session lasts from its first event to the end of its last; its time is that of its events.
    fn span(&mut self, record: &Record) {
        if self.summary.total == 1 {
            self.summary.start = record.timestamp;
        }
        let nanos = i64::try_from(record.duration.as_nanos()).unwrap_or(i64::MAX);
        self.summary.end = self.summary.end.max(record.timestamp.plus(nanos));
        self.summary.duration = self.summary.duration.saturating_add(record.duration);
    }

    /// Whether there is an event of what a reference names.
    #[must_use]
    pub fn knows(&self, reference: &Reference) -> bool {
        self.past(reference).is_some()
    }

    /// Whether what a `require` names ran and did not fail.
    ///
    /// # Errors
    /// When there is no event of it.
    pub fn is_met(&self, reference: &Reference) -> Result<bool> {
        self.past(reference).map(|past| past.met).ok_or_else(|| nothing(reference))
    }

    /// Whether what a `subscribe` names has changed at its last turn.
    ///
    /// # Errors
    /// When there is no event of it, and no unreadable record that may have been one.
    pub fn has_changed(&self, reference: &Reference) -> Result<bool> {
        let past = self.past(reference);
        match (past, self.unreadable) {
            (Some(past), Some(unreadable)) if unreadable > past.id => Ok(true),
            (Some(past), _) => Ok(past.changed),
            (None, Some(_)) => Ok(true),
            (None, None) => Err(nothing(reference)),
        }
    }

    /// What the whole session came to so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// What this process's part of it came to: its time covers the last resource (F24).
    #[must_use]
    pub fn finish(mut self, clock: &dyn Clock) -> Summary {
        self.own.end = clock.now();
        self.own.duration = clock.monotonic().saturating_sub(self.began);
        self.own
    }
}

/// `type#name`.
fn id(kind: &str, name: &str) -> String {
    let mut id = String::with_capacity(kind.len() + 1 + name.len());
    id.push_str(kind);
    id.push('#');
    id.push_str(name);
    id
}

#[cold]
fn nothing(reference: &Reference) -> Error {
    Error::invalid(format!("no events found for {reference}"))
}

fn read(path: &str, files: &dyn Files) -> Result<Record> {
    let bytes = files.read(path, RECORD)?;
    let text = core::str::from_utf8(&bytes).map_err(|_| Error::invalid("it is not UTF-8"))?;
    Record::read(&json::read(&Source::new(path, text))?)
}
