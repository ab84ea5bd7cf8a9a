//! Hierarchies of data: their merging, and the expressions in them.

use ccm_core::Result;
use ccm_core::hiera::{Document, Options};
use ccm_core::render::{Env, World};
use ccm_core::span::Source;

use crate::attack::{
    Expected::{Cheap, Limit},
    Language, Row, data, s,
};

pub const LANGUAGES: &[Language] = &[Language { name: "hiera", run: resolve, rows: hierarchies }];

fn resolve(source: &Source) -> Result<()> {
    let world = World::sandbox(data());
    let document = Document::read(source)?;
    document.resolve(&Env::confined(&world), &Options::default())?.enforce()
}

fn hierarchies() -> Vec<Row> {
    let levels = |count: usize| -> String { (0..count).map(|at| format!("  - l{}\n", at % 50)).collect() };
    let keys: String = (0..1_000).map(|at| format!("    k{at}: [a, b]\n")).collect();
    vec![
        (
            "a level again and again",
            Limit,
            format!(
                "hierarchy:\n  merge: deep\n  order:\n{}data: {{}}\noverrides:\n  l1:\n{keys}",
                "    - l1\n".repeat(20_000)
            ),
        ),
        (
            "levels without end",
            Limit,
            format!("hierarchy:\n  order:\n{}data: {{}}\n", levels(30_000).replace("  - ", "    - ")),
        ),
        (
            "an expression in each value",
            Cheap,
            format!("data:\n{}", (0..20_000).map(|at| format!("  k{at}: '${{ 1 + {at} }}'\n")).collect::<String>()),
        ),
        (
            "levels that grow the data",
            Cheap,
            format!(
                "hierarchy:\n  merge: deep\n  order:\n{}data: {{}}\noverrides:\n  l: {{a: [x]}}\n",
                "    - l\n".repeat(140_000)
            ),
        ),
        (
            "a wide level again and again",
            Limit,
            format!(
                "hierarchy:\n  merge: deep\n  order:\n{}data:\n{}overrides:\n  l: {{k0: y}}\n",
                "    - l\n".repeat(40_000),
                (0..20_000).map(|at| format!("  k{at}: x\n")).collect::<String>()
            ),
        ),
        (
            "expressions in a level again and again",
            Limit,
            format!(
                "hierarchy:\n  merge: deep\n  order:\n{}data: {{}}\noverrides:\n  l:\n    a: \"{{{{ len(map(1..1000, #)) }}}}\"\n",
                "    - l\n".repeat(40_000)
            ),
        ),
        (
            "levels with expressions",
            Cheap,
            format!(
                "hierarchy:\n  order:\n{}data: {{}}\n",
                (0..20_000).map(|at| format!("    - 'l{{{{ {at} }}}}'\n")).collect::<String>()
            ),
        ),
        (
            "costly levels",
            Limit,
            format!(
                "hierarchy:\n  order:\n{}data: {{}}\n",
                (0..5_000).map(|at| format!("    - 'l{{{{ len(map(1..90000, # + {at})) }}}}'\n")).collect::<String>()
            ),
        ),
        (
            "a pattern in each rule",
            Cheap,
            format!(
                "data:\n{}",
                (0..2_000)
                    .map(|at| format!("  # @validate isRegex(value, '^(a|b|c){{1,30}}$')\n  k{at}: abcabc\n"))
                    .collect::<String>()
            ),
        ),
        (
            "costly patterns in rules",
            Cheap,
            format!(
                "data:\n{}",
                (0..2_000)
                    .map(|at| format!(
                        "  # @validate isRegex(value, '(a|b){{0,900}}c')\n  k{at}: {}\n",
                        "ab".repeat(100)
                    ))
                    .collect::<String>()
            ),
        ),
        (
            "a broken rule for each key",
            Cheap,
            format!(
                "data:\n{}",
                (0..10_000).map(|at| format!("  # @validate len(value) > 30\n  k{at}: abcd\n")).collect::<String>()
            ),
        ),
        (
            "a rule that cannot be read for each key",
            Cheap,
            format!(
                "data:\n{}",
                (0..5_000).map(|at| format!("  # @validate nosuch(value) > 30\n  k{at}: abcd\n")).collect::<String>()
            ),
        ),
        ("rules on one key", Cheap, format!("data:\n{}  k: abcd\n", "  # @validate len(value) > 3\n".repeat(20_000))),
        (
            "texts of lookups",
            Limit,
            format!(
                "data:\n{}",
                (0..5_000).map(|at| format!("  k{at}: 'x {{{{ lookup(\"facts\") }}}}'\n")).collect::<String>()
            ),
        ),
        (
            "data in JSON",
            Limit,
            format!(
                "{{\"data\": {{{}\"k\": 1}}}}",
                (0..5_000).map(|at| format!("\"k{at}\": \"{{{{ repeat('x', 90000) }}}}\", ")).collect::<String>()
            ),
        ),
        ("a costly expression", Limit, s("data:\n  a: '${ sum(1..1000, sum(1..1000, sum(1..1000, #))) }'\n")),
        (
            "costly expressions",
            Limit,
            format!(
                "data:\n{}",
                (0..1_000).map(|at| format!("  k{at}: '${{ len(map(1..90000, # + {at})) }}'\n")).collect::<String>()
            ),
        ),
        (
            "large values",
            Limit,
            format!(
                "data:\n{}",
                (0..1_000).map(|at| format!("  k{at}: '${{ repeat(\"x\", 900000) }}'\n")).collect::<String>()
            ),
        ),
        (
            "lookups of all",
            Limit,
            format!(
                "data:\n{}",
                (0..20_000).map(|at| format!("  k{at}: '${{ lookup(\"facts\") }}'\n")).collect::<String>()
            ),
        ),
        (
            "many rules",
            Cheap,
            format!(
                "data:\n{}",
                (0..10_000).map(|at| format!("  # @validate len(value) > 3\n  k{at}: abcd\n")).collect::<String>()
            ),
        ),
        (
            "costly rules",
            Limit,
            format!(
                "data:\n{}",
                (0..1_000)
                    .map(|at| format!("  # @validate count(1..90000, # > {at}) > 3\n  k{at}: abcd\n"))
                    .collect::<String>()
            ),
        ),
        (
            "deep data",
            Cheap,
            format!("data:\n{}", (1..120).map(|at| format!("{}k:\n", "  ".repeat(at))).collect::<String>()),
        ),
        ("an interpolation of itself", Cheap, s("hierarchy:\n  order: ['%{facts.s}']\ndata:\n  a: '%{%{%{%{a}}}}'\n")),
    ]
}
