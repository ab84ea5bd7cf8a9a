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
        if let Some(base) = base {
            resolved.data = base.expand_map(env, data_key)?;
        }
        self.merge_levels(&mut resolved, env, &hierarchy, base.map(|_| data_key))?;
        resolved.note_nils(env);
        resolved.data = merge::deep_maps(resolved.data, options.data_overrides.clone());
        if let Self::Yaml(document) = self {
            rules::collect(document, asked, &mut resolved);
        }
        Ok(resolved)
    }

    fn merge_levels(
        &self,
        resolved: &mut Resolved,
        env: &Env<'_>,
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
            let (name, counts) = env.matched(level.text).map_err(|fault| level.blame(fault))?;
            if !counts || data_key == Some(name.as_str()) {
                continue;
            }
            let Some(over) = hierarchy.overrides.and_then(|overrides| overrides.get(&name)) else { continue };
            if over.is_null() {
                continue;
            }
            let over = over.expand_map(env, &name)?;
            let base = core::mem::take(&mut resolved.data);
            match hierarchy.merge {
                Merge::First => {
                    resolved.data = merge::shallow(base, over);
                    return Ok(());
                }
                Merge::Deep => resolved.data = merge::deep_maps(base, over),
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
        Err(Kind::Hiera(HieraFault::Broken(failures.iter().flat_map(Failure::sentences).collect())).into())
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
