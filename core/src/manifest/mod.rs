//! A document as a manifest: its data resolved, its resources in order and still untyped.
//!
//! ```text
//! text → Document   sections with their places, unknown keys refused        document
//! Document → Manifest   own data, then what is laid over it; rules enforced; messages resolved
//! ```
//!
//! The order is the reference's (ledger resources.md 3.3): the manifest's own hierarchy, what an `apply`
//! gives its child, the external overlay, then the rules of all of them at once over what came out.

mod document;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use document::{Document, Item, Items, Message, Resources, Unknown};

use crate::error::{Error, Result};
use crate::hiera;
use crate::host::Host;
use crate::jet::Delimiters;
use crate::names::Fuel;
use crate::render::{Env, World};
use crate::span::Source;
use crate::text::path;
use crate::value::{Map, Value};
use crate::yaml;

/// What a manifest is resolved with.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The facts.
    pub facts: &'a Value,
    /// The environment that templates see.
    pub environ: &'a Map,
    /// The directory of the manifest: relative paths are seen from it.
    pub directory: &'a str,
    /// Data that the parent's `apply` gives.
    pub given: Option<&'a Map>,
    /// Data from outside, laid over everything.
    pub overlay: Option<&'a hiera::Resolved>,
    /// The machine that templates may look at.
    pub host: &'a dyn Host,
}

/// A manifest whose data and messages are known.
#[derive(Debug)]
pub struct Manifest {
    /// What its expressions see.
    pub world: World,
    /// Shown before the run.
    pub pre_message: Option<String>,
    /// Shown after a run without errors.
    pub post_message: Option<String>,
    /// The first failed resource ends the run.
    pub fail_on_error: bool,
    /// The resources.
    pub items: Items,
    /// What was let pass but is worth telling.
    pub warnings: Vec<Error>,
}

impl Manifest {
    /// Resolves a document.
    ///
    /// # Errors
    /// Data that cannot be resolved or breaks its rules, a message that cannot be printed.
    pub fn resolve(document: Document, inputs: &Inputs<'_>) -> Result<Self> {
        let mut warnings = document.warnings;
        let data = data(&document.yaml, inputs, &mut warnings)?;
        let world =
            World::new(inputs.facts.clone(), Value::Map(data), inputs.environ.clone()).in_directory(inputs.directory);
        let env = Env::new(&world, inputs.host);
        let post_message = message(document.post_message.as_ref(), "post_message", &env)?;
        let pre_message = message(document.pre_message.as_ref(), "pre_message", &env)?;
        let items = match document.resources {
            Resources::Inline(items) => items,
            Resources::Jet { file, site } => {
                printed(&file, inputs, &env).map_err(|error| error.at(site).doing("making the list of resources"))?
            }
        };
        Ok(Self { world, pre_message, post_message, fail_on_error: document.fail_on_error, items, warnings })
    }
}

/// The data of a manifest and all that is laid over it, held to the rules of all of it.
fn data(yaml: &crate::yaml::Document, inputs: &Inputs<'_>, warnings: &mut Vec<Error>) -> Result<Map> {
    let world = World::sandbox(inputs.facts.clone());
    let document = hiera::Document::Yaml(yaml.clone());
    let mut own = document.resolve(&Env::timed(&world, inputs.host), &hiera::Options::default())?;
    warnings.append(&mut own.warnings);
    if let Some(given) = inputs.given {
        own.overlay(given.clone());
    }
    if let Some(overlay) = inputs.overlay {
        own.merge(overlay);
    }
    own.enforce()?;
    Ok(own.data)
}

/// Most bytes of a jet template.
const JET_FILE: u64 = 4 << 20;

/// The resources that a jet template prints. The path is joined to the directory of the manifest, an absolute
/// one too; what is printed is read as if it stood in the manifest (ledger resources.md 3.4).
fn printed(file: &str, inputs: &Inputs<'_>, env: &Env<'_>) -> Result<Items> {
    let path = path::join(&[inputs.directory, file]);
    let bytes = inputs.host.read(&path, JET_FILE)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{path} is not UTF-8 text")))?;
    let printed = env.jet_text(&Source::new(path.as_str(), text), &Delimiters::default(), &Fuel::new())?;
    if printed.trim().is_empty() {
        let text = "the jet template printed nothing; check its conditions and the data that it ranges over";
        return Err(Error::invalid(text));
    }
    let source = Source::new(format!("{path} (printed)"), printed);
    let document = yaml::read(&source, &yaml::Limits::default())?;
    Items::of(document.root(), &source)
}

fn message(message: Option<&Message>, key: &str, env: &Env<'_>) -> Result<Option<String>> {
    let Some(message) = message else { return Ok(None) };
    env.strict_text(&message.text)
        .map(Some)
        .map_err(|error| error.at(message.site.clone()).doing(format!("resolving {key}")))
}
