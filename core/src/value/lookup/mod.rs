//! Paths into data.

use super::Value;
use crate::error::Result;

/// What a path leads to, below named roots; `None` where it leads nowhere.
///
/// # Errors
/// [`crate::error::Kind::Limit`] for a path that takes too much work.
pub fn find(roots: &[(&str, &Value)], path: &str) -> Result<Option<Value>> {
    let mut parts = path.split('.');
    let Some(first) = parts.next() else { return Ok(None) };
    let named = |name: &str| roots.iter().find(|(root, _)| *root == name).map(|(_, value)| *value);
    let mut at = named(first).or_else(|| if first == "env" { named("environ") } else { None });
    for part in parts {
        at = match at {
            Some(Value::Map(map)) => map.get(part),
            Some(Value::List(items)) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
    }
    Ok(at.cloned())
}
