//! A field of a resource: its value, or the text that waits until `if` and `unless` have spoken.

use alloc::string::String;
use alloc::vec::Vec;

use super::Env;
use crate::error::{Error, RenderFault, Result};
use crate::span::Site;
use crate::value::{Map, Text, Value};

/// A value that is known, or the template that will give it.
#[derive(Debug, Clone)]
pub enum Field<T> {
    /// Known.
    Ready(T),
    /// Resolved when its resource is about to run.
    Deferred(Template),
}

/// Text with expressions in it, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// As written.
    pub text: Text,
    /// Its scalar in the manifest.
    pub site: Option<Site>,
}

impl Field<Text> {
    /// The text, resolved now if it was deferred.
    ///
    /// # Errors
    /// As [`Env::strict_text`], at the template's site.
    pub fn resolve(&self, env: &Env<'_>) -> Result<Text> {
        match self {
            Self::Ready(text) => Ok(text.clone()),
            Self::Deferred(template) => {
                env.strict_text(&template.text).map(Text::from).map_err(|fault| match &template.site {
                    Some(site) => fault.at(site.clone()),
                    None => fault,
                })
            }
        }
    }
}

/// As written: what a rendered manifest shows.
impl AsRef<str> for Field<Text> {
    fn as_ref(&self) -> &str {
        match self {
            Self::Ready(text) => text,
            Self::Deferred(template) => &template.text,
        }
    }
}

impl<T> Field<T> {
    /// The value, if it is known.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Deferred(_) => None,
        }
    }
}

/// How the properties of a resource resolve. Text never becomes null silently: what a property
/// declares as text is refused when an expression gives it none.
impl Env<'_> {
    /// An untyped property: text gives text, the members of a map and the items of a list are typed.
    ///
    /// # Errors
    /// As [`Env::strict_text`] and [`Env::expand_members`].
    pub fn property(&self, value: &Value) -> Result<Value> {
        match value {
            Value::Text(text) => self.strict_text(text).map(Value::from),
            Value::Map(map) => self.expand_members(map).map(Value::Map),
            Value::List(items) => self.expand_items(items).map(Value::list),
            plain => Ok(plain.clone()),
        }
    }

    /// A list property: items that are text give text, maps and lists in it are typed.
    ///
    /// # Errors
    /// As [`Env::property`].
    pub fn items(&self, items: &[Value]) -> Result<Vec<Value>> {
        items.iter().map(|item| self.property(item)).collect()
    }

    /// A list of text.
    ///
    /// # Errors
    /// As [`Env::strict_text`].
    pub fn texts<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Result<Vec<String>> {
        texts.into_iter().map(|text| self.strict_text(text)).collect()
    }

    /// Text where the reference keeps the type of a whole expression, so that anything but text is refused.
    ///
    /// # Errors
    /// As [`Env::typed`], and when the value is not text.
    pub fn only_text(&self, text: &str) -> Result<Text> {
        match self.typed(text)? {
            Value::Text(text) => Ok(text),
            other => Err(self.not_text(text, &other)),
        }
    }

    /// A key of a map whose keys are templates.
    ///
    /// # Errors
    /// As [`Env::strict_text`].
    pub fn key(&self, key: &str) -> Result<Text> {
        self.strict_text(key).map(Text::from)
    }

    /// A map whose keys are templates too, its members typed.
    ///
    /// # Errors
    /// As [`Env::key`] and [`Env::expand_members`].
    pub fn keyed_members(&self, map: &Map) -> Result<Map> {
        let members = self.expand_members(map)?;
        let mut keyed = Vec::with_capacity(members.len());
        for (key, value) in members.into_entries() {
            keyed.push((self.key(&key)?, value));
        }
        Ok(Map::from_entries(keyed))
    }

    /// A map of texts whose keys are templates too. An expression that gives null removes its key.
    ///
    /// # Errors
    /// As [`Env::key`] and [`Env::only_text`].
    pub fn keyed_texts<'t>(&self, texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Vec<(Text, Text)>> {
        let mut resolved = Vec::new();
        for (key, text) in texts {
            match self.strict_typed(text)? {
                Value::Null => {}
                Value::Text(text) => resolved.push((self.key(key)?, text)),
                other => return Err(self.not_text(text, &other)),
            }
        }
        Ok(resolved)
    }

    fn not_text(&self, text: &str, value: &Value) -> Error {
        RenderFault::NotText { expression: text.trim().into(), given: value.kind() }.into()
    }
}
