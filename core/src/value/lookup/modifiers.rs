//! Modifiers: `@reverse`, `@keys`, `@flatten:{"deep":true}` and the others that gjson has.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::budget::Budget;
use super::node::{Kind, Member, Node};
use super::pretty::{self, Style};
use super::text::{self, Json};
use crate::error::Result;
use crate::text::case;
use crate::value::json;

/// The modifiers there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifier {
    Dig,
    Flatten,
    FromText,
    Group,
    Join,
    Keys,
    Pretty,
    Reverse,
    This,
    ToText,
    Ugly,
    Valid,
    Values,
}

impl Modifier {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "dig" => Self::Dig,
            "flatten" => Self::Flatten,
            "fromstr" => Self::FromText,
            "group" => Self::Group,
            "join" => Self::Join,
            "keys" => Self::Keys,
            "pretty" => Self::Pretty,
            "reverse" => Self::Reverse,
            "this" => Self::This,
            "tostr" => Self::ToText,
            "ugly" => Self::Ugly,
            "valid" => Self::Valid,
            "values" => Self::Values,
            _ => return None,
        })
    }

    /// A modifier at the beginning of a path, its argument, and what follows.
    pub(super) fn parse(path: &str) -> Option<(Self, &str, &str)> {
        let body = path.get(1..)?;
        let end = body.find(['|', '.', ':']).unwrap_or(body.len());
        let modifier = Self::named(body.get(..end)?)?;
        let rest = body.get(end..)?;
        match rest.strip_prefix(':') {
            Some(after) => {
                let length = argument(after);
                Some((modifier, after.get(..length)?, after.get(length..)?))
            }
            None => Some((modifier, "", rest)),
        }
    }
}

/// How long an argument is: one JSON value, or anything up to a `|`, brackets and strings kept whole.
fn argument(after: &str) -> usize {
    let bytes = after.as_bytes();
    if matches!(bytes.first(), Some(b'{' | b'[' | b'"')) {
        return text::squash(bytes, 0);
    }
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at = match byte {
            b'|' => return at,
            b'{' | b'[' | b'"' | b'(' => text::squash(bytes, at),
            _ => at.saturating_add(1),
        };
    }
    bytes.len()
}

/// What a modifier makes of a node, or of nothing.
pub(super) fn apply<'a>(
    budget: &Budget,
    modifier: Modifier,
    argument: &str,
    node: Option<Node<'a>>,
) -> Result<Option<Node<'a>>> {
    let Some(node) = node else { return Ok(of_nothing(modifier)) };
    budget.spend(node.len())?;
    Ok(Some(match modifier {
        Modifier::This => node,
        Modifier::Valid if is_valid(budget, &node)? => node,
        Modifier::Valid => return Ok(None),
        Modifier::Keys => keys(&node),
        Modifier::Values => values(node),
        Modifier::Reverse => reverse(node),
        Modifier::Flatten => flatten(budget, node, option(argument, "deep"))?,
        Modifier::Join => join(budget, node, option(argument, "preserve"))?,
        Modifier::Group => return group(budget, &node),
        Modifier::Dig => dig(budget, node, argument)?,
        Modifier::ToText => Node::Text(node.raw(budget)?.into()),
        Modifier::FromText => return from_text(budget, node),
        Modifier::Ugly => ugly(node),
        Modifier::Pretty => pretty::print(budget, node, &style(argument))?,
    }))
}

/// What a modifier makes of nothing: an empty document.
fn of_nothing<'a>(modifier: Modifier) -> Option<Node<'a>> {
    match modifier {
        Modifier::Keys | Modifier::Values | Modifier::Dig => Some(Node::list(Vec::new())),
        Modifier::ToText => Some(Node::Text("".into())),
        _ => None,
    }
}

fn is_valid(budget: &Budget, node: &Node<'_>) -> Result<bool> {
    let _level = budget.enter()?;
    let all = |nodes: &mut dyn Iterator<Item = &Node<'_>>| {
        for node in nodes {
            if !is_valid(budget, node)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    match node {
        Node::Json(json) => {
            budget.spend_bytes(json.text().len())?;
            Ok(json::is_valid(json.text()))
        }
        Node::List(items) => all(&mut items.iter()),
        Node::Map(members) => all(&mut members.iter().map(|(_, node)| node)),
        _ => Ok(true),
    }
}

/// Members as a modifier sees them.
fn members<'a>(node: &Node<'a>) -> Vec<Member<'a>> {
    match node {
        Node::Json(json) if json.kind() == Kind::Map => {
            json.all_members().into_iter().map(|(key, json)| (Cow::Owned(key), Node::Json(json))).collect()
        }
        other => other.members(),
    }
}

fn keys<'a>(node: &Node<'a>) -> Node<'a> {
    Node::list(match node.kind() {
        Kind::Map => members(node).into_iter().map(|(key, _)| Node::Text(key.as_ref().into())).collect(),
        Kind::List => node.items().0.iter().map(|_| Node::Null).collect(),
        _ => alloc::vec![Node::Null],
    })
}

fn values(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        Kind::List => node,
        Kind::Map => Node::list(members(&node).into_iter().map(|(_, node)| node).collect()),
        _ => Node::list(alloc::vec![node]),
    }
}

fn reverse(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        Kind::List => Node::list(node.items().0.into_iter().rev().collect()),
        Kind::Map => Node::map(members(&node).into_iter().rev().collect()),
        _ => node,
    }
}

fn flatten<'a>(budget: &Budget, node: Node<'a>, deep: bool) -> Result<Node<'a>> {
    if node.kind() != Kind::List {
        return Ok(node);
    }
    let _level = budget.enter()?;
    let mut flat = Vec::new();
    for item in node.items().0 {
        budget.spend(item.len().saturating_add(1))?;
        match item.kind() {
            Kind::List if deep => flat.extend(flatten(budget, item, true)?.items().0),
            Kind::List => flat.extend(item.items().0),
            _ => flat.push(item),
        }
    }
    Ok(Node::list(flat))
}

/// The maps of a list as one: keys in the order first seen, the last value of each; or with
/// duplicates preserved, all members one after another.
fn join<'a>(budget: &Budget, node: Node<'a>, preserve: bool) -> Result<Node<'a>> {
    if node.kind() != Kind::List {
        return Ok(node);
    }
    let mut joined: Vec<Member<'a>> = Vec::new();
    let mut places: BTreeMap<Cow<'a, str>, usize> = BTreeMap::new();
    for map in node.items().0 {
        budget.spend(map.len())?;
        for (key, value) in map.members() {
            if !preserve {
                if let Some(member) = places.get(&key).and_then(|&place| joined.get_mut(place)) {
                    member.1 = value;
                    continue;
                }
                places.insert(key.clone(), joined.len());
            }
            joined.push((key, value));
        }
    }
    Ok(Node::map(joined))
}

/// A map of lists as a list of maps: `{"a":[1,2],"b":[3,4]}` as `[{"a":1,"b":3},{"a":2,"b":4}]`.
fn group<'a>(budget: &Budget, node: &Node<'a>) -> Result<Option<Node<'a>>> {
    if node.kind() != Kind::Map {
        return Ok(None);
    }
    let mut groups: Vec<Vec<Member<'a>>> = Vec::new();
    for (key, list) in node.members() {
        budget.spend(list.len())?;
        for (at, item) in list.items().0.into_iter().enumerate() {
            if at == groups.len() {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.get_mut(at) {
                group.push((key.clone(), item));
            }
        }
    }
    Ok(Some(Node::list(groups.into_iter().map(Node::map).collect())))
}

/// What a path finds in a node and in everything below it, outermost first.
fn dig<'a>(budget: &Budget, node: Node<'a>, path: &str) -> Result<Node<'a>> {
    let mut found = Vec::new();
    let mut waiting = alloc::vec![node];
    while let Some(node) = waiting.pop() {
        found.extend(budget.get(Some(&node), path)?);
        budget.spend(node.len().saturating_add(1))?;
        let below: Vec<Node<'a>> = match node.kind() {
            Kind::Map => node.members().into_iter().map(|(_, node)| node).collect(),
            Kind::List => node.items().0,
            _ => continue,
        };
        waiting.extend(below.into_iter().rev());
    }
    Ok(Node::list(found))
}

/// The document that a text holds; anything else is one already, except null.
fn from_text<'a>(budget: &Budget, node: Node<'a>) -> Result<Option<Node<'a>>> {
    if !is_valid(budget, &node)? {
        return Ok(None);
    }
    budget.spend_bytes(node.text().len())?;
    Ok(match node.kind() {
        Kind::Text => Json::parse(&node.text()).map(Node::Json),
        Kind::Null => None,
        _ => Some(node),
    })
}

/// Without white space between tokens; only JSON text has any.
fn ugly(node: Node<'_>) -> Node<'_> {
    let Node::Json(json) = &node else { return node };
    let mut rest = json.text();
    let mut out = String::with_capacity(rest.len());
    while let Some(found) = rest.find(|c: char| c <= ' ' || c == '"') {
        out.push_str(rest.get(..found).unwrap_or(""));
        let end = match rest.as_bytes().get(found) {
            Some(b'"') => text::string_end(rest.as_bytes(), found).unwrap_or(rest.len()),
            _ => found.saturating_add(1),
        };
        out.push_str(rest.get(found..end).filter(|token| token.starts_with('"')).unwrap_or(""));
        rest = rest.get(end..).unwrap_or("");
    }
    out.push_str(rest);
    Json::parse(&out).map_or(node, Node::Json)
}

/// Whether an argument, a JSON map, says yes to an option.
fn option(argument: &str, name: &str) -> bool {
    options(argument).iter().any(|(key, value)| key == name && truthy(value))
}

fn options(argument: &str) -> Vec<(String, Json)> {
    Json::parse(argument).filter(|json| json.kind() == Kind::Map).map(|json| json.members()).unwrap_or_default()
}

fn truthy(json: &Json) -> bool {
    match json.kind() {
        Kind::True => true,
        Kind::Number => json.number() != 0.0,
        Kind::Text => matches!(case::lower(&json.string()).as_str(), "1" | "t" | "true"),
        _ => false,
    }
}

fn style(argument: &str) -> Style {
    let mut style = Style::default();
    let blank = |json: &Json| json.string().chars().filter(|c| matches!(c, ' ' | '\t' | '\n' | '\r')).collect();
    for (key, value) in options(argument) {
        match key.as_str() {
            "sortKeys" => style.sort_keys = truthy(&value),
            "indent" => style.indent = blank(&value),
            "prefix" => style.prefix = blank(&value),
            "width" => style.width = value.number() as i64,
            _ => {}
        }
    }
    style
}
