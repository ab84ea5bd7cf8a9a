//! YAML, and manifests as the documents that are read most.

use ccm_core::span::Source;
use ccm_core::{Result, manifest, yaml};

use crate::attack::{
    Expected::{Answer, Cheap, Limit},
    Language, Row, nest, s, vectors,
};

pub const LANGUAGES: &[Language] = &[
    Language { name: "yaml", run: document, rows: yamls },
    Language { name: "manifest", run: manifest, rows: manifests },
];

fn document(source: &Source) -> Result<()> {
    yaml::read(source, &yaml::Limits::default()).map(|document| drop(document.root().to_value()))
}

fn manifest(source: &Source) -> Result<()> {
    manifest::Document::read(source, manifest::Unknown::Refuse).map(drop)
}

fn yamls() -> Vec<Row> {
    let nine = |levels: usize| -> String {
        let first = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        (1..levels).fold(first, |text, at| {
            text + &format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 9].join(", "))
        })
    };
    let mut rows = vec![
        ("an alias of itself", Cheap, s("a: &a [*a]\n")),
        ("a merge of itself", Cheap, s("a: &a {<<: *a}\n")),
        ("nine-fold aliases, six levels", Limit, nine(6)),
        ("nine-fold aliases, twenty levels", Limit, nine(20)),
        ("20,000 brackets", Limit, nest(20_000, "[", "", "]")),
        ("a million brackets", Limit, "[".repeat(1_000_000)),
        ("a million braces", Cheap, "{".repeat(1_000_000)),
        ("a million braces with keys", Limit, "{a: ".repeat(300_000)),
        ("a million dashes", Limit, "- ".repeat(500_000)),
        ("a million question marks", Cheap, "? ".repeat(500_000)),
        ("a deep block", Limit, (0..2_000).map(|at| format!("{}k:\n", " ".repeat(at))).collect()),
        ("a huge plain scalar", Cheap, format!("a: {}\n", "x".repeat(4 << 20))),
        ("a huge quoted scalar", Cheap, format!("a: \"{}\"\n", "\\u0041".repeat(500_000))),
        ("a huge folded scalar", Cheap, format!("a: >\n{}", "  x\n".repeat(500_000))),
        ("a huge literal scalar", Cheap, format!("a: |\n{}", "  x\n".repeat(500_000))),
        ("a huge key", Cheap, format!("{}: x\n", "x".repeat(4 << 20))),
        ("a huge number", Cheap, format!("a: {}\n", "1".repeat(4 << 20))),
        ("a huge exponent", Cheap, format!("a: 1e{}\n", "9".repeat(4 << 20))),
        ("many items", Limit, "- a\n".repeat(3_000_000)),
        ("many empty lists", Limit, format!("[{}]", "[],".repeat(3_000_000))),
        ("many keys", Limit, (0..1_100_000).map(|at| format!("k{at}: 1\n")).collect()),
        ("many duplicate keys", Cheap, "k: 1\n".repeat(500_000)),
        ("many anchors", Cheap, (0..60_000).map(|at| format!("- &a{at} x\n")).collect()),
        ("many anchors of one name", Cheap, "- &a x\n".repeat(100_000)),
        ("many aliases", Cheap, format!("- &a x\n{}", "- *a\n".repeat(100_000))),
        ("many aliases of a long text", Cheap, format!("- &a {}\n{}", "x".repeat(100_000), "- *a\n".repeat(50_000))),
        (
            "many merges of many keys",
            Limit,
            format!(
                "a: &a {{{}}}\n{}",
                (0..2_000).map(|at| format!("k{at}: 1, ")).collect::<String>(),
                (0..3_000).map(|at| format!("b{at}: {{<<: *a}}\n")).collect::<String>()
            ),
        ),
        ("a merge of many lists", Limit, format!("a: &a {{b: 1}}\nc: {{<<: [{}]}}\n", "*a, ".repeat(900_000))),
        ("many comments", Limit, "# x\n".repeat(500_000)),
        ("many documents", Cheap, "---\na: 1\n".repeat(60_000)),
        ("many directives", Cheap, "%YAML 1.2\n---\n...\n".repeat(60_000)),
        ("many tags", Cheap, "- !!str x\n".repeat(60_000)),
        ("many tag directives", Cheap, (0..60_000).map(|at| format!("%TAG !a{at}! tag:x\n")).collect()),
        ("many blanks", Cheap, " ".repeat(4 << 20)),
        ("many line ends", Cheap, "\n".repeat(4 << 20)),
        ("many tabs", Cheap, format!("a:{}b", "\t".repeat(4 << 20))),
        ("a document beyond the size", Limit, "x".repeat(33 << 20)),
        ("quotes that never close", Cheap, format!("a: \"{}", "x\n".repeat(500_000))),
        (
            "merges of merges",
            Cheap,
            format!(
                "m0: &m0 {{a: 1}}\n{}",
                (1..60)
                    .map(|at| format!("m{at}: &m{at} {{<<: [*m{0}, *m{0}], k{at}: 1}}\n", at - 1))
                    .collect::<String>()
            ),
        ),
        (
            "merges of wide merges",
            Limit,
            format!(
                "m: &m {{{}}}\n{}",
                (0..20_000).map(|at| format!("k{at}: 1, ")).collect::<String>(),
                "- {<<: *m}\n".repeat(2_000).replace("- ", "x: ")
            ),
        ),
        (
            "long keys that are the same for long",
            Cheap,
            (0..2_000).map(|at| format!("{}{at}: 1\n", "k".repeat(2_000))).collect(),
        ),
        (
            "many long keys in flow",
            Cheap,
            format!("{{{}}}", (0..2_000).map(|at| format!("{}{at}: 1, ", "k".repeat(900))).collect::<String>()),
        ),
        ("keys that turn out to be none", Cheap, format!("[{}]", "[a, b, c], ".repeat(50_000))),
        (
            "brackets that might be keys",
            Cheap,
            format!("{}{}", "[".repeat(120), "]".repeat(120)).repeat(1) + &"\n".repeat(10),
        ),
        (
            "lists on one line that might be keys",
            Answer,
            format!("- {}\n", nest(100, "[", &"a, ".repeat(250), "]")).repeat(200),
        ),
        ("a plain scalar of many lines", Cheap, format!("a: {}\n", "x\n  ".repeat(500_000))),
        ("a plain scalar of many blank lines", Cheap, format!("a: x{}y\n", "\n ".repeat(1_000_000))),
        (
            "a block scalar deeply indented",
            Cheap,
            format!("a: |\n{}x\n", format!("{}\n", " ".repeat(2_000)).repeat(1_000)),
        ),
        (
            "aliases in keys",
            Cheap,
            format!("a: &a x\n{}", (0..50_000).map(|_| "? *a\n: 1\n".to_owned()).collect::<String>()),
        ),
        ("null bytes", Cheap, "\0".repeat(1_000_000)),
        ("byte-order marks", Cheap, "\u{feff}".repeat(500_000)),
        ("numbers of many digits and underscores", Cheap, format!("a: {}\n", "1_".repeat(1_000_000))),
        ("a sexagesimal", Cheap, format!("a: {}1\n", "1:".repeat(1_000_000))),
        (
            "deep flow in deep blocks",
            Cheap,
            (0..60).map(|at| format!("{}k:\n", " ".repeat(at))).collect::<String>()
                + &" ".repeat(61)
                + &nest(100, "{a: ", "1", "}"),
        ),
        ("complex keys", Cheap, nest(5_000, "? [", "a", "]\n: b\n")),
    ];
    rows.extend(bombs());
    rows
}

fn manifests() -> Vec<Row> {
    let resource = "  - file:\n      - /tmp/x: {content: x}\n";
    vec![
        ("many resources", Cheap, format!("resources:\n{}", resource.repeat(10_000))),
        ("more resources", Limit, format!("resources:\n{}", resource.repeat(400_000))),
        (
            "resources by aliases",
            Limit,
            format!("x: &x {{content: x}}\nresources:\n  - file:\n{}", "      - /tmp/x: *x\n".repeat(1_000_000)),
        ),
        ("deep data", Limit, format!("data: {}", nest(20_000, "[", "1", "]"))),
    ]
}

/// The bombs of the vectors.
fn bombs() -> Vec<Row> {
    let row = |case: serde_json::Value| {
        let name = format!("vector {}", case["id"].as_str()?).leak();
        Some((&*name, if case["expect"] == "limit" { Limit } else { Cheap }, s(case["yaml"].as_str()?)))
    };
    vectors("yaml_bombs").into_iter().filter_map(row).collect()
}
