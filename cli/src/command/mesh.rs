//! `ccm mesh`: the roster of a private network, carried to its machines in the syntax of their software.

use std::collections::BTreeSet;

use ccm_core::engine::Loaded;
use ccm_core::host::{Attributes, Content, Files};
use ccm_core::roster::module::BUILT_IN;
use ccm_core::roster::{Mesh, Module, Record};
use ccm_core::span::Source;
use ccm_core::text::path;
use ccm_core::yaml::{self, Limits};
use ccm_core::{Error, Result};
use ccm_platform::source::{self, LARGEST};
use ccm_platform::{Linux, facts};

use super::{apply, run};
use crate::args::Given;
use crate::definition::{Command, Count, Flag, Takes, Then, Word};
use crate::exit;
use crate::guard::Guard;
use crate::logger::{Console, Level};
use crate::problem;

/// `ccm mesh`.
pub(crate) static MESH: Command = Command {
    name: "mesh",
    also: &[],
    about: "Composes manifests for the machines of a mesh.",
    flags: &[],
    then: Then::Commands(&[&CHECK, &COMPOSE, &RENDER, &MODULES, &APPLY]),
};

/// Where a mesh is.
static PLACE: &[&Flag] = &[&RECORD, &FOLDER];

static RECORD: Flag = Flag::new("mesh", Takes::One("SOURCE"), "the record (mesh.yaml)");
static FOLDER: Flag = Flag::new("modules", Takes::One("DIR"), "the folder of modules (modules/)");

static CHECK: Command = Command {
    name: "check",
    also: &[],
    about: "Composes for every machine, writes nothing, tells each refusal.",
    flags: &[PLACE],
    then: Then::Run(&[], check),
};

static COMPOSE: Command = Command {
    name: "compose",
    also: &[],
    about: "Prints or writes the manifest of a machine, or of all.",
    flags: &[&[&ALL, &OUTPUT], PLACE],
    then: Then::Run(&[Word::new("node", Count::OneOrNone, "the machine")], compose),
};

static ALL: Flag = Flag::switch("all", "compose for every machine, into the folder given with -o");
static OUTPUT: Flag = Flag::new("output", Takes::One("PATH"), "a file, or with --all a folder, to write to").or('o');

static RENDER: Command = Command {
    name: "render",
    also: &[],
    about: "Prints one rendered fact of a machine.",
    flags: &[PLACE],
    then: Then::Run(
        &[Word::new("node", Count::One, "the machine"), Word::new("fact", Count::One, "the fact, as MODULE/FACT")],
        render,
    ),
};

static MODULES: Command = Command {
    name: "modules",
    also: &[],
    about: "Lists the modules there are, or prints the manifest of one.",
    flags: &[&[&SHOW, &FOLDER]],
    then: Then::Run(&[], modules),
};

static SHOW: Flag = Flag::new("show", Takes::One("NAME"), "print this module's manifest");

static APPLY: Command = Command {
    name: "apply",
    also: &[],
    about: "Composes for this machine and applies what comes of it.",
    flags: &[&[&NODE], PLACE, run::FLAGS, apply::FLAGS],
    then: Then::Run(&[], apply),
};

static NODE: Flag = Flag::new("node", Takes::One("NAME"), "the machine (this one's host name)");

fn check(given: &Given, console: &Console) -> Result<u8> {
    let host = Linux::new();
    Ok(match Place::of(given, &host)?.mesh(&host, console)? {
        Some(_) => exit::SUCCESS,
        None => exit::FAILURE,
    })
}

fn render(given: &Given, console: &Console) -> Result<u8> {
    let host = Linux::new();
    let Some(mesh) = Place::of(given, &host)?.mesh(&host, console)? else { return Ok(exit::FAILURE) };
    console.out.text(&mesh.render(given.word(0), given.word(1))?);
    Ok(exit::SUCCESS)
}

fn compose(given: &Given, console: &Console) -> Result<u8> {
    let mut host = Linux::new();
    let all = given.on(&ALL);
    let node = given.words().first();
    if all == node.is_some() {
        return Err(Error::invalid("name one machine, or give --all and -o DIR"));
    }
    let output = given.text(&OUTPUT);
    if all && output.is_none() {
        return Err(Error::invalid("--all needs a folder to write to: -o DIR"));
    }
    let Some(mesh) = Place::of(given, &host)?.mesh(&host, console)? else { return Ok(exit::FAILURE) };
    let network = mesh.network();
    if let Some(node) = node {
        let text = mesh.compose(node, &network)?.yaml()?;
        match output {
            Some(file) => write(&mut host, file, &text)?,
            None => console.out.text(&text),
        }
        return Ok(exit::SUCCESS);
    }
    let folder = output.unwrap_or_default();
    if host.stat_target(folder)?.is_none() {
        host.make_directory(folder, &Attributes { uid: None, gid: None, mode: Some(0o755) })?;
    }
    for node in mesh.record().names() {
        let text = mesh.compose(node, &network)?.yaml()?;
        write(&mut host, &path::join(&[folder, &format!("{node}.yaml")]), &text)?;
    }
    Ok(exit::SUCCESS)
}

/// A manifest may hold what only its machine should read.
fn write(host: &mut Linux, file: &str, text: &str) -> Result<()> {
    host.write(file, Content::Bytes(text.as_bytes()), &Attributes { uid: None, gid: None, mode: Some(0o644) }).map(drop)
}

fn modules(given: &Given, console: &Console) -> Result<u8> {
    let host = &Linux::new();
    let place = Place { record: String::new(), modules: folder_of_modules(given, host)? };
    let found = place.names(host)?;
    let Some(name) = given.text(&SHOW) else {
        for name in &found {
            let source = place.manifest(name, host)?;
            console.out.text(&format!("{name}\t{}\n", source.name()));
        }
        return Ok(exit::SUCCESS);
    };
    if !found.iter().any(|known| known == name) {
        let hint = ccm_core::text::nearest::hint(name, found.iter().map(String::as_str));
        return Err(Error::invalid(format!("there is no module {name}{hint}")));
    }
    let source = place.manifest(name, host)?;
    console.out.text(source.text());
    Ok(exit::SUCCESS)
}

fn apply(given: &Given, console: &Console) -> Result<u8> {
    let host = &Linux::new();
    let node = match given.text(&NODE) {
        Some(node) => node.to_owned(),
        None => host_name()?,
    };
    let place = Place::of(given, host)?;
    let Some(mesh) = place.mesh(host, console)? else { return Ok(exit::FAILURE) };
    let network = mesh.network();
    let composition = mesh.compose(&node, &network)?;
    if composition.resources.is_empty() {
        let nothing = format!("{node} runs no modules and has no private network: nothing to do");
        console.user(Level::Info, &nothing, &[]);
        return Ok(exit::SUCCESS);
    }
    let text = composition.yaml()?;
    apply::run_on(given, Guard::new(None, false)?, console, |_, loader| {
        loader.guard.unsigned(&format!("mesh:{node}"))?;
        Ok(Loaded {
            source: Source::new(format!("mesh:{node}"), text),
            directory: path::parent(&place.record),
            identity: format!("mesh:{node}"),
            digest: None,
        })
    })
}

/// The bare name of this machine.
fn host_name() -> Result<String> {
    let facts = facts::gather(&facts::Options::default());
    let name = facts.get("host").and_then(|host| host.as_map()?.get("info")?.as_map()?.get("hostname")?.as_text());
    let name = name.ok_or_else(|| Error::invalid("this machine has no host name: give --node"))?;
    Ok(name.split('.').next().unwrap_or(name).to_owned())
}

/// Where the record and the modules are.
struct Place {
    record: String,
    modules: Option<String>,
}

impl Place {
    fn of(given: &Given, host: &Linux) -> Result<Self> {
        let record = match given.text(&RECORD) {
            Some(record) => record.to_owned(),
            None => standard("mesh.yaml", host)?
                .ok_or_else(|| Error::invalid("no mesh.yaml here or in the configuration directory: give --mesh"))?,
        };
        Ok(Self { record, modules: folder_of_modules(given, host)? })
    }

    /// The mesh without faults; `None` when they have been told.
    fn mesh(&self, host: &Linux, console: &Console) -> Result<Option<Mesh>> {
        let tell = |faults: Vec<Error>| {
            for fault in &faults {
                problem::show(console, fault);
            }
            Ok(None)
        };
        let loaded = source::load_data(host, &self.record)?;
        let document = yaml::read(&Source::new(loaded.name, loaded.text), &Limits::default())?;
        let record = match Record::read(&document) {
            Ok(record) => record,
            Err(faults) => return tell(faults),
        };
        let found = self.names(host)?;
        let used: BTreeSet<&str> =
            record.machines.iter().flat_map(|machine| machine.modules.iter().map(|(name, _)| &**name)).collect();
        let (mut modules, mut faults) = (Vec::new(), Vec::new());
        for name in used.iter().filter(|name| found.iter().any(|known| known == *name)) {
            match self.manifest(name, host).map_err(|error| vec![error]).and_then(|source| Module::parse(name, &source))
            {
                Ok(module) => modules.push(module),
                Err(more) => faults.extend(more),
            }
        }
        if !faults.is_empty() {
            return tell(faults);
        }
        let names: Vec<&str> = found.iter().map(String::as_str).collect();
        match Mesh::new(record, modules, &names) {
            Ok(mesh) => {
                for warning in mesh.warnings() {
                    console.diagnose(Level::Warn, &warning, &[]);
                }
                Ok(Some(mesh))
            }
            Err(faults) => tell(faults),
        }
    }

    /// All modules, built-in ones included, sorted.
    fn names(&self, host: &Linux) -> Result<Vec<String>> {
        let mut names: BTreeSet<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        if let Some(folder) = &self.modules {
            for name in host.list(folder)? {
                if self.file(&name, host)?.is_some() {
                    names.insert(name);
                }
            }
        }
        Ok(names.into_iter().collect())
    }

    /// The manifest's file of a module in the folder.
    fn file(&self, name: &str, host: &Linux) -> Result<Option<String>> {
        let Some(folder) = &self.modules else { return Ok(None) };
        let mut found = None;
        for file in ["module.yaml", "module.yml", "module.json"] {
            let file = path::join(&[folder, name, file]);
            let there = matches!(host.stat_target(&file), Ok(Some(_)));
            if there && let Some(first) = found.replace(file.clone()) {
                return Err(Error::invalid(format!("module {name} has two manifests, {first} and {file}")));
            }
        }
        Ok(found)
    }

    /// The text of a module's manifest.
    fn manifest(&self, name: &str, host: &Linux) -> Result<Source> {
        if let Some(file) = self.file(name, host)? {
            let bytes = host.read(&file, LARGEST)?;
            let text = String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{file} is not UTF-8")))?;
            return Ok(Source::new(file, text));
        }
        match BUILT_IN.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Ok(Source::new(format!("built-in:{name}"), *text)),
            None => Err(Error::invalid(format!("there is no module {name}"))),
        }
    }
}

fn folder_of_modules(given: &Given, host: &Linux) -> Result<Option<String>> {
    match given.text(&FOLDER) {
        Some(folder) => Ok(Some(folder.to_owned())),
        None => standard("modules", host),
    }
}

/// A name in the working directory, then in the configuration directories.
fn standard(name: &str, host: &Linux) -> Result<Option<String>> {
    let mut places = vec![name.to_owned()];
    places.extend(facts::files::directories().iter().rev().map(|folder| path::join(&[folder, name])));
    for place in places {
        if host.stat_target(&place)?.is_some() {
            return Ok(Some(place));
        }
    }
    Ok(None)
}
