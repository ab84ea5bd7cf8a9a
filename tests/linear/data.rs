//! YAML, JSON, paths, and what is made of them.

use std::fmt::Write;

use ccm_core::hiera;
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::value::{Map, Value, json, lookup, merge, wire};
use ccm_core::yaml;

use super::{Shape, lines, listed};

pub(crate) fn shapes() -> Vec<Shape> {
    let mut all = yaml_texts();
    all.extend(json_texts());
    all.extend(paths());
    all.extend(values());
    all.extend(hierarchies());
    all
}

fn read_yaml(text: &str) {
    let document = yaml::read(&Source::new("f.yaml", text), &yaml::Limits::default()).expect("a document");
    std::hint::black_box(document.root().to_value());
}

fn yaml_texts() -> Vec<Shape> {
    let yaml =
        |name: &str, parts, text: fn(usize) -> String| Shape::text(&format!("yaml: {name}"), parts, text, read_yaml);
    vec![
        yaml("entries of a map", 500, |n| lines(n, |at| format!("key{at}: value {at}\n"))),
        yaml("entries in disorder", 500, |n| lines(n, |at| format!("k{}: {at}\n", at * 7919 % 10_007))),
        yaml("items of a list", 1000, |n| lines(n, |at| format!("- item {at}\n"))),
        yaml("maps in a list", 300, |n| lines(n, |at| format!("- name: n{at}\n  port: {at}\n"))),
        yaml("lists in a map", 300, |n| lines(n, |at| format!("k{at}:\n  - a\n  - b\n"))),
        yaml("a flow list", 1000, |n| format!("[{}]\n", "abc, ".repeat(n))),
        yaml("a flow map", 500, |n| format!("{{{}}}\n", lines(n, |at| format!("k{at}: {at}, ")))),
        yaml("a flow map over lines", 500, |n| format!("{{{}}}\n", lines(n, |at| format!("\n  k{at}: {at},")))),
        yaml("pairs in a flow list", 500, |n| format!("[{}]\n", "a: b, ".repeat(n))),
        yaml("deep flow lists", 100, |n| lines(n, |_| format!("- {}x{}\n", "[".repeat(20), "]".repeat(20)))),
        yaml("deep block lists", 100, |n| lines(n, |_| format!("{}x\n", "- ".repeat(20)))),
        yaml("a plain scalar over lines", 1000, |n| format!("a:{}\n", "\n  some words".repeat(n))),
        yaml("a plain scalar on a line", 2000, |n| format!("a: {}\n", "some words ".repeat(n))),
        yaml("a scalar in double quotes", 2000, |n| format!("a: \"{}\"\n", "word\\n\\u00e9 ".repeat(n))),
        yaml("a scalar in quotes over lines", 1000, |n| format!("a: '{}'\n", "it''s\n\n  ".repeat(n))),
        yaml("a literal", 1000, |n| format!("a: |\n{}", "  some words\n".repeat(n))),
        yaml("a folded scalar", 1000, |n| format!("a: >-\n{}", "  some words\n\n  more\n".repeat(n))),
        yaml("a literal of empty lines", 3000, |n| format!("a: |\n{}  x\n", "\n".repeat(n))),
        yaml("empty lines", 3000, |n| format!("a: b\n{}c: d\n", "\n".repeat(n))),
        yaml("spaces after a value", 3000, |n| format!("a: b{}\nc: d\n", " ".repeat(n))),
        yaml("spaces in a plain scalar", 3000, |n| format!("a: b{}c\n", " ".repeat(n))),
        yaml("comments before a key", 1000, |n| format!("{}a: b\n", "# a comment\n".repeat(n))),
        yaml("comments behind values", 500, |n| lines(n, |at| format!("k{at}: v # of {at}\n"))),
        yaml("a long comment", 5000, |n| format!("a: b # {}\nc: d\n", "word ".repeat(n))),
        yaml("anchors and aliases", 500, |n| lines(n, |at| format!("- &a{at} x\n- *a{at}\n"))),
        yaml("anchors of one name", 500, |n| "- &a x\n- *a\n".repeat(n)),
        yaml("many anchors, one alias", 500, |n| lines(n, |at| format!("- &a{at} x\n")) + "- *a0\n"),
        yaml("aliases in merge keys", 300, |n| {
            format!("base: &b {{x: 1, y: 2}}\n{}", lines(n, |at| format!("k{at}: {{<<: *b, z: 3}}\n")))
        }),
        yaml("maps merged into one", 200, |n| {
            let bases = lines(n, |at| format!("  - &b{at} {{k{at}: 1}}\n"));
            format!("bases:\n{bases}all:\n  <<: [{}]\n", lines(n, |at| format!("*b{at}, ")))
        }),
        yaml("a large map merged", 500, |n| {
            format!("base: &b\n{}all:\n  <<: *b\n  own: 1\n", lines(n, |at| format!("  k{at}: 1\n")))
        }),
        yaml("tags", 500, |n| "- !!str 1\n".repeat(n)),
        yaml("directives", 200, |n| lines(n, |at| format!("%TAG !e{at}! tag:x,2000:\n")) + "---\na: b\n"),
        yaml("explicit keys", 300, |n| lines(n, |at| format!("? key{at}\n: value\n"))),
        yaml("letters beyond ASCII", 500, |n| lines(n, |at| format!("schlüssel{at}: größe\n"))),
        yaml("Windows lines", 500, |n| lines(n, |at| format!("key{at}: value\r\n"))),
        yaml("numbers", 500, |n| lines(n, |at| format!("- {at}\n- 0x{at:x}\n- 1.{at}e3\n- 2020-01-02\n"))),
        yaml("a long number", 3000, |n| format!("a: 1{}\n", "7".repeat(n))),
        yaml("a long fraction", 3000, |n| format!("a: 0.{}\n", "7".repeat(n))),
        yaml("a long key", 450, |n| format!("\"{}\": v\n", "k".repeat(n))),
        Shape::text(
            "yaml: a fault on the last line",
            1000,
            |n| lines(n, |at| format!("k{at}: v\n")) + "a: [\n",
            |text| {
                let fault = yaml::read(&Source::new("f.yaml", text), &yaml::Limits::default()).unwrap_err();
                std::hint::black_box(fault.to_string());
            },
        ),
        Shape::text(
            "yaml: written",
            500,
            |n| lines(n, |at| format!("k{at}: [some text {at}, \"a: b\", {at}]\n")),
            |text| {
                let document = yaml::read(&Source::new("f.yaml", text), &yaml::Limits::default()).expect("a document");
                std::hint::black_box(yaml::write(&document.root().to_value()).expect("text"));
            },
        ),
    ]
}

fn json_texts() -> Vec<Shape> {
    let json = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("json: {name}"), parts, text, |text| {
            std::hint::black_box(json::parse(text).expect("JSON"));
        })
    };
    vec![
        json("a list", 1000, |n| format!("[{}]", listed(n, |at| at.to_string()))),
        json("an object", 500, |n| format!("{{{}}}", listed(n, |at| format!("\"k{at}\":{at}")))),
        json("keys in disorder", 500, |n| {
            format!("{{{}}}", listed(n, |at| format!("\"k{}\":{at}", at * 7919 % 10_007)))
        }),
        json("one key again and again", 500, |n| format!("{{{}}}", listed(n, |at| format!("\"k\":{at}")))),
        json("a long text", 5000, |n| format!("\"{}\"", "word ".repeat(n))),
        json("a text of escapes", 2000, |n| format!("\"{}\"", "\\u00e9\\n".repeat(n))),
        json("a long fraction", 3000, |n| format!("0.{}", "7".repeat(n))),
        json("white space", 5000, |n| format!("[{}1]", " \n".repeat(n))),
        json("deep lists", 100, |n| format!("[{}]", listed(n, |_| format!("{}{}", "[".repeat(20), "]".repeat(20))))),
    ]
}

/// Users with a name, a number and two tags.
fn users(n: usize) -> Value {
    let mut text = String::from("{\"users\":[");
    for at in 0..n {
        let comma = if at == 0 { "" } else { "," };
        let _written = write!(text, "{comma}{{\"name\":\"user{at}\",\"uid\":{at},\"tags\":[\"a\",\"b\"]}}");
    }
    json::parse(&(text + "]}")).expect("users")
}

fn paths() -> Vec<Shape> {
    let within = |path: &'static str, parts| {
        Shape::of(&format!("path: {path}"), parts, users, move |users: &mut Value| {
            std::hint::black_box(lookup::within(users, path).expect("a path").expect("a value"));
        })
    };
    let long = |name: &str, parts, path: fn(usize) -> String| {
        Shape::text(&format!("path: {name}"), parts, path, |path| {
            drop(std::hint::black_box(lookup::within(&users(3), path)));
        })
    };
    let mut all = vec![
        within("users.#.name", 500),
        within("users.#(uid>=2)#.name", 500),
        within("users.#(name%\"*9\")#", 1000),
        within("users.#.tags|@flatten", 300),
        within("users.@reverse", 500),
        within("users.#.{name,uid}", 300),
        within("users.@this.#.@this.name", 300),
        within("@pretty", 300),
        within("@tostr", 300),
        within("users.#.@keys", 300),
        long("pipes", 500, |n| "@this|".repeat(n) + "users"),
        long("escapes", 1000, |n| "\\a".repeat(n)),
        long("selectors", 300, |n| format!("{{{}}}", lines(n, |at| format!("\"k{at}\":users.0.uid,")) + "users.1.uid")),
        long("stars", 3000, |n| format!("us{}", "*".repeat(n))),
        long("a condition", 5000, |n| format!("users.#(name==\"{}\")#", "x".repeat(n))),
    ];
    all.push(Shape::of(
        "path: a star in a long key",
        1000,
        |n| Value::from(Map::from_entries(vec![("a".repeat(n).into(), Value::from(1_i64))])),
        |map: &mut Value| drop(std::hint::black_box(lookup::within(map, "a*a*b"))),
    ));
    all.push(Shape::of(
        "path: in a JSON text",
        300,
        |n| wire::json(&users(n), wire::Layout::COMPACT).expect("JSON"),
        |text: &mut String| drop(std::hint::black_box(lookup::in_json(text, "users.#(uid>=2)#.name"))),
    ));
    all
}

fn values() -> Vec<Shape> {
    let map = |n: usize, from: usize| {
        Map::from_entries((from..from + n).map(|at| (format!("k{at}").into(), Value::from(at as i64))).collect())
    };
    let nested = move |n: usize| (Value::Map(map(n, 0)), Value::Map(map(n, n / 2)));
    vec![
        Shape::of("values: maps merged", 500, nested, |(base, over)| drop(merge::deep(base.clone(), over.clone()))),
        Shape::of(
            "values: lists merged",
            500,
            |n| (Value::list(vec![Value::Null; n]), Value::list((0..n).map(|at| Value::from(at as i64)).collect())),
            |(base, over)| drop(merge::deep(base.clone(), over.clone())),
        ),
        Shape::of(
            "values: inserted one by one",
            500,
            |n| n,
            |n| {
                let mut map = Map::new();
                (0..*n).for_each(|at| map.insert(format!("k{at:06}"), at as i64));
            },
        ),
        Shape::of("values: printed", 500, users, |users: &mut Value| drop(users.to_string())),
        Shape::of("values: as JSON", 500, users, |users: &mut Value| {
            drop(wire::json(users, wire::Layout::COMPACT).expect("JSON"));
        }),
    ]
}

fn hierarchies() -> Vec<Shape> {
    let hiera = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("hiera: {name}"), parts, text, |text| {
            let document = hiera::Document::read(&Source::new("h.yaml", text)).expect("a document");
            let world = World::sandbox(Value::Map(Map::new()));
            let resolved = document.resolve(&Env::confined(&world), &hiera::Options::default()).expect("data");
            std::hint::black_box(resolved.failures());
        })
    };
    vec![
        hiera("data", 300, |n| format!("data:\n{}", lines(n, |at| format!("  k{at}: v{at}\n")))),
        hiera("data with expressions", 200, |n| {
            format!("data:\n{}", lines(n, |at| format!("  k{at}: \"{{{{ 1 + {at} }}}}\"\n")))
        }),
        hiera("levels", 200, |n| {
            let order = lines(n, |at| format!("    - l{at}\n"));
            let levels = lines(n, |at| format!("  l{at}: {{k{at}: 1}}\n"));
            format!("hierarchy:\n  order:\n{order}  merge: deep\ndata: {{a: 1}}\noverrides:\n{levels}")
        }),
        hiera("overrides of another order", 200, |n| {
            let levels = lines(n, |at| format!("  l{at}: {{k: 1}}\n"));
            format!("hierarchy:\n  order: [l0]\ndata: {{a: 1}}\noverrides:\n{levels}")
        }),
        hiera("lists laid over lists", 300, |n| {
            let list = |from: usize| lines(n, |at| format!("v{}, ", from + at));
            format!(
                "hierarchy: {{order: [a], merge: deep}}\ndata: {{l: [{}]}}\noverrides: {{a: {{l: [{}]}}}}\n",
                list(0),
                list(n / 2)
            )
        }),
        hiera("rules", 200, |n| {
            format!("data:\n{}", lines(n, |at| format!("  # @require\n  # @validate isInt(value)\n  k{at}: 1\n")))
        }),
    ]
}
