//! Expressions, jet, Go templates, template strings and patterns.

use ccm_core::expr::Program;
use ccm_core::names::{Fuel, NoFunctions, Scope};
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::text::pattern::Pattern;
use ccm_core::value::{Map, Value};
use ccm_core::{gotmpl, jet};

use super::{Shape, lines};

pub(crate) fn shapes() -> Vec<Shape> {
    let mut all = expressions();
    all.extend(jet_templates());
    all.extend(go_templates());
    all.extend(strings());
    all
}

/// `items`: numbers; `names`: texts; `text`: words.
fn data(n: usize) -> Value {
    let mut data = Map::new();
    data.insert("items", (0..n as i64).map(Value::from).collect::<Vec<_>>());
    data.insert("names", (0..n).map(|at| Value::from(format!("name{at}"))).collect::<Vec<_>>());
    data.insert("text", "some words ".repeat(n));
    let entries = (0..n).map(|at| (format!("k{at:05}").into(), Value::from(at as i64))).collect();
    data.insert("map", Map::from_entries(entries));
    Value::from(data)
}

fn evaluate(data: Value, text: &str) {
    let variables = [("Data", data)];
    let fuel = Fuel::new();
    let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel };
    let program = Program::compile(&Source::anonymous(text), &scope).expect("an expression");
    std::hint::black_box(program.evaluate_value(&scope).expect("a value"));
}

fn expressions() -> Vec<Shape> {
    let over = |text: &'static str, parts| {
        Shape::of(&format!("expression: {text}"), parts, data, move |data: &mut Value| evaluate(data.clone(), text))
    };
    let long = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("expression: {name}"), parts, text, |text| evaluate(data(2), text))
    };
    vec![
        over("map(Data.items, # + 1)", 500),
        over("filter(Data.names, # endsWith '7')", 500),
        over("sort(Data.names)", 2000),
        over("sortBy(Data.items, -#)", 1000),
        over("uniq(Data.names)", 2000),
        over("uniq(map(Data.items, # % 7))", 500),
        over("groupBy(Data.items, # % 10)", 500),
        over("join(Data.names, ',')", 1000),
        over("split(Data.text, ' ')", 1000),
        over("replace(Data.text, 'some', 'any')", 1000),
        over("upper(Data.text)", 1000),
        over("trim(Data.text)", 1000),
        over("Data.text matches '^(some words )*$'", 500),
        over("Data.text contains 'wordy'", 1000),
        over("reverse(Data.items)", 1000),
        over("flatten([Data.items, Data.names])", 500),
        over("concat(Data.items, Data.names)", 1000),
        over("toJSON(Data)", 300),
        over("fromJSON(toJSON(Data.items))", 500),
        over("keys(Data.map)", 500),
        over("toPairs(Data.map)", 500),
        over("fromPairs(toPairs(Data.map))", 500),
        over("reduce(Data.items, #acc + #)", 500),
        over("Data.items == map(Data.items, #)", 1000),
        over("Data.items[1:][1:]", 1000),
        over("toBase64(Data.text)", 1000),
        over("fromBase64(toBase64(Data.text))", 1000),
        over("len(Data.text)", 2000),
        over("median(Data.items)", 500),
        long("a list", 300, |n| format!("[{}1]", "1, ".repeat(n))),
        long("a map", 300, |n| format!("{{{}}}", lines(n, |at| format!("k{at}: {at}, ")))),
        long("a literal", 3000, |n| format!("'{}'", "word ".repeat(n))),
        long("a literal of escapes", 2000, |n| format!("\"{}\"", "\\n\\u00e9".repeat(n))),
        long("white space", 3000, |n| format!("1{}+ 1", " ".repeat(n))),
        long("a comment", 3000, |n| format!("1 /* {} */ + 1", "word ".repeat(n))),
        long("conditions", 20, |n| "Data.text == 'a' ? 1 : ".repeat(n) + "2"),
        long("variables", 20, |n| lines(n, |at| format!("let v{at} = {at}; ")) + "v0"),
        long("arguments", 300, |n| format!("max({}1)", "1, ".repeat(n))),
    ]
}

fn render_jet(data: Value, text: &str) {
    let variables = [("Data", data)];
    let fuel = Fuel::new();
    let template = jet::Template::parse(&Source::new("f.jet", text), &jet::Delimiters::default()).expect("a template");
    let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel };
    std::hint::black_box(template.render(&scope).expect("text"));
}

fn jet_templates() -> Vec<Shape> {
    let over = |text: &'static str, parts| {
        Shape::of(&format!("jet: {text}"), parts, data, move |data: &mut Value| render_jet(data.clone(), text))
    };
    let long = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("jet: {name}"), parts, text, |text| render_jet(data(2), text))
    };
    vec![
        over("[[ range i, v := Data.names ]][[ i ]]=[[ v ]] [[ end ]]", 500),
        over("[[ range Data.names ]][[ . ]] [[ end ]]", 500),
        over("[[ range k, v := Data.map ]][[ k ]]=[[ v + 1 ]] [[ end ]]", 500),
        over("[[ range _, v := split(Data.text, \" \") ]][[ v | upper ]] [[ end ]]", 500),
        over("[[ n := 0 ]][[ range _, v := Data.items ]][[ n = n + v ]][[ end ]][[ n ]]", 500),
        over("[[ range _, v := Data.items ]][[ try ]]x[[ nosuch ]][[ catch ]]y[[ end ]][[ end ]]", 100),
        over("[[ block b(x=1) ]][[ x ]][[ end ]][[ range _, v := Data.items ]][[ yield b(x=v) ]][[ end ]]", 300),
        over("[[ Data.text | upper | lower ]]", 1000),
        over("[[ Data.items ]]", 1000),
        over("[[ json(Data) ]]", 300),
        over("[[ Data.text | html ]]", 1000),
        over("[[ replace(Data.text, \"o\", \"0\", -1) ]]", 1000),
        long("text", 5000, |n| "word ".repeat(n)),
        long("actions", 500, |n| "a [[ Data.text ]] b ".repeat(n)),
        long("variables of one frame", 300, |n| lines(n, |at| format!("[[ v{at} := {at} ]]"))),
        long("variables, read again", 300, |n| {
            lines(n, |at| format!("[[ v{at} := {at} ]]")) + &lines(n, |at| format!("[[ v{at} ]]"))
        }),
        long("conditions", 300, |n| "[[ if 1 ]]a[[ else ]]b[[ end ]]".repeat(n)),
        long("blocks", 300, |n| lines(n, |at| format!("[[ block b{at}() ]]x[[ end ]]"))),
        long("braces alone", 1000, |n| "{ ".repeat(n) + "[[ 1 ]]"),
        long("comments", 1000, |n| "{* a comment *}x".repeat(n)),
        long("trimmed white space", 1000, |n| "a  \n\n [[- 1 -]] \n\n ".repeat(n)),
        long("white space to trim", 3000, |n| format!("a{}[[- 1 ]]", " ".repeat(n))),
        long("a literal", 3000, |n| format!("[[ \"{}\" ]]", "word ".repeat(n))),
        long("an operator in a row", 60, |n| format!("[[ 1{} ]]", " + 1".repeat(n))),
    ]
}

fn render_go(data: &Value, text: &str) {
    let template =
        gotmpl::Template::parse(&Source::new("f.templ", text), &gotmpl::Options::default()).expect("a template");
    std::hint::black_box(template.render(data, &NoFunctions, &Fuel::new()).expect("text"));
}

fn go_templates() -> Vec<Shape> {
    let over = |text: &'static str, parts| {
        Shape::of(&format!("text/template: {text}"), parts, data, move |data: &mut Value| render_go(data, text))
    };
    let long = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("text/template: {name}"), parts, text, |text| render_go(&data(2), text))
    };
    vec![
        over("{{ range $i, $n := .names }}{{ $i }}={{ $n }} {{ end }}", 500),
        over("{{ range $k, $v := .map }}{{ $k }}={{ $v }} {{ end }}", 500),
        over("{{ define \"x\" }}<{{ . }}>{{ end }}{{ range .names }}{{ template \"x\" . }}{{ end }}", 300),
        over("{{ range .items }}{{ if eq . 7 }}{{ break }}{{ end }}{{ end }}{{ .items }}", 1000),
        over("{{ printf \"%v %q\" .items .text }}", 500),
        over("{{ html .text }}{{ js .text }}{{ urlquery .text }}", 300),
        over("{{ range .names }}{{ printf \"%-10s|%x\" . . }}{{ end }}", 300),
        over("{{ $n := 0 }}{{ range .items }}{{ $n = . }}{{ end }}{{ $n }}", 500),
        over("{{ slice .text 1 }}{{ len .text }}", 5000),
        long("text", 5000, |n| "word ".repeat(n)),
        long("actions", 500, |n| "a {{ .text }} b ".repeat(n)),
        long("variables", 300, |n| lines(n, |at| format!("{{{{ $v{at} := {at} }}}}"))),
        long("variables, read again", 300, |n| {
            lines(n, |at| format!("{{{{ $v{at} := {at} }}}}")) + &lines(n, |at| format!("{{{{ $v{at} }}}}"))
        }),
        long("conditions", 300, |n| "{{ if .text }}a{{ else }}b{{ end }}".repeat(n)),
        long("definitions", 300, |n| lines(n, |at| format!("{{{{ define \"d{at}\" }}}}x{{{{ end }}}}"))),
        long("definitions called", 300, |n| {
            lines(n, |at| format!("{{{{ define \"d{at}\" }}}}x{{{{ end }}}}{{{{ template \"d{at}\" }}}}"))
        }),
        long("comments", 1000, |n| "{{/* a comment */}}x".repeat(n)),
        long("trimmed white space", 1000, |n| "a  \n\n {{- 1 -}} \n\n ".repeat(n)),
        long("white space to trim", 3000, |n| format!("a{}{{{{- 1 }}}}", " ".repeat(n))),
        long("arguments", 300, |n| format!("{{{{ print {} }}}}", "1 ".repeat(n))),
        long("a pipeline", 40, |n| format!("{{{{ 1 {} }}}}", "| print ".repeat(n))),
    ]
}

/// A text that is a template, whatever comes of it.
fn field(text: &str) {
    let world = World::new(data(2), data(2), Map::new());
    let env = Env::confined(&world);
    drop(std::hint::black_box(env.typed(text)));
}

fn strings() -> Vec<Shape> {
    let string = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("template string: {name}"), parts, text, field)
    };
    let pattern = |name: &str, parts, pattern: fn(usize) -> String, text: fn(usize) -> String| {
        Shape::of(
            &format!("pattern: {name}"),
            parts,
            move |n| (pattern(n), text(n)),
            |(pattern, text): &mut (String, String)| {
                let compiled = Pattern::with_groups(pattern).expect("a pattern");
                std::hint::black_box((compiled.captures_at(text, 0), compiled.replace_all(text, "x")));
            },
        )
    };
    vec![
        string("expressions", 300, |n| "a {{ Data.items }} b ".repeat(n)),
        string("text", 5000, |n| "word ".repeat(n)),
        string("the other form", 300, |n| "a ${ Data.items } b ".repeat(n)),
        string("opened, never closed", 1000, |n| "{{ a ".repeat(n)),
        string("the other form, never closed", 1000, |n| "${ a ".repeat(n)),
        string("braces alone", 2000, |n| "{ } ".repeat(n)),
        string("dollars alone", 30_000, |n| "$ ".repeat(n)),
        string("quotes in an expression", 1000, |n| format!("{{{{ {} }}}}", "'a' ".repeat(n))),
        string("closed, never opened", 1000, |n| "}} ".repeat(n)),
        pattern("a long text", 300, |_| "(a|b)+c".to_owned(), |n| "ab".repeat(n)),
        pattern("many matches", 300, |_| "[a-z]+".to_owned(), |n| "word ".repeat(n)),
        pattern("a long pattern", 100, |n| "ab?".repeat(n), |_| "ab".to_owned()),
        pattern("alternatives", 100, |n| "a|".repeat(n) + "b", |_| "b".to_owned()),
    ]
}
