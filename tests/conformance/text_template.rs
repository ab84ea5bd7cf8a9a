//! `text_template.jsonl`: Go templates over the rosters of `text_template_rosters.json`.

use ccm_core::error::{GotmplFault as Fault, Kind};
use ccm_core::gotmpl::{Options, Template};
use ccm_core::names::{Fuel, NoFunctions};
use ccm_core::roster::view::{ENTRY, VIEW};
use ccm_core::span::Source;
use ccm_core::value::{Layout, Map, Shape, Value};
use serde_json::Value as Json;

use crate::{Case, Folder, each};

pub fn run(folder: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    let rosters = folder.json("text_template_rosters.json");
    each(cases, |case| check(case, &record(&rosters[case.json["data"].as_str().unwrap()], &VIEW)))
}

fn record(json: &Json, layout: &'static Layout) -> Value {
    let member = |json: &Json| match json {
        Json::Array(items) => items.iter().map(|item| record(item, &ENTRY)).collect::<Vec<_>>().into(),
        json => Value::from(json.as_str().expect("text")),
    };
    let map: Map = json.as_object().unwrap().iter().map(|(key, json)| (key.as_str().into(), member(json))).collect();
    map.shaped(Shape::Struct(layout)).into()
}

fn check(case: &Case, data: &Value) -> Result<(), String> {
    let wanted = case.deviation.as_ref().unwrap_or(&case.json);
    let source = Source::anonymous(case.json["template"].as_str().unwrap());
    let options = Options { name: "t", ..Options::default() };
    let answer =
        Template::parse(&source, &options).and_then(|template| template.render_bytes(data, &NoFunctions, &Fuel::new()));
    let given = match &answer {
        Ok(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Err(error) => format!("{:?} ({error})", named(error.kind())),
    };
    let same = match (&answer, &wanted["error"]) {
        (Ok(bytes), Json::Null) => *bytes == output(wanted),
        (Err(error), Json::Object(fault)) => {
            let (stage, kind) = named(error.kind());
            let any = |name: &str, given: &str| fault[name] == given || fault[name] == "any";
            any("stage", stage) && any("kind", kind)
        }
        _ => false,
    };
    let shown = if wanted["error"].is_null() { &wanted["out"] } else { &wanted["error"] };
    if same { Ok(()) } else { Err(format!("{} gave {given}, not {shown}", case.json["template"])) }
}

fn output(wanted: &Json) -> Vec<u8> {
    match (wanted["out"].as_str(), wanted["out_b64"].as_str()) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (_, Some(coded)) => crate::text_template::base64(coded),
        _ => panic!("neither out nor out_b64"),
    }
}

/// Bytes of base64 text.
pub fn base64(coded: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in coded.bytes().filter(|&byte| byte != b'=') {
        held = held << 6 | u32::from(digit(byte));
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    bytes
}

/// Stage and kind as the vectors name them.
fn named(kind: &Kind) -> (&'static str, &'static str) {
    let Kind::Gotmpl(fault) = kind else { return ("limit", "limit") };
    let name = match fault {
        Fault::UnclosedAction => "unclosed_action",
        Fault::UnclosedComment(_) => "unclosed_comment",
        Fault::UnterminatedLiteral(_) => "unterminated_literal",
        Fault::BadLiteral(_) => "bad_literal",
        Fault::UnknownFunction { .. } => "unknown_function",
        Fault::UndefinedVariable(_) | Fault::UndeclaredVariable(_) => "undefined_variable",
        Fault::UnexpectedToken { .. } => "unexpected_token",
        Fault::UnexpectedControl(_) => "unexpected_control",
        Fault::UnexpectedEnd { .. } => "unexpected_eof",
        Fault::MissingValue(_) => "missing_value",
        Fault::NotACommand { .. } => "not_a_command",
        Fault::Redefinition(_) => "redefinition",
        Fault::UnknownField { .. } => "unknown_field",
        Fault::NilValue(_) => "nil_value",
        Fault::WrongType(_) => "wrong_type",
        Fault::NotFunction(_) => "not_function",
        Fault::ArgumentCount { .. } => "arg_count",
        Fault::MissingArgument(_) => "missing_argument",
        Fault::IndexRange(_) => "index_range",
        Fault::CannotIterate(_) => "cannot_iterate",
        Fault::IncompatibleTypes(..) => "incompatible_types",
        Fault::NotComparable(_) => "not_comparable",
        Fault::NoTemplate { .. } => "no_template",
        Fault::Overflow(_) => "overflow",
        Fault::NotText => "not_text",
    };
    (if fault.is_rendering() { "exec" } else { "parse" }, name)
}
