//! The bill of materials: every package in the binary, as CycloneDX.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::Release;
use crate::shell;

/// What cargo says is linked into `ccm`.
pub fn cyclonedx(release: &Release) -> Result<String, String> {
    let mut cargo = shell::cargo();
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-musl"]);
    let metadata: Json = serde_json::from_str(&shell::output(&mut cargo)?).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let nodes = metadata["resolve"]["nodes"].as_array().ok_or("cargo metadata resolves nothing")?;
    let root = packages.iter().find(|package| package["name"] == "ccm").ok_or("no package ccm")?;
    let mut linked = BTreeSet::new();
    let mut todo = vec![root["id"].as_str().unwrap_or_default()];
    while let Some(id) = todo.pop() {
        if !linked.insert(id) {
            continue;
        }
        let Some(node) = nodes.iter().find(|node| node["id"] == id) else { continue };
        for dependency in node["deps"].as_array().into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array().map_or(&[][..], Vec::as_slice);
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                todo.extend(dependency["pkg"].as_str());
            }
        }
    }
    let components: Vec<Json> = packages
        .iter()
        .filter(|package| package["id"] != root["id"] && package["id"].as_str().is_some_and(|id| linked.contains(id)))
        .map(|package| {
            let (name, version) = (text(&package["name"]), text(&package["version"]));
            json!({
                "type": "library",
                "name": name,
                "version": version,
                "purl": format!("pkg:cargo/{name}@{version}"),
                "licenses": [{ "expression": text(&package["license"]) }],
            })
        })
        .collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "ccm", "version": release.version } },
        "components": components,
    });
    serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn text(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}
