//! Expressions: `Facts.os.family == "debian" and lookup("data.port", 80) > 1024`.
//!
//! The language is expr-lang 1.17.8 as the reference configures it. A [`Program`] is compiled once (names,
//! arity and static kinds checked) and evaluated any number of times against a [`Scope`].

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::names::Scope;
use crate::span::Source;
use crate::value::Value;

mod access;
mod ast;
pub mod builtins;
mod check;
mod eval;
mod fold;
mod groups;
mod lexer;
mod loops;
pub mod nature;
mod ops;
mod parser;
mod print;
mod show;
pub mod val;

pub use val::Val;

use ast::Ast;
use eval::Evaluator;
use nature::Nature;

/// A compiled expression.
pub struct Program {
    source: Source,
    ast: Ast,
}

impl Program {
    /// Reads and checks an expression. The scope says which names exist and which of them are maps; otherwise
    /// their values are not looked at.
    ///
    /// # Errors
    /// [`ExprFault`], sited in the source.
    pub fn compile(source: &Source, scope: &Scope<'_>) -> Result<Self> {
        Self::checked(source, scope).map(|(program, _)| program)
    }

    /// As [`Program::compile`], for an expression whose outcome must be true or false (`if`, `unless`).
    ///
    /// # Errors
    /// As [`Program::compile`]; also when the outcome is known to be no boolean.
    pub fn compile_bool(source: &Source, scope: &Scope<'_>) -> Result<Self> {
        let (program, nature) = Self::checked(source, scope)?;
        if nature == Nature::BOOL || nature.is_unknown() {
            Ok(program)
        } else {
            Err(ExprFault::ExpectedBool(nature.name()).into())
        }
    }

    fn checked(source: &Source, scope: &Scope<'_>) -> Result<(Self, Nature)> {
        let mut ast =
            parser::parse(source.text()).map_err(|(fault, span)| crate::Error::from(fault).at(source.at(span)))?;
        let mut natures = check::check(&ast, source, scope)?;
        let nature = ast.root.map_or(Nature::UNKNOWN, |root| natures.of(root));
        fold::fold(&mut ast, &mut natures, source)?;
        Ok((Self { source: source.clone(), ast }, nature))
    }

    /// The outcome as the expression made it.
    ///
    /// # Errors
    /// [`ExprFault`], sited in the source; what functions of the scope find wrong.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Val> {
        Evaluator::new(&self.ast, &self.source, scope).run()
    }

    /// The outcome as plain data: times, durations and the like become text.
    ///
    /// # Errors
    /// As [`Program::evaluate`].
    pub fn evaluate_value(&self, scope: &Scope<'_>) -> Result<Value> {
        self.evaluate(scope).map(|outcome| show::plain(&outcome))
    }

    /// The outcome as true or false; nil is false.
    ///
    /// # Errors
    /// As [`Program::evaluate`]; [`ExprFault::Conversion`] for anything else.
    pub fn evaluate_bool(&self, scope: &Scope<'_>) -> Result<bool> {
        let outcome = self.evaluate(scope)?;
        if ops::is_nil(&outcome) {
            return Ok(false);
        }
        outcome.as_bool().ok_or_else(|| {
            let start = crate::span::Span::point(0);
            crate::Error::from(ExprFault::Conversion("a boolean", outcome.kind())).at(self.source.at(start))
        })
    }
}

impl core::fmt::Debug for Program {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Program({:?})", self.source.text())
    }
}

/// The text of an expression read and printed again: it reads back as the same tree.
///
/// # Errors
/// As [`Program::compile`], as far as the grammar goes.
pub fn reprint(source: &Source) -> Result<alloc::string::String> {
    let ast = parser::parse(source.text()).map_err(|(fault, span)| crate::Error::from(fault).at(source.at(span)))?;
    Ok(ast.root.map_or_else(Default::default, |root| print::print(&ast, root, source.text())))
}
