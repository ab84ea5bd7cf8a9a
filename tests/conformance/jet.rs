//! `jet.jsonl`: templates, and what comes of them.

use ccm_core::error::{Error, JetFault, Kind, RenderFault};
use ccm_core::jet::{Delimiters, Template};
use ccm_core::names::{Fuel, Functions, Scope, Signature};
use ccm_core::span::Source;
use ccm_core::value::{Map, Shape, Value, lookup};
use serde_json::Value as Json;

use crate::data::value;
use crate::{Case, Folder, each};

pub fn run(folder: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    let files = folder.json("jet_files.json");
    each(cases, |case| check(case, &files))
}

fn check(case: &Case, files: &Json) -> Result<(), String> {
    let json = &case.json;
    let wanted = case.deviation.as_ref().unwrap_or(json);
    let got = render(json, files);
    if json["any"].as_bool() == Some(true) {
        return Ok(());
    }
    match (&got, wanted["error_kind"].as_str()) {
        (Err((stage, kind, error)), Some(expected)) => {
            let stage_holds = wanted["error_stage"] == "any" || wanted["error_stage"] == *stage;
            if stage_holds && (expected == "any" || expected == *kind) {
                return Ok(());
            }
            Err(format!("{stage} {kind} ({error}), wanted {} {expected}", wanted["error_stage"]))
        }
        (Ok(out), Some(expected)) => Err(format!("printed {out:?}, wanted error {expected}")),
        (Ok(out), None) => {
            let any = wanted["any_of"].as_array().is_some_and(|any| any.iter().any(|one| one == out));
            if any || wanted["out"] == *out {
                Ok(())
            } else {
                Err(format!("printed {out:?}, wanted {}", wanted["out"]))
            }
        }
        (Err((stage, kind, error)), None) if wanted.get("out_b64").is_some() => {
            // Output that is no UTF-8 is refused, as decided.
            if *kind == "index_error" { Ok(()) } else { Err(format!("{stage} {kind} ({error})")) }
        }
        (Err((stage, kind, error)), None) => Err(format!("{stage} {kind} ({error}), wanted {}", wanted["out"])),
    }
}

type Fault = (&'static str, &'static str, String);

fn render(json: &Json, files: &Json) -> Result<String, Fault> {
    let data = value(&json["data"], false);
    let facts = value(&json["facts"], false);
    let environ = match value(&json["environ"], false) {
        Value::Map(map) => Value::Map(map.shaped(Shape::Texts)),
        _ => Value::Map(Map::new().shaped(Shape::Texts)),
    };
    let variables = [("Data", data), ("Facts", facts), ("Environ", environ)];
    let functions = Host { variables: &variables, files };
    let delimiters = match json["delims"].as_array() {
        Some(pair) => Delimiters::new(pair[0].as_str().unwrap(), pair[1].as_str().unwrap()),
        None => Delimiters::default(),
    };
    let text = json["template"].as_str().unwrap();
    let (text, name) = match text.strip_suffix(".jet") {
        Some(_) => match files[text].as_str() {
            Some(found) => (found, text),
            None => return Err(("exec", "file_error", "no such file".to_owned())),
        },
        None => (text, ""),
    };
    let source = Source::new(name, text);
    let template = Template::parse(&source, &delimiters).map_err(|error| fault("parse", &error))?;
    let fuel = Fuel::new();
    let scope = Scope { variables: &variables, functions: &functions, fuel: &fuel };
    template.render(&scope).map_err(|error| fault("exec", &error))
}

fn fault(stage: &'static str, error: &Error) -> Fault {
    let kind = match error.kind() {
        Kind::Jet(fault) => match fault {
            JetFault::UnclosedAction => "unclosed_action",
            JetFault::UnclosedComment => "unclosed_comment",
            JetFault::UnexpectedToken(..) => "unexpected_token",
            JetFault::UnexpectedKeyword(..) => "unexpected_keyword",
            JetFault::UnexpectedEnd => "unexpected_eof",
            JetFault::UnexpectedControl(_) => "unexpected_control",
            JetFault::BadNumber(_) => "bad_number",
            JetFault::BadString(_) => "bad_string",
            JetFault::BadAssignment(_) => "bad_assignment",
            JetFault::NotAtStart(_) => "not_at_start",
            JetFault::NoTemplate(_) => "template_not_found",
            JetFault::UnknownIdentifier { .. } => "unknown_identifier",
            JetFault::NoSuchField { .. } => "no_such_field",
            JetFault::Index(_) => "index_error",
            JetFault::Type(_) => "type_error",
            JetFault::BadArguments(_) => "bad_arguments",
            JetFault::DivisionByZero => "division_by_zero",
            JetFault::Range(_) => "range_error",
            JetFault::NotFunction(_) => "not_function",
            JetFault::InvalidValue(_) => "invalid_value",
            JetFault::MissingParameter(_) => "missing_parameter",
            JetFault::UnresolvedBlock(_) => "unresolved_block",
            JetFault::WriterNotLast => "writer_not_last",
            JetFault::Other(_) => "other",
        },
        Kind::Render(RenderFault::LookupMissing { .. }) => "lookup_missing",
        Kind::Render(RenderFault::Unavailable { .. }) => "function_unavailable",
        Kind::Invalid(text) if text == "nested" => "nested_template",
        Kind::Limit(_) => "limit",
        _ => "unknown",
    };
    assert!(!error.sites().is_empty(), "an error without a place: {error}");
    (stage, kind, error.to_string())
}

/// The functions of the resolver, on the data of one case.
struct Host<'a> {
    variables: &'a [(&'a str, Value)],
    files: &'a Json,
}

impl Functions for Host<'_> {
    fn signatures(&self) -> &[Signature] {
        const fn of(name: &'static str, least: u8, most: u8) -> Signature {
            Signature::any(name, least, most)
        }
        const ALL: &[Signature] = &[
            of("lookup", 1, 2),
            of("file", 1, 1),
            of("readFile", 1, 1),
            of("template", 1, 1),
            of("jet", 1, 3),
            of("kvGet", 2, 2),
            of("registrations", 4, 4),
        ];
        ALL
    }

    fn call(&self, name: &str, arguments: &[Value], fuel: &Fuel) -> ccm_core::Result<Value> {
        let _level = fuel.enter()?;
        let text = arguments[0].as_text().unwrap();
        match name {
            "lookup" => {
                let roots: Map =
                    self.variables.iter().map(|(name, value)| (name.to_lowercase().into(), value.clone())).collect();
                match (lookup::within(&Value::Map(roots), text)?, arguments.get(1)) {
                    (Some(found), _) => Ok(found),
                    (None, Some(default)) if !matches!(default, Value::Null) => Ok(default.clone()),
                    (None, _) => Err(Kind::Render(RenderFault::LookupMissing { path: text.to_owned() }).into()),
                }
            }
            "file" | "readFile" => {
                Ok(self.files[text.trim_start_matches("./").replace("sub/../", "")].as_str().unwrap().into())
            }
            "template" => self.template(text),
            _ => Err(Kind::Render(RenderFault::Unavailable { function: "kvGet" }).into()),
        }
    }
}

impl Host<'_> {
    /// As much of templates as the cases call: a file, plain text, one expression that is a path.
    fn template(&self, text: &str) -> ccm_core::Result<Value> {
        if let Some(name) =
            text.strip_suffix(".jet").map(|_| text).or_else(|| text.strip_suffix(".templ").map(|_| text))
        {
            let inner = self.files[name].as_str().unwrap();
            let source =
                Source::new(name, inner.replace("{{", "[[").replace("}}", "]]").replace("[[ .data.", "[[ Data."));
            let template = Template::parse(&source, &Delimiters::default())?;
            let fuel = Fuel::new();
            let scope = Scope { variables: self.variables, functions: self, fuel: &fuel };
            return template.render(&scope).map(Value::from);
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("{{").or_else(|| rest.find("${")) {
            out += &rest[..at];
            let close = if rest[at..].starts_with("{{") { "}}" } else { "}" };
            let end = rest[at..].find(close).unwrap() + at;
            let path = rest[at + 2..end].trim();
            let Some(path) = path.strip_prefix("Data.") else { return Err(Error::invalid("nested")) };
            let data = self.variables[0].1.as_map().unwrap().get(path).unwrap();
            out += &data.to_string();
            rest = &rest[end + close.len()..];
        }
        Ok((out + rest).into())
    }
}
