//! The rules of a `file` in a manifest (resources.md 3.5 and 11).

use alloc::format;

use super::{Ensure, Marks, Mode, Properties};
use crate::error::Result;
use crate::render::{Env, Field, has_expression};
use crate::resource::Common;
use crate::resource::properties::{Block, resolving};
use crate::roster::region::Place;
use crate::text::nearest::hint;
use crate::text::path;
use crate::value::{Text, Value};

/// The properties that only a `file` has.
pub(in crate::resource) const KEYS: [&str; 13] = [
    "content", "source", "owner", "group", "mode", "force", "parents", "replace", "into", "comment", "position",
    "template", "backup",
];

impl Properties<Field<Text>> {
    /// Reads and checks the properties of a `file`.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub(in crate::resource) fn read(block: &Block<'_>, common: &Common) -> Result<Self> {
        let ensure = read_ensure(block, &common.ensure)?;
        let template = block.flag("template")?.unwrap_or(true);
        let content = match template {
            true => block.field("content")?,
            false => block.literal("content")?.map(Field::Ready),
        };
        let file = Self {
            ensure,
            content,
            source: block.field("source")?.filter(|source| !matches!(source, Field::Ready(path) if path.is_empty())),
            owner: block.filled("owner")?,
            group: block.filled("group")?,
            mode: read_mode(block)?,
            force: block.flag("force")?.unwrap_or(false),
            parents: block.flag("parents")?.unwrap_or(false),
            replace: block.flag("replace")?.unwrap_or(true),
            block: read_into(block)?,
            marks: read_marks(block)?,
            template,
        };
        if block.flag("backup")? == Some(true) {
            block.reading().warn(block.fault("backup", "backup: this version keeps no backups yet"));
        }
        check_path(block, &common.name)?;
        file.check(block, &common.name)?;
        Ok(file)
    }

    fn check(&self, block: &Block<'_>, name: &str) -> Result<()> {
        let missing = |key: &str| Err(block.fault(key, format!("{key} cannot be empty")));
        if self.content.is_some() && self.source.is_some() {
            return Err(block.fault("source", "content and source exclude each other"));
        }
        // A region leaves owner and mode to whoever owns the file, unless they are given.
        if self.ensure != Ensure::Absent && !self.block {
            match self {
                Self { owner: None, .. } => return missing("owner"),
                Self { group: None, .. } => return missing("group"),
                Self { mode: None, .. } => return missing("mode"),
                _ => {}
            }
        }
        if self.force && self.ensure != Ensure::Absent {
            return Err(block.fault("force", "force is only for ensure: absent"));
        }
        if self.force && name == "/" {
            return Err(block.fault("force", "force cannot be used on /"));
        }
        for key in ["comment", "position"] {
            if !self.block && block.node(key).is_some() {
                return Err(block.fault(key, format!("{key} is for into: block")));
            }
        }
        if self.block && (self.ensure == Ensure::Directory || self.source.is_some()) {
            return Err(block.fault("into", "into: block is for the content of a file"));
        }
        if self.block && self.ensure == Ensure::Present && self.content.is_none() {
            return Err(block.fault("into", "into: block needs content"));
        }
        if self.ensure == Ensure::Directory && (self.content.is_some() || self.source.is_some()) {
            let key = if self.content.is_some() { "content" } else { "source" };
            block.reading().warn(block.fault(key, format!("{key} has no meaning for a directory")));
        }
        Ok(())
    }

    /// Resolves what waited for the control gate.
    ///
    /// # Errors
    /// An expression fails.
    pub(in crate::resource) fn resolve(&self, env: &Env<'_>) -> Result<Properties<Text>> {
        let text = |key: &str, field: &Option<Field<Text>>| match field {
            Some(field) => field.resolve(env).map(Some).map_err(|error| error.doing(resolving(key))),
            None => Ok(None),
        };
        let source = text("source", &self.source)?.filter(|source| !source.is_empty());
        Ok(Properties {
            content: text("content", &self.content)?,
            source: source.map(|source| path::resolve(env.world().directory(), &source).into()),
            ensure: self.ensure,
            owner: self.owner.clone(),
            group: self.group.clone(),
            mode: self.mode,
            force: self.force,
            parents: self.parents,
            replace: self.replace,
            block: self.block,
            marks: self.marks.clone(),
            template: self.template,
        })
    }
}

fn read_ensure(block: &Block<'_>, word: &str) -> Result<Ensure> {
    if word.is_empty() {
        return Err(block.fault("ensure", "ensure is required: present, absent or directory"));
    }
    Ensure::from_name(word).ok_or_else(|| {
        let hint = hint(word, Ensure::NAMES);
        block.fault("ensure", format!("ensure must be present, absent or directory, found {word}{hint}"))
    })
}

fn read_into(block: &Block<'_>) -> Result<bool> {
    match block.filled("into")?.as_deref() {
        None => Ok(false),
        Some("block") => Ok(true),
        Some(other) => Err(block.fault("into", format!("into must be block, found {other}"))),
    }
}

fn read_marks(block: &Block<'_>) -> Result<Marks> {
    let place = match block.filled("position")?.as_deref() {
        None | Some("end") => Place::End,
        Some("start") => Place::Start,
        Some(other) => return Err(block.fault("position", format!("position must be start or end, found {other}"))),
    };
    let comment = block.filled("comment")?.unwrap_or_else(|| "#".into());
    if comment.trim().is_empty() || comment.contains(['\n', '\r']) {
        return Err(block.fault("comment", "comment is what begins a comment in the file, as \"#\" or \";\""));
    }
    Ok(Marks { comment, place })
}

/// The mode is read from the text in the manifest, where `0644` and `644` mean the same; a number that comes
/// out of data has lost its digits, and is refused (F56).
fn read_mode(block: &Block<'_>) -> Result<Option<Mode>> {
    let Some(written) = block.literal("mode")? else { return Ok(None) };
    let templated = has_expression(&written).map_err(|error| error.at(block.site("mode")))?;
    let text = if templated {
        let typed = block.reading().env.typed(&written);
        match typed.map_err(|error| error.at(block.site("mode")).doing(resolving("mode")))? {
            Value::Text(text) => text,
            Value::Null => {
                return Err(
                    block.fault("mode", "mode resolves to nothing: give a default with ?? or lookup(key, default)")
                );
            }
            number @ Value::Int(_) => {
                let number = number.kind();
                return Err(block.fault(
                    "mode",
                    format!("mode resolves to an {number}, whose octal digits are lost: quote it in data, as \"0644\""),
                ));
            }
            other => return Err(block.fault("mode", format!("mode must be octal digits, found {}", other.kind()))),
        }
    } else {
        written
    };
    if text.is_empty() {
        return Ok(None);
    }
    Mode::parse(&text).map(Some).ok_or_else(|| {
        block.fault("mode", format!("mode must be three or four octal digits, as \"0644\", found {text}"))
    })
}

fn check_path(block: &Block<'_>, name: &str) -> Result<()> {
    if !path::is_absolute(name) {
        return Err(block.fault("name", format!("file path must be absolute, found {name}")));
    }
    if !path::is_clean(name) {
        return Err(block.fault("name", format!("file path must be canonical: {}, not {name}", path::clean(name))));
    }
    Ok(())
}
