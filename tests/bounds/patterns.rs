//! Regular expressions.

use ccm_core::Result;
use ccm_core::error::{Error, Kind};
use ccm_core::span::Source;
use ccm_core::text::pattern::Pattern;

use crate::attack::{
    Expected::{Cheap, Limit},
    Language, Row, nest, s,
};

pub const LANGUAGES: &[Language] = &[Language { name: "pattern", run: pattern, rows: patterns }];

fn pattern(source: &Source) -> Result<()> {
    let pattern = Pattern::with_groups(source.text()).map_err(|fault| Error::new(Kind::Invalid(fault.to_string())))?;
    let _found = pattern.captures_at("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 0);
    Ok(())
}

fn patterns() -> Vec<Row> {
    vec![
        ("nested groups", Limit, nest(100_000, "(", "a", ")")),
        ("a few nested groups", Cheap, nest(90, "(", "a", ")")),
        ("nested repeats", Cheap, nest(80, "(?:", "a", "*)")),
        ("counted repeats in counted repeats", Limit, s("((a{1,30}){1,30}){1,30}")),
        ("a thousand copies", Cheap, s("a{1000}")),
        ("a thousand copies of any letter", Cheap, s("\\pL{1000}")),
        ("copies of classes", Limit, s("[\\pL\\pN\\pS]{1000}")),
        ("many alternatives", Cheap, vec!["abc"; 8_000].join("|")),
        ("many classes", Cheap, "\\pL".repeat(8_000)),
        ("many ranges", Cheap, format!("[{}]", "a-z".repeat(9_000))),
        ("many cases", Cheap, format!("(?i){}", "k".repeat(30_000))),
        ("many groups", Limit, "()".repeat(15_000)),
        ("many copies of groups", Cheap, s("(a)(b)(c){900}(d){900}")),
        ("empty repeats", Cheap, nest(80, "(?:", "", "){0,2}")),
        ("a pattern too long", Limit, "a".repeat(1 << 20)),
        ("brackets that never close", Cheap, "[".repeat(30_000)),
    ]
}
