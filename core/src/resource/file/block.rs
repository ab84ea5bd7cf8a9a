//! `into: block`: the content is a marked region of a file whose rest is somebody else's.

use alloc::vec::Vec;

use super::{Ensure, Marks, Properties};
use crate::error::Result;
use crate::host::Files;
use crate::resource::Common;
use crate::roster::region::{self, Region, Rest};
use crate::value::Text;

/// How many bytes of a file are read to change a region in it.
const LIMIT: u64 = 16 << 20;

/// What the file shall become.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum After {
    /// What it is.
    Same,
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing: it held the region alone, which is to go.
    Gone,
}

/// What the file at the path, symlinks followed, shall become.
///
/// # Errors
/// It cannot be read, or its marks are broken: it must stay as it is then.
pub(super) fn after(wanted: &Properties<Text>, common: &Common, host: &dyn Files) -> Result<After> {
    let before = match host.stat_target(&common.name)? {
        Some(_) => Some(host.read(&common.name, LIMIT)?),
        None => None,
    };
    let region = region_of(wanted, common);
    if wanted.ensure == Ensure::Absent {
        let Some(before) = before else { return Ok(After::Same) };
        return Ok(match region::remove(&before, &region)? {
            Rest::Unchanged => After::Same,
            Rest::Bytes(rest) => After::Bytes(rest),
            Rest::Nothing => After::Gone,
        });
    }
    let content = wanted.content.as_deref().unwrap_or_default();
    let after = region::put(before.as_deref(), &region, content.as_bytes())?;
    Ok(if before.as_ref() == Some(&after) { After::Same } else { After::Bytes(after) })
}

/// Two regions of one file are told apart by the alias of their resources.
fn region_of<'a>(wanted: &'a Properties<Text>, common: &'a Common) -> Region<'a> {
    let Marks { comment, place } = &wanted.marks;
    Region { id: common.alias.as_deref().unwrap_or(&common.name), comment, place: *place }
}
