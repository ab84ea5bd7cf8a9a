//! Bounds and messages; what templates mean is held by `tests/vectors/text_template.jsonl`.

extern crate std;

use alloc::format;
use alloc::string::{String, ToString};

use super::shape::{Record, Type};
use super::{Options, Template};
use crate::error::{Kind, Result};
use crate::names::{Fuel, NoFunctions};
use crate::span::Source;
use crate::value::{Layout, Map, Shape, Value};

static ROOT: Layout = Layout { name: "t.Root", fields: &["Node", "Names"] };
static ITEM: Layout = Layout { name: "t.Item", fields: &["Name"] };
static ITEM_SHAPE: Type = Type::Record(&Record { layout: &ITEM, types: &[Type::Text] });
static SHAPE: Type = Type::Record(&Record { layout: &ROOT, types: &[Type::Text, Type::List(&ITEM_SHAPE)] });

fn roster() -> Value {
    let record = |members: &[(&str, Value)], layout| -> Value {
        let map: Map = members.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        map.shaped(Shape::Struct(layout)).into()
    };
    let item = record(&[("Name", "a".into())], &ITEM);
    record(&[("Names", Value::list([item].into())), ("Node", "n".into())], &ROOT)
}

fn render(template: &str, data: &Value, fuel: &Fuel) -> Result<String> {
    Template::parse(&Source::anonymous(template), &Options::default())?.render(data, &NoFunctions, fuel)
}

fn fault(template: &str) -> String {
    render(template, &Value::Null, &Fuel::new()).unwrap_err().to_string()
}

/// Runs on the smallest stack that ccm promises to need.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn the_deepest_nesting_that_is_allowed_fits_a_small_stack() {
    on_a_small_stack(|| {
        let ifs = format!("{}x{}", "{{if true}}".repeat(100), "{{end}}".repeat(100));
        assert_eq!(render(&ifs, &Value::Null, &Fuel::new()).unwrap(), "x");
        let parens = format!("{{{{{}1{}}}}}", "(print ".repeat(50), ")".repeat(50));
        assert_eq!(render(&parens, &Value::Null, &Fuel::new()).unwrap(), "1");
        let both = format!("{}{parens}{}", "{{with 1}}".repeat(100), "{{end}}".repeat(100));
        let source = Source::anonymous(both);
        let template = Template::parse(&source, &Options::default()).unwrap();
        assert!(template.check(&SHAPE).is_empty());
        let deep = (0..100).fold(Value::from(1_i64), |inner, _| Value::list([inner].into()));
        assert!(render("{{printf `%#v %v` . .}}", &deep, &Fuel::new()).is_ok());
    });
}

#[test]
fn deeper_nesting_is_refused_by_name() {
    on_a_small_stack(|| {
        assert_eq!(fault(&"{{if true}}".repeat(100_000)), "actions are nested deeper than 100 (1:1103)");
        assert_eq!(fault(&format!("{{{{{}", "(".repeat(100_000))), "parentheses are nested deeper than 50 (1:53)");
        assert!(fault(&"{{else if x}}".repeat(100_000)).contains("without"));
        let deep = (0..300).fold(Value::from(1_i64), |inner, _| Value::list([inner].into()));
        assert!(matches!(render("{{.}}", &deep, &Fuel::new()).unwrap_err().kind(), Kind::Limit(_)));
    });
}

#[test]
fn a_template_without_end_ends() {
    on_a_small_stack(|| {
        let fault = |template: &str| {
            let fuel = Fuel::with(2_000_000, 4 << 20, 8);
            match render(template, &Value::Null, &fuel).unwrap_err().kind() {
                Kind::Limit(text) => text.clone(),
                other => panic!("{other}"),
            }
        };
        assert!(fault("{{define `a`}}{{template `a`}}{{end}}{{template `a`}}").contains("deeper than 1000"));
        assert!(fault("{{range 9000000000000000}}{{end}}").contains("steps"));
        assert!(fault("{{range 9000000000000000}}x{{end}}").contains("steps"));
        assert!(fault("{{range 1000000}}some more text than that{{end}}").contains("data"));
        assert!(fault("{{$x := `aaaaaaaa`}}{{range 60}}{{$x = print $x $x}}{{end}}").contains("data"));
        assert!(fault("{{range 1000}}{{printf `%9999d` 1}}{{end}}").contains("data"));
        assert!(fault("{{printf `%999999d%999999d%999999d` 1 2 3}}").contains("data"));
    });
}

#[test]
fn twice_the_template_is_twice_the_work() {
    let steps = |template: String| {
        let fuel = Fuel::new();
        render(&template, &Value::Null, &fuel).unwrap();
        Fuel::STEPS - fuel.steps_left()
    };
    for piece in [
        "{{$x := 1}}{{$x}}",
        "{{range 3}}{{.}}{{end}}",
        "{{if false}}{{else if false}}{{else}}x{{end}}",
        "{{print 1 | len}}",
    ] {
        let (once, twice) = (steps(piece.repeat(500)), steps(piece.repeat(1000)));
        assert!(twice * 10 <= once * 22, "{piece}: {once}, {twice}");
    }
}

#[test]
fn a_fault_says_where_and_what_to_do() {
    assert_eq!(fault("a\n{{prnt 1}}"), "unknown function prnt, did you mean print? (2:3)");
    assert_eq!(fault("{{range 1}}"), "the text ends inside {{range}}: {{end}} is missing (1:3)");
    assert_eq!(fault("{{len 1 2}}"), "function len takes 1 argument(s), got 2 (1:3)");
    assert_eq!(fault("{{index `abc` 7}}"), "index 7 is outside 0 to 3 (1:3)");
    assert_eq!(fault("{{$x = 1}}"), "assignment to $x, which was not declared; declare it with $x := … (1:3)");
    assert_eq!(
        fault("{{template `a`}}{{define `b`}}x{{end}}"),
        "template \"a\" is not defined; defined are b, template (1:3)"
    );
    assert_eq!(fault("{{slice `ż` 0 1}}"), "the result is not UTF-8: slice or index cut a character");
}

#[test]
fn delimiters_are_the_callers_choice() {
    let source = Source::anonymous("<% .a -%> \n {{ b }} <%/* c */%>");
    let options = Options { delimiters: ("<%", "%>"), ..Options::default() };
    let template = Template::parse(&source, &options).unwrap();
    let data = [("a".into(), Value::from("x"))].into_iter().collect::<Map>().into();
    assert_eq!(template.render(&data, &NoFunctions, &Fuel::new()).unwrap(), "x{{ b }} ");
}

/// Pieces of templates in any order: each text must be read or refused, rendered or refused, and never take long.
#[test]
fn no_text_does_harm() {
    const PIECES: [&str; 40] = [
        "{{",
        "}}",
        "{{- ",
        " -}}",
        "(",
        ")",
        "|",
        ".",
        "$",
        "$x",
        ":=",
        "=",
        ",",
        " ",
        "\n",
        "\"",
        "`",
        "'",
        "\\",
        "/*",
        "*/",
        "if ",
        "else ",
        "end",
        "range ",
        "with ",
        "define ",
        "template ",
        "block ",
        "break",
        "nil",
        "1",
        "-1.5e9",
        "0x",
        "\"%[2]*.*d\"",
        "printf ",
        "index ",
        "slice ",
        "żółć",
        ".Names",
    ];
    const DELIMITERS: [(&str, &str); 7] =
        [("{{", "}}"), ("", ""), (" ", " "), ("-", "-"), ("/*", "*/"), ("ż", "ó"), ("{{- ", "\n")];
    on_a_small_stack(|| {
        let mut seed = 11_u64;
        let mut roll = |sides: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % sides
        };
        let view = roster();
        for _ in 0..20_000 {
            let length = 1 + roll(24);
            let text: String = (0..length).map(|_| PIECES[roll(PIECES.len())]).collect();
            let source = Source::anonymous(text);
            let delimiters = DELIMITERS[roll(DELIMITERS.len())];
            if let Ok(template) = Template::parse(&source, &Options { delimiters, ..Options::default() }) {
                let _faults = template.check(&SHAPE);
                let _text = template.render(&view, &NoFunctions, &Fuel::with(10_000, 1 << 20, 8));
            }
        }
    });
}
