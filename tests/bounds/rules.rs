//! Rules of `@validate`, over a text of ten kilobytes.

use ccm_core::hiera::Check;
use ccm_core::span::Source;
use ccm_core::{Result, Value};

use crate::attack::{
    Expected::{Cheap, Limit},
    Language, Row, nest, s,
};

pub const LANGUAGES: &[Language] = &[Language { name: "rule", run: rule, rows: rules }];

fn rule(source: &Source) -> Result<()> {
    Check::compile(source.text(), &Value::from("aaaaaaaaab".repeat(1000)))?.holds().map(drop)
}

fn rules() -> Vec<Row> {
    vec![
        ("a pattern on long text", Cheap, s("value matches '^(a|b|ab)*$'")),
        ("a pattern of many copies", Cheap, s("value matches '^(a{1,100}b?){1,100}$'")),
        ("a loop of patterns", Limit, s("all(1..100000, value matches '^(a|b|ab)*$')")),
        ("a loop of checks", Limit, s("all(1..1000000, isIPv4(value) or true)")),
        ("text that doubles", Limit, s("len(reduce(1..60, #acc + #acc, value)) > 0")),
        ("brackets", Limit, nest(50_000, "(", "true", ")")),
    ]
}
