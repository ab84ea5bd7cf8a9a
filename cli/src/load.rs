//! What a run is given from outside: manifests, facts, data, the environment, the run lock.

use std::cell::RefCell;
use std::time::Duration;

use ccm_core::engine::Loaded;
use ccm_core::hiera;
use ccm_core::host::Files;
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::text::path;
use ccm_core::text::time::duration;
use ccm_core::value::{Map, Text, Value, json, merge};
use ccm_core::yaml::{self, Limits};
use ccm_core::{Error, Result};
use ccm_platform::Linux;
use ccm_platform::facts;
use ccm_platform::lock::{self, RunLock};
use ccm_platform::source::{self, dotenv};
use ccm_platform::unpack::Unpacked;

use crate::command::absolute;
use crate::command::run::{Data, Options};
use crate::guard::Guard;
use crate::logger::{Console, Level};
use crate::problem;

/// Loads manifests, and keeps what was unpacked for them until the run is over.
#[derive(Default)]
pub(crate) struct Loader {
    unpacked: RefCell<Vec<Unpacked>>,
    /// The folders among them that hold what was signed.
    sealed: RefCell<Vec<String>>,
    pub(crate) guard: Guard,
}

impl Loader {
    /// One that lets in what a guard lets in.
    pub(crate) fn new(guard: Guard) -> Self {
        Self { guard, ..Self::default() }
    }

    /// A manifest as named from a directory: a path, an address, or at the top `-`.
    pub(crate) fn load(&self, host: &Linux, directory: &str, name: &str) -> Result<Loaded> {
        let reference = match directory.is_empty() || has_scheme(name) {
            true => name.to_string(),
            false => path::resolve(directory, name),
        };
        let standard_input = reference == "-";
        let below =
            |folder: &String| path::clean(&reference).strip_prefix(&**folder).is_some_and(|rest| rest.starts_with('/'));
        let in_bundle = self.sealed.borrow().iter().any(below);
        let loaded = source::load(host, &reference, &self.guard.trust(in_bundle))?;
        if let Some(seal) = &loaded.seal {
            self.guard.admit(seal, host)?;
            let folder = loaded.unpacked.iter().map(|tree| tree.folder().to_string_lossy().into_owned());
            self.sealed.borrow_mut().extend(folder);
        }
        let identity = if has_scheme(&reference) { reference } else { absolute(&reference)? };
        // A plain text is its own proof; of a tarball only its file can be compared with a checksum.
        let packed = loaded.unpacked.is_some() && !standard_input;
        let digest = packed.then(|| host.digest(&identity)).transpose()?;
        self.unpacked.borrow_mut().extend(loaded.unpacked);
        Ok(Loaded { source: Source::new(loaded.name, loaded.text), directory: loaded.folder, identity, digest })
    }
}

fn has_scheme(name: &str) -> bool {
    name.starts_with("file:") || name.contains("://")
}

/// The gathered facts, what `--facts` lays over them, and over that each `--fact` (F18).
pub(crate) fn facts(options: &Options, host: &Linux, console: &Console) -> Result<Value> {
    let mut facts = gathered(console);
    if let Some(file) = &options.facts {
        facts = merge::deep_maps(facts, map(file, host)?);
    }
    for fact in &options.fact {
        let (key, value) = pair(fact)?;
        match options.flat_facts {
            true => facts.insert(key, value),
            false => nest(&mut facts, key, value),
        }
    }
    Ok(Value::Map(facts))
}

/// What the machine shows of itself, and over it the administrator's files.
pub(crate) fn gathered(console: &Console) -> Map {
    let system = facts::gather(&facts::Options::default());
    let (facts, warnings) = facts::files::read(system, &facts::files::directories());
    for warning in &warnings {
        console.diagnose(Level::Error, problem::text(warning).trim_end(), &[]);
    }
    facts
}

/// A key and its value, split at the first `=` or `:`.
pub(crate) fn pair(text: &str) -> Result<(&str, &str)> {
    let at = text.find(['=', ':']).filter(|at| *at > 0);
    let at = at.ok_or_else(|| Error::invalid(format!("expected KEY=VALUE, found {text:?}")))?;
    Ok((&text[..at], &text[at + 1..]))
}

/// Sets a value by a dotted key, making the maps on the way; whatever else stood there gives way.
pub(crate) fn nest(map: &mut Map, key: &str, value: &str) {
    let Some((first, rest)) = key.split_once('.').filter(|(first, rest)| !first.is_empty() && !rest.is_empty()) else {
        return map.insert(key, value);
    };
    let mut inner = map.get(first).and_then(Value::as_map).cloned().unwrap_or_default();
    nest(&mut inner, rest, value);
    map.insert(first, inner);
}

/// A YAML or JSON file that holds a map.
pub(crate) fn map(file: &str, host: &Linux) -> Result<Map> {
    let loaded = source::load_data(host, file)?;
    let source = Source::new(loaded.name, loaded.text);
    let value = match source.text().trim_start().starts_with(['{', '[']) {
        true => json::read(&source)?,
        false => yaml::read(&source, &Limits::default())?.root().to_value(),
    };
    match value {
        Value::Map(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        other => Err(Error::invalid(format!("{file} must hold a map, found {}", other.kind()))),
    }
}

/// The data that is laid over every manifest of the run, resolved with its own hierarchy.
pub(crate) fn overlay(data: &Data, facts: &Value, host: &Linux) -> Result<Option<hiera::Resolved>> {
    let name = match data {
        Data::None => return Ok(None),
        Data::IfThere(name) if host.stat_target(name)?.is_none() => return Ok(None),
        Data::IfThere(name) | Data::Wanted(name) => name,
    };
    let loaded = source::load_data(host, name)?;
    let world = World::sandbox(facts.clone());
    let document = hiera::Document::read(&Source::new(loaded.name, loaded.text))?;
    document.resolve(&Env::timed(&world, host), &hiera::Options::default()).map(Some)
}

/// The `Environ` root of templates: this process's variables that are not empty, and `.env` over them.
pub(crate) fn environ(read_env: bool, console: &Console) -> Result<Map> {
    let known =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut variables: Vec<(Text, Value)> =
        known.filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.into(), value.into())).collect();
    if read_env {
        let dotenv = dotenv::read(".env")?;
        for warning in &dotenv.warnings {
            console.diagnose(Level::Warn, warning, &[]);
        }
        variables.extend(dotenv.variables.into_iter().map(|(name, value)| (name.into(), value.into())));
    }
    Ok(Map::from_entries(variables))
}

/// How long a run waits for another one.
const PATIENCE: Duration = Duration::from_secs(60);

/// The run lock; a dry run and one that only looks need none.
pub(crate) fn lock(options: &Options, host: &Linux, console: &Console) -> Result<Option<RunLock>> {
    if options.noop || options.monitor_only {
        return Ok(None);
    }
    let wait = match &options.lock_timeout {
        None => PATIENCE,
        Some(text) => {
            let nanos =
                duration::parse_extended(text).map_err(|fault| Error::invalid(format!("--lock-timeout: {fault}")))?;
            Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
        }
    };
    let lock = lock::acquire(host, lock::run_directory().as_deref(), wait)?;
    if let RunLock::Unavailable(reason) = &lock {
        console.diagnose(Level::Debug, &format!("running without a lock: {reason}"), &[]);
    }
    Ok(Some(lock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_split_at_its_first_separator() {
        assert_eq!(pair("a=b=c").unwrap(), ("a", "b=c"));
        assert_eq!(pair("a:b=c").unwrap(), ("a", "b=c"));
        assert!(pair("a").is_err() && pair("=a").is_err());
    }

    #[test]
    fn a_dotted_key_sets_a_nested_fact() {
        let mut facts = Map::new();
        nest(&mut facts, "a.b", "x");
        nest(&mut facts, "a.c", "y");
        nest(&mut facts, ".d", "z");
        assert_eq!(json_of(facts), r#"{".d":"z","a":{"b":"x","c":"y"}}"#);
    }

    fn json_of(map: Map) -> String {
        ccm_core::value::wire::json(&Value::Map(map), ccm_core::value::wire::Layout::PLAIN).unwrap()
    }
}
