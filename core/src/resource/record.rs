//! What leaves this room: the state of a resource in an event, and its properties in an event or in a
//! rendered manifest. One shape for JSON and YAML (F19, F20); keys in the order of resources.md 2 and 6.2.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Common, HealthCheck, Properties, Resource, State, Type, common::Probe, exec, file};
use crate::host::{Host, Timestamp};
use crate::render::{Field, literal, literals};
use crate::value::{Text, Value};

/// What stands where a secret was.
pub(super) const REDACTED: &str = "REDACTED";

/// The `status` of an event (resources.md 6.2).
#[derive(Clone, Debug)]
pub struct Status {
    /// When it was seen.
    pub timestamp: Timestamp,
    /// Of which type.
    pub kind: Type,
    /// The resource's name.
    pub name: Text,
    /// The ensure that was reached.
    pub ensure: Text,
    /// Something was done, or would be in a dry run.
    pub changed: bool,
    /// Because of a trigger.
    pub refreshed: bool,
    /// It is as wanted.
    pub stable: bool,
    /// It was a dry run.
    pub noop: bool,
    /// What a dry run would have done.
    pub noop_message: Option<String>,
    /// What only this type knows.
    pub details: Details,
}

/// The part of a [`Status`] that differs by type.
#[derive(Clone, Debug)]
pub enum Details {
    /// Of `apply`.
    Apply(super::apply::State),
    /// Of `exec`.
    Exec(exec::State),
    /// Of `file`.
    File(file::Metadata),
}

impl Resource<Text> {
    /// The details of a state. For a file this may read all of it, for its checksum: ask only when the event
    /// leaves this process.
    #[must_use]
    pub fn details(&self, seen: &State, host: &dyn Host) -> Option<Details> {
        match (&self.properties, seen) {
            (Properties::Apply(_), State::Apply(seen)) => Some(Details::Apply(*seen)),
            (Properties::Exec(_), State::Exec(seen)) => Some(Details::Exec(*seen)),
            (Properties::File(file), State::File(seen)) => {
                Some(Details::File(file::Metadata::of(file, &self.common.name, seen, host)))
            }
            _ => None,
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("timestamp", &self.timestamp.rfc3339())?;
        map.serialize_entry("protocol", &alloc::format!("io.choria.ccm.v1.resource.{}.state", self.kind))?;
        map.serialize_entry("type", self.kind.name())?;
        map.serialize_entry("name", &*self.name)?;
        map.serialize_entry("ensure", &*self.ensure)?;
        map.serialize_entry("changed", &self.changed)?;
        map.serialize_entry("refreshed", &self.refreshed)?;
        map.serialize_entry("stable", &self.stable)?;
        map.serialize_entry("noop", &self.noop)?;
        if let Some(message) = &self.noop_message {
            map.serialize_entry("noop_message", message)?;
        }
        match &self.details {
            Details::Apply(apply) => {
                map.serialize_entry("resource_count", &apply.resources)?;
                map.serialize_entry("changed_count", &apply.changed)?;
                map.serialize_entry("failed_count", &apply.failed)?;
            }
            Details::Exec(exec) => {
                if let Some(code) = exec.exit_code {
                    map.serialize_entry("exitcode", &code)?;
                }
                flag(&mut map, "creates_satisfied", exec.creates)?;
                flag(&mut map, "onlyif_satisfied", exec.onlyif == Some(true))?;
                flag(&mut map, "unless_satisfied", exec.unless == Some(true))?;
            }
            Details::File(metadata) => map.serialize_entry("metadata", metadata)?,
        }
        map.end()
    }
}

/// Whom properties are shown to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Whoever reads an event: secrets are redacted.
    Event,
    /// This program, which runs the rendered manifest: secrets are shown, and text that came out of an
    /// expression is kept from being evaluated again.
    Render,
}

/// The properties as resolved, for an event.
impl Serialize for Resource<Text> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        properties(self, Purpose::Event, serializer)
    }
}

/// The properties as written, for a rendered manifest that can be run again.
impl Serialize for Resource<Field<Text>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        properties(self, Purpose::Render, serializer)
    }
}

fn properties<T: AsRef<str>, S: Serializer>(
    resource: &Resource<T>,
    purpose: Purpose,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    common(&mut map, &resource.common, purpose)?;
    match &resource.properties {
        Properties::Apply(apply) => {
            flag(&mut map, "noop", apply.noop)?;
            flag(&mut map, "health_check_only", apply.health_check_only)?;
            if !apply.allow_apply {
                map.serialize_entry("allow_apply", &false)?;
            }
            text(&mut map, "checksum", apply.checksum.as_deref())?;
            if let Some(data) = &apply.data {
                let data = Value::Map(data.clone());
                map.serialize_entry("data", &if purpose == Purpose::Render { literals(&data) } else { data })?;
            }
        }
        Properties::Exec(exec) => exec_properties(&mut map, exec, purpose)?,
        Properties::File(file) => file_properties(&mut map, file, purpose)?,
    }
    map.end()
}

fn common<M: SerializeMap>(map: &mut M, common: &Common, purpose: Purpose) -> Result<(), M::Error> {
    resolved(map, "name", Some(&common.name), purpose)?;
    resolved(map, "alias", common.alias.as_deref(), purpose)?;
    map.serialize_entry("ensure", &*common.ensure)?;
    text(map, "provider", common.provider.as_deref())?;
    list(map, "health_checks", &common.health_checks)?;
    list(map, "require", &common.require)?;
    if let Some(control) = &common.control {
        map.serialize_entry("control", control)?;
    }
    list(map, "register_when_stable", &common.register_when_stable)
}

fn file_properties<T: AsRef<str>, M: SerializeMap>(
    map: &mut M,
    file: &file::Properties<T>,
    purpose: Purpose,
) -> Result<(), M::Error> {
    text(map, "content", file.content.as_ref().map(AsRef::as_ref))?;
    text(map, "source", file.source.as_ref().map(AsRef::as_ref))?;
    resolved(map, "owner", file.owner.as_deref(), purpose)?;
    resolved(map, "group", file.group.as_deref(), purpose)?;
    if let Some(mode) = file.mode {
        map.serialize_entry("mode", &alloc::format!("{mode}"))?;
    }
    flag(map, "force", file.force)?;
    flag(map, "parents", file.parents)?;
    if !file.replace {
        map.serialize_entry("replace", &false)?;
    }
    if file.block {
        map.serialize_entry("into", "block")?;
        if &*file.marks.comment != "#" {
            map.serialize_entry("comment", &*file.marks.comment)?;
        }
        if file.marks.place == crate::roster::region::Place::Start {
            map.serialize_entry("position", "start")?;
        }
    }
    if !file.template {
        map.serialize_entry("template", &false)?;
    }
    Ok(())
}

fn exec_properties<T: AsRef<str>, M: SerializeMap>(
    map: &mut M,
    exec: &exec::Properties<T>,
    purpose: Purpose,
) -> Result<(), M::Error> {
    fn part<T: AsRef<str>>(field: &Option<T>) -> Option<&str> {
        field.as_ref().map(AsRef::as_ref)
    }
    map.serialize_entry("command", part(&exec.command).unwrap_or(""))?;
    text(map, "cwd", part(&exec.cwd))?;
    let environment: Vec<String> = exec.environment.iter().map(|entry| shown(entry.as_ref(), purpose)).collect();
    list(map, "environment", &environment)?;
    resolved(map, "path", exec.path.as_deref(), purpose)?;
    list(map, "returns", &exec.returns)?;
    text(map, "timeout", exec.timeout_text.as_deref())?;
    text(map, "creates", part(&exec.creates))?;
    text(map, "onlyif", part(&exec.onlyif))?;
    text(map, "unless", part(&exec.unless))?;
    flag(map, "pure", exec.pure)?;
    flag(map, "refreshonly", exec.refreshonly)?;
    let subscribe: Vec<_> = exec.subscribe.iter().map(|reference| guarded(reference.as_str(), purpose)).collect();
    list(map, "subscribe", &subscribe)?;
    flag(map, "logoutput", exec.logoutput)
}

/// `NAME=value` with its value hidden: a credential is what an environment most often holds.
fn shown(entry: &str, purpose: Purpose) -> String {
    match (purpose, entry.split_once('=')) {
        (Purpose::Event, Some((name, _))) => alloc::format!("{name}={REDACTED}"),
        _ => entry.into(),
    }
}

/// A text that was resolved when it was read.
fn resolved<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    text: Option<&str>,
    purpose: Purpose,
) -> Result<(), M::Error> {
    text.map_or(Ok(()), |text| map.serialize_entry(key, &*guarded(text, purpose)))
}

fn guarded(text: &str, purpose: Purpose) -> Cow<'_, str> {
    if purpose == Purpose::Render { literal(text) } else { text.into() }
}

fn text<M: SerializeMap>(map: &mut M, key: &'static str, text: Option<&str>) -> Result<(), M::Error> {
    text.map_or(Ok(()), |text| map.serialize_entry(key, text))
}

fn flag<M: SerializeMap>(map: &mut M, key: &'static str, set: bool) -> Result<(), M::Error> {
    if set { map.serialize_entry(key, &true) } else { Ok(()) }
}

fn list<M: SerializeMap, T: Serialize>(map: &mut M, key: &'static str, items: &[T]) -> Result<(), M::Error> {
    if items.is_empty() { Ok(()) } else { map.serialize_entry(key, items) }
}

impl Serialize for super::Reference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for super::Control {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        text(&mut map, "if", self.when.as_ref().map(|condition| &*condition.expression))?;
        text(&mut map, "unless", self.unless.as_ref().map(|condition| &*condition.expression))?;
        map.end()
    }
}

impl Serialize for HealthCheck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.probe {
            Probe::Nagios { command } => map.serialize_entry("command", &**command)?,
            Probe::Goss { rules } => map.serialize_entry("goss_rules", rules)?,
        }
        map.serialize_entry("name", &*self.name)?;
        text(&mut map, "timeout", self.written.1.as_deref())?;
        map.serialize_entry("tries", &self.tries)?;
        text(&mut map, "try_sleep", self.written.0.as_deref())?;
        map.serialize_entry("format", self.format())?;
        map.end()
    }
}

/// SHA-256 in lower-case hex.
pub(super) fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
        text
    })
}
