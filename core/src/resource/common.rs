//! What every resource may say, whatever its type.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use super::Type;
use super::properties::{Block, Reading};
use crate::error::{Error, Result};
use crate::span::Site;
use crate::value::{Text, Value};
use crate::yaml::Node;

/// The properties all types have.
pub(super) const KEYS: [&str; 8] =
    ["name", "alias", "ensure", "provider", "health_checks", "require", "control", "register_when_stable"];

/// The properties of a health check.
const CHECK: [&str; 7] = ["command", "goss_rules", "name", "timeout", "tries", "try_sleep", "format"];

/// The properties of an entry of `register_when_stable`.
const REGISTRATION: [&str; 8] = ["cluster", "service", "protocol", "address", "port", "priority", "annotations", "ttl"];

/// The properties all types share (resources.md 2).
#[derive(Clone, Debug)]
pub struct Common {
    /// What is managed: a path, a command or its label.
    pub name: Text,
    /// A second name for references and for people.
    pub alias: Option<Text>,
    /// The wanted state as text; each type reads it into an enum of its own.
    pub ensure: Text,
    /// The provider asked for.
    pub provider: Option<Text>,
    /// Checks made after the resource, in order.
    pub health_checks: Vec<HealthCheck>,
    /// Resources that must not have failed.
    pub require: Vec<Reference>,
    /// Whether the resource is managed at all.
    pub control: Option<Control>,
    /// Entries announced once the resource is stable, as written.
    pub register_when_stable: Vec<Value>,
    /// Where it stands in the manifest; `None` for one made on the command line.
    pub site: Option<Site>,
}

impl Common {
    /// Reads and checks what all types share.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub(super) fn read(kind: Type, (name, site): (Option<&Text>, Site), block: &Block<'_>) -> Result<Self> {
        let name = match name {
            Some(name) => block.key_text(name, &site)?,
            None => block.text("name")?.unwrap_or_default(),
        };
        if name.is_empty() {
            return Err(Error::invalid("name is required").at(block.site("name")));
        }
        let ensure = block.filled("ensure")?.unwrap_or_else(|| default_ensure(kind).into());
        Ok(Self {
            name,
            ensure,
            alias: block.filled("alias")?,
            provider: block.filled("provider")?,
            health_checks: block
                .items("health_checks")?
                .iter()
                .map(|node| HealthCheck::read(node, block.reading()))
                .collect::<Result<_>>()?,
            require: block.references("require", false)?,
            control: Control::read(block)?,
            register_when_stable: read_registrations(block)?,
            site: Some(site),
        })
    }
}

/// The ensure of a type whose resources need not say one.
fn default_ensure(kind: Type) -> &'static str {
    match kind {
        Type::Apply | Type::Exec => "present",
        Type::File => "",
    }
}

/// Entries are announced long after they were read: their values are checked there, their keys here.
fn read_registrations(block: &Block<'_>) -> Result<Vec<Value>> {
    let read = |node: &Node| {
        Block::open(node, None, &[&REGISTRATION], block.reading())?;
        Ok(node.to_value())
    };
    block.items("register_when_stable")?.iter().map(read).collect()
}

/// A reference to a resource, `type#name`, split at the first `#`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    text: Text,
    hash: usize,
}

impl Reference {
    /// Reads `type#name`; `None` without a `#` or with nothing on one side of it.
    #[must_use]
    pub fn parse(text: impl Into<Text>) -> Option<Self> {
        let text = text.into();
        let hash = text.find('#')?;
        (hash > 0 && hash + 1 < text.len()).then_some(Self { text, hash })
    }

    /// The type, before the `#`. Not a [`super::Type`]: an unknown one is a reference that nothing satisfies.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.text.get(..self.hash).unwrap_or("")
    }

    /// The name or alias, after the `#`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.get(self.hash + 1..).unwrap_or("")
    }

    /// As written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// When a resource is managed: expressions without braces, evaluated when its turn comes.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Managed if this is true; true when not given.
    pub when: Option<Condition>,
    /// Not managed if this is true; false when not given.
    pub unless: Option<Condition>,
}

impl Control {
    fn read(block: &Block<'_>) -> Result<Option<Self>> {
        let Some(control) = block.block("control", &["if", "unless"])? else { return Ok(None) };
        let condition = |key: &str| {
            let expression = control.literal(key)?.filter(|expression| !expression.is_empty());
            Ok::<_, Error>(expression.map(|expression| Condition { expression, site: Some(control.site(key)) }))
        };
        Ok(Some(Self { when: condition("if")?, unless: condition("unless")? }))
    }
}

/// One expression of [`Control`].
#[derive(Clone, Debug)]
pub struct Condition {
    /// As written.
    pub expression: Text,
    /// Where.
    pub site: Option<Site>,
}

/// A check made after a resource (resources.md 9).
#[derive(Clone, Debug)]
pub struct HealthCheck {
    /// What is run or asserted.
    pub probe: Probe,
    /// Its label: as given, else the base name of the command line.
    pub name: Text,
    /// Attempts, at least one.
    pub tries: u32,
    /// Pause between attempts; one second when not given (F13).
    pub try_sleep: Duration,
    /// The texts of `try_sleep` and `timeout`, as written.
    pub written: (Option<Text>, Option<Text>),
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
}

/// What a health check looks at.
#[derive(Clone, Debug)]
pub enum Probe {
    /// A command whose exit code is 0 OK, 1 WARNING, 2 CRITICAL, else UNKNOWN.
    Nagios {
        /// Split into words as a shell would, run without one.
        command: Text,
    },
    /// Rules in the form of goss.
    Goss {
        /// As written.
        rules: Value,
    },
}

impl HealthCheck {
    fn read(node: &Node, reading: &Reading<'_>) -> Result<Self> {
        let block = Block::open(node, None, &[&CHECK], reading)?;
        let probe = read_probe(&block)?;
        let name = block.filled("name")?;
        let (timeout_text, timeout) = block.duration("timeout")?.unzip();
        let (sleep_text, try_sleep) = block.duration("try_sleep")?.unzip();
        Ok(Self {
            name: name.unwrap_or_else(|| Self::label(&probe).into()),
            probe,
            tries: read_tries(&block)?,
            try_sleep: try_sleep.unwrap_or(Duration::from_secs(1)),
            timeout: timeout.filter(|timeout| !timeout.is_zero()),
            written: (sleep_text, timeout_text),
        })
    }

    /// The word of `format`.
    #[must_use]
    pub fn format(&self) -> &'static str {
        match self.probe {
            Probe::Nagios { .. } => "nagios",
            Probe::Goss { .. } => "goss",
        }
    }

    /// The label of a check that was given none: what follows the last `/` of the command line.
    #[must_use]
    pub fn label(probe: &Probe) -> String {
        match probe {
            Probe::Nagios { command } => command.trim_end_matches('/').rsplit('/').next().unwrap_or(command).into(),
            Probe::Goss { .. } => "goss".into(),
        }
    }
}

fn read_probe(block: &Block<'_>) -> Result<Probe> {
    let command =
        block.filled("command")?.map(|command| command.trim().into()).filter(|command: &Text| !command.is_empty());
    let rules = block.node("goss_rules").map(Node::to_value);
    let probe = match (command, rules) {
        (Some(command), None) => Probe::Nagios { command },
        (None, Some(rules)) => Probe::Goss { rules },
        (Some(_), Some(_)) => return Err(block.fault("goss_rules", "command and goss_rules exclude each other")),
        (None, None) => return Err(block.fault("command", "a health check needs command or goss_rules")),
    };
    let wanted = match probe {
        Probe::Nagios { .. } => "nagios",
        Probe::Goss { .. } => "goss",
    };
    match block.filled("format")? {
        Some(format) if &*format != wanted => {
            Err(block.fault("format", format!("format must be {wanted} for this check, found {format}")))
        }
        _ => Ok(probe),
    }
}

/// Zero counts as one, as in the reference; less is refused.
fn read_tries(block: &Block<'_>) -> Result<u32> {
    let Some(tries) = block.integer("tries")? else { return Ok(1) };
    match tries.as_u64().and_then(|tries| u32::try_from(tries).ok()) {
        Some(tries) => Ok(tries.max(1)),
        None => Err(block.fault("tries", format!("tries must be at least 1, found {tries}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_split_at_its_first_hash() {
        let reference = Reference::parse("exec#/bin/echo a#b").unwrap();
        assert_eq!((reference.kind(), reference.name()), ("exec", "/bin/echo a#b"));
        assert!(Reference::parse("exec").is_none() && Reference::parse("#x").is_none());
    }
}
