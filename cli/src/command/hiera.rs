//! `ccm hiera`: data as a run would see it, for people and for shell scripts.

use ccm_core::hiera::{Document, Options};
use ccm_core::host::Files;
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::value::wire::{self, Layout};
use ccm_core::value::{Map, Value, lookup, merge, show};
use ccm_core::{Error, Result, yaml};
use ccm_platform::{Linux, source};

use crate::args::Given;
use crate::definition::{Command, Count, Flag, Takes, Then, Word};
use crate::logger::{Console, Level};
use crate::{exit, load, problem};

/// `ccm hiera`.
pub(crate) static HIERA: Command = Command {
    name: "hiera",
    also: &[],
    about: "Resolves hierarchical data.",
    flags: &[],
    then: Then::Commands(&[&PARSE, &FACTS]),
};

static PARSE: Command = Command {
    name: "parse",
    also: &["resolve"],
    about: "Resolves a document and prints its data.",
    flags: &[&[&DATA, &DATA_FILE], GATHERING, &[&CONTEXT, &YAML, &ENV, &ENV_PREFIX]],
    then: Then::Run(&[Word::new("input", Count::Any, "the document (HIERA_INPUT), then facts, K=V")], parse),
};

static FACTS: Command = Command {
    name: "facts",
    also: &[],
    about: "Prints the facts that data is resolved with.",
    flags: &[GATHERING],
    then: Then::Run(&[Word::new("K=V", Count::Any, "facts, K=V")], facts),
};

/// The flags of both.
static GATHERING: &[&Flag] = &[&FACTS_FILE, &ENV_FACTS, &QUERY];

static DATA: Flag = Flag::new("data", Takes::Many("K=V"), "data merged over the result, K=V; may be repeated").or('D');
static DATA_FILE: Flag =
    Flag::new("data-file", Takes::One("FILE"), "a YAML or JSON file of data merged over the result");
static FACTS_FILE: Flag = Flag::new("facts", Takes::One("FILE"), "a YAML or JSON file of facts");
static ENV_FACTS: Flag = Flag::switch("env-facts", "take the environment's variables as facts").or('E');
static QUERY: Flag = Flag::new("query", Takes::One("PATH"), "print what this path leads to");
/// Taken already, for calls that name it; kv:// sources will want it.
static CONTEXT: Flag = Flag::new("context", Takes::One("NAME"), "the NATS context (NATS_CONTEXT, or CCM)");
static YAML: Flag = Flag::switch("yaml", "print YAML in place of JSON");
static ENV: Flag = Flag::switch("env", "print NAME=value lines for a shell");
static ENV_PREFIX: Flag = Flag::new("env-prefix", Takes::One("PREFIX"), "what the names of --env begin with (HIERA)");

/// Prints the resolved data in the form asked for; a rule that is broken leaves nothing to print.
fn parse(given: &Given, console: &Console) -> Result<u8> {
    let host = Linux::new();
    let (input, arguments) = match given.words().split_first() {
        Some((input, arguments)) => (Some(input.clone()), arguments),
        None => (super::variable("HIERA_INPUT"), &[][..]),
    };
    let input = input.ok_or_else(|| Error::invalid("a document must be named, or HIERA_INPUT set"))?;
    let document = document(&input, &host)?;
    let facts = gathered(given, arguments, console)?;
    let options = Options { data_key: None, data_overrides: overrides(given, &host)? };
    let world = World::sandbox(Value::Map(facts));
    let resolved = document.resolve(&Env::timed(&world, &host), &options)?;
    for warning in &resolved.warnings {
        console.diagnose(Level::Warn, problem::text(warning).trim_end(), &[]);
    }
    resolved.enforce()?;
    let data = match given.text(&QUERY) {
        Some(path) => query(&resolved.data, path)?.unwrap_or_default(),
        None => Value::Map(resolved.data),
    };
    let text = match (given.on(&ENV), given.on(&YAML)) {
        (true, _) => lines(&data, given.text(&ENV_PREFIX).unwrap_or("HIERA"))?,
        (false, true) => yaml::write(&data)?,
        (false, false) => json(&data)?,
    };
    console.out.text(&text);
    Ok(exit::SUCCESS)
}

/// What `--data-file` and, over it, each `-D` say. Keys of `-D` are taken as they are, values are text.
fn overrides(given: &Given, host: &Linux) -> Result<Map> {
    let mut data = given.text(&DATA_FILE).map(|file| load::map(file, host)).transpose()?.unwrap_or_default();
    for pair in given.texts(&DATA) {
        let (key, value) = load::pair(pair).map_err(|error| error.doing("--data"))?;
        data.insert(key, value);
    }
    Ok(data)
}

fn facts(given: &Given, console: &Console) -> Result<u8> {
    let facts = gathered(given, given.words(), console)?;
    console.out.text(&match given.text(&QUERY) {
        Some(path) => query(&facts, path)?.map_or_else(String::new, |value| show::text(&value).to_string()) + "\n",
        None => json(&Value::Map(facts))?,
    });
    Ok(exit::SUCCESS)
}

fn document(input: &str, host: &Linux) -> Result<Document> {
    if input != "-" && !input.contains(':') && host.stat_target(input)?.is_none() {
        return Err(Error::invalid(format!("file not found: {}", super::absolute(input)?)));
    }
    let loaded = source::load_data(host, input)?;
    Document::read(&Source::new(loaded.name, loaded.text))
}

/// The gathered facts, and over them the environment, the file and the arguments: each replaces whole
/// top-level keys, but a dotted argument sets what it names.
fn gathered(given: &Given, arguments: &[String], console: &Console) -> Result<Map> {
    let mut facts = load::gathered(console);
    if given.on(&ENV_FACTS) {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?.into(), Value::from(value.into_string().ok()?)))
        });
        facts = merge::shallow(facts, variables.collect());
    }
    if let Some(file) = given.text(&FACTS_FILE) {
        facts = merge::shallow(facts, load::map(file, &Linux::new())?);
    }
    for argument in arguments {
        let (key, value) = load::pair(argument).map_err(|error| error.doing("facts"))?;
        load::nest(&mut facts, key, value);
    }
    Ok(facts)
}

fn query(data: &Map, path: &str) -> Result<Option<Value>> {
    let members: Vec<(&str, &Value)> = data.iter().map(|(key, value)| (&**key, value)).collect();
    lookup::find(&members, path)
}

fn json(data: &Value) -> Result<String> {
    Ok(wire::json(data, Layout::INDENTED)? + "\n")
}

/// `PREFIX_KEY=value` by name, in a form that a shell reads back as it was.
fn lines(data: &Value, prefix: &str) -> Result<String> {
    let one = [("VALUE".into(), data.clone())];
    let entries = data.as_map().map_or(&one[..], Map::entries);
    let mut lines = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let text = match value {
            Value::Text(text) => text.to_string(),
            other => wire::json(other, Layout::PLAIN)?,
        };
        lines.push(format!("{prefix}_{}={}\n", shell_name(key), shell_word(&text)));
    }
    lines.sort();
    Ok(lines.concat())
}

fn shell_name(key: &str) -> String {
    key.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' }).collect()
}

/// The text, in single quotes if a shell would see more in it than letters.
fn shell_word(text: &str) -> String {
    let harmless = |letter: char| letter.is_alphanumeric() || "_-./:@%+,=".contains(letter);
    if text.chars().all(harmless) { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_written() {
        let data = Value::Map(
            [("a-b".into(), Value::from("it's $x")), ("n".into(), Value::from(1_i64))].into_iter().collect(),
        );
        assert_eq!(lines(&data, "H").unwrap(), "H_A_B='it'\\''s $x'\nH_N=1\n");
        assert_eq!(lines(&Value::from("x y"), "H").unwrap(), "H_VALUE='x y'\n");
        assert_eq!(lines(&Value::Null, "H").unwrap(), "H_VALUE=null\n");
    }
}
