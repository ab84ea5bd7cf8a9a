//! The seam to hiera until its room is there: base data alone, no hierarchy, no rules.

use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::host::Host;
use crate::value::{Map, Value};
use crate::yaml;

/// The rules of a document.
#[derive(Debug, Default)]
pub struct Rules;

impl Rules {
    /// Adds the rules of an overriding document.
    pub fn extend(&mut self, _more: &Self) {}

    /// Holds merged data to the rules.
    ///
    /// # Errors
    /// Every rule that is broken.
    pub fn enforce(&self, _data: &Map) -> Result<()> {
        Ok(())
    }
}

/// What a document's layers came to.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The data.
    pub data: Map,
    /// The rules found beside it.
    pub rules: Rules,
    /// What is worth telling.
    pub warnings: Vec<Error>,
}

/// Resolves the layers of a document.
///
/// # Errors
/// What is wrong with them.
pub fn resolve(yaml: &yaml::Document, _facts: &Value, _host: &dyn Host) -> Result<Resolved> {
    let data = match yaml.root().get("data").map(yaml::Node::to_value) {
        Some(Value::Map(map)) => map,
        _ => Map::new(),
    };
    Ok(Resolved { data, ..Resolved::default() })
}
