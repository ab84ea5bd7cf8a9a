//! Rules in comments: `# @require` and `# @validate EXPRESSION`, bound to the key they stand by.
//!
//! Which key a comment stands by is [`Document::annotations`]' to say; what it asks for, and whether data
//! gives it, is found here.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Resolved, checks};
use crate::names::Fuel;
use crate::span::Site;
use crate::value::{Map, Text, Value};
use crate::yaml::{Annotation, Document};

/// What must hold for one key.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The key as shown: `web.port`, with quotes around a part that holds `.`, `*` or `$`.
    pub key: String,
    /// The same, part by part.
    pub path: Vec<Text>,
    /// The key must have a value: not missing, not null, not empty text.
    pub required: bool,
    /// An expression over `value` that must be true of a scalar; empty where none is asked.
    pub validation: String,
    /// The comment that asked, the last one if several did.
    pub site: Site,
}

/// A key whose data breaks its rules.
#[derive(Debug, Clone)]
pub struct Failure {
    /// As [`Rule::key`].
    pub key: String,
    /// What is wrong, with the place of the rule that says so.
    pub reasons: Vec<(Reason, Site)>,
}

/// Why data breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// `@require`: there is no value.
    Required,
    /// `@validate`: the expression, which is false.
    False(String),
    /// `@validate`: the expression, and why it cannot be decided.
    Undecided(String, String),
}

impl Failure {
    /// A sentence for each reason.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> + '_ {
        let key = &self.key;
        self.reasons.iter().map(move |(reason, site)| match reason {
            Reason::Required => format!("key {key:?} is required but has no value ({site})"),
            Reason::False(rule) => format!("key {key:?} failed validation {rule:?} ({site})"),
            Reason::Undecided(rule, why) => format!("key {key:?} validation {rule:?} failed: {why} ({site})"),
        })
    }
}

/// Steps that telling what is wrong with a rule takes, with the names most like an unknown one.
const FAULT: u64 = 2_500;

/// Holds rules, sorted by key, against data.
pub(super) fn failures(rules: &[Rule], data: &Map) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    // All rules are paid for together.
    let fuel = Fuel::new();
    for rule in rules {
        let broken = rule.broken(data, &fuel);
        match failures.last_mut().filter(|last| last.key == rule.key) {
            Some(last) => {
                let known = |reason: &Reason| last.reasons.iter().any(|(known, _)| known == reason);
                let new: Vec<_> = broken.into_iter().filter(|reason| !known(reason)).collect();
                last.reasons.extend(new.into_iter().map(|reason| (reason, rule.site.clone())));
            }
            None if broken.is_empty() => {}
            None => {
                let reasons = broken.into_iter().map(|reason| (reason, rule.site.clone())).collect();
                failures.push(Failure { key: rule.key.clone(), reasons });
            }
        }
    }
    failures
}

impl Rule {
    fn broken(&self, data: &Map, fuel: &Fuel) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let value = self.find(data);
        let empty = match value {
            None | Some(Value::Null) => true,
            Some(Value::Text(text)) => text.is_empty(),
            Some(_) => false,
        };
        if self.required && empty {
            reasons.push(Reason::Required);
        }
        let checked = match value {
            None | Some(Value::Null | Value::List(_) | Value::Map(_)) => None,
            Some(scalar) => Some(scalar).filter(|_| !self.validation.is_empty()),
        };
        if let Some(scalar) = checked {
            match checks::holds(&self.validation, scalar, fuel) {
                Ok(true) => {}
                Ok(false) => reasons.push(Reason::False(self.validation.clone())),
                Err(fault) => {
                    // Where the purse is empty, the rules that follow say so.
                    let _emptied = fuel.step(FAULT);
                    reasons.push(Reason::Undecided(self.validation.clone(), format!("{fault}")));
                }
            }
        }
        reasons
    }

    fn find<'a>(&self, data: &'a Map) -> Option<&'a Value> {
        let (first, rest) = self.path.split_first()?;
        rest.iter().try_fold(data.get(first)?, |value, key| value.as_map()?.get(key))
    }
}

/// Adds to `resolved` the rules in the comments below the base, and warnings of comments that look like one.
pub(super) fn collect(document: &Document, data_key: &str, resolved: &mut Resolved) {
    let mut rules: BTreeMap<Vec<Text>, Rule> = BTreeMap::new();
    for Annotation { path, comment } in document.annotations(data_key, |text| text.trim_start().starts_with('@')) {
        let site = document.source().at(comment.span);
        let text = comment.text(document.source().text()).trim();
        let key = shown(&path);
        let Some(asked) = Asked::read(text) else {
            resolved
                .warn(format!("unknown annotation {text} on key {key}, known are @require and @validate"), Some(site));
            continue;
        };
        // Such a key cannot be named in a path (vector hiera/annotations-193).
        if path.iter().any(|part| part.contains('[')) {
            continue;
        }
        let rule = rules.entry(path.clone()).or_insert_with(|| Rule {
            key,
            path,
            required: false,
            validation: String::new(),
            site: site.clone(),
        });
        match asked {
            Asked::Require => rule.required = true,
            Asked::Validate(expression) => rule.validation = expression.to_owned(),
        }
        rule.site = site;
    }
    resolved.rules.extend(rules.into_values());
    resolved.rules.sort_by(|a, b| a.key.cmp(&b.key));
}

/// What a comment asks for.
enum Asked<'a> {
    Require,
    Validate(&'a str),
}

impl<'a> Asked<'a> {
    /// Nothing may follow `@require`, and a blank must follow `@validate` (vectors hiera/annotations-132, -139).
    fn read(text: &'a str) -> Option<Self> {
        match text {
            "@require" | "@required" => Some(Self::Require),
            _ => Some(text.strip_prefix("@validate ")?.trim()).filter(|rule| !rule.is_empty()).map(Self::Validate),
        }
    }
}

fn shown(path: &[Text]) -> String {
    let mut key = String::new();
    for part in path {
        if !key.is_empty() {
            key.push('.');
        }
        if part.contains(['.', '*', '$']) {
            key.push('\'');
            key.push_str(part);
            key.push('\'');
        } else {
            key.push_str(part);
        }
    }
    key
}
