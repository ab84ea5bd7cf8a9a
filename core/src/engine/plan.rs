//! Every resource of a manifest, read and checked before the first is run.

use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::key::Key;
use super::{Run, Session};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::manifest::{Item, Manifest, Unknown};
use crate::render::{Env, Field, World};
use crate::resource::properties::Reading;
use crate::resource::{Properties, Reference, Resource, Type, file};
use crate::span::Site;
use crate::text::nearest::hint;
use crate::value::Text;

/// A manifest ready to be run.
#[derive(Debug)]
pub struct Plan {
    /// In the order of their turns.
    pub resources: Vec<Resource<Field<Text>>>,
    /// The first failed resource ends the run.
    pub fail_on_error: bool,
    /// What expressions see.
    pub world: World,
    /// Shown before the run.
    pub pre_message: Option<String>,
    /// Shown after a run without errors.
    pub post_message: Option<String>,
    /// What was let pass but is worth telling.
    pub warnings: Vec<Error>,
}

impl Plan {
    /// Reads every resource of a manifest.
    ///
    /// # Errors
    /// The first resource that is not valid: nothing has been run then.
    pub fn of(manifest: Manifest, run: &Run, host: &dyn Host, session: &Session) -> Result<Self> {
        let Manifest { world, pre_message, post_message, fail_on_error, items, mut warnings } = manifest;
        let mut resources = Vec::with_capacity(items.list.len());
        let reading = Reading::new(&items.source, Env::new(&world, host), run.unknown == Unknown::Refuse);
        for item in &items.list {
            let read = read(item, &reading);
            resources.push(read.map_err(|error| error.doing(format!("invalid manifest resource {}", item.number)))?);
        }
        warnings.extend(reading.take_warnings());
        warnings.extend(unsatisfiable(&resources, session));
        warnings.extend(contested(&resources));
        Ok(Self { resources, fail_on_error, world, pre_message, post_message, warnings })
    }

    /// What the expressions of this plan see.
    #[must_use]
    pub fn env<'a>(&'a self, host: &'a dyn Host) -> Env<'a> {
        Env::new(&self.world, host)
    }
}

fn read(item: &Item, reading: &Reading<'_>) -> Result<Resource<Field<Text>>> {
    let site = reading.source.at(item.span);
    let Some(kind) = Type::from_name(&item.kind) else {
        let names = Type::ALL.iter().map(|kind| kind.name());
        return Err(Error::invalid(format!("unknown resource type {}{}", item.kind, hint(&item.kind, names))).at(site));
    };
    Resource::read(kind, (item.name.as_ref(), site), &item.body, item.defaults.as_ref(), reading)
}

/// Warns of requirements and subscriptions that no earlier resource can satisfy. After an `apply`, and
/// in a session with a past, anything may have been.
fn unsatisfiable(resources: &[Resource<Field<Text>>], session: &Session) -> Vec<Error> {
    if resources.iter().all(|resource| resource.common.require.is_empty() && resource.subscribe().is_empty()) {
        return Vec::new();
    }
    let mut named = BTreeMap::new();
    for (at, resource) in resources.iter().enumerate() {
        for name in [Some(&resource.common.name), resource.common.alias.as_ref()].into_iter().flatten() {
            named.entry(Key::pair(resource.kind().name(), name)).or_insert(at);
        }
    }
    let mut warnings = Vec::new();
    for (at, resource) in resources.iter().enumerate() {
        if resource.kind() == Type::Apply {
            break;
        }
        let references = resource.common.require.iter().map(|reference| ("require", reference));
        for (word, reference) in references.chain(resource.subscribe().iter().map(|reference| ("subscribe", reference)))
        {
            let found = named.get(&Key::pair(reference.kind(), reference.name())).copied();
            if found.is_some_and(|earlier| earlier < at) || session.knows(reference) {
                continue;
            }
            warnings.push(unmet(word, reference, resource, found.and_then(|later| resources.get(later))));
        }
    }
    warnings
}

fn unmet(
    word: &str,
    reference: &Reference,
    of: &Resource<Field<Text>>,
    later: Option<&Resource<Field<Text>>>,
) -> Error {
    let why = match later.and_then(|later| later.common.site.as_ref()) {
        Some(site) => format!("which comes only later, in line {}", site.position().line),
        None => "which is not in this manifest".to_string(),
    };
    placed(format!("{} has {word} {reference}, {why}", of.id()), of.common.site.as_ref())
}

/// Warns of a path that two resources want to hold different things: each run would change it twice.
/// Two that their control keeps apart are no fault.
fn contested(resources: &[Resource<Field<Text>>]) -> Vec<Error> {
    let mut first: BTreeMap<Key<&str>, &Resource<Field<Text>>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for resource in resources.iter().filter(|resource| resource.common.control.is_none()) {
        let Properties::File(file) = &resource.properties else { continue };
        let known = match first.entry(Key::of(&*resource.common.name)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                free.insert(resource);
                continue;
            }
        };
        if matches!(&known.properties, Properties::File(before) if differ(before, file)) {
            let line = known.common.site.as_ref().map_or(0, |site| site.position().line);
            let text = format!("{} is managed with other content in line {line} already", resource.id());
            warnings.push(placed(text, resource.common.site.as_ref()));
        }
    }
    warnings
}

fn differ(a: &file::Properties<Field<Text>>, b: &file::Properties<Field<Text>>) -> bool {
    if a.block || b.block {
        return false;
    }
    let text = |field: &Option<Field<Text>>| field.as_ref().map(|field| field.as_ref().to_string());
    a.ensure != b.ensure || (text(&a.content), text(&a.source)) != (text(&b.content), text(&b.source))
}

fn placed(text: String, site: Option<&Site>) -> Error {
    match site {
        Some(site) => Error::invalid(text).at(site.clone()),
        None => Error::invalid(text),
    }
}
