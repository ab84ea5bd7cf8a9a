//! Reading the properties of a resource, strictly: a key nobody knows is refused with the nearest name that
//! is known, a value of the wrong kind with its line, and `defaults` lie beneath what the resource itself says.
//!
//! Text properties are resolved as they are read; those that wait for the control gate become a
//! [`Field::Deferred`]. Nothing is resolved twice (F9).

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::time::Duration;

use super::Reference;
use crate::error::{Error, Result};
use crate::render::{Env, Field, Template, has_expression};
use crate::span::{Site, Source, Span};
use crate::text::nearest::hint;
use crate::text::time::duration;
use crate::value::{Int, Map, Text, Value};
use crate::yaml::{Entry, Node, Style};

/// What reading needs beside the nodes.
pub struct Reading<'a> {
    /// The text the nodes are of.
    pub source: &'a Source,
    /// Resolves what is resolved at once.
    pub env: Env<'a>,
    /// Rules that the reference leaves to its schema are enforced; otherwise breaking one is a warning
    /// (`NO_SCHEMA_VALIDATION=1`).
    pub strict: bool,
    warnings: RefCell<Vec<Error>>,
}

impl<'a> Reading<'a> {
    /// Reading of the nodes of one source.
    #[must_use]
    pub fn new(source: &'a Source, env: Env<'a>, strict: bool) -> Self {
        Self { source, env, strict, warnings: RefCell::default() }
    }

    /// What was let pass but is worth telling, since this was last asked.
    pub fn take_warnings(&self) -> Vec<Error> {
        self.warnings.take()
    }

    /// Tells the operator without refusing anything.
    pub fn warn(&self, warning: Error) {
        self.warnings.borrow_mut().push(warning);
    }

    /// A rule of the schema is broken.
    ///
    /// # Errors
    /// The fault itself, while the schema is enforced.
    pub fn break_rule(&self, fault: Error) -> Result<()> {
        if self.strict {
            return Err(fault);
        }
        self.warn(fault);
        Ok(())
    }

    fn site(&self, span: Span) -> Site {
        self.source.at(span)
    }
}

/// A mapping of properties with the defaults beneath it.
pub struct Block<'a> {
    reading: &'a Reading<'a>,
    own: &'a [Entry],
    beneath: &'a [Entry],
    span: Span,
}

impl<'a> Block<'a> {
    /// The mapping at a node, null counting as empty, every key of it and of its defaults being one of `known`.
    ///
    /// # Errors
    /// It is no mapping, or has a key that is not known.
    pub fn open(
        node: &'a Node,
        defaults: Option<&'a Node>,
        known: &[&[&str]],
        reading: &'a Reading<'a>,
    ) -> Result<Self> {
        let block = Self {
            reading,
            own: entries(node, reading)?,
            beneath: defaults.map_or(Ok(&[][..]), |node| entries(node, reading))?,
            span: node.span,
        };
        for entry in block.own.iter().chain(block.beneath) {
            let names = || known.iter().flat_map(|names| names.iter().copied());
            if !names().any(|name| name == &*entry.key) {
                let fault = Error::invalid(format!("unknown property {}{}", entry.key, hint(&entry.key, names())));
                reading.break_rule(fault.at(reading.site(entry.span)))?;
            }
        }
        Ok(block)
    }

    /// What this block is read with.
    #[must_use]
    pub fn reading(&self) -> &'a Reading<'a> {
        self.reading
    }

    /// The node of a property: the resource's own, else the default. A null is as if it were not there.
    #[must_use]
    pub fn node(&self, key: &str) -> Option<&'a Node> {
        find(self.own, key).or_else(|| find(self.beneath, key))
    }

    /// Where a property stands; where the whole block does when it is not there.
    #[must_use]
    pub fn site(&self, key: &str) -> Site {
        self.reading.site(self.node(key).map_or(self.span, |node| node.span))
    }

    /// A fault of a property, with its place.
    #[cold]
    #[must_use]
    pub fn fault(&self, key: &str, text: impl Into<String>) -> Error {
        Error::invalid(text).at(self.site(key))
    }

    #[cold]
    fn wrong(&self, key: &str, node: &Node, wanted: &str) -> Error {
        Error::invalid(format!("{key} must be {wanted}, found {}", kind(node))).at(self.reading.site(node.span))
    }

    /// A text as written, never a template.
    ///
    /// # Errors
    /// It is a list or a mapping.
    pub fn literal(&self, key: &str) -> Result<Option<Text>> {
        let Some(node) = self.node(key) else { return Ok(None) };
        node.shared_text().cloned().map(Some).ok_or_else(|| self.wrong(key, node, "text"))
    }

    /// A text, resolved now. A number is text as it is written.
    ///
    /// # Errors
    /// It is a list or a mapping, or an expression in it fails.
    pub fn text(&self, key: &str) -> Result<Option<Text>> {
        let Some(node) = self.node(key) else { return Ok(None) };
        self.resolve(key, node).map(Some)
    }

    /// A text that is the key of this block, resolved now.
    ///
    /// # Errors
    /// An expression in it fails.
    pub fn key_text(&self, text: &Text, site: &Site) -> Result<Text> {
        self.strict_text(text).map_err(|error| error.at(site.clone()).doing(resolving("name")))
    }

    /// As [`Block::text`], empty text being as good as none.
    ///
    /// # Errors
    /// As [`Block::text`].
    pub fn filled(&self, key: &str) -> Result<Option<Text>> {
        Ok(self.text(key)?.filter(|text| !text.is_empty()))
    }

    /// A text that is resolved when the resource's turn has come.
    ///
    /// # Errors
    /// It is a list or a mapping.
    pub fn field(&self, key: &str) -> Result<Option<Field<Text>>> {
        let Some(node) = self.node(key) else { return Ok(None) };
        self.defer(key, node).map(Some)
    }

    /// A list of texts, each resolved now.
    ///
    /// # Errors
    /// It is no list, or an item is not text.
    pub fn texts(&self, key: &str) -> Result<Vec<Text>> {
        self.items(key)?.iter().map(|node| self.resolve(key, node)).collect()
    }

    /// A list of texts that are resolved when the resource's turn has come.
    ///
    /// # Errors
    /// As [`Block::texts`].
    pub fn fields(&self, key: &str) -> Result<Vec<Field<Text>>> {
        self.items(key)?.iter().map(|node| self.defer(key, node)).collect()
    }

    /// The items of a list; none where it is not there.
    ///
    /// # Errors
    /// It is no list.
    pub fn items(&self, key: &str) -> Result<&'a [Node]> {
        let Some(node) = self.node(key) else { return Ok(&[]) };
        node.items().ok_or_else(|| self.wrong(key, node, "a list"))
    }

    /// A bool: `true` or `false` as YAML, not as text.
    ///
    /// # Errors
    /// It is anything else.
    pub fn flag(&self, key: &str) -> Result<Option<bool>> {
        let Some(node) = self.node(key) else { return Ok(None) };
        match node.to_value() {
            Value::Bool(flag) => Ok(Some(flag)),
            _ => Err(self.wrong(key, node, "true or false")),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// It is anything else.
    pub fn integer(&self, key: &str) -> Result<Option<Int>> {
        let Some(node) = self.node(key) else { return Ok(None) };
        self.int(key, node).map(Some)
    }

    /// A list of whole numbers.
    ///
    /// # Errors
    /// It is no list, or an item is anything else.
    pub fn integers(&self, key: &str) -> Result<Vec<Int>> {
        self.items(key)?.iter().map(|node| self.int(key, node)).collect()
    }

    /// A duration with its text (resources.md 3.6), resolved now. A negative one counts as none.
    ///
    /// # Errors
    /// It has no unit, or an unknown one, or something else before or behind it.
    pub fn duration(&self, key: &str) -> Result<Option<(Text, Duration)>> {
        let Some(text) = self.filled(key)? else { return Ok(None) };
        let nanos = duration::parse_extended(&text).map_err(|fault| self.fault(key, format!("{key}: {fault}")))?;
        Ok(Some((text, Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)))))
    }

    /// References to resources, resolved now if they may be templates.
    ///
    /// # Errors
    /// One is not `type#name`.
    pub fn references(&self, key: &str, templated: bool) -> Result<Vec<Reference>> {
        let reference = |node: &Node| {
            let text = match templated {
                true => self.resolve(key, node)?,
                false => node.shared_text().cloned().ok_or_else(|| self.wrong(key, node, "text"))?,
            };
            let at = |fault: String| Error::invalid(fault).at(self.reading.site(node.span));
            let reference = Reference::parse(text.clone())
                .ok_or_else(|| at(format!("{key}: {text} is not of the form type#name")))?;
            if !reference.kind().bytes().all(|letter| letter.is_ascii_lowercase()) {
                self.reading
                    .break_rule(at(format!("{key}: {} is no type, which is lower-case letters", reference.kind())))?;
            }
            Ok(reference)
        };
        self.items(key)?.iter().map(reference).collect()
    }

    /// A mapping of properties in this one, the same key of the defaults beneath it.
    ///
    /// # Errors
    /// As [`Block::open`].
    pub fn block(&self, key: &str, known: &[&str]) -> Result<Option<Block<'a>>> {
        match (find(self.own, key), find(self.beneath, key)) {
            (Some(own), beneath) => Self::open(own, beneath, &[known], self.reading).map(Some),
            (None, Some(beneath)) => Self::open(beneath, None, &[known], self.reading).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// A mapping of free keys as data, the defaults' keys beneath, the texts in it resolved now and typed.
    ///
    /// # Errors
    /// It is no mapping, or an expression in it fails.
    pub fn data(&self, key: &str) -> Result<Option<Map>> {
        let Some(node) = self.node(key) else { return Ok(None) };
        let mut merged = Map::new();
        for node in [find(self.beneath, key), find(self.own, key)].into_iter().flatten() {
            let Value::Map(map) = node.to_value() else { return Err(self.wrong(key, node, "a map")) };
            for (key, value) in map.into_entries() {
                merged.insert(key, value);
            }
        }
        let resolved = self.reading.env.expand_members(&merged);
        resolved.map(Some).map_err(|error| error.at(self.reading.site(node.span)))
    }

    fn int(&self, key: &str, node: &Node) -> Result<Int> {
        match node.to_value() {
            Value::Int(int) => Ok(int),
            _ => Err(self.wrong(key, node, "a whole number")),
        }
    }

    fn resolve(&self, key: &str, node: &Node) -> Result<Text> {
        let text = node.shared_text().ok_or_else(|| self.wrong(key, node, "text"))?;
        self.strict_text(text).map_err(|error| error.at(self.reading.site(node.span)).doing(resolving(key)))
    }

    fn strict_text(&self, text: &Text) -> Result<Text> {
        if has_expression(text)? { self.reading.env.strict_text(text).map(Text::from) } else { Ok(text.clone()) }
    }

    fn defer(&self, key: &str, node: &Node) -> Result<Field<Text>> {
        let text = node.shared_text().ok_or_else(|| self.wrong(key, node, "text"))?.clone();
        match has_expression(&text) {
            Ok(false) => Ok(Field::Ready(text)),
            // A fault in it is told when the resource's turn has come, and only then.
            Ok(true) | Err(_) => Ok(Field::Deferred(Template { text, site: Some(self.reading.site(node.span)) })),
        }
    }
}

/// The context of an error in a property that is a template.
pub fn resolving(key: &str) -> Cow<'static, str> {
    format!("resolving property {key}").into()
}

/// What a scalar that holds no text of its own is called in an error; a text is shown, so that it can be found.
fn kind(node: &Node) -> Cow<'static, str> {
    match (node.text(), node.style()) {
        (Some(text), Some(Style::Plain)) if text.len() <= 40 => format!("{} {text}", node.kind()).into(),
        _ => node.kind().into(),
    }
}

fn entries<'a>(node: &'a Node, reading: &Reading<'_>) -> Result<&'a [Entry]> {
    match node.entries() {
        Some(entries) => Ok(entries),
        None if node.is_null() => Ok(&[]),
        None => {
            let text = format!("properties must be a map, found {}", kind(node));
            Err(Error::invalid(text).at(reading.site(node.span)))
        }
    }
}

fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Node> {
    entries.iter().find(|entry| &*entry.key == key).map(|entry| &entry.value).filter(|node| !node.is_null())
}
