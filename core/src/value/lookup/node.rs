//! What a walk is at: data of the caller, borrowed, or something the path made.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::budget::Budget;
use super::text::Json;
use super::{plain, root};
use crate::error::Result;
use crate::value::wire::{self, Layout};
use crate::value::{Int, Map, Text, Value, json};

/// A node of the data as a path sees it. What a path makes keeps the order of its members, as a
/// later `@keys` shows it.
#[derive(Clone)]
pub(super) enum Node<'a> {
    /// The named roots.
    Roots(&'a [(&'a str, &'a Value)]),
    /// Data of the caller.
    Value(&'a Value),
    /// JSON text, not read yet.
    Json(Json),
    /// Text made by `@tostr`.
    Text(Text),
    /// A number of items.
    Count(u64),
    /// Nothing, where a list needs an item.
    Null,
    /// A list the path made.
    List(Rc<Vec<Node<'a>>>),
    /// A map the path made.
    Map(Rc<Vec<Member<'a>>>),
}

/// A key and what it holds.
pub(super) type Member<'a> = (Cow<'a, str>, Node<'a>);

/// What a node is, as queries tell them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Null,
    False,
    True,
    Number,
    Text,
    List,
    Map,
}

impl<'a> Node<'a> {
    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items))
    }

    pub(super) fn map(members: Vec<Member<'a>>) -> Self {
        Self::Map(Rc::new(members))
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Roots(_) | Self::Map(_) | Self::Value(Value::Map(_)) => Kind::Map,
            Self::List(_) | Self::Value(Value::List(_)) => Kind::List,
            Self::Text(_) | Self::Value(Value::Text(_)) => Kind::Text,
            Self::Count(_) | Self::Value(Value::Int(_) | Value::Float(_)) => Kind::Number,
            Self::Value(Value::Bool(true)) => Kind::True,
            Self::Value(Value::Bool(false)) => Kind::False,
            Self::Null | Self::Value(Value::Null) => Kind::Null,
            Self::Json(json) => json.kind(),
        }
    }

    pub(super) fn is_container(&self) -> bool {
        matches!(self.kind(), Kind::List | Kind::Map)
    }

    /// What a text says; empty for anything else.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Value(Value::Text(text)) => Cow::Borrowed(text),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Json(json) if json.kind() == Kind::Text => json.string(),
            _ => Cow::Borrowed(""),
        }
    }

    /// The nearest binary64 of a number; 0 for anything else.
    pub(super) fn number(&self) -> f64 {
        match self {
            Self::Value(Value::Int(int)) => int.as_f64(),
            Self::Value(Value::Float(number)) => *number,
            Self::Count(count) => Int::from(*count).as_f64(),
            Self::Json(json) if json.kind() == Kind::Number => json.number(),
            _ => 0.0,
        }
    }

    /// The item at an index.
    pub(super) fn item(&self, at: usize) -> Option<Self> {
        match self {
            Self::Value(Value::List(items)) => items.get(at).map(Node::Value),
            Self::List(items) => items.get(at).cloned(),
            Self::Json(json) if json.kind() == Kind::List => json.items().0.into_iter().nth(at).map(Node::Json),
            _ => None,
        }
    }

    /// The items of a list, and whether none was cut off.
    pub(super) fn items(&self) -> (Vec<Self>, bool) {
        match self {
            Self::Value(Value::List(items)) => (items.iter().map(Node::Value).collect(), true),
            Self::List(items) => (items.to_vec(), true),
            Self::Json(json) if json.kind() == Kind::List => {
                let (items, whole) = json.items();
                (items.into_iter().map(Node::Json).collect(), whole)
            }
            _ => (Vec::new(), true),
        }
    }

    /// The documents in JSON text, or the one that any other node is.
    pub(super) fn lines(&self) -> Self {
        match self {
            Self::Json(json) => Self::list(json.lines().into_iter().map(Node::Json).collect()),
            other => Self::list(alloc::vec![other.clone()]),
        }
    }

    /// The members of exactly this key: one, except in JSON text and in maps a path made.
    pub(super) fn named(&self, name: &str) -> Vec<Self> {
        match self {
            Self::Value(Value::Map(map)) => map.get(name).map(Node::Value).into_iter().collect(),
            Self::Roots(roots) => root(roots, name).map(Node::Value).into_iter().collect(),
            other => other.members().into_iter().filter(|(key, _)| *key == name).map(|(_, node)| node).collect(),
        }
    }

    /// The members of a map in order.
    pub(super) fn members(&self) -> Vec<Member<'a>> {
        match self {
            Self::Roots(roots) => roots.iter().map(|(key, value)| (Cow::Borrowed(*key), Node::Value(value))).collect(),
            Self::Value(Value::Map(map)) => {
                map.iter().map(|(key, value)| (Cow::Borrowed(&**key), Node::Value(value))).collect()
            }
            Self::Map(members) => members.to_vec(),
            Self::Json(json) if json.kind() == Kind::Map => {
                json.members().into_iter().map(|(key, json)| (Cow::Owned(key), Node::Json(json))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many members or items.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Roots(roots) => roots.len(),
            Self::Value(Value::Map(map)) => map.len(),
            Self::Value(Value::List(items)) => items.len(),
            Self::List(items) => items.len(),
            Self::Map(members) => members.len(),
            Self::Json(json) => json.text().len() / 2,
            _ => 0,
        }
    }

    /// The JSON text of a node: as it stood, where it came from text.
    pub(super) fn raw(&self, budget: &Budget) -> Result<String> {
        let mut out = String::new();
        self.append_raw(&mut out, budget)?;
        Ok(out)
    }

    pub(super) fn append_raw(&self, out: &mut String, budget: &Budget) -> Result<()> {
        let _level = budget.enter()?;
        let before = out.len();
        match self {
            Self::Value(value) => {
                // Paid before it is made; escapes are paid below.
                budget.spend_bytes(usize::try_from(value.extent().weight).unwrap_or(usize::MAX))?;
                out.push_str(&wire::json(value, Layout::COMPACT)?);
            }
            Self::Json(json) => out.push_str(json.text()),
            Self::Text(text) => wire::quote(out, text, true),
            Self::Count(count) => out.push_str(&count.to_string()),
            Self::Null => out.push_str("null"),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.append_raw(out, budget)?;
                }
                out.push(']');
            }
            Self::Map(_) | Self::Roots(_) => {
                out.push('{');
                for (at, (key, node)) in self.members().iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    wire::quote(out, key, true);
                    out.push(':');
                    node.append_raw(out, budget)?;
                }
                out.push('}');
            }
        }
        budget.spend_bytes(out.len().saturating_sub(before).saturating_add(16))
    }

    /// The node as data.
    pub(super) fn into_value(self, budget: &Budget) -> Result<Value> {
        let _level = budget.enter()?;
        budget.spend(4)?;
        Ok(match self {
            Self::Value(value) => plainly(value, budget)?,
            Self::Text(text) => Value::Text(text),
            Self::Count(count) => Value::from(count),
            Self::Null => Value::Null,
            Self::List(items) => {
                let items = items.iter().map(|item| item.clone().into_member(budget));
                Value::list(items.collect::<Result<_>>()?)
            }
            Self::Roots(_) | Self::Map(_) => {
                let members = self.members().into_iter();
                let members = members.map(|(key, node)| Ok((Text::from(&*key), node.into_member(budget)?)));
                Value::Map(first_wins(members.collect::<Result<_>>()?))
            }
            Self::Json(json) => from_json(&json, budget)?,
        })
    }
}

impl Node<'_> {
    fn into_member(self, budget: &Budget) -> Result<Value> {
        match self {
            Self::Json(json) => token_value(&json, budget),
            other => other.into_value(budget),
        }
    }
}

fn from_json(json: &Json, budget: &Budget) -> Result<Value> {
    let _level = budget.enter()?;
    budget.spend_bytes(json.text().len().saturating_add(16))?;
    Ok(match json.kind() {
        Kind::Null => Value::Null,
        Kind::True => Value::Bool(true),
        Kind::False => Value::Bool(false),
        Kind::Text => Value::from(json.string().as_ref()),
        Kind::Number => number(json),
        Kind::List => {
            let tokens = json.tokens();
            Value::list(tokens.iter().map(|token| token_value(token, budget)).collect::<Result<_>>()?)
        }
        Kind::Map => {
            let tokens = json.tokens();
            let mut members = Vec::with_capacity(tokens.len() / 2);
            for pair in tokens.chunks_exact(2) {
                if let [key, value] = pair {
                    let key = if key.kind() == Kind::Text { key.string() } else { Cow::Borrowed("") };
                    members.push((Text::from(&*key), token_value(value, budget)?));
                }
            }
            Value::Map(first_wins(members))
        }
    })
}

/// A value as it comes out of a path, paid for where that takes a walk.
pub(super) fn plainly(value: &Value, budget: &Budget) -> Result<Value> {
    if value.extent().integral {
        walked(value, budget)?;
    }
    Ok(plain(value))
}

/// Pays for each node of a value, as far as the budget reaches.
fn walked(value: &Value, budget: &Budget) -> Result<()> {
    match value {
        Value::List(items) => {
            budget.spend(items.len())?;
            items.iter().try_for_each(|item| walked(item, budget))
        }
        Value::Map(map) => {
            budget.spend(map.len())?;
            map.iter().try_for_each(|(_, member)| walked(member, budget))
        }
        _ => Ok(()),
    }
}

/// Inside a container, a word that begins with `n` is null, whatever it is.
fn token_value(token: &Json, budget: &Budget) -> Result<Value> {
    if token.text().starts_with('n') { Ok(Value::Null) } else { from_json(token, budget) }
}

fn number(json: &Json) -> Value {
    let text = json.text();
    match text.parse::<i128>().ok().and_then(|whole| Int::try_from(whole).ok()) {
        Some(int) => Value::Int(int),
        None => json::number(json.number()),
    }
}

/// Of two members with one key the first stays, as paths see them.
fn first_wins(mut members: Vec<(Text, Value)>) -> Map {
    members.reverse();
    Map::from_entries(members)
}
