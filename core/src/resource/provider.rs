//! Which provider of a type acts: the one asked for, or the first that the machine can use.
//!
//! Ties are broken by the fixed order of each list, so that two runs on one machine choose alike (F22).

use alloc::format;
use alloc::string::ToString;

use super::{Type, exec};
use crate::error::{Error, Result};
use crate::host::Host;

/// The provider of one resource.
#[derive(Clone, Copy, Debug)]
pub enum Provider {
    /// `apply` has one: the engine.
    Manifest,
    /// A way to start commands.
    Exec(&'static dyn exec::Shell),
    /// `file` has one: the host's own file operations.
    Posix,
}

impl Provider {
    /// The name in a manifest, in events and on the resource's line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Manifest => "ccmmanifest",
            Self::Exec(shell) => shell.name(),
            Self::Posix => "posix",
        }
    }

    /// The way to start commands; the plain one for a type that has no choice.
    #[must_use]
    pub fn shell(self) -> &'static dyn exec::Shell {
        match self {
            Self::Exec(shell) => shell,
            Self::Manifest | Self::Posix => exec::SHELLS[0],
        }
    }
}

/// Chooses the provider of a type.
///
/// # Errors
/// The name is unknown to the type, or its provider cannot work on this machine.
pub fn choose(kind: Type, asked: Option<&str>, host: &dyn Host) -> Result<Provider> {
    match kind {
        Type::Apply => only(Provider::Manifest, asked),
        Type::File => only(Provider::Posix, asked),
        Type::Exec => match asked {
            None => Ok(Provider::Exec(exec::SHELLS[0])),
            Some(name) => {
                let known = || exec::SHELLS.iter().map(|shell| shell.name());
                let shell =
                    exec::SHELLS.iter().find(|shell| shell.name() == name).ok_or_else(|| unknown(name, known()))?;
                match shell.needs() {
                    Some(program) if host.find(program).is_none() => {
                        Err(Error::invalid(format!("provider {name} cannot work here: {program} is missing")))
                    }
                    _ => Ok(Provider::Exec(*shell)),
                }
            }
        },
    }
}

fn only(provider: Provider, asked: Option<&str>) -> Result<Provider> {
    match asked {
        Some(name) if name != provider.name() => Err(unknown(name, core::iter::once(provider.name()))),
        _ => Ok(provider),
    }
}

#[cold]
fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known = known.fold(alloc::string::String::new(), |list, name| match list.as_str() {
        "" => name.to_string(),
        _ => format!("{list}, {name}"),
    });
    Error::invalid(format!("unknown provider {name}: there is {known}"))
}
