//! `ccm mesh`: the roster of a private network, carried to its machines in the syntax of their software.

use std::collections::BTreeSet;

use argh::{ArgsInfo, FromArgs};
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

use super::apply::Apply;
use crate::exit;
use crate::load::Loader;
use crate::logger::{Console, Level};
use crate::problem;

/// Composes manifests for the machines of a mesh.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "mesh", help_triggers("--help"))]
pub(crate) struct MeshCommand {
    #[argh(subcommand)]
    command: Sub,
}

#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand)]
enum Sub {
    Check(Check),
    Compose(Compose),
    Render(Render),
    Modules(Modules),
    Apply(MeshApply),
}

/// Composes for every machine, writes nothing, tells each refusal.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "check", help_triggers("--help"))]
struct Check {
    /// the record (mesh.yaml)
    #[argh(option, arg_name = "SOURCE")]
    mesh: Option<String>,
    /// the folder of modules (modules/)
    #[argh(option, arg_name = "DIR")]
    modules: Option<String>,
}

/// Prints or writes the manifest of a machine, or of all.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "compose", help_triggers("--help"))]
struct Compose {
    /// the machine
    #[argh(positional)]
    node: Option<String>,
    /// compose for every machine, into the folder given with -o
    #[argh(switch)]
    all: bool,
    /// a file, or with --all a folder, to write to
    #[argh(option, short = 'o', arg_name = "PATH")]
    output: Option<String>,
    /// the record (mesh.yaml)
    #[argh(option, arg_name = "SOURCE")]
    mesh: Option<String>,
    /// the folder of modules (modules/)
    #[argh(option, arg_name = "DIR")]
    modules: Option<String>,
}

/// Prints one rendered fact of a machine.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "render", help_triggers("--help"))]
struct Render {
    /// the machine
    #[argh(positional)]
    node: String,
    /// the fact, as MODULE/FACT
    #[argh(positional)]
    fact: String,
    /// the record (mesh.yaml)
    #[argh(option, arg_name = "SOURCE")]
    mesh: Option<String>,
    /// the folder of modules (modules/)
    #[argh(option, arg_name = "DIR")]
    modules: Option<String>,
}

/// Lists the modules there are, or prints the manifest of one.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "modules", help_triggers("--help"))]
struct Modules {
    /// print this module's manifest
    #[argh(option, arg_name = "NAME")]
    show: Option<String>,
    /// the folder of modules (modules/)
    #[argh(option, arg_name = "DIR")]
    modules: Option<String>,
}

/// Composes for this machine and applies what comes of it.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "apply", help_triggers("--help"))]
struct MeshApply {
    /// the machine (this one's host name)
    #[argh(option, arg_name = "NAME")]
    node: Option<String>,
    /// the record (mesh.yaml)
    #[argh(option, arg_name = "SOURCE")]
    mesh: Option<String>,
    /// the folder of modules (modules/)
    #[argh(option, arg_name = "DIR")]
    modules: Option<String>,
    /// a fact for this run, K=V; a dotted K sets a nested fact; may be repeated
    #[argh(option, arg_name = "K=V")]
    fact: Vec<String>,
    /// keep dotted keys of --fact as they are
    #[argh(switch)]
    flat_facts: bool,
    /// a YAML or JSON file of facts to merge over those gathered
    #[argh(option, arg_name = "FILE")]
    facts: Option<String>,
    /// data that overrides the manifest's (CCM_HIERA_DATA)
    #[argh(option, arg_name = "SOURCE")]
    hiera: Option<String>,
    /// do not read .env from the current directory
    #[argh(switch)]
    no_read_env: bool,
    /// change nothing, say what would change
    #[argh(switch)]
    noop: bool,
    /// with --noop: run guard commands too
    #[argh(switch)]
    noop_guards: bool,
    /// run health checks only
    #[argh(switch)]
    monitor_only: bool,
    /// print the resolved manifest and end
    #[argh(switch)]
    render: bool,
    /// print no summary
    #[argh(switch)]
    no_report: bool,
    /// end with 0 unchanged, 2 changed, 4 failed, 6 changed and failed
    #[argh(switch)]
    detailed_exitcodes: bool,
    /// how long to wait for another run to end (60s)
    #[argh(option, arg_name = "DURATION")]
    lock_timeout: Option<String>,
    /// do not wait for disks: for building images
    #[argh(switch)]
    no_sync: bool,
    /// the NATS context (NATS_CONTEXT, or CCM)
    #[argh(option, arg_name = "NAME")]
    context: Option<String>,
    /// the stream that registrations() reads (REGISTRATION)
    #[argh(option, short = 'R', arg_name = "STREAM")]
    registration: Option<String>,
}

impl MeshCommand {
    pub(crate) fn run(self, console: &Console) -> Result<u8> {
        let host = Linux::new();
        match self.command {
            Sub::Check(check) => match Place::of(check.mesh, check.modules, &host)?.mesh(&host, console)? {
                Some(_) => Ok(exit::SUCCESS),
                None => Ok(exit::FAILURE),
            },
            Sub::Compose(compose) => compose.run(host, console),
            Sub::Render(render) => {
                let Some(mesh) = Place::of(render.mesh, render.modules, &host)?.mesh(&host, console)? else {
                    return Ok(exit::FAILURE);
                };
                console.out.text(&mesh.render(&render.node, &render.fact)?);
                Ok(exit::SUCCESS)
            }
            Sub::Modules(modules) => modules.run(&host, console),
            Sub::Apply(apply) => apply.run(&host, console),
        }
    }
}

impl Compose {
    fn run(self, mut host: Linux, console: &Console) -> Result<u8> {
        let nodes = match (&self.node, self.all) {
            (Some(node), false) => Some(node.clone()),
            (None, true) => None,
            _ => return Err(Error::invalid("name one machine, or give --all and -o DIR")),
        };
        if self.all && self.output.is_none() {
            return Err(Error::invalid("--all needs a folder to write to: -o DIR"));
        }
        let Some(mesh) = Place::of(self.mesh, self.modules, &host)?.mesh(&host, console)? else {
            return Ok(exit::FAILURE);
        };
        let network = mesh.network();
        if let Some(node) = nodes {
            let text = mesh.compose(&node, &network)?.yaml()?;
            match &self.output {
                Some(file) => write(&mut host, file, &text)?,
                None => console.out.text(&text),
            }
            return Ok(exit::SUCCESS);
        }
        let folder = self.output.unwrap_or_default();
        if host.stat_target(&folder)?.is_none() {
            host.make_directory(&folder, &Attributes { uid: None, gid: None, mode: Some(0o755) })?;
        }
        for node in mesh.record().names() {
            let text = mesh.compose(node, &network)?.yaml()?;
            write(&mut host, &path::join(&[&folder, &format!("{node}.yaml")]), &text)?;
        }
        Ok(exit::SUCCESS)
    }
}

/// A manifest may hold what only its machine should read.
fn write(host: &mut Linux, file: &str, text: &str) -> Result<()> {
    host.write(file, Content::Bytes(text.as_bytes()), &Attributes { uid: None, gid: None, mode: Some(0o644) }).map(drop)
}

impl Modules {
    fn run(self, host: &Linux, console: &Console) -> Result<u8> {
        let place = Place { record: String::new(), modules: folder_of_modules(self.modules, host)? };
        let found = place.names(host)?;
        let Some(name) = self.show else {
            for name in &found {
                let source = place.manifest(name, host)?;
                console.out.text(&format!("{name}\t{}\n", source.name()));
            }
            return Ok(exit::SUCCESS);
        };
        if !found.contains(&name) {
            let hint = ccm_core::text::nearest::hint(&name, found.iter().map(String::as_str));
            return Err(Error::invalid(format!("there is no module {name}{hint}")));
        }
        let source = place.manifest(&name, host)?;
        console.out.text(source.text());
        Ok(exit::SUCCESS)
    }
}

impl MeshApply {
    fn run(self, host: &Linux, console: &Console) -> Result<u8> {
        let node = match &self.node {
            Some(node) => node.clone(),
            None => host_name()?,
        };
        let place = Place::of(self.mesh, self.modules, host)?;
        let Some(mesh) = place.mesh(host, console)? else { return Ok(exit::FAILURE) };
        let network = mesh.network();
        let composition = mesh.compose(&node, &network)?;
        if composition.resources.is_empty() {
            console.user(
                Level::Info,
                &format!("{node} runs no modules and has no private network: nothing to do"),
                &[],
            );
            return Ok(exit::SUCCESS);
        }
        let text = composition.yaml()?;
        let apply = Apply {
            manifest: String::new(),
            fact: self.fact,
            flat_facts: self.flat_facts,
            facts: self.facts,
            hiera: self.hiera,
            no_read_env: self.no_read_env,
            noop: self.noop,
            noop_guards: self.noop_guards,
            monitor_only: self.monitor_only,
            render: self.render,
            no_report: self.no_report,
            detailed_exitcodes: self.detailed_exitcodes,
            lock_timeout: self.lock_timeout,
            no_sync: self.no_sync,
            context: self.context,
            registration: self.registration,
            key: None,
            allow_rollback: false,
        };
        apply.run_on(console, |_, loader: &Loader| {
            loader.guard.unsigned(&format!("mesh:{node}"))?;
            Ok(Loaded {
                source: Source::new(format!("mesh:{node}"), text),
                directory: path::parent(&place.record),
                identity: format!("mesh:{node}"),
                digest: None,
            })
        })
    }
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
    fn of(record: Option<String>, modules: Option<String>, host: &Linux) -> Result<Self> {
        let record = match record {
            Some(record) => record,
            None => standard("mesh.yaml", host)?
                .ok_or_else(|| Error::invalid("no mesh.yaml here or in the configuration directory: give --mesh"))?,
        };
        Ok(Self { record, modules: folder_of_modules(modules, host)? })
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

fn folder_of_modules(given: Option<String>, host: &Linux) -> Result<Option<String>> {
    match given {
        Some(folder) => Ok(Some(folder)),
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
