//! Looking at a path: what is there, and how its bytes compare with those wanted.

use alloc::format;

use super::block::{self, After};
use super::{Action, Bytes, Ensure, Properties, State, caused_by, decide, number};
use crate::error::{Cause, Error, Result};
use crate::host::{FileKind, Files, Host, Stat};
use crate::resource::Common;
use crate::value::Text;

/// Looks at the path.
///
/// # Errors
/// What cannot be seen, and what this resource will never touch: a directory where a file is wanted and
/// the other way round, a FIFO or device under content, a link under attributes alone.
pub fn observe(wanted: &Properties<Text>, common: &Common, host: &dyn Host) -> Result<State> {
    let path = &*common.name;
    let found = match host.stat(path) {
        // Nothing can be below what is no directory.
        Err(error) if wanted.ensure == Ensure::Absent && caused_by(&error, Cause::NotDirectory) => None,
        stat => stat?,
    };
    let target = match &found {
        Some(Stat { kind: FileKind::Symlink, .. }) => host.stat_target(path).unwrap_or(None),
        _ => None,
    };
    let mut state = State { found, target, content: Bytes::Unmanaged, ids: (None, None) };
    if wanted.ensure == Ensure::Absent {
        if wanted.block {
            state.content = compare(wanted, common, &state, host)?;
        }
        return Ok(state);
    }
    refuse_kind(wanted, path, &state)?;
    state.content = compare(wanted, common, &state, host)?;
    state.ids = (
        number(wanted.owner.as_deref(), |name| host.user(name))?,
        number(wanted.group.as_deref(), |name| host.group(name))?,
    );
    if state.is_link() && decide(wanted, &state) == Some(Action::SetAttributes) {
        return Err(Error::invalid(format!(
            "{path} is a symlink; attributes are not set through it: manage its target"
        )));
    }
    Ok(state)
}

/// Refuses what no action of ours would make right without destroying something unasked.
fn refuse_kind(wanted: &Properties<Text>, path: &str, seen: &State) -> Result<()> {
    let Some(met) = seen.met() else { return Ok(()) };
    let fault = match (wanted.ensure, met.kind) {
        (Ensure::Present, FileKind::Directory) => "exists as a directory; cannot manage it as a file",
        (Ensure::Present, FileKind::Special) if wanted.manages_content() && !seen.is_link() => {
            "is a FIFO, socket or device; cannot manage its content"
        }
        (Ensure::Directory, FileKind::Regular | FileKind::Special) if !seen.is_link() => {
            "exists and is not a directory"
        }
        _ => return Ok(()),
    };
    Err(Error::invalid(format!("{path} {fault}")))
}

/// Compares the bytes, by their number first: most differences need no reading.
fn compare(wanted: &Properties<Text>, common: &Common, seen: &State, host: &dyn Host) -> Result<Bytes> {
    let path = &*common.name;
    let Some(met) = seen.met() else { return Ok(Bytes::Unmanaged) };
    if wanted.ensure == Ensure::Directory || (!wanted.replace && !wanted.block) {
        return Ok(Bytes::Unmanaged);
    }
    if met.kind != FileKind::Regular {
        return Ok(if wanted.manages_content() { Bytes::Other } else { Bytes::Unmanaged });
    }
    let same = match (&wanted.content, &wanted.source) {
        _ if wanted.block => block::after(wanted, common, host)? == After::Same,
        (Some(content), _) => {
            let bytes = content.as_bytes();
            met.size == bytes.len() as u64
                && if seen.is_link() { host.read(path, met.size)? == bytes } else { host.holds(path, bytes)? }
        }
        (None, Some(source)) if seen.is_link() => {
            met.size == source_size(source, host)? && host.digest(path)? == host.digest(source)?
        }
        (None, Some(source)) => met.size == source_size(source, host)? && host.same(path, source)?,
        (None, None) => return Ok(Bytes::Unmanaged),
    };
    Ok(if same { Bytes::Same } else { Bytes::Other })
}

/// The number of bytes of a source, once it is known to be a file.
pub(super) fn source_size(source: &str, host: &dyn Files) -> Result<u64> {
    match host.stat_target(source)? {
        Some(Stat { kind: FileKind::Regular, size, .. }) => Ok(size),
        Some(_) => Err(Error::invalid(format!("source {source} is not a file"))),
        None => Err(Error::invalid(format!("source {source} does not exist"))),
    }
}
