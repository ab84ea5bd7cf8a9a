//! `file`: a file or directory with its content, owner, group and mode.
//!
//! Looking follows a symlink, so that a link to what is wanted is accepted as it is; acting never
//! does: a link in the way is replaced, or refused where only attributes are managed. What is neither
//! a file nor a directory is never opened (F35–F38).

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::Common;
use crate::error::{Cause, Error, Kind, Result};
use crate::host::{FileKind, Host, Stat};
use crate::roster::region::Place;
use crate::value::Text;

mod act;
mod block;
mod look;
mod metadata;
mod mode;
mod read;

pub use act::carry_out;
pub use look::observe;
pub use metadata::Metadata;
pub use mode::Mode;
pub(super) use read::KEYS;

/// What a `file` asks for (resources.md 11).
#[derive(Clone, Debug)]
pub struct Properties<T> {
    /// What shall be at the path.
    pub ensure: Ensure,
    /// The bytes; `None` leaves them alone. Never together with `source`.
    pub content: Option<T>,
    /// A local file whose bytes are taken; made absolute or relative to the process when resolved.
    pub source: Option<T>,
    /// A user, by name or number; always there unless absent is wanted.
    pub owner: Option<Text>,
    /// A group, by name or number.
    pub group: Option<Text>,
    /// The permission bits.
    pub mode: Option<Mode>,
    /// With `absent`: a directory goes with all that is in it.
    pub force: bool,
    /// Missing directories above the path are made.
    pub parents: bool,
    /// The bytes of an existing file are replaced; `false` only makes a missing one.
    pub replace: bool,
    /// The content is a marked region of the file, the rest is somebody else's.
    pub block: bool,
    /// How the region is marked and where a new one goes.
    pub marks: Marks,
    /// `content` is a template; kept to show the property again.
    pub template: bool,
}

/// The marks of a region that is managed in somebody else's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    /// What begins a comment in the file.
    pub comment: Text,
    /// Where a new region goes.
    pub place: Place,
}

/// What shall be at the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ensure {
    /// A regular file.
    Present,
    /// Nothing.
    Absent,
    /// A directory.
    Directory,
}

impl Ensure {
    /// The words there are.
    pub const NAMES: [&str; 3] = ["present", "absent", "directory"];

    /// The ensure of this word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "present" => Some(Self::Present),
            "absent" => Some(Self::Absent),
            "directory" => Some(Self::Directory),
            _ => None,
        }
    }
}

impl fmt::Display for Ensure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Present => "present",
            Self::Absent => "absent",
            Self::Directory => "directory",
        })
    }
}

impl<T> Properties<T> {
    /// Whether the bytes of the file are this resource's business.
    #[must_use]
    pub fn manages_content(&self) -> bool {
        self.content.is_some() || self.source.is_some()
    }

    /// The bits that shall be set: those asked for, and for a directory the right to enter it wherever
    /// reading or writing is granted, as the reference does.
    fn wanted_mode(&self) -> Option<u32> {
        let mode = self.mode?;
        Some(if self.ensure == Ensure::Directory { mode.of_directory() } else { mode.bits() })
    }
}

/// What is at the path.
#[derive(Clone, Debug)]
pub struct State {
    /// At the path itself, not followed.
    found: Option<Stat>,
    /// Where a link at the path leads; `None` for anything else, and for a link to nowhere.
    target: Option<Stat>,
    /// How the bytes compare.
    content: Bytes,
    /// The numbers of the wanted owner and group, as far as the machine knows them by now.
    ids: (Option<u32>, Option<u32>),
}

/// How the bytes at the path compare with those wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bytes {
    /// They are nobody's business, or there is nothing to compare.
    Unmanaged,
    Same,
    Other,
}

impl State {
    /// What a reader of the path meets: the file itself, or what its link leads to.
    #[must_use]
    pub fn met(&self) -> Option<&Stat> {
        match &self.found {
            Some(Stat { kind: FileKind::Symlink, .. }) => self.target.as_ref(),
            found => found.as_ref(),
        }
    }

    fn is_link(&self) -> bool {
        matches!(self.found, Some(Stat { kind: FileKind::Symlink, .. }))
    }

    /// The word for what was met.
    #[must_use]
    pub fn ensure(&self) -> Ensure {
        match self.met() {
            None if self.is_link() => Ensure::Present,
            None => Ensure::Absent,
            Some(Stat { kind: FileKind::Directory, .. }) => Ensure::Directory,
            Some(_) => Ensure::Present,
        }
    }
}

/// What is to be done to the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Make the directory; a link in its way is removed.
    MakeDirectory,
    /// Remove a file, a link, a FIFO, a device.
    RemoveFile,
    /// Remove a directory that must be empty.
    RemoveDirectory,
    /// Remove a directory and all below it.
    RemoveTree,
    /// Set owner, group and mode in place.
    SetAttributes,
    /// Put new bytes in place.
    Write,
    /// Make an empty file, as no bytes were asked for.
    WriteEmpty,
}

impl Action {
    /// What a dry run says.
    #[must_use]
    pub fn would(self) -> &'static str {
        match self {
            Self::MakeDirectory => "Would have created directory",
            Self::RemoveFile => "Would have removed the file",
            Self::RemoveDirectory => "Would have removed the directory",
            Self::RemoveTree => "Would have recursively removed the directory",
            Self::SetAttributes => "Would have updated attributes",
            Self::Write => "Would have created the file",
            Self::WriteEmpty => "Would have created an empty file with requested attributes",
        }
    }
}

/// Thinks.
#[must_use]
pub fn decide(wanted: &Properties<Text>, seen: &State) -> Option<Action> {
    difference(wanted, seen).map(|(action, _)| action)
}

/// What is to be done, and what differs, for people.
fn difference(wanted: &Properties<Text>, seen: &State) -> Option<(Action, Difference)> {
    match wanted.ensure {
        Ensure::Absent => to_remove(wanted, seen).map(|action| (action, Difference::Exists)),
        Ensure::Directory => match seen.met() {
            Some(met) if met.kind == FileKind::Directory => {
                let differs = attributes_differ(wanted, seen, met)?;
                Some((if seen.is_link() { Action::MakeDirectory } else { Action::SetAttributes }, differs))
            }
            _ => Some((Action::MakeDirectory, Difference::Missing)),
        },
        Ensure::Present => {
            let write = if wanted.manages_content() { Action::Write } else { Action::WriteEmpty };
            let Some(met) = seen.met() else { return Some((write, Difference::Missing)) };
            if seen.content == Bytes::Other {
                return Some((write, Difference::Content));
            }
            let differs = attributes_differ(wanted, seen, met)?;
            Some((if seen.is_link() && seen.content == Bytes::Same { write } else { Action::SetAttributes }, differs))
        }
    }
}

fn to_remove(wanted: &Properties<Text>, seen: &State) -> Option<Action> {
    if wanted.block {
        return (seen.content == Bytes::Other).then_some(Action::Write);
    }
    Some(match seen.found.as_ref()?.kind {
        FileKind::Directory if wanted.force => Action::RemoveTree,
        FileKind::Directory => Action::RemoveDirectory,
        FileKind::Regular | FileKind::Symlink | FileKind::Special => Action::RemoveFile,
    })
}

/// What still differs after acting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    Missing,
    Exists,
    Content,
    Owner(u32),
    Group(u32),
    Mode(u32, u32),
}

fn attributes_differ(wanted: &Properties<Text>, seen: &State, met: &Stat) -> Option<Difference> {
    if wanted.owner.is_some() && seen.ids.0 != Some(met.uid) {
        return Some(Difference::Owner(met.uid));
    }
    if wanted.group.is_some() && seen.ids.1 != Some(met.gid) {
        return Some(Difference::Group(met.gid));
    }
    let mode = wanted.wanted_mode()?;
    (mode != met.mode).then_some(Difference::Mode(met.mode, mode))
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("nothing is there"),
            Self::Exists => f.write_str("it still exists"),
            Self::Content => f.write_str("the content differs"),
            Self::Owner(seen) => write!(f, "the owner is {seen}"),
            Self::Group(seen) => write!(f, "the group is {seen}"),
            Self::Mode(seen, wanted) => write!(f, "the mode is {seen:04o}, not {wanted:04o}"),
        }
    }
}

/// Looks again after acting.
///
/// # Errors
/// `failed to reach desired state`, and the first thing that differs.
pub fn verify(wanted: &Properties<Text>, common: &Common, host: &dyn Host) -> Result<State> {
    let state = observe(wanted, common, host)?;
    match difference(wanted, &state) {
        None => Ok(state),
        Some((_, differs)) => {
            let text: String = format!("failed to reach desired state: {}: {differs}", wanted.ensure);
            Err(Error::invalid(text))
        }
    }
}

fn number(name: Option<&str>, find: impl Fn(&str) -> Result<Option<u32>>) -> Result<Option<u32>> {
    name.map_or(Ok(None), find)
}

fn caused_by(error: &Error, cause: Cause) -> bool {
    matches!(error.kind(), Kind::System(system) if system.cause == cause)
}
