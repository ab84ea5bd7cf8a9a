//! Paths into data: the whole syntax of gjson 1.19, walked over values rather than over JSON text.
//!
//! | path | gives |
//! |---|---|
//! | `data.list.0`, `data.a\.b` | members and items; `\` takes a character as it is |
//! | `data.k*.x?` | the first member whose key matches |
//! | `data.list.#`, `data.users.#.name` | how many items; a member of each item |
//! | `data.users.#(age>40)`, `data.users.#(name%"a*")#` | the first, or all, that answer a query |
//! | `data.{name,"n":list.#}`, `[a,b]` | a new map or list |
//! | `data.list.@reverse`, `data\|@keys` | a modifier: `@this @keys @values @reverse @flatten @join @group @dig @tostr @fromstr @valid @pretty @ugly` |
//! | `!"text"`, `!{"a":1}` | a literal |
//! | `a\|b` | the path `b` on what `a` gave; unlike `.`, not item by item after `#` |
//! | `..#` | the document as lines, of which our data is one |
//!
//! A number that is integral and fits is an integer in the answer, also inside lists and maps. The
//! roots are seen by name and in the order given; `env` is another name of the root `environ`.
//!
//! What a path may cost is bounded: nested paths have a depth, and every node looked at is counted.

use super::{Map, Shape, Value, json};
use crate::error::Result;
use budget::Budget;
use node::Node;

mod budget;
mod modifiers;
mod node;
mod path;
mod pretty;
mod query;
mod text;
mod walk;

/// What a path leads to below named roots; `None` where it leads nowhere.
///
/// ```
/// use ccm_core::value::{Value, json, lookup};
///
/// let data = json::parse(r#"{"users": [{"name": "ann", "age": 31}, {"name": "bob", "age": 52}]}"#)?;
/// let found = |path| lookup::find(&[("data", &data)], path);
/// assert_eq!(found("data.users.1.name")?, Some("bob".into()));
/// assert_eq!(found("data.users.#(age<40).name")?, Some("ann".into()));
/// assert_eq!(found("data.nobody")?, None);
/// # Ok::<(), ccm_core::Error>(())
/// ```
///
/// # Errors
/// [`crate::error::Kind::Limit`] for a path that takes too much work.
pub fn find(roots: &[(&str, &Value)], path: &str) -> Result<Option<Value>> {
    find_counted(roots, path).map(|(found, _)| found)
}

/// As [`find`], and how many nodes it looked at and made.
///
/// # Errors
/// As [`find`].
pub fn find_counted(roots: &[(&str, &Value)], path: &str) -> Result<(Option<Value>, usize)> {
    let budget = Budget::new();
    if is_plain(path) {
        budget.spend(path.len() / 16)?;
        let found = follow(roots, path).map(|value| node::plainly(value, &budget)).transpose()?;
        return Ok((found, budget.spent()));
    }
    let found = budget.get(Some(&Node::Roots(roots)), path)?;
    let found = found.map(|node| node.into_value(&budget)).transpose()?;
    Ok((found, budget.spent()))
}

/// What a path leads to inside one value; `None` where it leads nowhere.
///
/// # Errors
/// As [`find`].
pub fn within(value: &Value, path: &str) -> Result<Option<Value>> {
    let budget = Budget::new();
    budget.get(Some(&Node::Value(value)), path)?.map(|node| node.into_value(&budget)).transpose()
}

/// What a path leads to in JSON text, read as leniently as gjson reads it: as far as it goes.
/// Several documents in a row are the lines that `..` sees.
///
/// # Errors
/// As [`find`].
pub fn in_json(document: &str, path: &str) -> Result<Option<Found>> {
    let budget = Budget::new();
    let document = text::Json::parse(document).map(Node::Json);
    let Some(node) = budget.get(document.as_ref(), path)? else { return Ok(None) };
    let json = node.raw(&budget)?;
    Ok(Some(Found { json, value: node.into_value(&budget)? }))
}

/// What [`in_json`] found.
#[derive(Debug, Clone)]
pub struct Found {
    /// As it stands in the document, or as it was put together from it.
    pub json: alloc::string::String,
    /// As data.
    pub value: Value,
}

/// Keys and indexes with dots between them, and nothing that means more.
fn is_plain(path: &str) -> bool {
    !path.starts_with("..")
        && !path.bytes().any(|byte| matches!(byte, b'@' | b'!' | b'{' | b'[' | b'#' | b'*' | b'?' | b'\\' | b'|'))
}

fn follow<'v>(roots: &[(&str, &'v Value)], path: &str) -> Option<&'v Value> {
    let mut parts = path.split('.');
    let mut at = root(roots, parts.next()?)?;
    for part in parts {
        at = match at {
            Value::Map(map) => map.get(part)?,
            Value::List(items) => items.get(path::index(part)?)?,
            _ => return None,
        };
    }
    Some(at)
}

fn root<'v>(roots: &[(&str, &'v Value)], name: &str) -> Option<&'v Value> {
    let named = |name: &str| roots.iter().find(|(root, _)| *root == name).map(|(_, value)| *value);
    named(name).or_else(|| if name == "env" { named("environ") } else { None })
}

/// A value as it comes out of a path: shared where nothing changes.
fn plain(value: &Value) -> Value {
    match value {
        Value::Float(number) => json::number(*number),
        Value::List(items) if changes(value) => Value::list(items.iter().map(plain).collect()),
        Value::Map(map) if changes(value) => {
            Value::Map(Map::from_entries(map.iter().map(|(key, member)| (key.clone(), plain(member))).collect()))
        }
        Value::Map(map) if map.shape() == Shape::Texts => Value::Map(map.clone().shaped(Shape::Plain)),
        other => other.clone(),
    }
}

/// Whether a value may hold a float that is an integer in an answer: known without a walk.
fn changes(value: &Value) -> bool {
    value.extent().integral
}

#[cfg(test)]
mod tests;
