//! What is hammered: each reader and language, by its public face.

use std::sync::LazyLock;

use ccm_core::expr::{self, Program};
use ccm_core::names::{Fuel, NoFunctions, Scope};
use ccm_core::render::{Env, World};
use ccm_core::roster::view::SHAPE;
use ccm_core::roster::{Mesh, Module, Record};
use ccm_core::span::Source;
use ccm_core::text::pattern::Pattern;
use ccm_core::value::{Map, Value, json, lookup};
use ccm_core::{gotmpl, hiera, jet, manifest, yaml};
use serde_json::Value as Json;

pub struct Target {
    pub name: &'static str,
    pub corpus: fn() -> Vec<String>,
    /// Words of the language, woven in.
    pub words: &'static [&'static str],
    pub run: fn(&str),
}

pub const TARGETS: &[Target] = &[
    Target {
        name: "yaml",
        corpus: || texts("yaml", "yaml"),
        words: &[
            "- ",
            ": ",
            "&a ",
            "*a",
            "<<: ",
            "!!str ",
            "---\n",
            "? ",
            "|-\n",
            ">+2\n",
            "%YAML 1.2\n",
            "{",
            "[",
            "'",
            "\"\\x",
        ],
        run: |text| {
            let source = Source::new("f.yaml", text);
            if let Ok(document) = yaml::read(&source, &yaml::Limits::default()) {
                let _lowered = document.root().to_value();
            }
        },
    },
    Target {
        name: "json",
        corpus: || texts("gjson", "json"),
        words: &["{\"", "[", "\\ud800", "1e", "-", "null", ":", ",", "\\u", "true"],
        run: |text| drop(json::parse(text)),
    },
    Target {
        name: "expressions",
        corpus: || texts("expr", "expr"),
        words: &[
            "filter(",
            "map(",
            "#",
            "?.",
            "??",
            "..",
            "let x = ",
            ";",
            "not ",
            " in ",
            " matches ",
            "[1:",
            "(",
            "{a: ",
            "reduce(",
            "**",
            "| ",
            "date(",
            "\"\\u{",
            "sortBy(",
            "1..9",
            "repeat(\"x\", ",
            "-",
            "!",
        ],
        run: expression,
    },
    Target {
        name: "paths",
        corpus: || [texts("gjson", "path"), texts("lookup", "path")].concat(),
        words: &[
            "#(",
            ")#",
            "@this",
            "@pretty:{",
            "|",
            "..",
            "*",
            "?",
            "\\",
            "!",
            "{a,",
            "[",
            "#.",
            "@flatten:{\"deep\":true}",
            "~true",
        ],
        run: |text| drop(lookup::within(&DATA, text)),
    },
    Target {
        name: "jet",
        corpus: || texts("jet", "template"),
        words: &[
            "[[ ",
            " ]]",
            "[[- ",
            " -]]",
            "range i, v := ",
            "if ",
            "else",
            "end",
            "block b(x=1)",
            "yield b()",
            "{* ",
            " *}",
            "try",
            "catch",
            "(",
            " | ",
            "repeat(\"x\",",
        ],
        run: jet_template,
    },
    Target {
        name: "go templates",
        corpus: || texts("text_template", "template"),
        words: &[
            "{{",
            "}}",
            "{{- ",
            " -}}",
            "range ",
            "with ",
            "define \"x\"",
            "template \"x\" .",
            "block \"b\" .",
            "$x := ",
            "printf \"%d",
            "else",
            "end",
            "break",
            "(",
            ".Machines",
            "index ",
        ],
        run: |text| {
            let source = Source::new("f.templ", text);
            if let Ok(template) = gotmpl::Template::parse(&source, &gotmpl::Options::default()) {
                let _faults = template.check(&SHAPE);
                let _rendered = template.render_bytes(&DATA, &NoFunctions, &fuel());
            }
        },
    },
    Target {
        name: "fields",
        corpus: || texts("template", "template"),
        words: &["{{ ", " }}", "${ ", " }", "lookup('facts.", "')", "template(\"", "{{", "}}", "Facts.", "jet(\"[[ "],
        run: |text| {
            let world = World::new(DATA.clone(), DATA.clone(), Map::new());
            let env = Env::confined(&world);
            let _typed = env.typed(text);
            let _text = env.text(text);
            let _matched = env.matched(text, &Fuel::new());
        },
    },
    Target {
        name: "hiera",
        corpus: || texts("hiera", "yaml"),
        words: &[
            "# @require\n",
            "# @validate isIP(value)\n",
            "data:\n",
            "hierarchy:\n",
            "  order: [",
            "overrides:\n",
            "merge: deep\n",
            "{{ lookup('facts.env') }}",
            "  - ",
            "%{x}",
        ],
        run: |text| {
            let source = Source::new("f.yaml", text);
            let Ok(document) = hiera::Document::read(&source) else { return };
            let world = World::sandbox(DATA.clone());
            if let Ok(resolved) = document.resolve(&Env::confined(&world), &hiera::Options::default()) {
                let _failures = resolved.failures();
            }
        },
    },
    Target {
        name: "manifests",
        corpus: || [texts("hiera_multi", "manifest"), texts("jet_manifests", "manifest"), manifests()].concat(),
        words: &[
            "ccm:\n",
            "  resources:\n",
            "    - file:\n",
            "        - /x: {",
            "defaults",
            "ensure: present",
            "require: [",
            "control: {if: ",
            "&a ",
            "*a",
            "null",
        ],
        run: |text| drop(manifest::Document::read(&Source::new("m.yaml", text), manifest::Unknown::Refuse)),
    },
    Target {
        name: "meshes",
        corpus: meshes,
        words: &[
            "machines:\n",
            "  a: {address: ",
            "fd00::1",
            "modules: [m]",
            "wireguard: {public_key: ",
            "endpoint: \"a:1\"",
            "hub: true",
            "routes:\n",
            "facts:\n",
            "path: /etc/x",
            "shared: true",
            "template: \"{{ .Node }}\"",
            "resources:\n",
            "mode: 0640",
        ],
        run: mesh,
    },
    Target {
        name: "patterns",
        corpus: patterns,
        words: &[
            "(?i)",
            "(?:",
            "(?P<n>",
            "\\p{Greek}",
            "[[:alpha:]]",
            "[^",
            "{2,",
            "}",
            "|",
            "*?",
            "\\Q",
            "\\E",
            "\\b",
            "\\x{",
            "$",
            "((",
            "++",
        ],
        run: |text| {
            if let Ok(pattern) = Pattern::with_groups(text) {
                let subject = "the quick brown föx 0123 aaaaaaaaaaaaaaaaaaaa\n\r\t";
                let _found = pattern.captures_at(subject, 0);
                let _replaced = pattern.replace_all(subject, "$1${n}");
            }
        },
    },
];

static DATA: LazyLock<Value> = LazyLock::new(|| {
    json::parse(
        r#"{"a": 1, "b": [1, 2.5, "x", null, true, {"c": "d"}], "s": "héllo", "m": {"x": {"y": {"z": "deep"}}}, "n": null,
            "env": "prod", "Node": "gw", "Suffix": "mesh", "Names": [{"Name": "gw", "FQDN": "gw.mesh", "Address": "10.0.0.1"}],
            "Machines": [{"Name": "gw", "FQDN": "gw.mesh", "Address": "10.0.0.1"}], "big": 18446744073709551615, "f": 1e-7}"#,
    )
    .expect("the data of the harness")
});

/// Enough for any honest input, little enough that a million inputs end.
fn fuel() -> Fuel {
    Fuel::with(200_000, 1 << 20, 16)
}

fn expression(text: &str) {
    let variables = [("Data", DATA.clone()), ("Facts", DATA.clone()), ("Environ", Value::from(Map::new()))];
    let fuel = fuel();
    let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel };
    let source = Source::anonymous(text);
    if let Ok(program) = Program::compile(&source, &scope) {
        let _value = program.evaluate_value(&scope);
        let printed = expr::reprint(&source).expect("what compiles prints");
        let again = expr::reprint(&Source::anonymous(printed.as_str())).expect("what was printed parses");
        assert_eq!(printed, again, "printing what was printed gives the same");
    }
}

fn jet_template(text: &str) {
    let source = Source::new("f.jet", text);
    let variables = [("Data", DATA.clone()), ("Facts", DATA.clone()), ("Environ", Value::from(Map::new()))];
    let fuel = fuel();
    let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel };
    if let Ok(template) = jet::Template::parse(&source, &jet::Delimiters::default()) {
        let _rendered = template.render(&scope);
    }
}

/// A text as a record and as a module manifest, put together as far as they are any.
fn mesh(text: &str) {
    let source = Source::new("f.yaml", text);
    let module = Module::parse("m", &source);
    let Ok(document) = yaml::read(&source, &yaml::Limits::default()) else { return };
    let Ok(record) = Record::read(&document) else { return };
    if let Ok(mesh) = Mesh::new(record, module.into_iter().collect(), &["m"]) {
        let network = mesh.network();
        for node in mesh.record().names() {
            let _text = mesh.compose(node, &network).and_then(|composed| composed.yaml());
        }
    }
}

/// The YAML on the page about meshes, and records and manifests in one.
fn meshes() -> Vec<String> {
    let page = include_str!("../../docs/mesh.md");
    let mut all: Vec<String> =
        page.split("```").filter_map(|block| block.strip_prefix("yaml ")).map(str::to_owned).collect();
    all.push(include_str!("../../examples/mesh/modules/dnsmasq/module.yaml").to_owned());
    all
}

/// A text field of every case of a file of vectors.
fn texts(file: &str, field: &str) -> Vec<String> {
    lines(&crate::folder("vectors").join(format!("{file}.jsonl")))
        .iter()
        .filter_map(|case| case[field].as_str().map(str::to_owned))
        .collect()
}

/// Every manifest that a scenario writes.
fn manifests() -> Vec<String> {
    ["engine", "manifest", "file", "exec"]
        .iter()
        .flat_map(|name| lines(&crate::folder("scenarios").join(format!("{name}.jsonl"))))
        .flat_map(|case| {
            let files = case["files"].as_object().cloned().unwrap_or_default();
            files
                .into_iter()
                .filter(|(name, _)| name.ends_with(".yaml"))
                .filter_map(|(_, text)| text.as_str().map(str::to_owned))
        })
        .collect()
}

/// The right sides of `matches`, and a few by hand.
fn patterns() -> Vec<String> {
    let mut all: Vec<String> = texts("expr", "expr")
        .iter()
        .filter_map(|text| text.split(" matches ").nth(1))
        .map(|text| text.trim_matches(['"', '\'', '`', ' ']).to_owned())
        .collect();
    all.extend(
        ["^[a-z]+(-[0-9]+)*$", "(a|b)*abb", "\\d{1,3}(\\.\\d{1,3}){3}", "(?P<n>x+)y?", "[^\\s\\pL]+"]
            .map(str::to_owned),
    );
    all
}

/// Inputs that once broke a target.
pub fn found(target: &str) -> Vec<String> {
    lines(&crate::folder("fuzz").join("found.jsonl"))
        .iter()
        .filter(|row| row["target"] == target)
        .filter_map(|row| row["input"].as_str().map(str::to_owned))
        .collect()
}

fn lines(path: &std::path::Path) -> Vec<Json> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect()
}
