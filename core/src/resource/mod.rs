//! What a manifest manages: one module a type, each in the same four movements.
//!
//! ```text
//! read        Node          → Resource<Field>   names, kinds of values and rules are checked here
//! resolve     Resource<Field> → Resource<Text>  text that waited for the control gate is evaluated
//! observe     looks at the machine              &dyn Host
//! decide      thinks                            no host at all
//! carry_out   acts                              &mut dyn Host
//! verify      looks again, and holds the result to what was wanted
//! ```
//!
//! [`Resource::decide`] is given no host, and only [`Resource::carry_out`] may change one, so a dry
//! run cannot differ from a real one: it stops after the decision and says [`Decision::would`].
//!
//! The set of types is closed. A new type is a variant of [`Type`], [`Properties`] and [`State`],
//! and then a list of compile errors to follow. Order, requirements, triggers and events belong to
//! [`crate::engine`].

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Result};
use crate::host::Host;
use crate::render::{Env, Field};
use crate::span::Site;
use crate::value::Text;
use crate::yaml::Node;

pub mod apply;
pub mod common;
pub mod exec;
pub mod file;
pub mod properties;
pub mod provider;
mod record;

pub use common::{Common, Control, HealthCheck, Reference};
pub use properties::Reading;
pub use provider::Provider;
pub use record::{Details, Status};

/// The types of resources there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A child manifest, run in the place where it stands.
    Apply,
    /// A command.
    Exec,
    /// A file or directory.
    File,
}

impl Type {
    /// All of them, by name.
    pub const ALL: [Self; 3] = [Self::Apply, Self::Exec, Self::File];

    /// The name in a manifest.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Exec => "exec",
            Self::File => "file",
        }
    }

    /// The properties that only this type has.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Apply => &apply::KEYS,
            Self::Exec => &exec::KEYS,
            Self::File => &file::KEYS,
        }
    }

    /// The type of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One resource: what all types have, and what its own type asks for.
///
/// `T` is what a deferred field holds: a [`crate::render`] field while the manifest is read, plain
/// [`Text`] once the control gate has let the resource pass.
#[derive(Clone, Debug)]
pub struct Resource<T> {
    /// Name, requirements, checks: shared by the resource as read and as resolved.
    pub common: Arc<Common>,
    /// The rest.
    pub properties: Properties<T>,
}

/// The properties of each type.
#[derive(Clone, Debug)]
pub enum Properties<T> {
    /// Of `apply`, whose child the engine runs.
    Apply(apply::Properties),
    /// Of `exec`.
    Exec(exec::Properties<T>),
    /// Of `file`.
    File(file::Properties<T>),
}

impl<T> Resource<T> {
    /// Its type.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self.properties {
            Properties::Apply(_) => Type::Apply,
            Properties::Exec(_) => Type::Exec,
            Properties::File(_) => Type::File,
        }
    }

    /// `type#name`, as messages and references have it.
    #[must_use]
    pub fn id(&self) -> String {
        alloc::format!("{}#{}", self.kind(), self.common.name)
    }

    /// Whether a reference means this resource: the same type, and its name or its alias.
    #[must_use]
    pub fn answers_to(&self, reference: &Reference) -> bool {
        let Common { name, alias, .. } = &*self.common;
        reference.kind() == self.kind().name()
            && (reference.name() == &**name || alias.as_deref().is_some_and(|alias| alias == reference.name()))
    }

    /// The resources whose change triggers this one.
    #[must_use]
    pub fn subscribe(&self) -> &[Reference] {
        match &self.properties {
            Properties::Exec(exec) => &exec.subscribe,
            Properties::Apply(_) | Properties::File(_) => &[],
        }
    }

    /// The provider that will act: the one asked for, or the first that this machine can use.
    ///
    /// # Errors
    /// An unknown provider, or one that cannot work here; either is an event of this resource (F4).
    pub fn provider(&self, host: &dyn Host) -> Result<Provider> {
        provider::choose(self.kind(), self.common.provider.as_deref(), host)
    }
}

impl Resource<Field<Text>> {
    /// Reads a resource: its name where the list style gives one, its properties and the defaults beneath them.
    ///
    /// # Errors
    /// The first rule that is broken, with its place and the resource it is about.
    pub fn read(
        kind: Type,
        (name, site): (Option<&Text>, Site),
        body: &Node,
        defaults: Option<&Node>,
        reading: &Reading<'_>,
    ) -> Result<Self> {
        let read = || {
            let block = properties::Block::open(body, defaults, &[&common::KEYS, kind.keys()], reading)?;
            let common = Common::read(kind, (name, site), &block)?;
            let properties = match kind {
                Type::Apply => Properties::Apply(apply::Properties::read(&block, &common)?),
                Type::Exec => Properties::Exec(exec::Properties::read(&block, &common)?),
                Type::File => Properties::File(file::Properties::read(&block, &common)?),
            };
            Ok(Self { common: Arc::new(common), properties })
        };
        read().map_err(|error: Error| {
            let name = name.map(|name| &**name).or_else(|| body.get("name")?.text());
            error.doing(match name {
                Some(name) => alloc::format!("in {kind}#{name}"),
                None => alloc::format!("in a resource of type {kind}"),
            })
        })
    }

    /// Resolves the text that waited for the control gate.
    ///
    /// # Errors
    /// An expression fails; that is an event of this resource (F5).
    pub fn resolve(&self, env: &Env<'_>) -> Result<Resource<Text>> {
        let properties = match &self.properties {
            Properties::Apply(apply) => Properties::Apply(apply.clone()),
            Properties::Exec(exec) => Properties::Exec(exec.resolve(env)?),
            Properties::File(file) => Properties::File(file.resolve(env)?),
        };
        Ok(Resource { common: self.common.clone(), properties })
    }
}

/// What a run brings to a decision, beside the properties and the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occasion {
    /// Something this resource subscribes to has changed.
    pub refresh: bool,
    /// Nothing may be run that could change the machine.
    pub noop: bool,
    /// In noop, guards may be run all the same (`--noop-guards`).
    pub noop_guards: bool,
}

/// What was seen of a resource on the machine.
#[derive(Clone, Debug)]
pub enum State {
    /// Of `apply`: filled by the engine after the child has run.
    Apply(apply::State),
    /// Of `exec`.
    Exec(exec::State),
    /// Of `file`.
    File(file::State),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Nothing: all is as wanted.
    Leave,
    /// A command is to be run, or would have to be asked for.
    Exec(exec::Action),
    /// A file is to be made, changed or removed.
    File(file::Action),
}

impl Decision {
    /// Whether nothing is to be done.
    #[must_use]
    pub fn is_leave(&self) -> bool {
        matches!(self, Self::Leave)
    }

    /// Whether it answers a trigger, so that the outcome is `refreshed`.
    #[must_use]
    pub fn refreshes(&self) -> bool {
        matches!(self, Self::Exec(exec::Action::Run { refresh: true }))
    }

    /// What a dry run says, in the words of the reference (resources.md 7); `None` for [`Decision::Leave`].
    #[must_use]
    pub fn would(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Leave => None,
            Self::Exec(action) => Some(action.would().into()),
            Self::File(action) => Some(action.would().into()),
        }
    }
}

/// What [`Resource::carry_out`] has to tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// Things the operator should know although all went well, as `written in place`.
    pub warnings: Vec<String>,
    /// The exit code of the command that was run.
    pub exit_code: Option<i32>,
}

impl Resource<Text> {
    /// Looks at the machine, as far as the decision needs it.
    ///
    /// # Errors
    /// What cannot be seen, and what can never be brought about (a file where a directory is).
    pub fn observe(&self, provider: Provider, occasion: Occasion, host: &dyn Host) -> Result<State> {
        match &self.properties {
            Properties::Apply(_) => Ok(State::Apply(apply::State::default())),
            Properties::Exec(exec) => exec::observe(exec, provider.shell(), occasion, host).map(State::Exec),
            Properties::File(file) => file::observe(file, &self.common, host).map(State::File),
        }
    }

    /// Thinks: what must be done to go from what was seen to what is wanted. An `apply` has nothing
    /// to do by itself: the engine goes down into its child.
    #[must_use]
    pub fn decide(&self, seen: &State, occasion: Occasion) -> Decision {
        match (&self.properties, seen) {
            (Properties::Exec(exec), State::Exec(seen)) => {
                exec::decide(exec, seen, occasion).map_or(Decision::Leave, Decision::Exec)
            }
            (Properties::File(file), State::File(seen)) => {
                file::decide(file, seen).map_or(Decision::Leave, Decision::File)
            }
            _ => Decision::Leave,
        }
    }

    /// Acts.
    ///
    /// # Errors
    /// The operation that failed; for a command, its exit code and the end of its output.
    pub fn carry_out(&self, decision: &Decision, provider: Provider, host: &mut dyn Host) -> Result<Done> {
        match (&self.properties, decision) {
            (Properties::Exec(exec), Decision::Exec(action)) => {
                exec::carry_out(exec, &self.common.name, *action, provider.shell(), host)
            }
            (Properties::File(file), Decision::File(action)) => file::carry_out(file, &self.common, *action, host),
            _ => Ok(Done::default()),
        }
    }

    /// Looks again after acting. For a file the same decision must now be to leave it; for a command
    /// its exit code, checked by [`Resource::carry_out`], is the proof, and what it `creates` must be there.
    ///
    /// # Errors
    /// `failed to reach desired state`, and what still differs.
    pub fn verify(&self, done: &Done, host: &dyn Host) -> Result<State> {
        match &self.properties {
            Properties::Apply(_) => Ok(State::Apply(apply::State::default())),
            Properties::Exec(exec) => exec::verify(exec, done, host).map(State::Exec),
            Properties::File(file) => file::verify(file, &self.common, host).map(State::File),
        }
    }

    /// The ensure that was reached, for the event: `present`, `absent`, `directory`.
    #[must_use]
    pub fn reached(&self, seen: &State) -> Text {
        match seen {
            State::Apply(_) | State::Exec(_) => "present".into(),
            State::File(file) => file.ensure().to_string().into(),
        }
    }
}
