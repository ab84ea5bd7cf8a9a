//! Jet templates.

use ccm_core::names::{Fuel, NoFunctions, Scope};
use ccm_core::span::Source;
use ccm_core::{Result, jet};

use crate::attack::{
    Expected::{Cheap, Limit},
    Language, Row, nest, s, variables,
};

pub const LANGUAGES: &[Language] = &[Language { name: "jet", run: render, rows: jets }];

fn render(source: &Source) -> Result<()> {
    let (variables, fuel) = (variables(), Fuel::new());
    let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel };
    jet::Template::parse(source, &jet::Delimiters::default())?.render(&scope).map(drop)
}

fn jets() -> Vec<Row> {
    vec![
        (
            "loops in loops",
            Limit,
            s("[[ range ints(0, 1000) ]][[ range ints(0, 1000) ]][[ range ints(0, 1000) ]][[ end ]][[ end ]][[ end ]]"),
        ),
        (
            "loops that print",
            Limit,
            s("[[ range ints(0, 100000) ]][[ range ints(0, 100000) ]]xxxxxxxxxxxxxxxx[[ end ]][[ end ]]"),
        ),
        ("a loop without end", Limit, s("[[ range i := ints(0, 9223372036854775807) ]][[ end ]]")),
        ("a block of itself", Limit, s("[[ block b() ]][[ yield b() ]][[ end ]]")),
        ("a block of itself, twice", Limit, s("[[ block b() ]][[ yield b() ]][[ yield b() ]][[ end ]]")),
        (
            "a block with content of itself",
            Cheap,
            s(
                "[[ block b() ]][[ yield content ]][[ end ]][[ yield b() content ]][[ yield b() content ]]x[[ end ]][[ end ]]",
            ),
        ),
        (
            "two blocks of each other",
            Limit,
            s("[[ block a() ]][[ yield b() ]][[ end ]][[ block b() ]][[ yield a() ]][[ end ]]"),
        ),
        (
            "faults caught in a block of itself",
            Limit,
            s("[[ block b() ]][[ try ]][[ yield b() ]][[ end ]][[ try ]][[ yield b() ]][[ end ]][[ end ]]"),
        ),
        ("text that doubles", Limit, s("[[ x := \"x\" ]][[ range ints(0, 60) ]][[ x = x + x ]][[ end ]]")),
        ("repeat of much", Limit, s("[[ repeat(\"x\", 9223372036854775807) ]]")),
        ("repeats in a loop", Limit, s("[[ range ints(0, 100000) ]][[ x := repeat(\"x\", 100000) ]][[ end ]]")),
        ("replace that grows", Limit, s("[[ replace(repeat(\"x\", 100000), \"x\", repeat(\"y\", 100000), -1) ]]")),
        ("split in a loop", Limit, s("[[ range ints(0, 100000) ]][[ x := split(Data.text, \"\") ]][[ end ]]")),
        ("upper in a loop", Limit, s("[[ range ints(0, 1000000) ]][[ x := upper(Data.text) ]][[ end ]]")),
        ("json in a loop", Limit, s("[[ range ints(0, 100000) ]][[ x := json(Data) ]][[ end ]]")),
        ("data printed in a loop", Limit, s("[[ range ints(0, 100000) ]][[ Data ]][[ end ]]")),
        ("html in a loop", Limit, s("[[ range ints(0, 100000) ]][[ Data.text | html ]][[ end ]]")),
        ("slices in a loop", Limit, s("[[ x := slice(0) ]][[ range ints(0, 100000) ]][[ x = slice(x, x) ]][[ end ]]")),
        (
            "slices of ten arguments in a loop",
            Limit,
            s("[[ range ints(0, 9000000) ]][[ x := slice(1,2,3,4,5,6,7,8,9,0) ]][[ end ]]"),
        ),
        ("maps in a loop", Cheap, s("[[ x := map() ]][[ range i := ints(0, 1000000) ]][[ x[i] = i ]][[ end ]]")),
        ("a wide printf", Cheap, s("[[ printf(\"%999999999d\", 1) ]]")),
        ("deep brackets", Limit, format!("[[ {} ]]", nest(100_000, "(", "1", ")"))),
        ("signs", Limit, format!("[[ {} ]]", nest(100_000, "!", "true", ""))),
        ("a long sum", Limit, format!("[[ {} ]]", nest(100_000, "", "1", " + 1"))),
        ("a long chain of pipes", Cheap, format!("[[ {} ]]", nest(100_000, "", "\"x\"", " | upper"))),
        ("a long chain of members", Cheap, format!("[[ {} ]]", nest(100_000, "", "Data", ".a"))),
        ("ifs in ifs", Limit, nest(100_000, "[[ if true ]]", "x", "[[ end ]]")),
        ("many actions", Cheap, "[[ 1 ]]".repeat(100_000)),
        ("many blocks", Cheap, "[[ block b() ]]x[[ end ]]".repeat(30_000)),
        ("actions that never close", Cheap, "[[ ".repeat(300_000)),
        ("comments that never close", Cheap, "{* ".repeat(300_000)),
        ("a million braces of comments that are none", Cheap, format!("{}[[ 1 ]]", "{".repeat(2_000_000))),
        ("a million brackets", Cheap, "[".repeat(2_000_000)),
        ("braces and brackets in turn", Cheap, "{[".repeat(1_000_000)),
        ("unknown names that are asked for", Limit, s("[[ range ints(0, 9000000) ]][[ isset(nosuch) ]][[ end ]]")),
        (
            "faults that are caught",
            Limit,
            s("[[ range ints(0, 9000000) ]][[ try ]][[ nosuchnameinhere ]][[ end ]][[ end ]]"),
        ),
        (
            "faults that are caught late",
            Limit,
            s("[[ range ints(0, 9000000) ]][[ try ]][[ repeat(\"x\", 100000) ]][[ nosuch ]][[ end ]][[ end ]]"),
        ),
        (
            "a caught fault's text that grows",
            Limit,
            s(
                "[[ x := \"x\" ]][[ range ints(0, 900000) ]][[ try ]][[ include x ]][[ catch e ]][[ x = x + e + x ]][[ end ]][[ end ]]",
            ),
        ),
        (
            "many variables in a loop",
            Cheap,
            format!(
                "{}[[ range ints(0, 9000) ]][[ a0 ]][[ end ]]",
                (0..9_000).map(|at| format!("[[ a{at} := 1 ]]")).collect::<String>()
            ),
        ),
        (
            "content in a loop over many variables",
            Cheap,
            format!(
                "[[ block b() ]]{}[[ range ints(0, 90000) ]][[ yield content ]][[ end ]][[ end ]][[ yield b() content ]]x[[ end ]]",
                (0..900).map(|at| format!("[[ a{at} := 1 ]]")).collect::<String>()
            ),
        ),
        (
            "maps of many pairs of nothing",
            Cheap,
            format!(
                "[[ map({}\"a\", 1) ]]",
                (0..9_000)
                    .map(|at| format!("\"a{at}\", {}, ", if at % 2 == 0 { "1" } else { "nil" }))
                    .collect::<String>()
            ),
        ),
        ("url in a loop", Limit, s("[[ x := \"<\" ]][[ range ints(0, 60) ]][[ x = url(x) + url(x) ]][[ end ]]")),
        (
            "replace again and again",
            Limit,
            s("[[ x := \"x\" ]][[ range ints(0, 60) ]][[ x = replace(x, \"x\", \"xx\", 0 - 1) ]][[ end ]]"),
        ),
        ("comparisons of all data in a loop", Limit, s("[[ range ints(0, 9000000) ]][[ x := Data == Data ]][[ end ]]")),
        ("all data joined in a loop", Limit, s("[[ range ints(0, 9000000) ]][[ x := \"a\" + Data ]][[ end ]]")),
        ("slices of text in a loop", Limit, s("[[ range ints(0, 9000000) ]][[ x := Data.text[1:] ]][[ end ]]")),
        (
            "prefixes in a loop",
            Limit,
            s("[[ range ints(0, 9000000) ]][[ x := hasPrefix(Data.text, Data.text) ]][[ end ]]"),
        ),
        ("a writer in a loop", Limit, s("[[ range ints(0, 9000000) ]][[ Data | safeJs ]][[ end ]]")),
        (
            "splits kept",
            Limit,
            s("[[ x := slice() ]][[ range ints(0, 9000) ]][[ x = slice(x, split(Data.text, \"\")) ]][[ end ]]"),
        ),
        (
            "json of json",
            Limit,
            s(
                "[[ x := \"\\\\\" ]][[ range ints(0, 60) ]][[ x = json(x) ]][[ x = slice(x) ]][[ x = json(x) ]][[ end ]]",
            ),
        ),
        ("else ifs", Limit, format!("[[ if false ]]{}[[ end ]]", "x[[ else if false ]]".repeat(50_000))),
        ("a long list of alternatives", Limit, format!("[[ {}1 ]]", "0 || ".repeat(50_000))),
        ("a deep ternary", Limit, format!("[[ {}1 ]]", "1 ? 2 : ".repeat(50_000))),
        ("a large text token", Cheap, format!("[[ \"{} ]]", "x".repeat(4_000_000))),
        ("a large name", Cheap, format!("[[ {} ]]", "x".repeat(4_000_000))),
        ("a large number", Cheap, format!("[[ {} ]]", "1".repeat(4_000_000))),
        ("a large template", Limit, "x".repeat(5 << 20)),
        ("try in try", Limit, nest(50_000, "[[ try ]]", "x", "[[ end ]]")),
    ]
}
