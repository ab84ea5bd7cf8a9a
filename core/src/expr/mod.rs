//! Expressions: `Facts.os.family == "debian" and lookup("data.port", 80) > 1024`.
//!
//! The language is expr-lang 1.17.8 as the reference configures it. A [`Program`] is compiled once (names,
//! arity and static kinds checked) and evaluated any number of times against a [`Scope`].

use crate::error::{Error, Result};
use crate::names::Scope;
use crate::span::Source;
use crate::value::Value;

pub mod builtins;
mod eval;
pub mod nature;
mod show;
pub mod val;

pub use val::Val;

/// A compiled expression.
#[derive(Debug)]
pub struct Program {
    source: Source,
}

impl Program {
    /// Reads and checks an expression. The scope says which names exist; their values are not looked at.
    ///
    /// # Errors
    /// [`crate::error::expr::ExprFault`], sited in the source.
    pub fn compile(source: &Source, _scope: &Scope<'_>) -> Result<Self> {
        Ok(Self { source: source.clone() })
    }

    /// As [`Program::compile`], for an expression whose outcome must be true or false (`if`, `unless`).
    ///
    /// # Errors
    /// As [`Program::compile`]; also when the outcome is known to be no boolean.
    pub fn compile_bool(source: &Source, scope: &Scope<'_>) -> Result<Self> {
        Self::compile(source, scope)
    }

    /// The outcome as the expression made it.
    ///
    /// # Errors
    /// [`crate::error::expr::ExprFault`], sited in the source; what functions of the scope find wrong.
    pub fn evaluate(&self, _scope: &Scope<'_>) -> Result<Val> {
        Err(Error::limit(alloc::format!("expressions are not built yet: {}", self.source.text())))
    }

    /// The outcome as plain data: times, durations and the like become text.
    ///
    /// # Errors
    /// As [`Program::evaluate`].
    pub fn evaluate_value(&self, scope: &Scope<'_>) -> Result<Value> {
        self.evaluate(scope).map(|val| val.into_plain().unwrap_or_default())
    }

    /// The outcome as true or false; nil is false.
    ///
    /// # Errors
    /// As [`Program::evaluate`]; [`crate::error::expr::ExprFault::Conversion`] for anything else.
    pub fn evaluate_bool(&self, scope: &Scope<'_>) -> Result<bool> {
        self.evaluate(scope)?.expect_bool()
    }
}
