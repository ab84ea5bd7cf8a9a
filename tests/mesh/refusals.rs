//! `templates.jsonl`: templates that must be refused, each with its position and field, and templates that must not.

use ccm_core::error::{GotmplFault as Fault, Kind};
use ccm_core::gotmpl::{Options, Template};
use ccm_core::roster::view::SHAPE;
use ccm_core::span::Source;
use serde_json::Value as Json;

#[test]
fn a_template_is_refused_where_it_asks_for_what_the_view_lacks_and_nowhere_else() {
    let (mut refused, mut accepted, mut wrong) = (0, 0, Vec::new());
    for line in include_str!("templates.jsonl").lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        let source = Source::anonymous(row["template"].as_str().unwrap());
        let faults = match Template::parse(&source, &Options::default()) {
            Ok(template) => template.check(&SHAPE),
            Err(fault) => vec![fault],
        };
        let shown = || faults.iter().map(ToString::to_string).collect::<Vec<_>>();
        if row["kind"].is_null() {
            accepted += 1;
            if !faults.is_empty() {
                wrong.push(format!("{}: refused: {:?}", row["id"], shown()));
            }
            continue;
        }
        refused += 1;
        let [fault] = &*faults else {
            wrong.push(format!("{}: {:?}", row["id"], shown()));
            continue;
        };
        let position = fault.sites()[0].position();
        let (kind, field) = match fault.kind() {
            Kind::Gotmpl(Fault::UnknownField { field, .. }) => ("unknown_field", field.as_str()),
            Kind::Gotmpl(Fault::CannotIterate(_)) => ("cannot_iterate", ""),
            Kind::Gotmpl(Fault::NoTemplate { .. }) => ("no_template", ""),
            _ => ("any", ""),
        };
        let place = |name: &str, given: u32| row[name].is_null() || row[name] == given;
        let same = place("line", position.line) && place("column", position.column) && row["kind"] == kind;
        if !same || row["field"].as_str().unwrap_or("") != field {
            wrong.push(format!("{row}: {:?}", shown()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused >= 60 && accepted >= 30, "{refused} refused, {accepted} accepted");
}

#[test]
fn one_bad_fact_refuses_the_whole_composition() {
    let bad = "facts:\n  a: {path: /etc/a, template: \"{{ if false }}{{ .Nope }}{{ end }}\"}\n";
    let faults = super::mesh(&super::machines(3, "network"), &[("bad", bad)]).unwrap_err();
    assert_eq!(
        faults[0].to_string(),
        "module bad: fact a: unknown field Nope of mesh.View, did you mean Node? It has Node, Suffix, Names, Machines (bad.yaml:2:49)"
    );
}

#[test]
fn what_only_some_mesh_shows_is_refused_too() {
    let fault = |template: &str| {
        let module = format!("facts: {{a: {{path: /etc/a, template: '{template}'}}}}");
        super::mesh(&super::machines(3, "m"), &[("m", &module)]).unwrap_err()[0].to_string()
    };
    assert!(fault("{{ (index .Machines 0).Name }}").starts_with("module m: fact a: against an empty mesh: "));
    assert!(
        fault("{{ if .Machines }}{{ (index .Machines 1).Name }}{{ end }}").contains("against a mesh of one machine")
    );
    assert!(fault("{{ if eq .Node \"node001\" }}{{ index .Machines 9 }}{{ end }}").contains("for node001"));
}

#[test]
fn a_whole_file_has_one_owner_on_a_machine() {
    let (a, b) =
        ("facts: {x: {path: /etc/hosts, template: x}}", "facts: {x: {path: /etc/x, shared: true, template: x}}");
    let faults = super::mesh(&super::machines(2, "network, a, b, b2"), &[("a", a), ("b", b), ("b2", b)]).unwrap_err();
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["network/node-names and a/x both want /etc/hosts, and a whole file has one owner (on node000) (a.yaml:1:9)"]
    );
}

#[test]
fn an_unknown_module_is_refused_with_its_line() {
    let faults = super::mesh(&super::machines(1, "netwrok"), &[]).unwrap_err();
    assert_eq!(
        faults[0].to_string(),
        "machine node000 runs the unknown module netwrok, did you mean network? (mesh.yaml:3:43)"
    );
}
