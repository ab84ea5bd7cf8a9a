//! Layered data: base, hierarchy, overrides, and the rules written in comments.
//!
//! A hiera document has a base under `data`, levels in `hierarchy.order`, and for each level, under
//! `overrides`, what it changes. [`Document::resolve`] fills in the expressions and merges the levels
//! that match, in three steps, each on its own:
//!
//! - [`Document::read`] reads YAML or JSON; a manifest, which is itself a hiera document, is one already;
//! - [`Document::resolve`] gives [`Resolved`]: data, rules, warnings;
//! - [`Resolved::merge`] and [`Resolved::overlay`] lay further sources over it, and
//!   [`Resolved::enforce`] holds the rules of all of them against the data of all of them, once.
//!
//! Nothing here reads a file. Expressions see facts and `lookup` alone, because the caller gives an
//! [`Env`] that has no more (`Env::timed` or `Env::confined` over `World::sandbox`).
//!
//! ```
//! use ccm_core::hiera::{self, Options};
//! use ccm_core::render::{Env, World};
//! use ccm_core::span::Source;
//! use ccm_core::value::json;
//!
//! let text = "hierarchy:\n  order: ['env:{{ Facts.env }}']\ndata:\n  port: 80\noverrides:\n  env:prod: {port: 443}\n";
//! let world = World::sandbox(json::parse(r#"{"env": "prod"}"#)?);
//! let document = hiera::Document::read(&Source::new("h.yaml", text))?;
//! let resolved = document.resolve(&Env::confined(&world), &Options::default())?;
//! assert_eq!(resolved.data.get("port"), Some(&443_i64.into()));
//! # Ok::<(), ccm_core::Error>(())
//! ```

mod checks;
mod hierarchy;
mod part;
mod rules;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Error, HieraFault, Kind, Result};
use crate::names::Fuel;
use crate::render::Env;
use crate::span::{Site, Source, Span};
use crate::value::{Map, Value, json, merge};
use crate::yaml::{self, Limits};

pub use checks::Check;
pub use rules::{Failure, Reason, Rule};

use hierarchy::{Hierarchy, Merge};
use part::Part;

/// A hiera document as it was read.
#[derive(Debug, Clone)]
pub enum Document {
    /// With sites and comments.
    Yaml(yaml::Document),
    /// Data alone: JSON has no comments, hence no rules.
    Json(Source, Value),
}

/// What may be chosen about a resolution.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The key of the base, `data` where this is `None`.
    pub data_key: Option<String>,
    /// Merged over the levels, deep.
    pub data_overrides: Map,
}

/// Data with its rules, and what its author should know.
#[derive(Debug, Default)]
pub struct Resolved {
    /// The data, all expressions in it replaced.
    pub data: Map,
    /// The rules in key order; of one key, those of the earlier source first.
    pub rules: Vec<Rule>,
    /// What in the document does not do what its author may think, without being an error.
    pub warnings: Vec<Error>,
}

const DATA: &str = "data";

/// How many keys whose rules are broken are told in full.
const SHOWN: usize = 100;

/// What data of a weight takes in memory while it is merged, as a multiple of it.
const COPIES: usize = 6;

impl Document {
    /// Reads a document: JSON if its first byte that is not blank is `{` or `[`, else YAML.
    ///
    /// # Errors
    /// What is wrong with the text, at its place.
    pub fn read(source: &Source) -> Result<Self> {
        let text = source.text().trim_start_matches('\u{feff}');
        if text.trim_start().starts_with(['{', '[']) { Self::json(source) } else { Self::yaml(source) }
    }

    /// Reads YAML.
    ///
    /// # Errors
    /// As [`yaml::read`], and for a document that is no mapping.
    pub fn yaml(source: &Source) -> Result<Self> {
        let document = Self::Yaml(yaml::read(source, &Limits::default())?);
        document.root().map(|_| document.clone())
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// As [`json::read`], and for a document that is no object.
    pub fn json(source: &Source) -> Result<Self> {
        let bare = source.text().strip_prefix('\u{feff}').map(|text| Source::new(source.name(), text));
        let source = bare.as_ref().unwrap_or(source);
        let document = Self::Json(source.clone(), json::read(source)?);
        document.root().map(|_| document.clone())
    }

    fn root(&self) -> Result<Part<'_>> {
        let (root, source) = match self {
            Self::Yaml(document) => (Part::Yaml(document, document.root()), document.source()),
            Self::Json(source, value) => (Part::Json(source, value), source),
        };
        let fault = match root {
            root if root.is_map() => return Ok(root),
            root if root.is_null() => HieraFault::Empty,
            _ => HieraFault::DocumentNotMap,
        };
        let site = root.site().unwrap_or_else(|| source.at(Span::point(0)));
        Err(Error::new(Kind::Hiera(fault)).at(site))
    }

    /// Resolves the document on its own: base, levels that match, `data_overrides`.
    ///
    /// # Errors
    /// A [`HieraFault`], or what an expression gives, with the sites of both.
    pub fn resolve(&self, env: &Env<'_>, options: &Options) -> Result<Resolved> {
        let root = self.root()?;
        let hierarchy = Hierarchy::read(root)?;
        // An empty key means the default, but takes no rules (vector hiera/annotations-285).
        let asked = options.data_key.as_deref().unwrap_or(DATA);
        let data_key = if asked.is_empty() { DATA } else { asked };
        let base = root.get(data_key).filter(|base| base.is_map());
        let mut resolved = Resolved::default();
        // All expressions of a document and all of its levels are paid for together.
        let fuel = Fuel::new();
        if let Some(base) = base {
            resolved.data = base.expand_map(env, &fuel, data_key)?;
        }
        self.merge_levels(&mut resolved, (env, &fuel), &hierarchy, base.map(|_| data_key))?;
        resolved.note_nils(env);
        resolved.overlay(options.data_overrides.clone());
        resolved.check_extent()?;
        if let Self::Yaml(document) = self {
            rules::collect(document, asked, &mut resolved);
        }
        Ok(resolved)
    }

    fn merge_levels(
        &self,
        resolved: &mut Resolved,
        (env, fuel): (&Env<'_>, &Fuel),
        hierarchy: &Hierarchy<'_>,
        data_key: Option<&str>,
    ) -> Result<()> {
        for level in &hierarchy.order {
            if level.text.contains("%{") {
                resolved.warn(
                    format!(
                        "level {} is skipped: %{{…}} is not supported, write {{{{ lookup('facts.name') }}}}",
                        level.text
                    ),
                    level.site.clone(),
                );
                continue;
            }
            let (name, counts) = env.matched(level.text, fuel).map_err(|fault| level.blame(fault))?;
            if !counts || data_key == Some(name.as_str()) {
                continue;
            }
            let Some(over) = hierarchy.overrides.get(name.as_str()) else { continue };
            let over = over.expand_map(env, fuel, &name)?;
            // A level may be named again and again: each time it is merged it makes data, and moves what is there.
            let weight = usize::try_from(over.extent().weight).unwrap_or(usize::MAX);
            let work = weight.saturating_add(resolved.data.len().saturating_mul(size_of::<Value>()));
            let paid = fuel.scan(work.saturating_mul(2)).and_then(|()| fuel.allocate(weight.saturating_mul(COPIES)));
            paid.map_err(|_| level.blame(Error::limit("the levels of the hierarchy merge too much data")))?;
            let base = core::mem::take(&mut resolved.data);
            resolved.data = match hierarchy.merge {
                Merge::First => merge::shallow(base, over),
                Merge::Deep => merge::deep_maps(base, over),
            };
            resolved.check_extent().map_err(|fault| level.blame(fault))?;
            if hierarchy.merge == Merge::First {
                break;
            }
        }
        Ok(())
    }
}

impl Resolved {
    /// Lays another source over this one: lists are joined, whatever either's own merge mode; the rules
    /// of both hold. Its warnings stay with it.
    pub fn merge(&mut self, over: &Self) {
        self.overlay(over.data.clone());
        self.rules.extend(over.rules.iter().cloned());
        self.rules.sort_by(|a, b| a.key.cmp(&b.key));
    }

    /// Lays data without rules over this, as [`Resolved::merge`].
    pub fn overlay(&mut self, over: Map) {
        self.data = merge::deep_maps(core::mem::take(&mut self.data), over);
    }

    /// Which rules the data breaks: one failure a key, in key order.
    #[must_use]
    pub fn failures(&self) -> Vec<Failure> {
        rules::failures(&self.rules, &self.data)
    }

    /// Refuses data that breaks a rule.
    ///
    /// # Errors
    /// [`HieraFault::Broken`] with all failures.
    pub fn enforce(&self) -> Result<()> {
        let failures = self.failures();
        if failures.is_empty() {
            return Ok(());
        }
        let mut sentences: Vec<String> = failures.iter().take(SHOWN).flat_map(Failure::sentences).collect();
        if failures.len() > SHOWN {
            sentences.push(format!("and {} more keys", failures.len() - SHOWN));
        }
        Err(Kind::Hiera(HieraFault::Broken(sentences)).into())
    }

    fn check_extent(&self) -> Result<()> {
        Value::Map(self.data.clone()).check_extent()
    }

    fn warn(&mut self, text: String, site: Option<Site>) {
        let warning = Error::invalid(text);
        self.warnings.push(match site {
            Some(site) => warning.at(site),
            None => warning,
        });
    }

    fn note_nils(&mut self, env: &Env<'_>) {
        for expression in env.world().take_nils() {
            let expression = expression.trim();
            self.warn(
                format!(
                    "{{{{ {expression} }}}} printed <nil> into data; give a default with ?? or lookup(key, default)"
                ),
                None,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::World;
    use alloc::string::ToString;

    fn resolve(text: &str, facts: &str) -> Result<Resolved> {
        let world = World::sandbox(json::parse(facts)?);
        Document::read(&Source::new("h.yaml", text))?.resolve(&Env::confined(&world), &Options::default())
    }

    fn data(text: &str, facts: &str) -> String {
        let resolved = resolve(text, facts).unwrap();
        crate::value::wire::json(&Value::Map(resolved.data), crate::value::wire::Layout::PLAIN).unwrap()
    }

    // The numbers are those of field-reports.md.

    #[test]
    fn report_13_deep_takes_all_keys_of_all_levels() {
        let text = "hierarchy: {order: [a, b], merge: deep}\ndata: {n: {x: 1, l: [1]}}\n\
                    overrides:\n  a: {n: {y: {p: 1}, l: [2]}}\n  b: {n: {x: 3, y: {q: 2}, l: [3]}}\n";
        assert_eq!(data(text, "{}"), r#"{"n":{"l":[1,2,3],"x":3,"y":{"p":1,"q":2}}}"#);
    }

    #[test]
    fn report_14_a_missing_path_is_empty_or_its_default() {
        let text = "data:\n  a: \"${ lookup('data.nothing') }\"\n  b: \"${ lookup('data.nothing', 7) }\"\n";
        assert_eq!(data(text, "{}"), r#"{"a":"","b":7}"#);
    }

    #[test]
    fn report_16_a_level_in_foreign_syntax_is_skipped_with_a_warning() {
        let text =
            "hierarchy: {order: ['env:%{env}']}\ndata: {v: \"%{alias('x')}\"}\noverrides: {'env:%{env}': {v: 1}}\n";
        assert_eq!(data(text, r#"{"env": "prod"}"#), r#"{"v":"%{alias('x')}"}"#);
        let warnings = resolve(text, "{}").unwrap().warnings;
        assert_eq!(
            warnings[0].to_string(),
            "level env:%{env} is skipped: %{…} is not supported, write {{ lookup('facts.name') }} (h.yaml:1:21)"
        );
    }

    #[test]
    fn report_17_lists_are_joined_without_flattening() {
        let text = "hierarchy: {order: [x], merge: deep}\ndata: {l: [a, [b, c]]}\noverrides: {x: {l: [c, d]}}\n";
        assert_eq!(data(text, "{}"), r#"{"l":["a",["b","c"],"c","d"]}"#);
    }

    #[test]
    fn a_fault_names_key_expression_and_line() {
        let fault = resolve("data:\n  web:\n    - 1\n    - \"x ${ 1 + }\"\n", "{}").unwrap_err();
        assert!(fault.to_string().starts_with("resolving data.web[1]: "), "{fault}");
        assert_eq!(fault.sites().last().unwrap().to_string(), "h.yaml:4:7");
        let fault = resolve("data: {}\nhierarchy: {order: [x], merge: zip}\n", "{}").unwrap_err();
        assert_eq!(
            fault.to_string(),
            "unsupported merge mode zip in hierarchy.merge, it must be first or deep (h.yaml:2:32)"
        );
    }

    #[test]
    fn a_null_printed_into_data_is_warned_of() {
        let resolved = resolve("data: {a: \"x {{ Facts.nope }}\"}\n", "{}").unwrap();
        assert_eq!(resolved.data.get("a"), Some(&Value::from("x <nil>")));
        assert!(resolved.warnings[0].to_string().contains("Facts.nope"));
    }

    #[test]
    fn levels_named_again_and_again_meet_a_limit() {
        let list = "x".repeat(1 << 20);
        let order = "a,".repeat(100);
        let text = format!("hierarchy: {{order: [{order}], merge: deep}}\noverrides: {{a: {{l: [{list}]}}}}\n");
        assert!(matches!(resolve(&text, "{}").unwrap_err().kind(), Kind::Limit(_)));
    }

    #[test]
    fn all_broken_rules_are_told_in_key_order() {
        let text = "data:\n  # @require\n  z: ''\n  # @validate isInt(value)\n  b: q\n";
        assert_eq!(
            resolve(text, "{}").unwrap().enforce().unwrap_err().to_string(),
            "key \"b\" failed validation \"isInt(value)\" (h.yaml:4:3)\nkey \"z\" is required but has no value (h.yaml:2:3)"
        );
    }

    #[test]
    fn the_rules_of_all_sources_hold_for_the_data_of_all_of_them() {
        let mut own = resolve("data:\n  # @require\n  user: ''\n", "{}").unwrap();
        assert!(own.enforce().is_err());
        own.merge(&resolve("data:\n  user: web\n  # @require\n  key: ''\n", "{}").unwrap());
        assert_eq!(own.failures().len(), 1);
        own.overlay([("key".into(), Value::from("k"))].into_iter().collect());
        assert!(own.enforce().is_ok());
    }
}
