//! The languages, timed one by one: medians of repeated batches, in nanoseconds for one use.
//!
//! Run by `cargo xtask bench`. The inputs are small and typical: what manifests of operators hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use ccm_core::expr::Program;
use ccm_core::names::{Fuel, NoFunctions, Scope};
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::value::{Map, Shape, Value, json, lookup};
use ccm_core::{gotmpl, hiera, jet, yaml};

const EXPRESSIONS: &[&str] = &[
    "Facts.host.info.os == 'linux' && Data.port > 1024",
    "Data.port + 1",
    "Data.name + '.' + Data.domain",
    "Data.users | filter(.uid >= 1000) | map(.name)",
    "len(Data.users) > 0 ? Data.users[0].name : 'nobody'",
    "upper(Data.env)",
    "'web' in Data.roles",
    "Data.missing ?? 'default'",
    "Data.name matches '^web[0-9]+$'",
    "join(map(Data.users, .name), ',')",
];

const DATA: &str = r#"{"port": 8080, "name": "web01", "domain": "example.net", "env": "prod", "roles": ["web", "db"],
    "users": [{"name": "ann", "uid": 1001}, {"name": "bob", "uid": 1002}, {"name": "daemon", "uid": 2}],
    "host": {"info": {"os": "linux", "platformFamily": "debian"}}}"#;

const HIERARCHY: &str = "\
hierarchy:
  order:
    - \"host:{{ lookup('facts.name') }}\"
    - \"env:{{ lookup('facts.env') }}\"
  merge: deep
data:
  log: INFO
  port: 80
  packages: [a, b]
  web: {listen: 80, tls: false, opts: {x: 1, y: 2}}
overrides:
  \"env:prod\": {log: WARN, packages: [p], web: {tls: true}}
  \"host:web01\": {port: 8080, web: {listen: 443, opts: {y: 9, z: 3}}}
";

const JET: &str =
    "[[ range i, u := Data.items ]]\n- file:\n    - /etc/app/[[ u ]].conf:\n        content: \"[[ i ]]\"\n[[ end ]]";
const HOSTS: &str = "{{ range .Machines }}{{ .Address }} {{ .FQDN }} {{ .Name }}\n{{ end }}";

/// Without arguments every item is timed. `NAME COUNT` only uses that item so often: run with N and with 2N under
/// callgrind, the difference is the instructions of N uses (`cargo xtask bench --count`).
fn main() {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let mut bench = match &*words {
        [name, count] => Bench { only: Some((name.clone(), count.parse().expect("a count"))) },
        _ => Bench { only: None },
    };
    let data = json::parse(DATA).expect("data");
    let variables =
        [("Data", data.clone()), ("Facts", data.clone()), ("Environ", Value::from(Map::new().shaped(Shape::Texts)))];
    expressions(&mut bench, &variables, &data);
    let roots = [("data", &data), ("facts", &data)];
    bench.item("lookup", "lookup data.users.1.name", 1.0, || {
        black_box(lookup::find(&roots, black_box("data.users.1.name")).expect("a path"));
    });
    hierarchy(&mut bench, &data);
    jet_list(&mut bench);
    hosts(&mut bench);
    documents(&mut bench);
}

struct Bench {
    /// The one item wanted, and how often.
    only: Option<(String, u32)>,
}

impl Bench {
    /// Times an item, or uses it as often as asked. Nanoseconds of one part, where it was timed.
    fn item(&mut self, name: &str, title: &str, parts: f64, mut run: impl FnMut()) -> Option<f64> {
        match &self.only {
            None => Some(time(title, parts, run)),
            Some((wanted, count)) => {
                if wanted == name {
                    (0..*count).for_each(|_| run());
                }
                None
            }
        }
    }
}

fn expressions(bench: &mut Bench, variables: &[(&str, Value)], data: &Value) {
    let all = |run: &dyn Fn(&Program, &Scope<'_>)| {
        for text in EXPRESSIONS {
            let fuel = Fuel::new();
            let scope = Scope { variables, functions: &NoFunctions, fuel: &fuel };
            let program = Program::compile(&Source::anonymous(black_box(*text)), &scope).expect(text);
            run(&program, &scope);
        }
    };
    bench.item("compile", "compile an expression", 10.0, || {
        all(&|program, _| {
            black_box(program);
        })
    });
    let ours = bench.item("evaluate", "compile and evaluate an expression", 10.0, || {
        all(&|program, scope| drop(black_box(program.evaluate_value(scope).expect("a value"))));
    });
    let by_hand = bench.item("by-hand", "hand-written Rust, the same ten", 10.0, || by_hand(black_box(data)));
    if let (Some(ours), Some(by_hand)) = (ours, by_hand) {
        println!("{:<52} {:>12.1} times", "  an expression beside it", ours / by_hand);
    }
}

/// What the ten expressions compute, in Rust on the same data.
fn by_hand(data: &Value) {
    let map = data.as_map().expect("a map");
    let text = |key: &str| map.get(key).and_then(Value::as_text).unwrap_or_default();
    let port = match map.get("port") {
        Some(Value::Int(int)) => int.as_i64().unwrap_or(0),
        _ => 0,
    };
    let users = map.get("users").and_then(Value::as_list).unwrap_or_default();
    let name = |user: &Value| {
        user.as_map().and_then(|user| user.get("name")).and_then(Value::as_text).unwrap_or_default().to_owned()
    };
    let uid = |user: &Value| match user.as_map().and_then(|user| user.get("uid")) {
        Some(Value::Int(int)) => int.as_i64().unwrap_or(0),
        _ => 0,
    };
    let os = map.get("host").and_then(Value::as_map).and_then(|host| host.get("info")).and_then(Value::as_map);
    let os = os.and_then(|info| info.get("os")).and_then(Value::as_text);
    black_box(os == Some("linux") && port > 1024);
    black_box(port + 1);
    black_box(format!("{}.{}", text("name"), text("domain")));
    black_box(users.iter().filter(|user| uid(user) >= 1000).map(name).collect::<Vec<_>>());
    black_box(users.first().map_or_else(|| "nobody".to_owned(), name));
    black_box(text("env").to_uppercase());
    black_box(
        map.get("roles").and_then(Value::as_list).unwrap_or_default().iter().any(|role| role.as_text() == Some("web")),
    );
    black_box(map.get("missing").and_then(Value::as_text).unwrap_or("default"));
    let digits = text("name").strip_prefix("web").unwrap_or_default();
    black_box(!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    black_box(users.iter().map(name).collect::<Vec<_>>().join(","));
}

fn hierarchy(bench: &mut Bench, facts: &Value) {
    let source = Source::new("h.yaml", HIERARCHY);
    bench.item("hierarchy", "resolve a hierarchy of two levels, YAML and all", 1.0, || {
        let document = hiera::Document::read(&source).expect("a document");
        let world = World::sandbox(facts.clone());
        black_box(document.resolve(&Env::confined(&world), &hiera::Options::default()).expect("data"));
    });
}

fn jet_list(bench: &mut Bench) {
    let items: Vec<Value> = (0..1_000).map(|index| Value::from(format!("user{index:04}"))).collect();
    let mut data = Map::new();
    data.insert("items", items);
    let variables = [("Data", Value::from(data))];
    let template = jet::Template::parse(&Source::new("r.jet", JET), &jet::Delimiters::default()).expect("a template");
    bench.item("jet", "a jet list of 1,000 resources", 1.0, || {
        let fuel = Fuel::new();
        black_box(
            template.render(&Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel }).expect("text"),
        );
    });
}

fn hosts(bench: &mut Bench) {
    let machine = |index: u32| {
        let mut machine = Map::new();
        machine.insert("Name", format!("node{index:03}"));
        machine.insert("FQDN", format!("node{index:03}.mesh.example"));
        machine.insert("Address", format!("10.20.{}.{}", index / 250, index % 250 + 1));
        Value::from(machine.shaped(Shape::Record(&[("Address", "Address"), ("FQDN", "FQDN"), ("Name", "Name")])))
    };
    let mut view = Map::new();
    view.insert("Machines", (0..200).map(machine).collect::<Vec<_>>());
    let view = Value::from(view);
    let template =
        gotmpl::Template::parse(&Source::new("hosts", HOSTS), &gotmpl::Options::default()).expect("a template");
    bench.item("hosts", "a hosts file of 200 machines", 1.0, || {
        black_box(template.render(&view, &NoFunctions, &Fuel::new()).expect("text"));
    });
}

fn documents(bench: &mut Bench) {
    let mut text = String::from("items:\n");
    for index in 0..2_000 {
        let _written = write!(
            text,
            "  - name: item{index}\n    port: {}\n    on: true\n    tags: [a, b, \"c d\"]\n    note: some text {index}\n",
            1000 + index
        );
    }
    let source = Source::new("d.yaml", text.as_str());
    let lines = text.lines().count();
    let nanos = bench.item("yaml", &format!("{lines} lines of YAML as data"), 1.0, || {
        black_box(yaml::read(&source, &yaml::Limits::default()).expect("a document").root().to_value());
    });
    if let Some(nanos) = nanos {
        println!("{:<52} {:>12.1} MB/s", "", text.len() as f64 * 1e3 / nanos);
    }
}

/// Median nanoseconds for one of `parts` in a call.
fn time(name: &str, parts: f64, mut run: impl FnMut()) -> f64 {
    let mut batch = 1_u32;
    loop {
        let started = Instant::now();
        (0..batch).for_each(|_| run());
        if started.elapsed().as_millis() >= 10 || batch > 1 << 20 {
            break;
        }
        batch *= 2;
    }
    let mut figures: Vec<f64> = (0..21)
        .map(|_| {
            let started = Instant::now();
            (0..batch).for_each(|_| run());
            started.elapsed().as_nanos() as f64 / f64::from(batch) / parts
        })
        .collect();
    figures.sort_by(f64::total_cmp);
    println!("{name:<52} {:>12.0} ns", figures[10]);
    figures[10]
}
