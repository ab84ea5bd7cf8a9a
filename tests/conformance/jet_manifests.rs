//! `jet_manifests.jsonl`: manifests whose resources a jet template lists, through `ccm apply --render`.

use ccm_core::engine::{Mode, Plan, Rendered, Run, Session};
use ccm_core::host::memory::Memory;
use ccm_core::manifest::{Document, Inputs, Manifest, Unknown};
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::value::{Map, json};
use ccm_core::{Result, hiera, yaml};

use crate::{Case, Folder, each};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<std::result::Result<(), String>> {
    each(cases, check)
}

fn check(case: &Case) -> std::result::Result<(), String> {
    let wanted = case.deviation.as_ref().unwrap_or(&case.json);
    let got = rendered(case);
    if case.json["any"].as_bool() == Some(true) {
        return Ok(());
    }
    match (got, wanted["rendered"].as_str()) {
        (Ok(text), Some(rendered)) if text == rendered => Ok(()),
        (Err(_), None) if wanted["exit_code"] == 1 => Ok(()),
        (Ok(text), _) => Err(format!("rendered {text:?}, wanted {wanted}")),
        (Err(error), _) => Err(format!("{error}, wanted {wanted}")),
    }
}

fn rendered(case: &Case) -> Result<String> {
    let text = |key: &str| case.json[key].as_str().unwrap_or_default().to_owned();
    let mut host = Memory::new();
    let mut place = |name: &str, content: &str| host.place_file(&format!("/m/{name}"), content);
    if let Some(name) = case.json["resources_jet_file"]["name"].as_str() {
        place(name, case.json["resources_jet_file"]["content"].as_str().unwrap_or_default());
    }
    for (name, content) in case.json["files"].as_object().into_iter().flatten() {
        place(name, content.as_str().unwrap_or_default());
    }
    let facts = json::parse(&case.json["facts"].to_string())?;
    let overlay = match case.json["hiera"].as_str() {
        Some(over) => {
            let world = World::sandbox(facts.clone());
            let document = hiera::Document::read(&Source::new("h.yaml", over))?;
            Some(document.resolve(&Env::confined(&world), &hiera::Options::default())?)
        }
        None => None,
    };
    let run = Run {
        mode: Mode::default(),
        facts,
        environ: Map::new(),
        overlay: None,
        unknown: Unknown::Refuse,
        chain: Vec::new(),
        within: None,
    };
    let document = Document::read(&Source::new("manifest.yaml", text("manifest")), run.unknown)?;
    let inputs = Inputs {
        facts: &run.facts,
        environ: &run.environ,
        directory: "/m",
        given: None,
        overlay: overlay.as_ref(),
        host: &host,
    };
    let manifest = Manifest::resolve(document, &inputs)?;
    let plan = Plan::of(manifest, &run, &host, &Session::memory(&host))?;
    // Standard output to the byte: the command ends it with an empty line.
    yaml::write(&Rendered(&plan)).map(|text| text + "\n").map_err(|error| ccm_core::Error::invalid(error.to_string()))
}
