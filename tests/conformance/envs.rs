//! The named environments of the vectors: a world and a machine in memory each.

use std::collections::BTreeMap;
use std::path::Path;

use ccm_core::host::memory::Memory;
use ccm_core::render::{Env, Missing, World};
use ccm_core::value::{Map, Value};

use crate::Folder;
use crate::typed;

pub struct Named {
    pub world: World,
    pub host: Memory,
    pub restricted: bool,
}

pub struct Envs(BTreeMap<String, Named>);

impl Envs {
    /// Those of `envs.jsonl` and of the other files named; an environment that our data cannot hold is left out.
    pub fn load(folder: &Folder, others: &[&str]) -> Self {
        let rows = ["envs.jsonl"].iter().chain(others).flat_map(|file| folder.lines(file));
        Self(rows.filter_map(|row| Some((row["name"].as_str()?.to_owned(), named(&row)))).collect())
    }

    pub fn named(&self, name: &str) -> &Named {
        self.0.get(name).unwrap_or_else(|| panic!("environment {name}"))
    }
}

impl Named {
    pub fn env(&self) -> Env<'_> {
        if self.restricted { Env::timed(&self.world, &self.host) } else { Env::new(&self.world, &self.host) }
    }
}

fn named(row: &serde_json::Value) -> Named {
    let root = |name: &str| match typed::decode(&row[name]) {
        Some(value) => value,
        None => partial(&row[name]),
    };
    let missing = if row["default_on_missing"] == true { Missing::Empty } else { Missing::Refused };
    let mut host = zones(Memory::new());
    for (name, text) in row["files"].as_object().into_iter().flatten() {
        host = host.with_file(&format!("/work/{name}"), text.as_str().unwrap_or_default());
    }
    let world = World::new(root("facts"), root("data"), root("environ")).with_missing(missing).in_directory("/work");
    Named { world, host, restricted: row["restrict_functions"] == true }
}

/// A root without the members that our data has no kind for.
fn partial(json: &serde_json::Value) -> Value {
    let pairs = json["value"].as_array().map(Vec::as_slice).unwrap_or_default();
    let members = pairs.iter().filter_map(|pair| Some((pair[0]["value"].as_str()?.into(), typed::decode(&pair[1])?)));
    Value::Map(members.collect::<Map>())
}

/// The machine with the zones of `tests/zones`, which those of the vectors are among.
fn zones(mut host: Memory) -> Memory {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/zones");
    for area in std::fs::read_dir(&folder).expect("tests/zones") {
        let area = area.expect("a folder").path();
        for file in std::fs::read_dir(&area).expect("zones") {
            let file = file.expect("a zone").path();
            let name = file.strip_prefix(&folder).expect("below").to_string_lossy().into_owned();
            host = host.with_zone(&name, &std::fs::read(&file).expect("a zone"));
        }
    }
    host
}
