//! The `lookup` function over environments.

use ccm_core::names::{Fuel, Functions};
use ccm_core::value::Value;

use crate::envs::Envs;
use crate::typed::{self, Loose};
use crate::{Case, Folder, each};

pub fn run(folder: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    let envs = Envs::load(folder, &["lookup-envs.jsonl"]);
    each(cases, |case| check(&envs, case))
}

fn check(envs: &Envs, case: &Case) -> Result<(), String> {
    let json = &case.json;
    let wanted = case.deviation.as_ref().unwrap_or(json);
    let named = envs.named(json["env"].as_str().unwrap());
    let env = named.env();
    let path = json["path"].as_str().unwrap();
    let mut arguments = vec![Value::from(path)];
    if let Some(default) = json["default"].as_str() {
        arguments.push(
            literal(default)
                .map_or_else(|| env.evaluate(default).map_err(|fault| format!("default {default}: {fault}")), Ok)?,
        );
    }
    let ours = env.call("lookup", &arguments, &Fuel::new());
    if wanted["any"] == true {
        return Ok(());
    }
    match (ours, wanted["out"].is_null()) {
        (Ok(value), false) => {
            if !typed::same(&wanted["out"], &value, Loose::of(wanted)) {
                return Err(format!("{path:?}: {value:?} for {}", wanted["out"]));
            }
            let shown = wanted["out"]["text"].as_str();
            match shown {
                Some(text) if text != value.to_string() && wanted["loose_numbers"] != true => {
                    Err(format!("{path:?} prints {value} for {text}"))
                }
                _ => Ok(()),
            }
        }
        (Err(_), true) => Ok(()),
        (Ok(value), true) => Err(format!("{path:?}: {value:?} for {}", wanted["error"])),
        (Err(fault), false) => Err(format!("{path:?}: {fault} for {}", wanted["out"])),
    }
}

/// Defaults that need no expression language.
fn literal(text: &str) -> Option<Value> {
    match text {
        "nil" => Some(Value::Null),
        "true" => Some(Value::from(true)),
        "false" => Some(Value::from(false)),
        _ => text
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .map(Value::from)
            .or_else(|| text.parse::<i64>().ok().map(Value::from)),
    }
}
