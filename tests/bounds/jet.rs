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
            Limit,
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
        ("maps in a loop", Limit, s("[[ x := map() ]][[ range i := ints(0, 1000000) ]][[ x[i] = i ]][[ end ]]")),
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
        ("a large template", Limit, "x".repeat(5 << 20)),
        ("try in try", Limit, nest(50_000, "[[ try ]]", "x", "[[ end ]]")),
    ]
}
