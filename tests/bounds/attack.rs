//! What an attack is, and the data that attacks are let loose on.

use std::path::Path;
use std::sync::LazyLock;

use ccm_core::Result;
use ccm_core::span::Source;
use ccm_core::value::{Map, Value, json};
use serde_json::Value as Json;

/// One entrance to a language and the attacks on it.
pub struct Language {
    pub name: &'static str,
    /// Takes the text, drops the answer.
    pub run: fn(&Source) -> Result<()>,
    pub rows: fn() -> Vec<Row>,
}

/// Name, what is known beforehand, and the text.
pub type Row = (&'static str, Expected, String);

/// What is known of an attack beforehand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A limit refuses it, and says its name.
    Limit,
    /// It is answered or refused.
    Cheap,
    /// It is answered, in proportion to what was asked for.
    Answer,
}

pub fn s(text: &str) -> String {
    text.to_owned()
}

/// `open` so many times, a middle, `close` as many.
pub fn nest(times: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(times), close.repeat(times))
}

/// A thousand numbers, two hundred records, ten kilobytes of text, and a little of everything else.
pub fn data() -> Value {
    static DATA: LazyLock<Value> = LazyLock::new(|| {
        let numbers: Vec<Value> = (0..1000_i64).map(Value::from).collect();
        let users = (0..200).map(|at| format!(r#"{{"name": "user{at}", "uid": {at}, "tags": ["a", "b", "c"]}}"#));
        let text = format!(
            r#"{{"s": "aaaaaaaaaaaaaaaaaaaa", "n": null, "users": [{}], "m": {{"a": {{"b": {{"c": "d"}}}}}}}}"#,
            users.collect::<Vec<_>>().join(",")
        );
        let Value::Map(mut data) = json::parse(&text).expect("the data of the attacks") else { unreachable!() };
        data.insert("numbers", Value::list(numbers));
        data.insert("text", Value::from("lorem ipsum dolor sit amet ".repeat(400)));
        Value::Map(data)
    });
    DATA.clone()
}

pub fn variables() -> [(&'static str, Value); 3] {
    [("Data", data()), ("Facts", data()), ("Environ", Value::from(Map::new()))]
}

/// The cases of a file of the golden vectors.
pub fn vectors(file: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/vectors/{file}.jsonl"));
    let text = std::fs::read_to_string(path).expect("the vectors");
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}
