//! `ccm status`: the state of one resource, as it is.

use ccm_core::render::{Env, World};
use ccm_core::resource::properties::Reading;
use ccm_core::resource::{Details, Occasion, Resource, Type};
use ccm_core::span::{Source, Span};
use ccm_core::value::{Map, Value};
use ccm_core::yaml::{self, Limits};
use ccm_core::{Error, Result};
use ccm_platform::Linux;

use crate::args::Given;
use crate::definition::{Command, Count, Flag, Then, Word};
use crate::exit;
use crate::logger::Console;

/// `ccm status`.
pub(crate) static STATUS: Command = Command {
    name: "status",
    also: &["info"],
    about: "Shows the state of a resource.",
    flags: &[&[&JSON]],
    then: Then::Run(
        &[
            Word::new("type", Count::One, "the type: file, package, service, ..."),
            Word::new("name", Count::One, "the name"),
        ],
        run,
    ),
};

static JSON: Flag = Flag::switch("json", "print JSON in place of YAML");

fn run(given: &Given, console: &Console) -> Result<u8> {
    match given.word(0) {
        kind @ ("exec" | "archive") => {
            console.out.text(&format!("Status of {kind} resources is not supported\n"));
            Ok(exit::SUCCESS)
        }
        "file" => show(Type::File, &super::absolute(given.word(1))?, given.on(&JSON), console),
        kind @ ("apply" | "scaffold") => {
            Err(Error::invalid(format!("could not get status: unsupported resource type {kind}")))
        }
        kind => Err(Error::invalid(format!("unknown resource type {kind}"))),
    }
}

/// Looks at a resource of which only type and name are known.
fn show(kind: Type, name: &str, json: bool, console: &Console) -> Result<u8> {
    let host = Linux::new();
    let world = World::new(Value::Null, Value::Null, Map::new());
    let env = Env::new(&world, &host);
    let source = Source::new("command line", "{ensure: absent}");
    let document = yaml::read(&source, &Limits::default())?;
    let reading = Reading::new(&source, env, true);
    let name = (Some(&name.into()), source.at(Span::point(0)));
    let resource = Resource::read(kind, name, document.root(), None, &reading)?.resolve(&env)?;
    let seen = resource.observe(resource.provider(&host)?, Occasion::default(), &host)?;
    let text = match resource.details(&seen, &host) {
        Some(Details::File(metadata)) if json => serde_json::to_string_pretty(&metadata).map(|text| text + "\n").ok(),
        Some(Details::File(metadata)) => yaml::write(&metadata).ok(),
        _ => None,
    };
    console.out.text(&text.ok_or_else(|| Error::invalid(format!("{kind} has no status to show")))?);
    Ok(exit::SUCCESS)
}
