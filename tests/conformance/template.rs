//! Templates in text: whole texts, typed texts, levels of a hierarchy, trees, and fields of resources.

use ccm_core::render::{Env, Field, Template};
use ccm_core::value::{Map, Text, Value};
use ccm_core::{Error, Result as Outcome};
use serde_json::Value as Json;

use crate::envs::Envs;
use crate::typed::{self, Loose};
use crate::{Case, Folder, each};

pub fn run(folder: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    let envs = Envs::load(folder, &[]);
    each(cases, |case| check(&envs, case))
}

fn check(envs: &Envs, case: &Case) -> Result<(), String> {
    let json = &case.json;
    let wanted = case.deviation.as_ref().unwrap_or(json);
    let named = envs.named(json["env"].as_str().unwrap());
    let env = named.env();
    let mut matched = None;
    let ours = match json["mode"].as_str().unwrap() {
        "typed" => env.typed(&template(json)),
        "string" => env.text(&template(json)).map(Value::from),
        "match" => env.matched(&template(json), &ccm_core::names::Fuel::new()).map(|(text, counts)| {
            matched = Some(counts);
            Value::from(text)
        }),
        "expand" => env.expand(&typed::decode(&json["value"]).expect("a value")),
        "field" => field(&env, json),
        mode => return Err(format!("mode {mode}")),
    };
    if wanted["any"] == true {
        return Ok(());
    }
    let shown = || if json["template"].is_string() { &json["template"] } else { &json["value"] };
    match (ours, wanted["out"].is_null()) {
        (Ok(value), false) => {
            if !typed::same(&wanted["out"], &value, Loose::of(wanted)) {
                return Err(format!("{}: {value:?} for {}", shown(), wanted["out"]));
            }
            if matched.is_some() && wanted["matched"].as_bool() != matched {
                return Err(format!("{}: matched {matched:?} for {}", shown(), wanted["matched"]));
            }
            Ok(())
        }
        (Err(fault), true) => position(&fault, &wanted["error"]).map_err(|problem| format!("{}: {problem}", shown())),
        (Ok(value), true) => Err(format!("{}: {value:?} for {}", shown(), wanted["error"])),
        (Err(fault), false) => Err(format!("{}: {fault} for {}", shown(), wanted["out"])),
    }
}

/// Where a fault has a place in the vector, ours has the same.
fn position(fault: &Error, wanted: &Json) -> Result<(), String> {
    let (Some(line), Some(column)) = (wanted["line"].as_u64(), wanted["col"].as_u64()) else { return Ok(()) };
    match fault.sites().first().map(|site| site.position()) {
        Some(at) if (u64::from(at.line), u64::from(at.column)) == (line, column) => Ok(()),
        at => Err(format!("{fault} at {at:?}, wanted {line}:{column}")),
    }
}

fn template(json: &Json) -> String {
    match json["template"].as_str() {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(&typed::unhex(json["template_hex"].as_str().unwrap()).unwrap()).into_owned(),
    }
}

fn field(env: &Env<'_>, json: &Json) -> Outcome<Value> {
    let value = typed::decode(&json["value"]).expect("a value");
    let second = json["deferred"] == true;
    let strict = |text: &str| env.strict_text(text).map(Value::from);
    match (json["shape"].as_str().unwrap(), &value) {
        ("skipped", _) => Ok(value),
        ("deferred", Value::Text(text)) if second => {
            let field = Field::Deferred(Template { text: text.clone(), site: None });
            field.resolve(env).map(Value::Text)
        }
        ("deferred", _) => Ok(value),
        ("string-second-pass", _) if second => Ok(value),
        ("nested-struct", Value::Text(text)) => Ok(Value::list(vec![strict(text)?, strict(text)?])),
        ("string" | "any" | "string-second-pass", Value::Text(text)) => strict(text),
        ("string-list", Value::List(items)) => texts(env, items),
        ("any-list" | "any-list-flat", Value::List(items)) => env.items(items).map(Value::list),
        ("any-list-in-any" | "any-map-in-any", value) => env.property(value),
        ("any-map" | "any-map-flat" | "any-map-nested" | "any-map-list", Value::Map(map)) => {
            env.expand_members(map).map(Value::Map)
        }
        ("string-map", Value::Map(map)) => members(map, |key| Ok(key.clone()), strict),
        ("string-map-keys", Value::Map(map)) => {
            let texts = map.iter().map(|(key, text)| (&**key, text.as_text().expect("text")));
            let texts = env.keyed_texts(texts)?.into_iter().map(|(key, text)| (key, Value::Text(text)));
            Ok(Value::Map(texts.collect()))
        }
        ("any-map-keys", Value::Map(map)) => env.keyed_members(map).map(Value::Map),
        ("list-map", Value::Map(map)) => map
            .iter()
            .map(|(key, list)| {
                let texts = list.as_list().unwrap().iter().map(|item| env.only_text(item.as_text().unwrap()));
                Ok((key.clone(), Value::list(texts.map(|text| text.map(Value::Text)).collect::<Outcome<_>>()?)))
            })
            .collect::<Outcome<Map>>()
            .map(Value::Map),
        ("map-list", Value::List(items)) => {
            let maps = items.iter().map(|item| env.expand_members(item.as_map().unwrap()).map(Value::Map));
            maps.collect::<Outcome<_>>().map(Value::list)
        }
        ("string-map-list", Value::List(items)) => {
            let maps = items.iter().map(|item| members(item.as_map().unwrap(), |key| Ok(key.clone()), strict));
            maps.collect::<Outcome<_>>().map(Value::list)
        }
        (shape, value) => panic!("shape {shape} of {value:?}"),
    }
}

fn texts(env: &Env<'_>, items: &[Value]) -> Outcome<Value> {
    let texts = env.texts(items.iter().map(|item| item.as_text().expect("text")))?;
    Ok(Value::list(texts.into_iter().map(Value::from).collect()))
}

fn members(map: &Map, key: impl Fn(&Text) -> Outcome<Text>, value: impl Fn(&str) -> Outcome<Value>) -> Outcome<Value> {
    let members = map.iter().map(|(name, member)| Ok((key(name)?, value(member.as_text().expect("text"))?)));
    members.collect::<Outcome<Map>>().map(Value::Map)
}
