//! Paths into data, as `lookup()` takes them.

use ccm_core::Result;
use ccm_core::span::Source;
use ccm_core::value::lookup;

use crate::attack::{
    Expected::{Cheap, Limit},
    Language, Row, data, nest, s,
};

pub const LANGUAGES: &[Language] = &[
    Language { name: "path", run: path, rows: paths },
    Language { name: "path in JSON", run: path_in_json, rows: paths_in_json },
];

fn path(source: &Source) -> Result<()> {
    let data = data();
    lookup::find(&[("data", &data), ("facts", &data)], source.text()).map(drop)
}

/// A path in a document of its own: the path on the first line, the document on the rest.
fn path_in_json(source: &Source) -> Result<()> {
    let (path, document) = source.text().split_once('\n').unwrap_or((source.text(), "{}"));
    lookup::in_json(document, path).map(drop)
}

fn paths() -> Vec<Row> {
    vec![
        ("pairs of itself", Limit, vec!["[@this,@this]"; 40].join("|")),
        ("maps of itself", Limit, vec![r#"{"a":@this,"b":@this}"#; 40].join("|")),
        ("pairs of a number", Limit, format!("data.numbers.0|{}", vec!["[@this,@this]"; 40].join("|"))),
        ("pairs flattened", Limit, vec!["[@this,@this]|@flatten"; 40].join("|")),
        ("pairs as text", Limit, vec!["[@this,@this]|@tostr"; 40].join("|")),
        ("text of text", Limit, format!("data.s|{}", vec!["@tostr"; 60].join("|"))),
        ("pairs, pretty", Limit, vec!["[@this,@this]|@pretty"; 40].join("|")),
        (
            "a wide indent",
            Limit,
            format!(
                r#"data|@pretty:{{"indent":"{}"}}|[@this,@this,@this]|@pretty:{{"indent":"{0}"}}"#,
                " ".repeat(20_000)
            ),
        ),
        ("a wide prefix", Limit, format!(r#"data|@pretty:{{"prefix":"{}"}}"#, "\\t".repeat(200_000))),
        ("pairs joined", Limit, vec![r#"[@this,@this]|@join:{"preserve":true}"#; 40].join("|")),
        ("pairs grouped", Limit, vec![r#"{"a":[@this,@this]}|@group"#; 40].join("|")),
        ("pairs dug", Limit, format!("{}|@dig:name", vec!["[@this,@this]"; 40].join("|"))),
        ("dig in dig", Cheap, s("data.@dig:@dig:@dig:@dig:name")),
        ("a query in a query", Cheap, s("data.numbers.#(#(#(#(=1)=1)=1)=1)#")),
        ("queries of all by all", Limit, format!("[{}data.s]", "data.numbers.#(>500)#,".repeat(5_000))),
        ("patterns of all keys", Cheap, s("data.*****************************************b")),
        (
            "patterns of all items",
            Limit,
            format!(r#"[{}data.s]"#, r#"data.users.#(name%"*a*b*c*d*e*f*g")#,"#.repeat(3_000)),
        ),
        ("a costly pattern on a long text", Cheap, format!(r#"[data.text].#(%"{}b")#"#, "*a".repeat(2_000))),
        (
            "a pattern that goes back on a long text",
            Limit,
            format!(r#"[data.text].#(%"{}*{}b")#"#, "*".repeat(20), "?".repeat(3_000)),
        ),
        ("a pattern against all keys", Cheap, format!("{}.x", "data.users.#.n*".repeat(2_000))),
        (
            "a wide prefix and deep pretty",
            Limit,
            format!(r#"data|@pretty:{{"indent":"{0}","prefix":"{0}"}}|@tostr"#, " ".repeat(100_000)),
        ),
        ("texts of all, in lists", Limit, format!("[{}data.text]|@tostr|@tostr|@tostr", "data.text,".repeat(3_000))),
        ("lines of text", Cheap, format!("data.text|@fromstr|..#|{}", vec!["@tostr|@fromstr"; 1_000].join("|"))),
        ("joins of joins", Limit, format!("data|{}", vec!["[@this,@this]|@join"; 2_000].join("|"))),
        ("an index beyond all", Cheap, format!("data.numbers.{}", "9".repeat(100_000))),
        ("deep brackets", Limit, nest(100_000, "[", "data", "]")),
        ("deep braces", Limit, nest(100_000, "{", "data", "}")),
        ("deep queries", Cheap, nest(100_000, "#(", "a", ")")),
        ("a long path", Cheap, nest(200_000, "", "data", ".a")),
        ("a long path of pipes", Cheap, nest(200_000, "", "data", "|@this")),
        ("reverses", Limit, nest(200_000, "", "data.numbers", "|@reverse")),
        ("keys of values", Limit, nest(200_000, "", "data", "|@keys|@values")),
        ("valid of all", Limit, nest(200_000, "", "data", "|@valid")),
        ("text and back", Limit, nest(200_000, "", "data", "|@tostr|@fromstr")),
        ("ugly of pretty", Limit, nest(200_000, "", "data", "|@pretty|@ugly")),
        ("counts of all", Cheap, nest(100_000, "[data.numbers.#,", "data", "]")),
        ("a literal in each part", Cheap, vec![r#"!"x""#; 100_000].join("|")),
        ("a deep literal", Cheap, format!("!{}", nest(100_000, "[", "1", "]"))),
        ("lines of lines", Cheap, "..#".repeat(100_000)),
        ("members of each item of each item", Cheap, format!("data.users.{}name", "#.".repeat(10_000))),
        ("a wide list of all", Limit, format!("[{}data]|[@this,@this]|@tostr", "data,".repeat(20_000))),
        ("a wide list of members", Cheap, format!("data.users.#.[{}name]", "name,".repeat(1_000))),
        ("a wide map of members", Limit, format!("data.users.#.{{{}name}}", "name,uid,".repeat(5_000))),
        ("backslashes", Cheap, "\\".repeat(1_000_000)),
    ]
}

fn paths_in_json() -> Vec<Row> {
    let deep = nest(50_000, "[", "1", "]");
    let wide = format!("[{}1]", "1,".repeat(200_000));
    vec![
        ("digging in a deep document", Cheap, format!("@dig:x\n{deep}")),
        ("flattening a deep document", Cheap, format!("@flatten:{{\"deep\":true}}\n{deep}")),
        ("pretty of a deep document", Cheap, format!("@pretty\n{deep}")),
        ("a wide document, pairs of it", Limit, format!("{}\n{wide}", vec!["[@this,@this]"; 30].join("|"))),
        ("a wide document, reversed", Cheap, format!("@reverse|@reverse|@reverse\n{wide}")),
        ("a query of a wide document", Cheap, format!("#(>5)#\n{wide}")),
        ("queries of a wide document", Cheap, format!("[{}#]\n{wide}", "#(>5)#,".repeat(2_000))),
        ("brackets that never close", Cheap, format!("a.b.c\n{}", "[{\"a\":".repeat(100_000))),
        ("pretty of a wide document", Cheap, format!("@pretty\n{wide}")),
        ("keys of a wide map", Cheap, format!("@keys\n{{{}\"a\":1}}", "\"a\":1,".repeat(100_000))),
        (
            "a wide map, reversed",
            Limit,
            format!("{}\n{{{}\"a\":1}}", vec!["@reverse"; 100].join("|"), "\"a\":1,".repeat(100_000)),
        ),
        ("members of one name", Cheap, format!("a\n{{{}\"a\":1}}", "\"b\":1,".repeat(100_000))),
        (
            "a wildcard on long keys",
            Cheap,
            format!("*b\n{{{}\"a\":1}}", format!("\"{}\":1,", "a".repeat(5_000)).repeat(100)),
        ),
        ("valid of a wide document", Limit, format!("{}\n{wide}", vec!["@valid"; 300].join("|"))),
        ("ugly of a wide document", Limit, format!("{}\n{wide}", vec!["@ugly"; 300].join("|"))),
        ("text of text of a document", Limit, format!("{}\n{wide}", vec!["@tostr"; 60].join("|"))),
        ("lines", Cheap, format!("..#\n{}", "{}\n".repeat(200_000))),
    ]
}
