//! Go's text/template.

use ccm_core::names::{Fuel, NoFunctions};
use ccm_core::span::Source;
use ccm_core::{Result, gotmpl};

use crate::attack::{
    Expected::{Cheap, Limit},
    Language, Row, data, nest, s,
};

pub const LANGUAGES: &[Language] = &[Language { name: "go template", run: render, rows: go_templates }];

fn render(source: &Source) -> Result<()> {
    let template = gotmpl::Template::parse(source, &gotmpl::Options::default())?;
    template.render_bytes(&data(), &NoFunctions, &Fuel::new()).map(drop)
}

fn go_templates() -> Vec<Row> {
    vec![
        ("ranges in ranges", Limit, s("{{range .numbers}}{{range $.numbers}}{{range $.numbers}}{{end}}{{end}}{{end}}")),
        (
            "ranges that print",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{range $.numbers}}xxxxxxxxxxxxxxxx{{end}}{{end}}{{end}}"),
        ),
        ("a range over a large number", Limit, s("{{range 9223372036854775807}}{{end}}")),
        ("a range over a large number that prints", Limit, s("{{range 9223372036854775807}}x{{end}}")),
        ("a template of itself", Limit, s("{{define \"a\"}}{{template \"a\"}}{{end}}{{template \"a\"}}")),
        (
            "a template of itself, twice",
            Limit,
            s("{{define \"a\"}}{{template \"a\"}}{{template \"a\"}}{{end}}{{template \"a\"}}"),
        ),
        (
            "templates that double",
            Limit,
            format!(
                "{}{{{{define \"a30\"}}}}x{{{{end}}}}{{{{template \"a0\"}}}}",
                (0..30)
                    .map(|at| format!(
                        "{{{{define \"a{at}\"}}}}{{{{template \"a{0}\"}}}}{{{{template \"a{0}\"}}}}{{{{end}}}}",
                        at + 1
                    ))
                    .collect::<String>()
            ),
        ),
        ("a wide number", Cheap, s("{{printf \"%999999999d\" 1}}")),
        (
            "a number as wide as can be, often",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{printf \"%1000000d\" 1}}{{end}}{{end}}"),
        ),
        ("a precise number", Cheap, s("{{printf \"%.1000000f\" 1.5}}")),
        ("precise numbers", Limit, s("{{range .numbers}}{{printf \"%.1000000f\" 1.5}}{{end}}")),
        ("a width from an argument", Cheap, s("{{printf \"%*d\" 1000000 1}}")),
        ("wide numbers forgotten", Limit, s("{{range .numbers}}{{$x := printf \"%1000000d\" 1}}{{end}}")),
        ("text that doubles", Limit, format!("{{{{$x := \"x\"}}}}{}", "{{$x = print $x $x}}".repeat(40))),
        (
            "text that doubles in printf",
            Limit,
            format!("{{{{$x := \"x\"}}}}{}", "{{$x = printf \"%s%s\" $x $x}}".repeat(40)),
        ),
        (
            "quoted text of quoted text",
            Limit,
            format!("{{{{$x := \"\\\\\"}}}}{}", "{{$x = printf \"%q\" $x}}".repeat(60)),
        ),
        ("escaped text of escaped text", Limit, format!("{{{{$x := \"<\"}}}}{}", "{{$x = html $x}}".repeat(60))),
        (
            "escaped URLs of escaped URLs",
            Limit,
            format!("{{{{$x := \"<\"}}}}{}", "{{$x = urlquery $x}}{{$x = print $x $x}}".repeat(60)),
        ),
        ("all data in a loop", Limit, s("{{range .numbers}}{{range $.numbers}}{{$}}{{end}}{{end}}")),
        (
            "all data formatted in a loop",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{$x := printf \"%#v\" $}}{{end}}{{end}}"),
        ),
        (
            "comparisons in a loop",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{if eq $.text $.text $.text $.text}}{{end}}{{end}}{{end}}"),
        ),
        ("len in a loop", Limit, s("{{range .numbers}}{{range $.numbers}}{{$x := len $.text}}{{end}}{{end}}")),
        ("slices in a loop", Limit, s("{{range .numbers}}{{range $.numbers}}{{$x := slice $.text 1}}{{end}}{{end}}")),
        ("brackets", Limit, format!("{{{{{}}}}}", nest(100_000, "(", "1", ")"))),
        ("ifs in ifs", Limit, nest(100_000, "{{if true}}", "x", "{{end}}")),
        ("elses in elses", Cheap, format!("{{{{if true}}}}{}{{{{end}}}}", "x{{else if true}}".repeat(100_000))),
        ("withs in withs", Limit, nest(100_000, "{{with .}}", "x", "{{end}}")),
        ("a long chain of pipes", Cheap, format!("{{{{{}}}}}", nest(100_000, "", "1", " | print"))),
        ("many actions", Cheap, "{{1}}".repeat(100_000)),
        ("many variables", Cheap, "{{$x := 1}}".repeat(100_000)),
        ("many definitions", Cheap, (0..20_000).map(|at| format!("{{{{define \"a{at}\"}}}}{{{{end}}}}")).collect()),
        ("actions that never close", Cheap, "{{".repeat(500_000)),
        ("comments that never close", Cheap, "{{/*".repeat(300_000)),
        ("a long format", Cheap, format!("{{{{printf \"{}\"}}}}", "%d".repeat(300_000))),
        ("calls of calls", Cheap, format!("{{{{{}}}}}", nest(50_000, "(print ", "1", ")"))),
    ]
}
