//! Each type of resource through its four movements, without an engine around them.

use ccm_core::error::{Cause, Result};
use ccm_core::host::Clock;
use ccm_core::host::memory::{Memory, Reply};
use ccm_core::render::{Env, World};
use ccm_core::resource::{Decision, Done, Occasion, Reading, Resource, Status, Type};
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

/// The JSON of something that leaves, keys in the order written.
fn json_of(record: &impl serde::Serialize) -> String {
    serde_json::to_string(record).unwrap()
}

#[test]
fn properties_leave_in_the_order_of_the_ledger_with_their_secrets_hidden() {
    let host = Memory::new();
    let text = "exec: {environment: [TOKEN=sesame], name: /bin/true, require: ['file#/x'], control: {unless: 'false', if: 'true'}, \
                returns: [0, 2], timeout: 1m, logoutput: true, alias: t}";
    assert_eq!(
        json_of(&read(text, &host).unwrap()),
        r##"{"name":"/bin/true","alias":"t","ensure":"present","require":["file#/x"],"control":{"if":"true","unless":"false"},"command":"","environment":["TOKEN=REDACTED"],"returns":[0,2],"timeout":"1m","logoutput":true}"##
    );
    let text = "file: {mode: 644, group: root, owner: root, content: x, ensure: present, name: /etc/x, parents: true, replace: false}";
    assert_eq!(
        json_of(&read(text, &host).unwrap()),
        r#"{"name":"/etc/x","ensure":"present","content":"x","owner":"root","group":"root","mode":"0644","parents":true,"replace":false}"#
    );
}

#[test]
fn a_health_check_has_its_defaults() {
    let text = "exec: {name: /bin/true, health_checks: [{command: ' /usr/lib/nagios/check_x -w 1 '}, {goss_rules: {a: b}, tries: 0, try_sleep: 2s}]}";
    let resource = read(text, &Memory::new()).unwrap();
    let [nagios, goss] = &*resource.common.health_checks else { panic!() };
    assert_eq!((&*nagios.name, nagios.tries, nagios.try_sleep.as_secs()), ("check_x -w 1", 1, 1));
    assert_eq!((goss.format(), goss.tries, goss.try_sleep.as_secs()), ("goss", 1, 2));
}

#[test]
fn the_status_of_a_file_has_the_shape_of_the_ledger() {
    let mut host = Memory::new();
    let text = "file: {name: /etc/x, ensure: present, owner: root, group: daemon, mode: 4755, content: abc}";
    apply(text, &mut host).unwrap();
    let resource = read(text, &host).unwrap();
    let seen = resource.verify(&Done::default(), &host).unwrap();
    let status = Status {
        timestamp: host.now(),
        kind: resource.kind(),
        name: resource.common.name.clone(),
        ensure: resource.reached(&seen),
        changed: true,
        refreshed: false,
        stable: true,
        noop: false,
        noop_message: None,
        details: resource.details(&seen, &host).unwrap(),
    };
    let json = json_of(&status);
    let metadata = json.split_once(r#""stable":true,"noop":false,"metadata":"#).unwrap().1;
    assert!(json.contains(r#""protocol":"io.choria.ccm.v1.resource.file.state","type":"file","name":"/etc/x","ensure":"present","changed":true"#));
    assert!(
        metadata.starts_with(
            r#"{"name":"/etc/x","checksum":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","owner":"root","group":"daemon","mode":"4755","provider":"posix","mtime":""#
        ),
        "{metadata}"
    );
}

#[test]
fn what_came_out_of_an_expression_is_rendered_so_that_it_comes_out_again() {
    let host = Memory::new();
    let source = Source::new("m.yaml", r#"{name: "/bin/echo {{ Data.evil }}", command: "{{ Data.evil }}"}"#);
    let data = json::parse(r#"{"evil": "${ 1 + 1 } \"q\"\n"}"#).unwrap();
    let world = World::new(Value::Map(Map::new()), data, Map::new());
    let render = |source: &Source| {
        let document = yaml::read(source, &Limits::default()).unwrap();
        let reading = Reading::new(source, Env::new(&world, &host), true);
        let place = (None, source.at(Span::default()));
        Resource::read(Type::Exec, place, document.root(), None, &reading).unwrap()
    };
    let first = render(&source);
    assert_eq!(&*first.common.name, "/bin/echo ${ 1 + 1 } \"q\"\n");
    let again = render(&Source::new("again.yaml", json_of(&first)));
    assert_eq!((&again.common.name, json_of(&again)), (&first.common.name, json_of(&first)));
}
