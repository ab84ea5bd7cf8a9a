//! `expr.jsonl`: an expression and an environment to a value, or to a fault with its stage, kind and place.
//!
//! Three tiers: the outcome (a value, or a fault at all) must hold in every case; stage and kind in 99 of 100,
//! line and column in 95 of 100 of those faults that say them.

use std::cell::Cell;

use ccm_core::Error;
use ccm_core::error::{Kind, RenderFault};
use ccm_core::expr::{Program, Val, reprint, same_tree};
use ccm_core::names::Fuel;
use ccm_core::span::Source;
use ccm_core::text::time::layout;
use ccm_core::value::Value;
use serde_json::Value as Json;

use crate::envs::Envs;
use crate::typed::{self, Loose};
use crate::{Case, Folder, each};

const LAYOUT: &str = "2006-01-02T15:04:05.999999999Z07:00";

#[derive(Default)]
struct Tier {
    held: Cell<usize>,
    asked: Cell<usize>,
}

impl Tier {
    fn count(&self, holds: bool) {
        self.asked.set(self.asked.get() + 1);
        self.held.set(self.held.get() + usize::from(holds));
    }

    fn says(&self, name: &str, least: f64) -> Option<String> {
        let (held, asked) = (self.held.get(), self.asked.get());
        println!("expr: {name} of {held} of {asked} faults ({:.2} %)", 100.0 * held as f64 / asked.max(1) as f64);
        ((held as f64) < least * asked as f64).then(|| format!("{name}: {held} of {asked} is too few"))
    }
}

pub fn run(folder: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    let envs = Envs::load(folder, &[]);
    let (kinds, places) = (Tier::default(), Tier::default());
    let mut outcomes = each(cases, |case| check(&envs, case, &kinds, &places));
    let faults = [kinds.says("stage and kind", 0.99), places.says("line and column", 0.95)];
    for fault in faults.into_iter().flatten() {
        if let Some(last) = outcomes.last_mut() {
            *last = Err(fault);
        }
    }
    outcomes
}

fn check(envs: &Envs, case: &Case, kinds: &Tier, places: &Tier) -> Result<(), String> {
    let named = envs.named(case.json["env"].as_str().expect("env"));
    let text = match case.json["expr"].as_str() {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(&typed::unhex(case.json["expr_hex"].as_str().expect("expr")).expect("hex"))
            .into_owned(),
    };
    let fuel = Fuel::new();
    let env = named.env();
    let scope = env.scope(&fuel);
    let source = Source::anonymous(text.as_str());
    if let Ok(printed) = reprint(&source)
        && !matches!(same_tree(&source, &Source::anonymous(printed.as_str())), Ok(true))
    {
        return Err(format!("{text}\n  is printed as another tree: {printed}"));
    }
    let demanded = case.json["expect"] == "bool";
    let compiled = if demanded { Program::compile_bool(&source, &scope) } else { Program::compile(&source, &scope) };
    let stage = if compiled.is_err() { "compile" } else { "run" };
    let ours = compiled.and_then(|program| match demanded {
        true => program.evaluate_bool(&scope).map(Val::from),
        false => program.evaluate(&scope),
    });
    let wanted = case.deviation.as_ref().unwrap_or(&case.json);
    if wanted["any"] == true || wanted["arch"] == true {
        return Ok(());
    }
    match (wanted.get("error").filter(|error| error.is_object()), ours) {
        (None, Ok(ours)) => {
            let out = &wanted["out"];
            if !same(out, &ours, Loose::of(wanted)) {
                return Err(format!("{text}\n  want {out}\n  got  {ours:?}"));
            }
            match (out["text"].as_str(), ours.to_string()) {
                (Some(wanted), ours) if wanted != ours && case.json["ulp"].is_null() => {
                    Err(format!("{text}\n  want text {wanted}\n  got  text {ours}"))
                }
                _ => Ok(()),
            }
        }
        (None, Err(error)) => Err(format!("{text}\n  want {}\n  got  {stage} {error}", wanted["out"])),
        (Some(error), Ok(ours)) => Err(format!("{text}\n  want {error}\n  got  {ours:?}")),
        (Some(wanted), Err(error)) => {
            tiers(&text, wanted, stage, &error, kinds, places);
            Ok(())
        }
    }
}

fn tiers(text: &str, wanted: &Json, stage: &str, error: &Error, kinds: &Tier, places: &Tier) {
    let verbose = std::env::var_os("CCM_TIERS").is_some();
    if let Some(kind) = wanted["kind"].as_str() {
        let holds = wanted["stage"] == stage && class(kind) == class(code(error));
        kinds.count(holds);
        if verbose && !holds {
            println!("KIND {text}: want {wanted}, got {stage} {} ({error})", code(error));
        }
    }
    if let (Some(line), Some(column)) = (wanted["line"].as_u64(), wanted["col"].as_u64()) {
        let place = error.sites().first().map(|site| site.position());
        let holds = place.is_some_and(|at| (u64::from(at.line), u64::from(at.column)) == (line, column));
        places.count(holds);
        if verbose && !holds {
            println!("PLACE {text}: want {wanted}, got {error}");
        }
    }
}

/// The five dynamic kinds count as one.
fn class(kind: &str) -> &str {
    match kind {
        "wrong_dynamic_type" | "operand_type" | "arg_type" | "conversion" | "fetch" => "dynamic",
        kind => kind,
    }
}

/// The kind of a fault as the vectors name it.
fn code(error: &Error) -> &'static str {
    let within = |part: &str| error.contexts().iter().any(|context| context.contains(part));
    match error.kind() {
        _ if within("template") && !matches!(error.kind(), Kind::System(_)) => "nested_compile",
        Kind::Expr(fault) => fault.code(),
        Kind::Render(RenderFault::LookupMissing { .. }) => "lookup_missing",
        Kind::Render(RenderFault::ArgumentCount { .. }) => "arg_count",
        Kind::Render(RenderFault::ArgumentKind { .. }) => "arg_type",
        Kind::Render(RenderFault::Unavailable { .. }) => "function_unavailable",
        Kind::System(_) => "file_read",
        _ => "other",
    }
}

fn same(wanted: &Json, ours: &Val, loose: Loose) -> bool {
    let kind = wanted["type"].as_str().unwrap_or_default();
    let text = || wanted["value"].as_str().unwrap_or_default();
    let list = || wanted["value"].as_array().map(Vec::as_slice).unwrap_or_default();
    match (kind, ours) {
        ("env", Val::Env) | ("func", Val::Method(_)) => true,
        ("bytes", Val::Bytes(bytes)) => {
            typed::unhex(wanted["hex"].as_str().unwrap_or_default()).as_deref() == Some(bytes)
        }
        ("duration", Val::Duration(nanos)) => text() == nanos.to_string(),
        ("month", Val::Month(number)) | ("weekday", Val::Weekday(number)) => text() == number.to_string(),
        ("location", Val::Zone(zone)) => text() == zone.name(),
        ("time", Val::Time(moment)) => {
            let local = moment.zone.at(moment.at.seconds);
            layout::format(moment, LAYOUT) == text()
                && wanted["offset"].as_i64() == Some(i64::from(local.offset))
                && wanted["zone"].as_str() == Some(local.abbreviation)
        }
        ("array", _) if wanted["null"] == true => {
            matches!(ours, Val::Plain(Value::Null)) || ours.items().is_some_and(|items| items.is_empty())
        }
        ("array", Val::Bytes(_) | Val::List(_) | Val::Range(..)) => {
            let items = ours.items().into_iter().flat_map(|items| items.iter());
            let items: Vec<Val> = items.collect();
            items.len() == list().len() && list().iter().zip(&items).all(|(wanted, ours)| same(wanted, ours, loose))
        }
        ("array", Val::Plain(Value::List(items))) => {
            items.len() == list().len()
                && list().iter().zip(items.iter()).all(|(wanted, ours)| same(wanted, &Val::Plain(ours.clone()), loose))
        }
        ("map", Val::Plain(Value::Map(map))) => pairs(
            list(),
            map.iter().map(|(key, value)| (Val::Plain(Value::Text(key.clone())), Val::Plain(value.clone()))).collect(),
            loose,
        ),
        ("map", Val::Map(map)) => pairs(
            list(),
            map.iter().map(|(key, value)| (Val::Plain(Value::Text(key.clone())), value.clone())).collect(),
            loose,
        ),
        ("map", Val::Groups(groups)) => pairs(list(), groups.entries.clone(), loose),
        (_, Val::Plain(plain)) => typed::same(wanted, plain, loose),
        _ => false,
    }
}

/// Pairs in any order, each wanted one once.
fn pairs(wanted: &[Json], mut ours: Vec<(Val, Val)>, loose: Loose) -> bool {
    wanted.len() == ours.len()
        && wanted.iter().all(|pair| {
            let found = ours.iter().position(|(key, value)| same(&pair[0], key, loose) && same(&pair[1], value, loose));
            found.map(|at| ours.swap_remove(at)).is_some()
        })
}
