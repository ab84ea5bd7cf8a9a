//! Fake commands: shell scripts that log their call and answer by rules.

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;
use serde_json::Value as Json;

use super::text::{Tokens, several, strings};

/// Every state variable that a scenario names.
pub fn state_keys(scenario: &Json) -> BTreeSet<String> {
    let mut keys: BTreeSet<String> =
        scenario["state"].as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
    for rules in scenario["bin"].as_object().into_iter().flat_map(|map| map.values()) {
        for rule in rules.as_array().into_iter().flatten() {
            for part in ["set", "when"] {
                keys.extend(rule[part].as_object().into_iter().flat_map(|map| map.keys().cloned()));
            }
        }
    }
    keys
}

/// The script of one command.
pub fn script(
    name: &str,
    rules: &Json,
    base: &Path,
    keys: &BTreeSet<String>,
    log_env: &Json,
    tokens: &Tokens,
) -> String {
    let state = |key: &str| quote(&base.join("state").join(key).display().to_string());
    let mut lines = vec!["#!/bin/sh".to_owned(), "ARGS=\"$*\"".to_owned(), "last=".to_owned()];
    lines.push("for last in \"$@\"; do :; done".to_owned());
    let env: String = strings(log_env).iter().map(|name| format!(" [{name}=${name}]")).collect();
    let log = quote(&base.join("fake.log").display().to_string());
    lines.push(format!("printf '%s\\n' \"{name} $ARGS{env}\" >>{log}"));
    for key in keys {
        let file = state(key);
        lines.push(format!("s_{key}=; if [ -f {file} ]; then IFS= read -r s_{key} <{file}; fi"));
    }
    for rule in rules.as_array().into_iter().flatten() {
        let patterns = match &rule["args"] {
            Json::Null => "*".to_owned(),
            some => strings(some).iter().map(|glob| glob_word(&tokens.fill(glob))).collect::<Vec<_>>().join("|"),
        };
        lines.push(format!("case \"$ARGS\" in {patterns}) m=1;; *) m=0;; esac"));
        for (key, value) in rule["when"].as_object().into_iter().flatten() {
            let globs: Vec<_> = several(value).iter().filter_map(|glob| glob.as_str()).map(glob_word).collect();
            lines.push(format!("[ $m = 1 ] && case \"$s_{key}\" in {}) ;; *) m=0;; esac", globs.join("|")));
        }
        lines.push("if [ $m = 1 ]; then".to_owned());
        if !rule["sleep"].is_null() {
            lines.push(format!("  sleep {}", rule["sleep"]));
        }
        for (key, value) in rule["set"].as_object().into_iter().flatten() {
            lines.push(format!(
                "  printf '%s\\n' {} >{}",
                expand(value.as_str().unwrap_or_default(), tokens),
                state(key)
            ));
        }
        for (path, value) in rule["write"].as_object().into_iter().flatten() {
            let text = expand(value.as_str().unwrap_or_default(), tokens);
            lines.push(format!("  printf '%s\\n' {text} >>{}", quote(&tokens.fill(path))));
        }
        for (stream, to) in [("stdout", ""), ("stderr", " >&2")] {
            if let Some(text) = rule[stream].as_str().filter(|text| !text.is_empty()) {
                lines.push(format!("  printf '%s' {}{to}", expand(text, tokens)));
            }
        }
        lines.push(format!("  exit {}\nfi", rule["exit"].as_i64().unwrap_or(0)));
    }
    lines.push(format!("printf '%s: fake: no rule for: %s\\n' {} \"$ARGS\" >&2\nexit 97\n", quote(name)));
    lines.join("\n")
}

/// A word of sh that stands for a text.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Literal text with `@{name}`, `@{args}`, `@{last}` and `@{after:TEXT}` as one word of sh.
fn expand(text: &str, tokens: &Tokens) -> String {
    #[allow(clippy::unwrap_used)]
    let pattern = Regex::new(r"@\{([^}]*)\}").unwrap();
    let (mut out, mut from) = (String::new(), 0);
    for found in pattern.captures_iter(text) {
        let (whole, key) = (found.get(0).map_or(0..0, |m| m.range()), found.get(1).map_or("", |m| m.as_str()));
        out += &quote(&tokens.fill(&text[from..whole.start]));
        out += &match key {
            "args" => "\"$*\"".to_owned(),
            "last" => "\"$last\"".to_owned(),
            _ => match key.strip_prefix("after:") {
                Some(after) => format!("\"${{ARGS##*{}}}\"", quote(after)),
                None => format!("\"$s_{key}\""),
            },
        };
        from = whole.end;
    }
    out + &quote(&tokens.fill(&text[from..]))
}

/// A case pattern of sh in which only `*` and `?` are special.
fn glob_word(glob: &str) -> String {
    let word: String = glob
        .chars()
        .map(|letter| if "*?".contains(letter) { letter.to_string() } else { quote(&letter.to_string()) })
        .collect();
    if word.is_empty() { "''".to_owned() } else { word }
}
