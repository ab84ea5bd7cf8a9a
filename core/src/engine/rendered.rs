//! A plan as `ccm apply --render` prints it: list style expanded, data merged, fields that wait still as written.

use alloc::vec::Vec;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Plan;
use crate::render;
use crate::resource::Resource;

/// Serializes as `ccm: {fail_on_error, resources}` and `data:`, what could be evaluated again made literal.
#[derive(Debug)]
pub struct Rendered<'a>(pub &'a Plan);

impl Serialize for Rendered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("ccm", &Section(self.0))?;
        map.serialize_entry("data", &render::literals(self.0.world.data()))?;
        map.end()
    }
}

struct Section<'a>(&'a Plan);

impl Serialize for Section<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("fail_on_error", &self.0.fail_on_error)?;
        map.serialize_entry("resources", &self.0.resources.iter().map(Typed).collect::<Vec<_>>())?;
        map.end()
    }
}

/// One resource under the name of its type.
struct Typed<'a, T>(&'a Resource<T>);

impl<T> Serialize for Typed<'_, T>
where
    Resource<T>: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0.kind().name(), self.0)?;
        map.end()
    }
}
