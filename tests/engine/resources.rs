//! Each type of resource through its four movements, without an engine around them.

use ccm_core::error::{Cause, Result};
use ccm_core::host::memory::{Memory, Reply};
use ccm_core::render::{Env, World};
use ccm_core::resource::{Decision, Done, Occasion, Reading, Resource, Type};
use ccm_core::span::{Source, Span};
use ccm_core::value::{Map, Text, Value, json};
use ccm_core::yaml::{self, Limits};

mod exec;
mod file;

/// The world all cases see.
fn world() -> World {
    let data = json::parse(r#"{"mode": "0600", "number": 420, "who": "root"}"#).unwrap();
    World::new(Value::Map(Map::new()), data, Map::new()).in_directory("/srv/site")
}

/// A resource read from `type: {properties}` and resolved.
fn read(text: &str, host: &Memory) -> Result<Resource<Text>> {
    let source = Source::new("m.yaml", text);
    let document = yaml::read(&source, &Limits::default())?;
    let entry = &document.root().entries().unwrap()[0];
    let world = world();
    let env = Env::new(&world, host);
    let reading = Reading::new(&source, env, true);
    let kind = Type::from_name(&entry.key).unwrap();
    Resource::read(kind, (None, source.at(Span::default())), &entry.value, None, &reading)?.resolve(&env)
}

/// The text of the error that reading ends with.
fn refusal(text: &str) -> String {
    read(text, &Memory::new()).expect_err("accepted").to_string()
}

/// What a run did: the dry-run sentence of its decision, and what acting told.
#[derive(Debug, Default)]
struct Ran {
    would: Option<String>,
    done: Done,
}

fn apply_on(occasion: Occasion, text: &str, host: &mut Memory) -> Result<Ran> {
    let resource = read(text, host)?;
    let provider = resource.provider(host)?;
    let seen = resource.observe(provider, occasion, host)?;
    let decision = resource.decide(&seen, occasion);
    let would = decision.would().map(Into::into);
    if occasion.noop || decision == Decision::Leave {
        return Ok(Ran { would, done: Done::default() });
    }
    let done = resource.carry_out(&decision, provider, host)?;
    let state = resource.verify(&done, host)?;
    assert!(resource.details(&state, host).is_some());
    Ok(Ran { would, done })
}

fn apply(text: &str, host: &mut Memory) -> Result<Ran> {
    apply_on(Occasion::default(), text, host)
}

/// The dry-run sentence; the machine must be left alone.
fn noop(text: &str, host: &mut Memory) -> Option<String> {
    host.forget();
    let ran = apply_on(Occasion { noop: true, ..Occasion::default() }, text, host).unwrap();
    assert!(host.journal().is_empty(), "{:?}", host.journal());
    ran.would
}

/// Applies, and applies again: the second run must find nothing to do.
fn converge(text: &str, host: &mut Memory) -> Ran {
    let ran = apply(text, host).unwrap();
    host.forget();
    let again = apply(text, host).unwrap();
    assert_eq!(again.would, None);
    assert!(host.journal().is_empty(), "{:?}", host.journal());
    ran
}
