//! Facts of the administrator: `facts.json`, `facts.yaml` and `facts.d/` in the system's and the user's directory.
//!
//! Later files are merged deeply over earlier ones. What could have been put there by somebody else is refused:
//! symlinks, what is no regular file, what others own or may write. A file that is refused or makes no sense costs
//! only itself, and a warning.

use std::os::fd::OwnedFd;

use ccm_core::error::{Cause, Kind, System};
use ccm_core::span::Source;
use ccm_core::value::{Map, json, merge};
use ccm_core::{Error, Result, Value, yaml};
use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

use crate::errno::fault;
use crate::files::place::open_directory;
use crate::trusted;

/// Bytes that a file of facts may have.
const LARGEST: u64 = 16 << 20;

/// The directories of facts: the system's, then the user's, where there is one.
#[must_use]
pub fn directories() -> Vec<String> {
    let absolute = |name: &str| std::env::var(name).ok().filter(|path| path.starts_with('/'));
    let user = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| format!("{home}/.config")));
    std::iter::once("/etc".to_owned())
        .chain(user)
        .map(|base| format!("{}/choria/ccm", base.trim_end_matches('/')))
        .collect()
}

/// Merges the facts of these directories over others; gives what was passed over and why.
pub fn read(mut facts: Map, directories: &[String]) -> (Map, Vec<Error>) {
    let mut warnings = Vec::new();
    for path in directories {
        if !path.starts_with('/') {
            warnings.push(Error::invalid(format!("facts directory {path} is skipped: it is a relative path")));
            continue;
        }
        match open_directory(path) {
            Ok(directory) => facts = one(facts, &directory, path, &mut warnings),
            Err(error) if is_missing(&error) => {}
            Err(error) => warnings.push(error.doing(format!("reading facts in {path}"))),
        }
    }
    (facts, warnings)
}

fn one(mut facts: Map, directory: &OwnedFd, path: &str, warnings: &mut Vec<Error>) -> Map {
    let mut add = |directory: &OwnedFd, name: &str, shown: String| match load(directory, name, &shown) {
        Ok(Some(more)) => facts = merge::deep_maps(std::mem::take(&mut facts), more),
        Ok(None) => {}
        Err(error) => warnings.push(error.doing("facts file is skipped")),
    };
    for name in ["facts.json", "facts.yaml"] {
        add(directory, name, format!("{path}/{name}"));
    }
    match entries(directory) {
        Ok((inner, names)) => names.iter().for_each(|name| add(&inner, name, format!("{path}/facts.d/{name}"))),
        Err(Errno::ENOENT) => {}
        Err(Errno::ELOOP | Errno::ENOTDIR) => {
            warnings.push(Error::invalid(format!("{path}/facts.d is skipped: it is a symlink or no directory")))
        }
        Err(errno) => warnings.push(fault("list", format!("{path}/facts.d"), errno)),
    }
    facts
}

/// `facts.d` and the names in it that are facts, in the order of their bytes.
fn entries(directory: &OwnedFd) -> nix::Result<(OwnedFd, Vec<String>)> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let inner = openat(directory, "facts.d", flags, Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::from_fd(inner.try_clone().map_err(|_| Errno::EMFILE)?)?.iter() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name
            .rsplit_once('.')
            .is_some_and(|(_, end)| end.eq_ignore_ascii_case("json") || end.eq_ignore_ascii_case("yaml"))
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok((inner, names))
}

/// One file; none where there is none, or a directory.
fn load(directory: &OwnedFd, name: &str, path: &str) -> Result<Option<Map>> {
    let Some(file) = trusted::open(directory, name, path)? else { return Ok(None) };
    let text = trusted::contents(file, path, LARGEST)?;
    let is_json = name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("json"));
    parse(&Source::new(path, text), is_json).map(Some)
}

fn parse(source: &Source, is_json: bool) -> Result<Map> {
    let value = match is_json {
        true => json::read(source),
        false => yaml::read(source, &yaml::Limits::default()).map(|document| document.root().to_value()),
    };
    match value.map_err(|error| error.doing(format!("reading {}", source.name())))? {
        Value::Map(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        other => Err(Error::invalid(format!("{} holds a {}, where facts are a map", source.name(), other.kind()))),
    }
}

pub(crate) fn is_missing(error: &Error) -> bool {
    matches!(error.kind(), Kind::System(System { cause: Cause::NotFound | Cause::NotDirectory, .. }))
}
