//! What a module's template sees of the mesh: typed records, so that a misspelt field is an error.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::gotmpl::shape::{Record, Type};
use crate::value::{Layout, Map, Shape, Text, Value};

/// The root: `.Node`, `.Suffix`, `.Names`, `.Machines`.
pub static VIEW: Layout = Layout { name: "mesh.View", fields: &["Node", "Suffix", "Names", "Machines"] };
/// An entry of `.Names` and `.Machines`.
pub static ENTRY: Layout = Layout { name: "mesh.Entry", fields: &["Name", "FQDN", "Address"] };

/// The shape of the view, which every template is checked against before there is a mesh.
pub static SHAPE: Type = Type::Record(&Record {
    layout: &VIEW,
    types: &[Type::Text, Type::Text, Type::List(&ENTRY_SHAPE), Type::List(&ENTRY_SHAPE)],
});
static ENTRY_SHAPE: Type = Type::Record(&Record { layout: &ENTRY, types: &[Type::Text, Type::Text, Type::Text] });

/// What every machine's view shares: its lists are made once and lent to all.
#[derive(Debug, Clone)]
pub struct View {
    suffix: Text,
    names: Value,
    machines: Value,
}

impl View {
    /// A view of machines in name order and of all names served, each a pair of name and address.
    #[must_use]
    pub fn new(suffix: &str, machines: &[(String, Text)], names: &[(String, Text)]) -> Self {
        let entries = |pairs: &[(String, Text)]| -> Value {
            pairs.iter().map(|(name, address)| entry(name, suffix, address)).collect::<Vec<_>>().into()
        };
        Self { suffix: suffix.into(), names: entries(names), machines: entries(machines) }
    }

    /// The view of a mesh of one machine, to try templates with.
    #[must_use]
    pub fn single(suffix: &str) -> Self {
        let machine = [("node".into(), "192.0.2.1".into())];
        Self::new(suffix, &machine, &machine)
    }

    /// The view as one machine's templates see it.
    #[must_use]
    pub fn of(&self, node: &str) -> Value {
        let members = vec![
            ("Machines".into(), self.machines.clone()),
            ("Names".into(), self.names.clone()),
            ("Node".into(), Value::from(node)),
            ("Suffix".into(), Value::Text(self.suffix.clone())),
        ];
        Map::from_entries(members).shaped(Shape::Struct(&VIEW)).into()
    }
}

fn entry(name: &str, suffix: &str, address: &str) -> Value {
    let members = vec![
        ("Address".into(), Value::from(address)),
        ("FQDN".into(), format!("{name}.{suffix}").into()),
        ("Name".into(), Value::from(name)),
    ];
    Map::from_entries(members).shaped(Shape::Struct(&ENTRY)).into()
}
