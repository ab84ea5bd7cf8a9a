//! Tokens in the texts of a scenario, and checks of a text against its rules.

use regex::Regex;
use serde_json::Value as Json;

/// What the tokens of a scenario stand for.
#[derive(Default)]
pub struct Tokens(pub Vec<(String, String)>);

impl Tokens {
    /// The text with every token replaced.
    pub fn fill(&self, text: &str) -> String {
        self.replace(text, str::to_owned)
    }

    /// The pattern with every token replaced by its literal text.
    pub fn pattern(&self, text: &str) -> String {
        self.replace(text, regex::escape)
    }

    fn replace(&self, text: &str, show: impl Fn(&str) -> String) -> String {
        if !text.contains('@') {
            return text.to_owned();
        }
        self.0.iter().fold(text.to_owned(), |text, (token, value)| text.replace(token.as_str(), &show(value)))
    }

    /// Every text below a JSON value filled.
    pub fn fill_json(&self, json: &Json) -> Json {
        match json {
            Json::String(text) => Json::String(self.fill(text)),
            Json::Array(items) => items.iter().map(|item| self.fill_json(item)).collect(),
            Json::Object(map) => map
                .iter()
                .map(|(key, value)| (self.fill(key), self.fill_json(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }
}

/// A multi-line regular expression, as Python's `re` writes it (its `\\Z` is our `\\z`); a pattern that does not compile matches nothing and says so.
pub fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?m){}", pattern.replace(r"\Z", r"\z"))).unwrap_or_else(|error| {
        println!("pattern: {error}");
        #[allow(clippy::unwrap_used)]
        Regex::new("$^a").unwrap()
    })
}

/// One value or several.
pub fn several(json: &Json) -> Vec<&Json> {
    match json {
        Json::Array(items) => items.iter().collect(),
        Json::Null => Vec::new(),
        other => vec![other],
    }
}

/// The strings of one value or several.
pub fn strings(json: &Json) -> Vec<&str> {
    several(json).into_iter().filter_map(Json::as_str).collect()
}

/// Both ends of a long text.
pub fn short(text: &str) -> String {
    if text.chars().count() < 600 {
        return format!("{text:?}");
    }
    let head: String = text.chars().take(300).collect();
    let tail: Vec<char> = text.chars().rev().take(280).collect();
    format!("{:?}", format!("{head} … {}", tail.iter().rev().collect::<String>()))
}

/// Terminal colours removed.
pub fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    regex(r"\x1b\[[0-9;]*[A-Za-z]").replace_all(&text, "").into_owned()
}

/// Checks a text; what is wrong goes to `bad`.
pub fn check(label: &str, text: &str, rules: &Json, tokens: &Tokens, bad: &mut Vec<String>) {
    for rule in several(rules) {
        if let Some(wanted) = rule.as_str() {
            if !text.contains(&tokens.fill(wanted)) {
                bad.push(format!("{label} lacks {wanted:?}: {}", short(text)));
            }
            continue;
        }
        for (key, value) in rule.as_object().into_iter().flatten() {
            check_rule(label, text, key, value, tokens, bad);
        }
    }
}

fn check_rule(label: &str, text: &str, key: &str, value: &Json, tokens: &Tokens, bad: &mut Vec<String>) {
    let shown = || short(text);
    match key {
        "order" => {
            let mut from = 0;
            for pattern in strings(value) {
                let pattern = tokens.pattern(pattern);
                match regex(&pattern).find_at(text, from) {
                    Some(found) => from = found.end(),
                    None => {
                        bad.push(format!("{label}: /{pattern}/ not found in order in {}", shown()));
                        break;
                    }
                }
            }
        }
        "any" => {
            if !strings(value).iter().any(|pattern| regex(&tokens.pattern(pattern)).is_match(text)) {
                bad.push(format!("{label} lacks any of {value}: {}", shown()));
            }
        }
        "count" => {
            let pattern = tokens.pattern(value[0].as_str().unwrap_or_default());
            let found = regex(&pattern).find_iter(text).count() as u64;
            if Some(found) != value[1].as_u64() {
                bad.push(format!("{label}: /{pattern}/ found {found} times, not {}: {}", value[1], shown()));
            }
        }
        _ => {
            for wanted in strings(value) {
                let filled = tokens.fill(wanted);
                let pattern = || regex(&tokens.pattern(wanted));
                let wrong = match key {
                    "contains" => (!text.contains(&filled)).then_some("lacks"),
                    "not_contains" => text.contains(&filled).then_some("has"),
                    "regex" => (!pattern().is_match(text)).then_some("does not match"),
                    "not_regex" => pattern().is_match(text).then_some("matches"),
                    "equals" => (text != filled).then_some("is not"),
                    _ => Some("has an unknown rule for"),
                };
                if let Some(wrong) = wrong {
                    bad.push(format!("{label} {wrong} {key} {filled:?}: {}", shown()));
                }
            }
        }
    }
}

/// Checks a JSON document by dotted paths.
pub fn check_json(label: &str, document: &Json, rules: &Json, tokens: &Tokens, bad: &mut Vec<String>) {
    for rule in several(rules) {
        let path = rule["path"].as_str().unwrap_or_default();
        let absent = rule["absent"].as_bool() == Some(true);
        let Some(found) = dig(document, path) else {
            if !absent {
                bad.push(format!("{label}: no value at {path:?}"));
            }
            continue;
        };
        if absent {
            bad.push(format!("{label}: unexpected value at {path:?}: {found}"));
        }
        for (key, wanted) in rule.as_object().into_iter().flatten() {
            let wanted = tokens.fill_json(wanted);
            let holds = match key.as_str() {
                "path" | "absent" => true,
                "equals" => found == wanted,
                "contains" => match &found {
                    Json::Array(items) => items.contains(&wanted),
                    Json::String(text) => text.contains(wanted.as_str().unwrap_or_default()),
                    other => other.to_string().contains(wanted.as_str().unwrap_or_default()),
                },
                "regex" => {
                    let pattern = regex(&tokens.pattern(rule["regex"].as_str().unwrap_or_default()));
                    pattern.is_match(&found.as_str().map_or_else(|| found.to_string(), str::to_owned))
                }
                "type" => {
                    wanted
                        == match &found {
                            Json::Null => "null",
                            Json::Bool(_) => "bool",
                            Json::Number(_) => "int",
                            Json::String(_) => "str",
                            Json::Array(_) => "list",
                            Json::Object(_) => "dict",
                        }
                }
                "keys" => {
                    let mut keys: Vec<_> = found.as_object().into_iter().flat_map(|map| map.keys()).collect();
                    let mut names = strings(&wanted);
                    keys.sort();
                    names.sort_unstable();
                    keys.iter().map(|key| key.as_str()).eq(names)
                }
                "min" => found.as_f64() >= wanted.as_f64(),
                "max" => found.as_f64().is_some_and(|found| Some(found) <= wanted.as_f64()),
                _ => false,
            };
            if !holds {
                bad.push(format!("{label}: {path} is {found}; wanted {key} {wanted}"));
            }
        }
    }
}

fn dig(document: &Json, path: &str) -> Option<Json> {
    let mut at = document;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        if part == "#" {
            return match at {
                Json::Array(items) => Some(items.len().into()),
                Json::Object(map) => Some(map.len().into()),
                Json::String(text) => Some(text.chars().count().into()),
                _ => None,
            };
        }
        at = match at {
            Json::Array(items) => {
                let index: i64 = part.parse().ok()?;
                let index = if index < 0 { items.len().checked_add_signed(index as isize)? } else { index as usize };
                items.get(index)?
            }
            Json::Object(map) => map.get(part)?,
            _ => return None,
        };
    }
    Some(at.clone())
}
