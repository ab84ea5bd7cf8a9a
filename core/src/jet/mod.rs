//! Jet templates (v6.3.2) as the reference configures them: for lists of resources and `jet(…)`.
//!
//! ```
//! use ccm_core::jet::{Delimiters, Template};
//! use ccm_core::names::{Fuel, NoFunctions, Scope};
//! use ccm_core::span::Source;
//! use ccm_core::value::{Map, Value};
//!
//! let source = Source::anonymous("[[ range i, name := Data.users ]][[ i ]]=[[ name | upper ]] [[ end ]]");
//! let template = Template::parse(&source, &Delimiters::default())?;
//! let mut data = Map::new();
//! data.insert("users", vec![Value::from("ann"), Value::from("bob")]);
//! let variables = [("Data", Value::from(data))];
//! let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &Fuel::new() };
//! assert_eq!(template.render(&scope)?, "0=ANN 1=BOB ");
//! # Ok::<(), ccm_core::Error>(())
//! ```
//!
//! Delimiters are `[[ ]]`, comments `{* *}`; nothing is escaped unless `html`, `safeHtml`, `safeJs` or `url` is
//! asked to. The roots of the scope answer to both spellings (`Data`, `data`); other templates cannot be named, so
//! `include`, `extends` and `import` are refused. What surprises in this language (numbers are floats, true counts
//! as 0, blanks before a sign) is its own, and pinned by the vectors of `jet.jsonl`.
//!
//! Where the language's own implementation crashes, this one has an error; maps are walked in key order; text is
//! UTF-8, so a slice that cuts a character is an error.

mod ast;
mod builtins;
mod eval;
mod expressions;
mod lexer;
mod output;
mod parser;
mod render;
mod value;
mod variables;

use alloc::string::String;

use crate::error::{Error, Result};
use crate::names::Scope;
use crate::span::Source;

/// Largest template text, in bytes.
const SIZE: usize = 4 << 20;

/// What opens and closes an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delimiters {
    left: String,
    right: String,
}

impl Delimiters {
    /// Delimiters of one's own; an empty one means jet's own `{{` or `}}`.
    #[must_use]
    pub fn new(left: &str, right: &str) -> Self {
        let or = |given: &str, default: &str| if given.is_empty() { default } else { given }.into();
        Self { left: or(left, "{{"), right: or(right, "}}") }
    }
}

impl Default for Delimiters {
    /// `[[` and `]]`, which leave the reference's own `{{ }}` alone.
    fn default() -> Self {
        Self::new("[[", "]]")
    }
}

/// A template, read and ready to be rendered any number of times.
pub struct Template {
    source: Source,
    parsed: parser::Parsed,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// [`crate::error::JetFault`] with its place; [`crate::error::Kind::Limit`] when it is too large or nests too deeply.
    pub fn parse(source: &Source, delimiters: &Delimiters) -> Result<Self> {
        if source.text().len() > SIZE {
            return Err(Error::limit(alloc::format!("template is larger than {} MiB", SIZE >> 20)));
        }
        let tokens = lexer::lex(source.text(), delimiters);
        if let Some(last) = tokens.get(lexer::TOKENS) {
            let text = alloc::format!("template has more than {} words and signs in its actions", lexer::TOKENS);
            return Err(Error::limit(text).at(source.at(last.span)));
        }
        Ok(Self { source: source.clone(), parsed: parser::parse(source, tokens)? })
    }

    /// Renders it: variables and functions come from the scope, the work is paid from its fuel.
    ///
    /// # Errors
    /// [`crate::error::JetFault`] with its place, what a function of the scope finds wrong, or a limit.
    pub fn render(&self, scope: &Scope<'_>) -> Result<String> {
        render::Runtime::new(self, scope).run()
    }
}
