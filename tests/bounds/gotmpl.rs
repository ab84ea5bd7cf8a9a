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
        ("escaped text of escaped text", Cheap, format!("{{{{$x := \"<\"}}}}{}", "{{$x = html $x}}".repeat(60))),
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
        (
            "println of all data in a loop",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{$x := println $ $ $}}{{end}}{{end}}"),
        ),
        ("html of all data in a loop", Limit, s("{{range .numbers}}{{range $.numbers}}{{html $}}{{end}}{{end}}")),
        ("js that grows", Limit, format!("{{{{$x := \"<\\\\\"}}}}{}", "{{$x = js $x $x}}".repeat(60))),
        ("urlquery that grows", Limit, format!("{{{{$x := \"%\"}}}}{}", "{{$x = urlquery $x $x}}".repeat(60))),
        ("wide texts", Limit, s("{{range .numbers}}{{printf \"%1000000s%-1000000s\" . .}}{{end}}")),
        ("a wide list", Limit, s("{{printf \"%1000000d\" .numbers}}")),
        (
            "wide zeros",
            Limit,
            s("{{printf \"%01000000d %01000000d %01000000d %01000000d %01000000d %01000000d\" 1 2 3 4 5 6}}"),
        ),
        ("a list of precise numbers", Limit, s("{{printf \"%.1000000x\" .numbers}}")),
        ("wide hexadecimal text", Limit, s("{{range .numbers}}{{$x := printf \"% #x\" $.text}}{{end}}")),
        (
            "quoted text in a loop",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{$x := printf \"%q %+q\" $.text $.text}}{{end}}{{end}}"),
        ),
        (
            "wide exponents",
            Limit,
            s("{{range .numbers}}{{$x := printf \"%.1000000e %.1000000g %#.1000000g\" 1.5 1.5 1.5}}{{end}}"),
        ),
        ("code points", Limit, s("{{range .numbers}}{{$x := printf \"%.1000000U\" 65}}{{end}}")),
        ("one argument again and again", Limit, format!("{{{{printf \"{}\" .}}}}", "%[1]v".repeat(10_000))),
        ("types of values", Cheap, format!("{{{{printf \"{}\" .}}}}", "%[1]T".repeat(10_000))),
        (
            "arguments left over",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{$x := printf \"\" $ $ $}}{{end}}{{end}}"),
        ),
        (
            "order of texts in a loop",
            Limit,
            s(
                "{{range .numbers}}{{range $.numbers}}{{if lt $.text $.text}}{{end}}{{if ge $.text $.text}}{{end}}{{end}}{{end}}",
            ),
        ),
        (
            "many arguments in a loop",
            Limit,
            format!(
                "{{{{range .numbers}}}}{{{{range $.numbers}}}}{{{{if or {}}}}}{{{{end}}}}{{{{end}}}}{{{{end}}}}",
                "false ".repeat(1_000)
            ),
        ),
        (
            "an index chain in a loop",
            Limit,
            s("{{range .numbers}}{{range $.numbers}}{{index $.m \"a\" \"b\" \"c\"}}{{end}}{{end}}"),
        ),
        (
            "a template that calls itself with more",
            Limit,
            s("{{define \"a\"}}{{template \"a\" (printf \"%s%s\" . .)}}{{end}}{{template \"a\" \"x\"}}"),
        ),
        (
            "a template that prints and calls itself",
            Limit,
            s("{{define \"a\"}}{{range .numbers}}{{template \"a\" $}}{{end}}x{{end}}{{template \"a\" .}}"),
        ),
        (
            "breaks in a long range",
            Limit,
            s("{{range 9223372036854775807}}{{range 9223372036854775807}}{{break}}{{end}}{{continue}}{{end}}"),
        ),
        ("long text in a loop", Limit, format!("{{{{range .numbers}}}}{}{{{{end}}}}", "x".repeat(1 << 20))),
        ("a large template", Limit, "x".repeat(5 << 20)),
        ("a long name", Cheap, format!("{{{{{}}}}}", "x".repeat(4_000_000))),
        ("a long number", Cheap, format!("{{{{{}}}}}", "1".repeat(4_000_000))),
        ("a long quoted text", Cheap, format!("{{{{\"{}", "x".repeat(4_000_000))),
        ("a long text of escapes", Cheap, format!("{{{{\"{}\"}}}}", "\\u0041".repeat(600_000))),
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
