//! What every resource may say, whatever its type.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use crate::span::Site;
use crate::value::{Text, Value};

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
    /// The label was given, so that it is shown again.
    pub named: bool,
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
    pub fn label(command: &str) -> String {
        command.trim_end_matches('/').rsplit('/').next().unwrap_or(command).into()
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
