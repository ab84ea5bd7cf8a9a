//! A part of a hiera document, whichever format it came in.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Result};
use crate::names::Fuel;
use crate::render::Env;
use crate::span::{Site, Source};
use crate::value::{Map, Text, Value, json, show};
use crate::yaml::{self, Node};

/// A node of YAML, which has a place, or a value of JSON, which has none.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    Yaml(&'a yaml::Document, &'a Node),
    Json(&'a Source, &'a Value),
}

impl<'a> Part<'a> {
    pub(super) fn is_map(self) -> bool {
        match self {
            Self::Yaml(_, node) => node.entries().is_some(),
            Self::Json(_, value) => value.as_map().is_some(),
        }
    }

    pub(super) fn is_null(self) -> bool {
        match self {
            Self::Yaml(_, node) => node.is_null(),
            Self::Json(_, value) => matches!(value, Value::Null),
        }
    }

    pub(super) fn get(self, key: &str) -> Option<Self> {
        match self {
            Self::Yaml(document, node) => node.get(key).map(|node| Self::Yaml(document, node)),
            Self::Json(source, value) => value.as_map()?.get(key).map(|value| Self::Json(source, value)),
        }
    }

    /// The text, if this is data of that kind.
    pub(super) fn text(self) -> Option<&'a str> {
        match self {
            Self::Yaml(_, node) => node.text().filter(|_| matches!(node.to_value(), Value::Text(_))),
            Self::Json(_, value) => value.as_text(),
        }
    }

    pub(super) fn items(self) -> Option<Vec<Self>> {
        Some(match self {
            Self::Yaml(document, node) => node.items()?.iter().map(|node| Self::Yaml(document, node)).collect(),
            Self::Json(source, value) => value.as_list()?.iter().map(|value| Self::Json(source, value)).collect(),
        })
    }

    pub(super) fn members(self) -> Option<Vec<(&'a Text, Self)>> {
        Some(match self {
            Self::Yaml(document, node) => {
                node.entries()?.iter().map(|entry| (&entry.key, Self::Yaml(document, &entry.value))).collect()
            }
            Self::Json(source, value) => {
                value.as_map()?.iter().map(|(key, value)| (key, Self::Json(source, value))).collect()
            }
        })
    }

    pub(super) fn site(self) -> Option<Site> {
        match self {
            Self::Yaml(document, node) => Some(node.site(document)),
            Self::Json(..) => None,
        }
    }

    /// For a message.
    pub(super) fn shown(self) -> String {
        match self {
            Self::Yaml(_, node) => String::from(&*show::text(&node.to_value())),
            Self::Json(_, value) => String::from(&*show::text(value)),
        }
    }

    /// The entries of a map, paid out of the document's purse, with their expressions filled in; keys stay as they are. `name` is what the
    /// map is called in a fault.
    pub(super) fn expand_map(self, env: &Env<'_>, fuel: &Fuel, name: &str) -> Result<Map> {
        match self.expand(env, fuel, &Place { around: None, step: Step::Key(name) })? {
            Value::Map(map) => Ok(map),
            _ => Ok(Map::new()),
        }
    }

    fn expand(self, env: &Env<'_>, fuel: &Fuel, place: &Place<'_>) -> Result<Value> {
        if let Some(members) = self.members() {
            let mut map = Vec::with_capacity(members.len());
            for (key, part) in members {
                map.push((key.clone(), part.expand(env, fuel, &place.inside(Step::Key(key)))?));
            }
            return Ok(Value::Map(Map::from_entries(map)));
        }
        if let Some(items) = self.items() {
            let mut list = Vec::with_capacity(items.len());
            for (at, part) in items.into_iter().enumerate() {
                list.push(part.expand(env, fuel, &place.inside(Step::Item(at)))?);
            }
            return Ok(Value::list(list));
        }
        let value = match self {
            Self::Yaml(_, node) => node.to_value(),
            Self::Json(_, value) => value.clone(),
        };
        match &value {
            Value::Text(text) if text.contains("{{") || text.contains("${") => {
                env.typed_from(text, fuel).map_err(|fault| self.blame(fault, place))
            }
            // `1.0` is a whole number in data, as long as it fits in 64 bits with its sign (vectors hiera/numbers).
            Value::Float(number) => {
                let whole = json::integral(*number).filter(|whole| whole.as_i64().is_some());
                Ok(whole.map_or(value, Value::Int))
            }
            _ => Ok(value),
        }
    }

    fn blame(self, fault: Error, place: &Place<'_>) -> Error {
        let fault = fault.doing(format!("resolving {place}"));
        match self.site() {
            Some(site) => fault.at(site),
            None => fault,
        }
    }
}

/// Where a walk is, told only when something goes wrong there.
struct Place<'a> {
    around: Option<&'a Place<'a>>,
    step: Step<'a>,
}

enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    fn inside(&'a self, step: Step<'a>) -> Self {
        Place { around: Some(self), step }
    }
}

/// `data.web.ports[0]`
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(around) = self.around {
            around.fmt(f)?;
        }
        match self.step {
            Step::Key(key) if self.around.is_some() => write!(f, ".{key}"),
            Step::Key(key) => f.write_str(key),
            Step::Item(at) => write!(f, "[{at}]"),
        }
    }
}
