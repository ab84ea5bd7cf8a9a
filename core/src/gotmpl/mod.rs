//! Go's text/template, byte for byte as Go 1.26 renders it.
//!
//! [`Template::parse`] reads a text once; [`Template::render`] applies it to data as often as
//! wanted. The stages are `lexer` → `parser` → `ast` → `render`, with the functions every
//! template knows in `builtins` and Go's `fmt` verbs in `printf`.
//!
//! ```
//! use ccm_core::gotmpl::{Options, Template};
//! use ccm_core::names::{Fuel, NoFunctions};
//! use ccm_core::span::Source;
//!
//! let source = Source::new("motd.templ", "{{range .}}{{printf \"%-4s|\" .}}{{end}}");
//! let template = Template::parse(&source, &Options::default())?;
//! let names = ccm_core::Value::list(vec!["a".into(), "b".into()]);
//! assert_eq!(template.render(&names, &NoFunctions, &Fuel::new())?, "a   |b   |");
//! # Ok::<(), ccm_core::Error>(())
//! ```
//!
//! # What data look like to a template
//! A [`Shape::Struct`](crate::value::Shape) map is a Go struct: an unknown field is an error, and it
//! prints its members in their declared order. Gathered facts (`Shape::Record`) also refuse unknown
//! fields, and know both spellings of the known ones. Any other map is a `map[string]any`: an unknown key is `<no value>`.
//!
//! # Bounds
//! Every node costs a step and every byte of output is paid for out of the caller's
//! [`Fuel`]. Control flow keeps its own stack on the heap, so templates that
//! call each other without end run out of steps or depth, never of stack.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Error, GotmplFault, Kind, Result};
use crate::names::{Fuel, Functions, Signature};
use crate::span::Source;
use crate::value::Value;

mod ast;
mod builtins;
mod constant;
mod lexer;
mod parser;
mod printf;
mod render;
mod scope;
pub mod shape;
mod val;

/// How a text is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The name of the template itself, as `{{template "NAME"}}` and `{{define}}` see it.
    pub name: &'a str,
    /// The delimiters of an action; an empty one means Go's own.
    pub delimiters: (&'a str, &'a str),
    /// Functions beyond Go's own, which they replace when they have the same name. The
    /// [`Functions`] given to [`Template::render`] must offer them.
    pub functions: &'a [Signature],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { name: "template", delimiters: ("{{", "}}"), functions: &[] }
    }
}

/// A template that was read without fault.
#[derive(Debug)]
pub struct Template {
    source: Source,
    name: Box<str>,
    set: ast::Set,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// [`GotmplFault`] with its site in the source; [`Kind::Limit`] when it nests too deeply.
    pub fn parse(source: &Source, options: &Options<'_>) -> Result<Self> {
        let set = parser::parse(source, options)?;
        Ok(Self { source: source.clone(), name: options.name.into(), set })
    }

    /// Renders to text.
    ///
    /// # Errors
    /// As [`Template::render_bytes`], and [`GotmplFault::NotText`].
    pub fn render(&self, data: &Value, functions: &dyn Functions, fuel: &Fuel) -> Result<String> {
        let bytes = self.render_bytes(data, functions, fuel)?;
        String::from_utf8(bytes).map_err(|_| Error::new(Kind::Gotmpl(GotmplFault::NotText)))
    }

    /// Renders to bytes, which need not be UTF-8 when a `slice` cuts a character.
    ///
    /// # Errors
    /// [`GotmplFault`] with its site in the source; [`Kind::Limit`] when the fuel is spent.
    pub fn render_bytes(&self, data: &Value, functions: &dyn Functions, fuel: &Fuel) -> Result<Vec<u8>> {
        render::render(&self.source, &self.set, &self.name, data, functions, fuel)
    }
}

#[cfg(test)]
mod tests;
