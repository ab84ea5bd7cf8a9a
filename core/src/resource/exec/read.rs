//! The rules of an `exec` in a manifest (resources.md 3.5 and 14).

use alloc::format;
use alloc::vec::Vec;

use super::{Properties, words};
use crate::error::{Error, Result};
use crate::render::{Env, Field};
use crate::resource::Common;
use crate::resource::properties::{Block, resolving};
use crate::text::path;
use crate::value::Text;

/// The properties that only an `exec` has.
pub(in crate::resource) const KEYS: [&str; 13] = [
    "command",
    "cwd",
    "environment",
    "path",
    "returns",
    "timeout",
    "creates",
    "onlyif",
    "unless",
    "pure",
    "refreshonly",
    "subscribe",
    "logoutput",
];

impl Properties<Field<Text>> {
    /// Reads and checks the properties of an `exec`.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub(in crate::resource) fn read(block: &Block<'_>, common: &Common) -> Result<Self> {
        if !matches!(&*common.ensure, "present" | "absent") {
            let fault = format!("ensure must be present or absent, found {}", common.ensure);
            block.reading().break_rule(block.fault("ensure", fault))?;
        }
        let (timeout_text, timeout) = block.duration("timeout")?.unzip();
        let exec = Self {
            command: filled(block, "command")?,
            cwd: filled(block, "cwd")?,
            environment: read_environment(block)?,
            path: read_path(block)?,
            returns: read_returns(block)?,
            timeout: timeout.filter(|timeout| !timeout.is_zero()),
            timeout_text,
            creates: filled(block, "creates")?,
            onlyif: filled(block, "onlyif")?,
            unless: filled(block, "unless")?,
            pure: block.flag("pure")?.unwrap_or(false),
            refreshonly: block.flag("refreshonly")?.unwrap_or(false),
            subscribe: block.references("subscribe", true)?,
            logoutput: block.flag("logoutput")?.unwrap_or(false),
        };
        // A name that is only a label may hold an apostrophe (F58).
        if exec.command.is_none() && common.provider.as_deref().is_none_or(|provider| provider == "posix") {
            words::split(&common.name).map_err(|error| error.at(block.site("name")))?;
        }
        Ok(exec)
    }

    /// Resolves what waited for the control gate.
    ///
    /// # Errors
    /// An expression fails, or gives an environment entry that is none.
    pub(in crate::resource) fn resolve(&self, env: &Env<'_>) -> Result<Properties<Text>> {
        let text = |key: &str, field: &Field<Text>| field.resolve(env).map_err(|error| error.doing(resolving(key)));
        let optional = |key: &str, field: &Option<Field<Text>>| match field {
            Some(field) => Ok(Some(text(key, field)?).filter(|text| !text.is_empty())),
            None => Ok::<_, Error>(None),
        };
        let mut environment = Vec::with_capacity(self.environment.len());
        for entry in &self.environment {
            let entry = text("environment", entry)?;
            check_entry(&entry).map_err(Error::invalid)?;
            environment.push(entry);
        }
        Ok(Properties {
            command: optional("command", &self.command)?,
            cwd: optional("cwd", &self.cwd)?,
            environment,
            path: self.path.clone(),
            returns: self.returns.clone(),
            timeout: self.timeout,
            timeout_text: self.timeout_text.clone(),
            creates: optional("creates", &self.creates)?,
            onlyif: optional("onlyif", &self.onlyif)?,
            unless: optional("unless", &self.unless)?,
            pure: self.pure,
            refreshonly: self.refreshonly,
            subscribe: self.subscribe.clone(),
            logoutput: self.logoutput,
        })
    }
}

fn filled(block: &Block<'_>, key: &str) -> Result<Option<Field<Text>>> {
    Ok(block.field(key)?.filter(|field| !matches!(field, Field::Ready(text) if text.is_empty())))
}

/// Entries without an expression are checked now, the others when they are resolved.
fn read_environment(block: &Block<'_>) -> Result<Vec<Field<Text>>> {
    let entries = block.fields("environment")?;
    for entry in entries.iter().filter_map(Field::ready) {
        check_entry(entry).map_err(|fault| block.fault("environment", fault))?;
    }
    Ok(entries)
}

/// `NAME=value`. An empty value is one (F58); what is behind the `=` is never shown.
fn check_entry(entry: &str) -> Result<(), alloc::string::String> {
    let Some((name, _)) = entry.split_once('=') else {
        return Err("environment: an entry has no =, it must be NAME=value".into());
    };
    let good = |(at, letter): (usize, u8)| {
        letter == b'_' || letter.is_ascii_alphabetic() || (at > 0 && letter.is_ascii_digit())
    };
    match name {
        "" => Err("environment: an entry has no name before its =".into()),
        _ if name.bytes().enumerate().all(good) => Ok(()),
        _ => Err(format!("environment: {name} is no name: letters, digits and _ are, not beginning with a digit")),
    }
}

fn read_path(block: &Block<'_>) -> Result<Option<Text>> {
    let Some(text) = block.filled("path")? else { return Ok(None) };
    match text.split(':').find(|directory| !path::is_absolute(directory)) {
        Some(directory) => {
            Err(block.fault("path", format!("path: each directory must be absolute, found {directory:?}")))
        }
        None => Ok(Some(text)),
    }
}

fn read_returns(block: &Block<'_>) -> Result<Vec<i32>> {
    let code = |int: crate::value::Int| {
        let code = int.as_i64().and_then(|code| i32::try_from(code).ok());
        code.ok_or_else(|| block.fault("returns", format!("returns: {int} is no exit code")))
    };
    block.integers("returns")?.into_iter().map(code).collect()
}
