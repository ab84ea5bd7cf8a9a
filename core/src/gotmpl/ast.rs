//! A parsed template as a tree.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::builtins::Builtin;
use crate::span::Span;

/// What a text defines, sorted by name; `source` is what all spans point into.
#[derive(Debug, Default)]
pub(super) struct Set {
    pub(super) definitions: Vec<Definition>,
    /// The names of variables; a [`Variable`] is an index into it. `$` is 0.
    pub(super) variables: Vec<Box<str>>,
    /// The names of the functions that the caller provides.
    pub(super) functions: Vec<Box<str>>,
}

impl Set {
    pub(super) fn find(&self, name: &str) -> Option<&Definition> {
        let at = self.definitions.binary_search_by(|known| (*known.name).cmp(name)).ok()?;
        self.definitions.get(at)
    }
}

/// A named template.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: Box<str>,
    pub(super) body: Vec<Node>,
}

/// One piece of a body.
#[derive(Debug)]
pub(super) enum Node {
    /// Literal text.
    Text(Span),
    /// `{{.Name}}`.
    Member(Field),
    /// `{{pipeline}}`.
    Action(Pipeline),
    If(Box<Choice>),
    With(Box<Choice>),
    Range(Box<Loop>),
    Call(Box<Call>),
    Break,
    Continue,
}

/// `if … else if … else … end`, or the same of `with`: the first true condition picks its body.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) branches: Vec<(Pipeline, Vec<Node>)>,
    pub(super) otherwise: Vec<Node>,
}

/// `range … else … end`.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) over: Pipeline,
    pub(super) body: Vec<Node>,
    pub(super) otherwise: Vec<Node>,
}

/// `{{template "name" pipeline}}`; `block` is a definition and its call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) span: Span,
    pub(super) name: Box<str>,
    pub(super) argument: Option<Pipeline>,
}

/// Commands of which each gives its value to the next, and the variables that get the last value.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) span: Span,
    pub(super) targets: Vec<Variable>,
    /// `=` rather than `:=`.
    pub(super) assigns: bool,
    pub(super) commands: Vec<Command>,
}

/// The number of a variable's name.
pub(super) type Variable = u32;

/// An operand and what it is applied to.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) head: Operand,
    pub(super) arguments: Vec<Operand>,
}

/// A value as it is written.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) span: Span,
    pub(super) kind: OperandKind,
}

#[derive(Debug)]
pub(super) enum OperandKind {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Complex(f64, f64),
    /// A whole number that no 64-bit integer holds: an error when it is used.
    Huge,
    Text(Box<[u8]>),
    /// `.A.B`: at least one field.
    Field(Vec<Field>),
    /// `$x.A.B`: perhaps no fields.
    Variable(Variable, Vec<Field>),
    Function(Function),
    Parens(Box<Pipeline>),
    /// `(pipeline).A` or `function.A`.
    Chain(Box<Operand>, Vec<Field>),
}

/// A field's name and its place, the dot included.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) span: Span,
    pub(super) name: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Builtin(Builtin),
    /// An index into [`Set::functions`], with the arity it has.
    Provided {
        at: u32,
        least: u8,
        most: u8,
    },
}
