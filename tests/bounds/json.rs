//! JSON, as facts and data come in.

use ccm_core::Result;
use ccm_core::span::Source;
use ccm_core::value::json;

use crate::attack::{
    Expected::{Answer, Cheap, Limit},
    Language, Row, nest,
};

pub const LANGUAGES: &[Language] = &[Language { name: "json", run: document, rows: jsons }];

fn document(source: &Source) -> Result<()> {
    json::read(source).map(drop)
}

fn jsons() -> Vec<Row> {
    vec![
        ("brackets", Limit, nest(1_000_000, "[", "", "]")),
        ("braces", Limit, nest(300_000, "{\"a\":", "1", "}")),
        ("brackets that never close", Limit, "[".repeat(1_000_000)),
        ("many items", Cheap, format!("[{}1]", "1,".repeat(100_000))),
        ("more items", Limit, format!("[{}1]", "1,".repeat(8_000_000))),
        ("many empty lists", Limit, format!("[{}[]]", "[],".repeat(5_000_000))),
        ("many duplicate keys", Limit, format!("{{{}\"a\":1}}", "\"a\":1,".repeat(200_000))),
        (
            "many keys",
            Limit,
            format!("{{{}\"a\":1}}", (0..1_500_000).map(|at| format!("\"k{at}\":1,")).collect::<String>()),
        ),
        ("many empty maps", Limit, format!("[{}1]", "{},".repeat(1_000_000))),
        ("many maps of a map", Limit, format!("[{}1]", "{\"a\":{}},".repeat(1_000_000))),
        ("many texts", Limit, format!("[{}1]", "\"\",".repeat(1_000_000))),
        ("as many values as can be", Cheap, format!("[{}1]", "1,".repeat(124_990))),
        ("blanks", Cheap, format!("[{}]", " \n".repeat(2 << 20))),
        ("commas", Cheap, ",".repeat(4 << 20)),
        ("a text that does not end", Cheap, format!("[\"{}", "a\\n".repeat(1 << 20))),
        ("texts that do not end", Cheap, "[\"a\\".repeat(500_000)),
        ("half pairs", Answer, format!("\"{}\"", "\\ud83d".repeat(500_000))),
        ("a wrong escape at the end", Cheap, format!("\"{}\\x\"", "x".repeat(4 << 20))),
        ("a fault at the end of one long line", Cheap, format!("[{}x]", "1,".repeat(100_000))),
        ("a fault after many lines", Cheap, format!("[{}x]", "1,\n".repeat(100_000))),
        ("a huge exponent", Cheap, format!("1e{}", "9".repeat(1 << 20))),
        ("a tiny exponent", Cheap, format!("1e-{}", "9".repeat(1 << 20))),
        ("fractions", Cheap, format!("[{}1]", "0.1234567890123456789012345678901234567890e-300,".repeat(60_000))),
        ("nulls", Limit, format!("[{}1]", "null,".repeat(1_000_000))),
        ("a long number", Cheap, "1".repeat(4 << 20)),
        ("a long fraction", Cheap, format!("0.{}", "1".repeat(4 << 20))),
        ("a long text", Cheap, format!("\"{}\"", "\\ud83d\\ude00".repeat(300_000))),
    ]
}
