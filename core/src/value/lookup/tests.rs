extern crate std;

use super::*;
use alloc::format;

fn found(document: &str, path: &str) -> alloc::string::String {
    let value = json::parse(document).unwrap();
    match within(&value, path) {
        Ok(Some(value)) => crate::value::wire::json(&value, crate::value::wire::Layout::PLAIN).unwrap(),
        Ok(None) => "-".into(),
        Err(fault) => format!("{fault}"),
    }
}

const STAFF: &str = r#"{"staff":[{"name":"Ada","age":36,"nets":["a","b"]},{"name":"Alan","age":41,"nets":["b"]},
    {"name":"Grace","age":85,"nets":[]}],"a.b":1,"list":[1,2.5,3.0]}"#;

#[test]
fn members_items_and_counts() {
    for (path, wanted) in [
        ("staff.1.name", "\"Alan\""),
        ("staff.#", "3"),
        ("staff.#.age", "[36,41,85]"),
        ("a\\.b", "1"),
        ("list", "[1,2.5,3]"),
        ("list.7", "-"),
        ("st*.0.na?e", "\"Ada\""),
    ] {
        assert_eq!(found(STAFF, path), wanted, "{path}");
    }
}

#[test]
fn queries_pick_items() {
    for (path, wanted) in [
        ("staff.#(age>40).name", "\"Alan\""),
        ("staff.#(age>40)#.name", "[\"Alan\",\"Grace\"]"),
        ("staff.#(name%\"A*\")#|#", "2"),
        ("staff.#(nets.#(==\"b\"))#.name", "[\"Ada\",\"Alan\"]"),
        ("staff.#(age>99)", "-"),
        ("staff.#(age>99)#", "[]"),
    ] {
        assert_eq!(found(STAFF, path), wanted, "{path}");
    }
}

#[test]
fn multipaths_literals_and_modifiers_keep_their_order() {
    for (path, wanted) in [
        ("staff.0.{name,age}|@keys", "[\"name\",\"age\"]"),
        ("staff.0.[age,nets.#]", "[36,2]"),
        ("staff.0.nets.@reverse.0", "\"b\""),
        ("{\"n\":staff.#,\"lit\":!true}", "{\"lit\":true,\"n\":3}"),
        ("staff.0.nets.@tostr.@fromstr.1", "\"b\""),
        ("@dig:age", "[36,41,85]"),
    ] {
        assert_eq!(found(STAFF, path), wanted, "{path}");
    }
}

#[test]
fn roots_are_named_and_env_is_environ() {
    let (facts, environ) = (json::parse(r#"{"x":1.0}"#).unwrap(), json::parse(r#"{"HOME":"/root"}"#).unwrap());
    let roots = [("facts", &facts), ("environ", &environ)];
    let found = |path| find(&roots, path).unwrap();
    assert!(matches!(found("facts.x"), Some(Value::Int(_))));
    assert_eq!(found("env.HOME"), found("environ.HOME"));
    assert_eq!(found("[env.HOME]"), Some(Value::list(alloc::vec!["/root".into()])));
    assert_eq!(found("@keys"), Some(Value::list(alloc::vec!["facts".into(), "environ".into()])));
    assert_eq!(found("Facts.x"), None);
}

#[test]
fn a_path_that_multiplies_data_is_stopped() {
    let path = alloc::vec!["[@this,@this]"; 40].join("|");
    assert!(found("{}", &path).contains("too many steps"));
    let nested = format!("{}a{}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(found("{}", &nested).contains("deep"));
}

#[test]
fn any_path_over_any_text_returns_within_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let ran = small.spawn(|| {
        let mut seed = Seed(3);
        let deep = format!("{}1{}", "{\"a\":[".repeat(60), "]}".repeat(60));
        for _ in 0..2_000 {
            let document = if seed.next(8) == 0 { deep.clone() } else { seed.noise("{}[]\",:a1\\u.tn ", 24) };
            let path = seed.noise("a.#()|@{}[]!*?\\\"=<>%~:,01 kys", 24);
            let _whatever = in_json(&document, &path);
            let _whatever = in_json(&document, &format!("{}{path}", "a.0.".repeat(60)));
            let _whatever = in_json(&document, &format!("@dig:{path}"));
            let _whatever =
                in_json(&document, &format!("@{}:{path}", seed.pick(&["flatten", "pretty", "group", "tostr"])));
        }
    });
    ran.unwrap().join().unwrap();
}

/// The differential property of issue 4: data walked as values and the same data walked as JSON text.
#[test]
fn a_walk_over_values_equals_a_walk_over_json_text() {
    let mut seed = Seed(7);
    let mut differing = alloc::vec::Vec::new();
    for _ in 0..20_000 {
        let value = seed.value(3);
        let document = crate::value::wire::json(&value, crate::value::wire::Layout::COMPACT).unwrap();
        let path = seed.path();
        let ours = within(&value, &path).unwrap();
        let theirs = in_json(&document, &path).unwrap().map(|found| found.value);
        if ours != theirs {
            differing.push(format!("{path} in {document}: {ours:?} and {theirs:?}"));
        }
    }
    assert!(differing.is_empty(), "{} differ, such as {:?}", differing.len(), differing.first());
}

struct Seed(u64);

impl Seed {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.next(texts.len() as u64) as usize]
    }

    fn noise(&mut self, alphabet: &str, length: u64) -> alloc::string::String {
        (0..self.next(length)).map(|_| alphabet.as_bytes()[self.next(alphabet.len() as u64) as usize] as char).collect()
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.next(if depth == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => Value::from(self.next(2) == 0),
            2 => Value::from(self.next(100) as i64 - 50),
            3 => Value::from(self.next(1_000) as f64 / 8.0),
            4 | 5 => Value::from(self.pick(&["", "a", "true", "ü", "a.b", "\"q\"", "<x>", "42"])),
            6 | 7 => {
                let keys = ["a", "b", "c", "ab", "a.b", "0", "ü"];
                let entries = (0..self.next(4)).map(|_| (self.pick(&keys).into(), self.value(depth - 1)));
                Value::Map(entries.collect())
            }
            _ => Value::list((0..self.next(4)).map(|_| self.value(depth - 1)).collect()),
        }
    }

    fn path(&mut self) -> alloc::string::String {
        let parts = [
            "a",
            "b",
            "c",
            "ab",
            "a\\.b",
            "0",
            "1",
            "#",
            "*",
            "a*",
            "?",
            "#(a)",
            "#(a>1)#",
            "#(=\"a\")#",
            "#(a=~true)#",
            "@this",
            "@keys",
            "@values",
            "@reverse",
            "@flatten",
            "@tostr",
            "{a,b}",
            "[a,0]",
            "@join",
            "@group",
            "@dig:a",
            "!1",
            "#(b!=1)",
        ];
        let mut path = alloc::string::String::new();
        for at in 0..=self.next(4) {
            if at > 0 {
                path.push_str(self.pick(&[".", ".", ".", "|"]));
            }
            path.push_str(self.pick(&parts));
        }
        path
    }
}
