//! The decisions of ccm: everything that can be computed from text and from what a host shows.
//!
//! A room may use the rooms above it, never one below it (`cargo xtask tidy` holds this order):
//!
//! 1. [`span`]: sources of text, spans, sites
//! 2. [`error`]: the error of the crate, its kinds and trail
//! 3. [`text`]: cursor, literals, paths, time, patterns
//! 4. [`value`]: data of seven kinds, merged, compared, shown, looked up
//! 5. [`yaml`], [`host`], [`names`]: documents with sites; a machine's traits; what a language sees
//! 6. [`expr`], [`jet`], [`gotmpl`]: three languages, each with lexer, parser, evaluator
//! 7. [`render`]: finds `{{ }}` and `${ }` in fields
//! 8. [`hiera`], [`roster`], [`registration`]: layered data and its rules; the mesh view; entries
//! 9. [`manifest`]: a document as ordered, still untyped resources
//! 10. [`resource`]: one module a type: properties, decide, providers
//! 11. [`engine`]: plan, steps, session, events, summary
//!
//! The crate is `no_std`: it never prints, never reads a clock, a file or the environment, and no
//! input makes it panic.
#![no_std]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

extern crate alloc;

pub mod span;

pub mod error;

pub mod text;

pub mod value;

pub mod host;
pub mod names;
pub mod yaml;

pub mod expr;
pub mod gotmpl;
pub mod jet;

pub mod render;

pub mod hiera;
pub mod registration;
pub mod roster;

pub mod manifest;

pub mod resource;

pub mod engine;

pub use error::{Error, Result};
pub use value::Value;
