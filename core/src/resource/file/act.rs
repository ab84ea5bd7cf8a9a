//! Acting on a path.

use alloc::format;
use alloc::vec::Vec;

use super::block::{self, After};
use super::look::source_size;
use super::{Action, Ensure, Properties, caused_by, number};
use crate::error::{Cause, Error, Result};
use crate::host::{Attributes, Content, FileKind, Host, Stat, Written};
use crate::resource::{Common, Done};
use crate::value::Text;

/// Acts. Owner and group are known before anything is touched, so that an unknown one leaves nothing behind.
///
/// # Errors
/// The operation that failed.
pub fn carry_out(wanted: &Properties<Text>, common: &Common, action: Action, host: &mut dyn Host) -> Result<Done> {
    let path = &*common.name;
    let attributes = attributes(wanted, host)?;
    let mut done = Done::default();
    match action {
        Action::RemoveFile => host.remove(path)?,
        Action::RemoveTree => host.remove_directory(path, true)?,
        Action::RemoveDirectory => host.remove_directory(path, false).map_err(|error| match error {
            error if caused_by(&error, Cause::NotEmpty) => error.doing("set force: true to remove what is in it"),
            error => error,
        })?,
        Action::SetAttributes => host.set_attributes(path, &attributes)?,
        Action::MakeDirectory => make_directory(path, &attributes, host)?,
        Action::Write | Action::WriteEmpty => {
            if wanted.parents {
                make_parents(path, &Attributes { mode: Some(0o755), ..Attributes::default() }, host)?;
            }
            if write(wanted, common, &attributes, host)? == Written::InPlace {
                done.warnings
                    .push(format!("{path} was written in place, as it could not be replaced (is it a mount point?)"));
            }
        }
    }
    Ok(done)
}

fn write(wanted: &Properties<Text>, common: &Common, attributes: &Attributes, host: &mut dyn Host) -> Result<Written> {
    let path = &*common.name;
    if wanted.block {
        return match block::after(wanted, common, host)? {
            After::Bytes(bytes) => {
                let attributes = kept(attributes, host.stat_target(path)?);
                host.write(path, Content::Bytes(&bytes), &attributes)
            }
            After::Gone => host.remove(path).map(|()| Written::Atomically),
            After::Same => Ok(Written::Atomically),
        };
    }
    match (&wanted.content, &wanted.source) {
        (Some(content), _) => host.write(path, Content::Bytes(content.as_bytes()), attributes),
        (None, Some(source)) => {
            source_size(source, host)?;
            host.write(path, Content::CopyOf(source), attributes)
        }
        (None, None) => host.write(path, Content::Bytes(&[]), attributes),
    }
}

/// What a region does not ask for stays as it is; a file made for it is one that all may read.
fn kept(wanted: &Attributes, found: Option<Stat>) -> Attributes {
    let Some(found) = found else { return Attributes { mode: wanted.mode.or(Some(0o644)), ..*wanted } };
    Attributes {
        uid: wanted.uid.or(Some(found.uid)),
        gid: wanted.gid.or(Some(found.gid)),
        mode: wanted.mode.or(Some(found.mode)),
    }
}

fn attributes(wanted: &Properties<Text>, host: &dyn Host) -> Result<Attributes> {
    let known = |what: &str, name: Option<&str>, number: Option<u32>| match (name, number) {
        (Some(name), None) => Err(Error::invalid(format!("unknown {what} {name}"))),
        (_, number) => Ok(number),
    };
    if wanted.ensure == Ensure::Absent {
        return Ok(Attributes::default());
    }
    let (owner, group) = (wanted.owner.as_deref(), wanted.group.as_deref());
    Ok(Attributes {
        uid: known("user", owner, number(owner, |name| host.user(name))?)?,
        gid: known("group", group, number(group, |name| host.group(name))?)?,
        mode: wanted.wanted_mode(),
    })
}

fn make_directory(path: &str, attributes: &Attributes, host: &mut dyn Host) -> Result<()> {
    if matches!(host.stat(path)?, Some(Stat { kind: FileKind::Symlink, .. })) {
        host.remove(path)?;
    }
    // Made directories above belong to this process and are no more open than the one asked for.
    let mode = attributes.mode.map(|mode| mode & 0o755);
    make_parents(path, &Attributes { mode, ..Attributes::default() }, host)?;
    host.make_directory(path, attributes)
}

/// Makes the directories above a path that are missing, outermost first.
fn make_parents(path: &str, attributes: &Attributes, host: &mut dyn Host) -> Result<()> {
    let mut missing = Vec::new();
    let mut rest = path;
    while let Some((parent, _)) = rest.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
        if host.stat_target(parent)?.is_some() {
            break;
        }
        missing.push(parent);
        rest = parent;
    }
    for parent in missing.into_iter().rev() {
        match host.make_directory(parent, attributes) {
            Err(error) if !caused_by(&error, Cause::Exists) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
