//! `yaml.jsonl`: what a document means, or that it is refused.

use ccm_core::Value;
use ccm_core::span::Source;
use ccm_core::yaml::{self, Limits};

use crate::{Case, Folder, data, each};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| {
        let expect = case.deviation.as_ref().unwrap_or(&case.json["expect"]);
        let read = text(case).and_then(|text| {
            let document = yaml::read(&Source::new("vector.yaml", text), &Limits::default());
            document.map(|document| document.root().to_value()).map_err(|error| error.to_string())
        });
        match read {
            _ if expect["any"] == true => Ok(()),
            Err(_) if expect["error"] == true => Ok(()),
            Ok(value) if expect["error"] == true => Err(format!("read as {value:?}, must be refused")),
            Ok(value) => data::compare(&value, &expect["value"]).and_then(|()| reads_back(&value)),
            Err(error) => Err(format!("{error}, must be {}", expect["value"])),
        }
    })
}

/// What is written means the same when it is read. (An integral float is written as the reference prints
/// it, as an integer.)
fn reads_back(value: &Value) -> Result<(), String> {
    let text = yaml::write(value).map_err(|error| error.to_string())?;
    let document = yaml::read(&Source::new("again.yaml", &*text), &Limits::default());
    let again = document.map_err(|error| format!("{error}, written as {text}"))?.root().to_value();
    let same = *value == again || format!("{value:?}") == format!("{again:?}");
    if same { Ok(()) } else { Err(format!("{value:?} became {again:?}, written as {text}")) }
}

fn text(case: &Case) -> Result<String, String> {
    if let Some(text) = case.json["yaml"].as_str() {
        return Ok(text.to_owned());
    }
    let encoded = case.json["yaml_b64"].as_str().expect("yaml or yaml_b64");
    let bytes = <base64ct::Base64 as base64ct::Encoding>::decode_vec(encoded).expect("base64");
    String::from_utf8(bytes).map_err(|error| error.to_string())
}
