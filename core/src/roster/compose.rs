//! A machine's manifest out of the record and the modules.
//!
//! [`Mesh::new`] is where a composition is refused: whatever is wrong for any machine is found there, so that what
//! follows cannot stop half-way. A template that does not ask for `.Node` is rendered once for all machines.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::module::{Fact, Module};
use super::record::{Machine, Record};
use super::region::{self, Place, Region};
use super::view::{SHAPE, View};
use super::wireguard::{self, Network};
use crate::error::{Error, Result};
use crate::names::{Fuel, NoFunctions};
use crate::text::nearest::hint;
use crate::value::{Named, Text, Value};
use crate::yaml::{self, Node};

/// A record with the modules that its machines run, without faults.
#[derive(Debug)]
pub struct Mesh {
    record: Record,
    modules: Named<Module>,
    view: View,
    /// What facts hold that are the same on every machine, by module and place in it.
    common: Named<Vec<Option<Text>>>,
}

/// The manifest of one machine.
#[derive(Debug)]
pub struct Composition<'m> {
    /// The machine.
    pub node: &'m str,
    /// What it is to hold, in order.
    pub resources: Vec<Resource<'m>>,
}

/// A resource of a composition.
#[derive(Debug)]
pub enum Resource<'m> {
    /// The computed file of the private network.
    Wireguard(Text),
    /// A fact of a module, rendered.
    Fact {
        /// `MODULE/FACT`.
        id: String,
        /// The fact.
        fact: &'m Fact,
        /// Its text.
        content: Text,
    },
    /// A resource of a module, as written.
    Carried(&'m Node),
}

impl Mesh {
    /// Checks everything that any machine's manifest needs.
    ///
    /// # Errors
    /// Every refusal: a module that is not there, two owners of one file, a template that fails against an empty
    /// mesh, a mesh of one machine, or this one. `found` names all modules that there are, for suggestions.
    pub fn new(record: Record, modules: Vec<Module>, found: &[&str]) -> Result<Self, Vec<Error>> {
        let mut named = Named::default();
        for module in modules {
            named.insert(module.name.clone(), module);
        }
        let view = record.view();
        let mut mesh = Self { record, modules: named, view, common: Named::default() };
        let mut faults = mesh.missing_modules(found);
        faults.extend(mesh.rendering());
        faults.extend(mesh.conflicts());
        if faults.is_empty() { Ok(mesh) } else { Err(faults) }
    }

    /// The record.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What is worth telling, though nothing is refused for it.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        Network::of(&self.record).unreachable()
    }

    /// The private network, to compose many machines with.
    #[must_use]
    pub fn network(&self) -> Network<'_> {
        Network::of(&self.record)
    }

    /// The manifest of a machine.
    ///
    /// # Errors
    /// The record lacks the machine.
    pub fn compose(&self, node: &str, network: &Network<'_>) -> Result<Composition<'_>> {
        let machine = self.machine(node)?;
        let mut resources = Vec::new();
        if let Some(file) = network.file(node) {
            resources.push(Resource::Wireguard(file.into()));
        }
        for (name, _) in &machine.modules {
            let Some(module) = self.modules.get(name) else { continue };
            for (at, fact) in module.facts.iter().enumerate() {
                let content = self.content(module, at, fact, machine)?;
                resources.push(Resource::Fact { id: fact_id(module, fact), fact, content });
            }
            resources.extend(module.resources.iter().map(Resource::Carried));
        }
        Ok(Composition { node: &machine.name, resources })
    }

    /// One rendered fact of a machine, named `MODULE/FACT`.
    ///
    /// # Errors
    /// The record lacks the machine, or it has no such fact.
    pub fn render(&self, node: &str, id: &str) -> Result<Text> {
        let machine = self.machine(node)?;
        let mut known: Vec<String> = Vec::new();
        for (name, _) in &machine.modules {
            let Some(module) = self.modules.get(name) else { continue };
            for (at, fact) in module.facts.iter().enumerate() {
                let this = fact_id(module, fact);
                if this == id {
                    return self.content(module, at, fact, machine);
                }
                known.push(this);
            }
        }
        let hint = hint(id, known.iter().map(String::as_str));
        let has = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        Err(Error::invalid(format!("{node} has no fact {id}{hint}; {has}")))
    }

    fn machine(&self, node: &str) -> Result<&Machine> {
        self.record.machine(node).ok_or_else(|| {
            Error::invalid(format!("the record has no machine {node}{}", hint(node, self.record.names())))
        })
    }

    fn content(&self, module: &Module, at: usize, fact: &Fact, machine: &Machine) -> Result<Text> {
        match self.common.get(&module.name).and_then(|facts| facts.get(at)) {
            Some(Some(content)) => Ok(content.clone()),
            _ => render(module, fact, &self.view.of(&machine.name), ""),
        }
    }

    fn missing_modules(&self, found: &[&str]) -> Vec<Error> {
        let mut faults = Vec::new();
        for machine in &self.record.machines {
            for (name, site) in &machine.modules {
                if self.modules.get(name).is_none() {
                    let hint = hint(name, found.iter().copied());
                    let text = format!("machine {} runs the unknown module {name}{hint}", machine.name);
                    faults.push(Error::invalid(text).at(site.clone()));
                }
            }
        }
        faults
    }

    /// Renders every fact for every machine that has it; keeps what is the same for all.
    fn rendering(&mut self) -> Vec<Error> {
        let mut faults = Vec::new();
        let trials = [
            (View::new(&self.record.suffix, &[], &[]), "against an empty mesh"),
            (View::single(&self.record.suffix), "against a mesh of one machine"),
        ];
        let mut users: Vec<Vec<&Machine>> = alloc::vec![Vec::new(); self.modules.len()];
        for machine in &self.record.machines {
            for (name, _) in &machine.modules {
                if let Some(users) = self.modules.place(name).and_then(|place| users.get_mut(place)) {
                    users.push(machine);
                }
            }
        }
        for (name, module) in self.modules.iter() {
            let machines = self.modules.place(name).and_then(|place| users.get(place));
            let Some(machines) = machines.filter(|machines| !machines.is_empty()) else { continue };
            let mut common = Vec::with_capacity(module.facts.len());
            for fact in &module.facts {
                let tried =
                    trials.iter().try_for_each(|(view, what)| render(module, fact, &view.of("node"), what).map(drop));
                let result = tried.and_then(|()| {
                    if !fact.template.reads(&SHAPE, "Node") {
                        let first = machines.first().map_or("", |machine| &*machine.name);
                        return render(module, fact, &self.view.of(first), "").map(Some);
                    }
                    let mut each = machines.iter();
                    each.try_for_each(|machine| {
                        let view = self.view.of(&machine.name);
                        render(module, fact, &view, &format!("for {}", machine.name)).map(drop)
                    })?;
                    Ok(None)
                });
                common.push(result.unwrap_or_else(|error| {
                    faults.push(error);
                    None
                }));
            }
            self.common.insert(name.clone(), common);
        }
        faults
    }

    /// A whole file has one owner on a machine.
    fn conflicts(&self) -> Vec<Error> {
        let network = self.network();
        let mut told = Named::default();
        let mut faults = Vec::new();
        for machine in &self.record.machines {
            let mut owners: Named<(String, bool)> = Named::default();
            if network.has(&machine.name) {
                owners.insert(wireguard::PATH.into(), (wireguard::ALIAS.to_owned(), false));
            }
            for (name, _) in &machine.modules {
                let Some(module) = self.modules.get(name) else { continue };
                for fact in &module.facts {
                    let id = fact_id(module, fact);
                    let Some((first, shared)) = owners.get(&fact.path) else {
                        owners.insert(fact.path.clone(), (id, fact.shared));
                        continue;
                    };
                    if *shared && fact.shared {
                        continue;
                    }
                    let text = format!("{first} and {id} both want {}, and a whole file has one owner", fact.path);
                    if told.insert(text.as_str().into(), ()).is_none() {
                        let text = format!("{text} (on {})", machine.name);
                        faults.push(Error::invalid(text).at(fact.site.clone()));
                    }
                }
            }
        }
        faults
    }
}

fn fact_id(module: &Module, fact: &Fact) -> String {
    format!("{}/{}", module.name, fact.name)
}

/// `what` says what it is rendered for, where that is worth saying.
fn render(module: &Module, fact: &Fact, view: &Value, what: &str) -> Result<Text> {
    let placed = |error: Error| {
        let error = fact.origin.place(error);
        let error = if what.is_empty() { error } else { error.doing(what.to_owned()) };
        error.doing(format!("module {}: fact {}", module.name, fact.name))
    };
    let content = fact.template.render(view, &NoFunctions, &Fuel::new()).map_err(placed)?;
    if fact.shared {
        // A line that looks like a mark would make the region's end uncertain.
        let region = Region { id: &fact_id(module, fact), comment: "#", place: Place::End };
        region::put(None, &region, content.as_bytes()).map_err(placed)?;
    }
    Ok(content.into())
}

impl Composition<'_> {
    /// The manifest as YAML.
    ///
    /// # Errors
    /// Carried resources nested too deep to be written.
    pub fn yaml(&self) -> Result<String> {
        let head =
            format!("# Composed for {} by ccm mesh. Changes belong into the record and its modules.\n", self.node);
        yaml::write(self).map(|text| head + &text)
    }
}

impl Serialize for Composition<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Ccm<'a>(&'a [Resource<'a>]);
        impl Serialize for Ccm<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("resources", self.0)?;
                map.end()
            }
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("ccm", &Ccm(&self.resources))?;
        map.end()
    }
}

impl Serialize for Resource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Carried(node) = self {
            return AsWritten { node, key: "" }.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("file", &File(self))?;
        map.end()
    }
}

/// The properties of the file that a fact becomes.
struct File<'a>(&'a Resource<'a>);

impl Serialize for File<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            Resource::Carried(_) => {}
            Resource::Wireguard(content) => {
                map.serialize_entry("name", wireguard::PATH)?;
                map.serialize_entry("alias", wireguard::ALIAS)?;
                map.serialize_entry("ensure", "present")?;
                map.serialize_entry("owner", "root")?;
                map.serialize_entry("group", "root")?;
                map.serialize_entry("mode", "0600")?;
                map.serialize_entry("parents", &true)?;
                map.serialize_entry("template", &false)?;
                map.serialize_entry("content", &**content)?;
            }
            Resource::Fact { id, fact, content } => {
                // The owner of a whole file is the mesh; of a region it is whoever owns the file.
                let or = |given: &Option<Text>, default: &str| match given {
                    Some(given) => Some((**given).to_owned()),
                    None if fact.shared => None,
                    None => Some(default.to_owned()),
                };
                map.serialize_entry("name", &*fact.path)?;
                map.serialize_entry("alias", id)?;
                map.serialize_entry("ensure", "present")?;
                if fact.shared {
                    map.serialize_entry("into", "block")?;
                }
                for (key, value) in [
                    ("owner", or(&fact.owner, "root")),
                    ("group", or(&fact.group, "root")),
                    ("mode", or(&fact.mode, "0644")),
                ] {
                    if let Some(value) = value {
                        map.serialize_entry(key, &value)?;
                    }
                }
                map.serialize_entry("template", &false)?;
                map.serialize_entry("content", &**content)?;
            }
        }
        map.end()
    }
}

/// A node that goes through as it stands: keys in their order, and a mode in its digits rather than its number.
struct AsWritten<'a> {
    node: &'a Node,
    key: &'a str,
}

impl Serialize for AsWritten<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(entries) = self.node.entries() {
            let mut map = serializer.serialize_map(Some(entries.len()))?;
            for entry in entries {
                map.serialize_entry(&*entry.key, &AsWritten { node: &entry.value, key: &entry.key })?;
            }
            return map.end();
        }
        if let Some(items) = self.node.items() {
            let mut list = serializer.serialize_seq(Some(items.len()))?;
            for node in items {
                list.serialize_element(&AsWritten { node, key: "" })?;
            }
            return list.end();
        }
        match (self.key, self.node.text(), self.node.to_value()) {
            ("mode", Some(text), Value::Int(_)) => serializer.serialize_str(text),
            (_, _, value) => value.serialize(serializer),
        }
    }
}
