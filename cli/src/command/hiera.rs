//! `ccm hiera`: data as a run would see it, for people and for shell scripts.

use argh::{ArgsInfo, FromArgs};
use ccm_core::hiera::{Document, Options};
use ccm_core::host::Files;
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::value::wire::{self, Layout};
use ccm_core::value::{Map, Value, lookup, merge, show};
use ccm_core::{Error, Result, yaml};
use ccm_platform::{Linux, source};

use crate::logger::{Console, Level};
use crate::{argv, exit, load, problem};

/// Resolves hierarchical data.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "hiera", help_triggers("--help"))]
pub(crate) struct Hiera {
    #[argh(subcommand)]
    what: What,
}

#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand)]
enum What {
    Parse(Parse),
    Facts(Facts),
}

/// Resolves a document and prints its data.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "parse", help_triggers("--help"))]
struct Parse {
    /// the document (HIERA_INPUT), then facts, K=V
    #[argh(positional, arg_name = "INPUT")]
    words: Vec<String>,
    /// data merged over the result, K=V; may be repeated
    #[argh(option, short = 'D', arg_name = "K=V")]
    data: Vec<String>,
    /// a YAML or JSON file of data merged over the result
    #[argh(option, arg_name = "FILE")]
    data_file: Option<String>,
    /// a YAML or JSON file of facts
    #[argh(option, arg_name = "FILE")]
    facts: Option<String>,
    /// take the environment's variables as facts
    #[argh(switch, short = 'E')]
    env_facts: bool,
    /// print what this path leads to
    #[argh(option, arg_name = "PATH")]
    query: Option<String>,
    /// the NATS context (NATS_CONTEXT, or CCM)
    #[argh(option, arg_name = "NAME")]
    #[allow(dead_code, reason = "kv:// sources will want it")]
    context: Option<String>,
    /// print YAML in place of JSON
    #[argh(switch)]
    yaml: bool,
    /// print NAME=value lines for a shell
    #[argh(switch)]
    env: bool,
    /// what the names of --env begin with (HIERA)
    #[argh(option, arg_name = "PREFIX", default = "String::from(\"HIERA\")")]
    env_prefix: String,
}

/// Prints the facts that data is resolved with.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "facts", help_triggers("--help"))]
struct Facts {
    /// facts, K=V
    #[argh(positional, arg_name = "K=V")]
    fact: Vec<String>,
    /// a YAML or JSON file of facts
    #[argh(option, arg_name = "FILE")]
    facts: Option<String>,
    /// take the environment's variables as facts
    #[argh(switch, short = 'E')]
    env_facts: bool,
    /// print what this path leads to, as text
    #[argh(option, arg_name = "PATH")]
    query: Option<String>,
}

impl Hiera {
    pub(crate) fn run(self, console: &Console) -> Result<u8> {
        let text = match self.what {
            What::Parse(parse) => parse.run(console)?,
            What::Facts(facts) => facts.run(console)?,
        };
        console.out.text(&text);
        Ok(exit::SUCCESS)
    }
}

impl Parse {
    /// The resolved data in the form asked for; a rule that is broken leaves nothing to print.
    fn run(self, console: &Console) -> Result<String> {
        let host = Linux::new();
        let (input, arguments) = match self.words.split_first() {
            Some((input, arguments)) => (Some(input.clone()), arguments),
            None => (super::variable("HIERA_INPUT"), &[][..]),
        };
        let input = input.ok_or_else(|| Error::invalid("a document must be named, or HIERA_INPUT set"))?;
        let document = document(&input, &host)?;
        let facts = facts(self.env_facts, self.facts.as_deref(), arguments, console)?;
        let options = Options { data_key: None, data_overrides: self.overrides(&host)? };
        let world = World::sandbox(Value::Map(facts));
        let resolved = document.resolve(&Env::timed(&world, &host), &options)?;
        for warning in &resolved.warnings {
            console.diagnose(Level::Warn, problem::text(warning).trim_end(), &[]);
        }
        resolved.enforce()?;
        let data = match &self.query {
            Some(path) => query(&resolved.data, path)?.unwrap_or_default(),
            None => Value::Map(resolved.data),
        };
        if self.env {
            return lines(&data, &self.env_prefix);
        }
        if self.yaml { yaml::write(&data) } else { json(&data) }
    }

    /// What `--data-file` and, over it, each `-D` say. Keys of `-D` are taken as they are, values are text.
    fn overrides(&self, host: &Linux) -> Result<Map> {
        let mut data = self.data_file.as_deref().map(|file| load::map(file, host)).transpose()?.unwrap_or_default();
        for pair in &self.data {
            let (key, value) = load::pair(pair).map_err(|error| error.doing("--data"))?;
            data.insert(key, value);
        }
        Ok(data)
    }
}

impl Facts {
    fn run(self, console: &Console) -> Result<String> {
        let facts = facts(self.env_facts, self.facts.as_deref(), &self.fact, console)?;
        match &self.query {
            Some(path) => {
                Ok(query(&facts, path)?.map_or_else(String::new, |value| show::text(&value).to_string()) + "\n")
            }
            None => json(&Value::Map(facts)),
        }
    }
}

fn document(input: &str, host: &Linux) -> Result<Document> {
    let input = if input == argv::STDIN { "-" } else { input };
    if input != "-" && !input.contains(':') && host.stat_target(input)?.is_none() {
        return Err(Error::invalid(format!("file not found: {}", super::absolute(input)?)));
    }
    let loaded = source::load_data(host, input)?;
    Document::read(&Source::new(loaded.name, loaded.text))
}

/// The gathered facts, and over them the environment, the file and the arguments: each replaces whole
/// top-level keys, but a dotted argument sets what it names.
fn facts(environment: bool, file: Option<&str>, arguments: &[String], console: &Console) -> Result<Map> {
    let mut facts = load::gathered(console);
    if environment {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?.into(), Value::from(value.into_string().ok()?)))
        });
        facts = merge::shallow(facts, variables.collect());
    }
    if let Some(file) = file {
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
