//! JSON, as facts and data come in.

use ccm_core::Result;
use ccm_core::span::Source;
use ccm_core::value::json;

use crate::attack::{
    Expected::{Cheap, Limit},
    Language, Row, nest,
};

pub const LANGUAGES: &[Language] = &[Language { name: "json", run: document, rows: jsons }];

fn document(text: String) -> Result<()> {
    json::read(&Source::new("f.json", text)).map(drop)
}

fn jsons() -> Vec<Row> {
    vec![
        ("brackets", Limit, nest(1_000_000, "[", "", "]")),
        ("braces", Limit, nest(300_000, "{\"a\":", "1", "}")),
        ("brackets that never close", Limit, "[".repeat(1_000_000)),
        ("many items", Cheap, format!("[{}1]", "1,".repeat(200_000))),
        ("more items", Limit, format!("[{}1]", "1,".repeat(8_000_000))),
        ("many empty lists", Limit, format!("[{}[]]", "[],".repeat(5_000_000))),
        ("many duplicate keys", Cheap, format!("{{{}\"a\":1}}", "\"a\":1,".repeat(200_000))),
        (
            "many keys",
            Limit,
            format!("{{{}\"a\":1}}", (0..1_500_000).map(|at| format!("\"k{at}\":1,")).collect::<String>()),
        ),
        ("a long number", Cheap, "1".repeat(4 << 20)),
        ("a long fraction", Cheap, format!("0.{}", "1".repeat(4 << 20))),
        ("a long text", Cheap, format!("\"{}\"", "\\ud83d\\ude00".repeat(300_000))),
    ]
}
