//! Numbers wider than an address of 32 bits, in every language: past the end is past the end on every machine, and no
//! bound loses its upper half. Every target's emulation runs these (`cargo xtask emulate`).

use ccm_core::expr::Program;
use ccm_core::gotmpl;
use ccm_core::jet;
use ccm_core::names::{Fuel, NoFunctions, Scope};
use ccm_core::span::Source;
use ccm_core::value::{Value, json, lookup, wire};

fn data() -> Value {
    json::parse("[1, 2, 3]").unwrap()
}

/// Runs something over the data, with the functions of no host.
fn with<T>(run: impl FnOnce(&Scope<'_>) -> T) -> T {
    run(&Scope { variables: &[("Data", data())], functions: &NoFunctions, fuel: &Fuel::new() })
}

fn expression(text: &str) -> String {
    let value = with(|scope| Program::compile(&Source::anonymous(text), scope)?.evaluate_value(scope));
    value.and_then(|value| wire::json(&value, wire::Layout::COMPACT)).unwrap_or_else(|error| error.to_string())
}

fn jet(text: &str) -> String {
    let delimiters = jet::Delimiters::default();
    with(|scope| jet::Template::parse(&Source::anonymous(text), &delimiters)?.render(scope))
        .unwrap_or_else(|error| error.to_string())
}

fn text_template(text: &str) -> String {
    gotmpl::Template::parse(&Source::anonymous(text), &gotmpl::Options::default())
        .and_then(|template| template.render(&data(), &NoFunctions, &Fuel::new()))
        .unwrap_or_else(|error| error.to_string())
}

#[test]
fn bounds_of_expressions() {
    for (text, answer) in [
        ("Data[1:4294967298]", "[2,3]"),
        ("Data[4294967296:]", "[]"),
        ("Data[-4294967298:-4294967297]", "[]"),
        ("Data[-4294967297:2]", "[1,2]"),
        ("\"abc\"[4294967296:4294967298]", "\"\""),
        ("take(Data, 4294967297)", "[1,2,3]"),
        ("split(\"a,b,c\", \",\", 4294967297)", "[\"a\",\"b\",\"c\"]"),
        ("replace(\"aaa\", \"a\", \"b\", 4294967297)", "\"bbb\""),
        ("4294967295..4294967297", "[4294967295,4294967296,4294967297]"),
        ("filter(4294967295..4294967297, # % 2 == 0)", "[4294967296]"),
        ("bitshl(1, 40) + bitshr(1099511627776, 40)", "1099511627777"),
        ("4294967296 in [0]", "false"),
    ] {
        assert_eq!(expression(text), answer, "{text}");
    }
    for (text, fault) in [
        ("Data[4294967297]", "index 4294967297 is out of range"),
        ("Data[-4294967295]", "index -4294967295 is out of range"),
        ("1..4294967297", "memory"),
        ("repeat(\"ab\", 4294967297)", "memory"),
    ] {
        assert!(expression(text).contains(fault), "{text}: {}", expression(text));
    }
}

#[test]
fn bounds_of_jet() {
    for (text, answer) in [
        ("[[ replace(\"aaa\", \"a\", \"b\", 4294967297) ]]", "bbb"),
        ("[[ range at, number := ints(4294967295, 4294967297) ]][[ number ]] [[ end ]]", "4294967295 4294967296 "),
        ("[[ repeat(\"\", 4294967297) ]].", "."),
    ] {
        assert_eq!(jet(text), answer, "{text}");
    }
    for (text, fault) in [
        ("[[ Data[4294967297] ]]", "index 4294967297 is out of range of 3"),
        ("[[ Data[0:4294967298] ]]", "slice [0:4294967298] is out of range of 3"),
        ("[[ Data[-4294967295:2] ]]", "slice [-4294967295:2] is out of range of 3"),
        ("[[ repeat(\"ab\", 4294967297) ]]", "evaluation takes more than"),
    ] {
        assert!(jet(text).contains(fault), "{text}: {}", jet(text));
    }
}

#[test]
fn bounds_of_text_templates() {
    for (text, answer) in [
        ("{{ printf `%d %x` 4294967297 4294967297 }}", "4294967297 100000001"),
        ("{{ printf `%*d` 4294967297 7 }}", "%!(BADWIDTH)7"),
    ] {
        assert_eq!(text_template(text), answer, "{text}");
    }
    for (text, fault) in [
        ("{{ index . 4294967297 }}", "index 4294967297 is outside"),
        ("{{ slice `abc` 4294967296 }}", "index 4294967296 is outside"),
        ("{{ slice `abc` 0 4294967298 }}", "index 4294967298 is outside"),
    ] {
        assert!(text_template(text).contains(fault), "{text}: {}", text_template(text));
    }
}

#[test]
fn paths_into_data() {
    let found = |path: &str| lookup::find(&[("data", &data())], path).unwrap();
    assert_eq!(found("data.1"), Some(Value::from(2_i64)));
    assert_eq!(found("data.4294967297"), None);
    assert_eq!(found("data.18446744073709551617"), None);
}
