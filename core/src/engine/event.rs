//! What happened to one resource: the record that leaves, and the little of it that is remembered.
//!
//! An [`Event`] is whole only while it is told to the observer and written to a session directory; what
//! later resources and the report need is a [`Record`]. The JSON form is the reference's transaction
//! event (ledger resources.md 6.1), one shape for JSON and YAML (F19, F20).

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::id::EventId;
use crate::error::{Error, Result};
use crate::host::Timestamp;
use crate::resource::{Reference, Resource, Status, Type};
use crate::value::{Map, Text, Value};

/// The protocol word of an event.
pub const PROTOCOL: &str = "io.choria.ccm.v1.transaction.event";

/// What happened to one resource.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its name, in the order of the session.
    pub id: EventId,
    /// When the resource's turn came.
    pub timestamp: Timestamp,
    /// How long it took, checks included.
    pub duration: Duration,
    /// The type.
    pub kind: Type,
    /// The name.
    pub name: Text,
    /// The second name.
    pub alias: Option<Text>,
    /// The provider that acted, empty when none could be chosen.
    pub provider: &'static str,
    /// The state asked for.
    pub requested: Text,
    /// The state reached, empty after a failure or a skip.
    pub reached: Text,
    /// The properties once they are all known; written with their secrets hidden.
    pub properties: Option<Resource<Text>>,
    /// What was seen at the end; `None` after a failure or a skip.
    pub status: Option<Status>,
    /// What a dry run would have done.
    pub would: Option<String>,
    /// A dry run.
    pub noop: bool,
    /// Only the health checks ran.
    pub health_only: bool,
    /// The results of the health checks, in order.
    pub health: Vec<Checked>,
    /// What went wrong.
    pub errors: Vec<String>,
    /// What became of the resource.
    pub outcome: Outcome,
    /// The requirements that are not met.
    pub unmet: Vec<Reference>,
    /// Its failures are those of a child manifest, counted there already (F74).
    pub inherited: bool,
}

/// What became of a resource. More than one may hold: a change whose health check then fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "the flags of the event on the wire")]
pub struct Outcome {
    /// It was acted upon, or in noop would have been.
    pub changed: bool,
    /// It was acted upon because of a trigger.
    pub refreshed: bool,
    /// Acting, looking or a health check failed.
    pub failed: bool,
    /// Its control, or an unmet requirement, kept it from being run.
    pub skipped: bool,
}

/// The status of a health check, numbered as on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Health {
    /// All well: 0.
    #[default]
    Ok = 0,
    /// 1
    Warning = 1,
    /// 2
    Critical = 2,
    /// Anything else, and checks that could not be made.
    Unknown = 3,
}

impl Health {
    /// The status of an exit code or of a number on the wire.
    #[must_use]
    pub fn from_code(code: i32) -> Self {
        match code {
            0 => Self::Ok,
            1 => Self::Warning,
            2 => Self::Critical,
            _ => Self::Unknown,
        }
    }

    /// As in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// The result of one health check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The last attempt's status.
    pub status: Health,
    /// Attempts made.
    pub tries: u32,
    /// What it printed, trimmed; or why it could not be made.
    pub output: String,
}

impl Serialize for Checked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("status", &(self.status as u8))?;
        map.serialize_entry("tries", &self.tries)?;
        map.serialize_entry("Output", &self.output)?;
        map.end()
    }
}

impl Event {
    /// `type#name`, or `type#alias (alias)`: how a person knows it.
    #[must_use]
    pub fn title(&self) -> String {
        let name = self.alias.as_deref().unwrap_or(&self.name);
        let mut title = String::with_capacity(self.kind.name().len() + name.len() + 9);
        title.push_str(self.kind.name());
        title.push('#');
        title.push_str(name);
        if self.alias.is_some() {
            title.push_str(" (alias)");
        }
        title
    }

    /// What of it is remembered.
    #[must_use]
    pub fn record(&self) -> Record {
        Record {
            id: self.id,
            kind: Cow::Borrowed(self.kind.name()),
            name: self.name.clone(),
            alias: self.alias.clone(),
            outcome: self.outcome,
            unmet: !self.unmet.is_empty(),
            inherited: self.inherited,
            health: self.health.iter().map(|checked| checked.status).collect(),
            timestamp: self.timestamp,
            duration: self.duration,
        }
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("protocol", PROTOCOL)?;
        map.serialize_entry("event_id", &self.id.to_string())?;
        map.serialize_entry("timestamp", &self.timestamp.rfc3339())?;
        map.serialize_entry("type", self.kind.name())?;
        map.serialize_entry("provider", self.provider)?;
        map.serialize_entry("name", &*self.name)?;
        if let Some(alias) = &self.alias {
            map.serialize_entry("alias", &**alias)?;
        }
        map.serialize_entry("requested_ensure", &*self.requested)?;
        map.serialize_entry("final_ensure", &*self.reached)?;
        map.serialize_entry("duration", &u64::try_from(self.duration.as_nanos()).unwrap_or(u64::MAX))?;
        match &self.properties {
            Some(properties) => map.serialize_entry("properties", properties)?,
            None => map.serialize_entry("properties", &Value::Map(Map::new()))?,
        }
        map.serialize_entry("status", &self.status)?;
        if let Some(would) = &self.would {
            map.serialize_entry("noop_message", would)?;
        }
        if !self.health.is_empty() {
            map.serialize_entry("health_check", &self.health)?;
        }
        if self.health_only {
            map.serialize_entry("health_check_only", &true)?;
        }
        map.serialize_entry("error", &self.errors)?;
        map.serialize_entry("changed", &self.outcome.changed)?;
        map.serialize_entry("refreshed", &self.outcome.refreshed)?;
        map.serialize_entry("failed", &self.outcome.failed)?;
        map.serialize_entry("skipped", &self.outcome.skipped)?;
        map.serialize_entry("noop", &self.noop)?;
        let unmet: Vec<&str> = self.unmet.iter().map(Reference::as_str).collect();
        map.serialize_entry("unmet_requirements", &unmet)?;
        map.end()
    }
}

/// An error as one line of an event: where an expression is at fault, the place in the file is named too.
#[must_use]
pub fn line(error: &Error) -> String {
    let sites = error.sites();
    let in_file = sites.iter().position(|site| !site.source.name().is_empty());
    match in_file.and_then(|at| Some((sites.get(at.checked_sub(1)?)?, sites.get(at)?))) {
        Some((inner, site)) => format!("{error} at {}", site.narrowed(inner)),
        None => error.to_string(),
    }
}

/// What is remembered of an event: enough for requirements, triggers and counters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Its place in the order of the session.
    pub id: EventId,
    /// The type, possibly one that this program does not know.
    pub kind: Cow<'static, str>,
    /// The name.
    pub name: Text,
    /// The second name.
    pub alias: Option<Text>,
    /// What became of it.
    pub outcome: Outcome,
    /// A requirement was not met.
    pub unmet: bool,
    /// Its failures are counted already, with those of its child.
    pub inherited: bool,
    /// The results of its health checks.
    pub health: Vec<Health>,
    /// When it began.
    pub timestamp: Timestamp,
    /// How long it took.
    pub duration: Duration,
}

impl Record {
    /// Reads the record of an event from its JSON.
    ///
    /// # Errors
    /// JSON that is no event: another protocol, members of another kind.
    pub fn read(value: &Value) -> Result<Self> {
        let map = value.as_map().ok_or_else(|| Error::invalid("an event must be a map"))?;
        if text(map, "protocol")? != PROTOCOL {
            return Err(Error::invalid(format!("protocol is not {PROTOCOL}")));
        }
        let id = text(map, "event_id")?;
        let health = match map.get("health_check") {
            Some(Value::List(list)) => list.iter().map(status).collect(),
            _ => Vec::new(),
        };
        let unmet = map.get("unmet_requirements").and_then(Value::as_list).is_some_and(|list| !list.is_empty());
        Ok(Self {
            id: EventId::parse(id).ok_or_else(|| Error::invalid(format!("{id} is no event id")))?,
            kind: Cow::Owned(text(map, "type")?.into()),
            name: text(map, "name")?.into(),
            alias: map.get("alias").and_then(Value::as_text).filter(|alias| !alias.is_empty()).map(Into::into),
            outcome: Outcome {
                changed: flag(map, "changed")?,
                refreshed: flag(map, "refreshed")?,
                failed: flag(map, "failed")?,
                skipped: flag(map, "skipped")?,
            },
            unmet,
            inherited: false,
            health,
            timestamp: Timestamp::parse_rfc3339(text(map, "timestamp")?)
                .ok_or_else(|| Error::invalid("timestamp is not RFC 3339"))?,
            duration: match map.get("duration") {
                Some(Value::Int(nanos)) => Duration::from_nanos(nanos.as_u64().unwrap_or_default()),
                _ => return Err(Error::invalid("duration must be a number")),
            },
        })
    }

    /// It ran and did not fail: what a `require` asks of it. One that its control skipped counts as met.
    #[must_use]
    pub fn is_met(&self) -> bool {
        !self.outcome.failed && !self.unmet
    }
}

fn text<'a>(map: &'a Map, key: &str) -> Result<&'a str> {
    map.get(key).and_then(Value::as_text).ok_or_else(|| Error::invalid(format!("{key} must be text")))
}

fn flag(map: &Map, key: &str) -> Result<bool> {
    match map.get(key) {
        Some(Value::Bool(flag)) => Ok(*flag),
        None => Ok(false),
        Some(_) => Err(Error::invalid(format!("{key} must be true or false"))),
    }
}

/// The status in one entry of `health_check`; the reference may write a null there (F2).
fn status(entry: &Value) -> Health {
    match entry.as_map().and_then(|map| map.get("status")) {
        Some(Value::Int(code)) => {
            code.as_i64().and_then(|code| i32::try_from(code).ok()).map_or(Health::Unknown, Health::from_code)
        }
        _ => Health::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn event() -> Event {
        Event {
            id: EventId::after(EventId::default(), Timestamp { seconds: 1_800_000_000, nanos: 0 }, [7; 16]),
            timestamp: Timestamp { seconds: 1_800_000_000, nanos: 500_000_000 },
            duration: Duration::from_millis(2),
            kind: Type::Exec,
            name: "/bin/true".into(),
            alias: Some("yes".into()),
            provider: "posix",
            requested: "present".into(),
            reached: "present".into(),
            properties: None,
            status: None,
            would: None,
            noop: false,
            health_only: false,
            health: alloc::vec![Checked { status: Health::Warning, tries: 2, output: "slow".into() }],
            errors: alloc::vec!["health check status \"WARNING\"".into()],
            outcome: Outcome { changed: true, failed: true, ..Outcome::default() },
            unmet: Vec::new(),
            inherited: false,
        }
    }

    #[test]
    fn a_record_survives_its_file() {
        let event = event();
        let written = serde_json::to_string_pretty(&event).unwrap();
        assert_eq!(Record::read(&json::parse(&written).unwrap()).unwrap(), event.record());
        assert!(written.contains("\"Output\": \"slow\"") && written.contains("\"status\": null"), "{written}");
    }

    #[test]
    fn foreign_json_is_no_record() {
        for text in ["5", "{}", r#"{"protocol": "other"}"#] {
            assert!(Record::read(&json::parse(text).unwrap()).is_err());
        }
    }

    #[test]
    fn a_title_prefers_the_alias() {
        assert_eq!(event().title(), "exec#yes (alias)");
    }
}
