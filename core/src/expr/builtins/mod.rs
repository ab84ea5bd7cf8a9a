//! The functions every expression has: one table, an entry each.
//!
//! To add a function, write it in the file of its kind and put a [`Builtin`] into that file's `TABLE`:
//!
//! - `check` says what is known before it runs. `Check::Overloads` lists the parameter natures of each form and
//!   what that form gives: an argument whose nature is only known at run time passes, a `nil` passes only for
//!   [`Nature::ANY`]. `Check::Rule` is a function over the natures of all arguments, which also counts them; it
//!   returns the nature of the outcome, `ExprFault::ArgumentCount` or `ExprFault::ArgumentType`.
//! - `call` gets a [`Call`]: the arguments (their number has been checked, their kinds only as far as they
//!   were known), the scope, and [`Call::charge`] for functions that make large data. It adds no site, the evaluator does.
//!
//! Methods of times, durations and the like stand in [`METHODS`] and are found by receiver and name.

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::names::Scope;

use super::eval::Budget;
use super::nature::Nature;
use super::val::Val;

pub mod dates;
pub mod kinds;
pub mod lists;
pub mod maps;
pub mod numbers;
pub mod strings;

/// A function of the language.
#[derive(Debug)]
pub struct Builtin {
    /// As written.
    pub name: &'static str,
    /// What is known before it runs.
    pub check: Check,
    /// What it does.
    pub call: fn(&mut Call<'_>) -> Result<Val>,
}

/// How the arguments of a function are checked.
#[derive(Debug)]
pub enum Check {
    /// Forms of fixed parameters, tried in order.
    Overloads(&'static [Overload]),
    /// A rule of its own over the natures of the arguments.
    Rule(fn(&[Nature]) -> Result<Nature, ExprFault>),
}

/// One form of a function: its parameters and what it gives.
#[derive(Debug)]
pub struct Overload(pub &'static [Nature], pub Nature);

/// A method of a value that is not plain data.
#[derive(Debug)]
pub struct Method {
    /// Whose it is.
    pub receiver: Nature,
    /// As written.
    pub name: &'static str,
    /// Parameters, the receiver not among them.
    pub parameters: &'static [Nature],
    /// What it gives.
    pub gives: Nature,
    /// How many values Go's method gives: more than two cannot be called here (as vectors date-*, `Date()`).
    pub values: u8,
    /// What it does: `arguments[0]` is the receiver.
    pub call: fn(&mut Call<'_>) -> Result<Val>,
}

/// One call.
pub struct Call<'a> {
    /// The name called, for messages.
    pub name: &'static str,
    /// The arguments, evaluated.
    pub arguments: &'a [Val],
    /// Zones, clock, fuel.
    pub scope: &'a Scope<'a>,
    pub(super) budget: &'a mut Budget,
}

impl<'a> Call<'a> {
    /// The argument at this place; nil where there is none.
    #[must_use]
    pub fn argument(&self, index: usize) -> &'a Val {
        const NIL: &Val = &Val::NIL;
        self.arguments.get(index).unwrap_or(NIL)
    }

    /// The argument as text.
    ///
    /// # Errors
    /// [`ExprFault::WrongType`] when it is none.
    pub fn text(&self, index: usize) -> Result<&'a str> {
        self.argument(index).expect_text()
    }

    /// The argument as an integer, floats truncated.
    ///
    /// # Errors
    /// [`ExprFault::Conversion`] when it is no number.
    pub fn int(&self, index: usize) -> Result<i64> {
        self.argument(index).to_int()
    }

    /// The fault that an argument is of the wrong kind.
    #[cold]
    #[must_use]
    pub fn wrong(&self, index: usize) -> crate::error::Error {
        ExprFault::ArgumentType(self.name.into(), self.argument(index).kind()).into()
    }

    /// Spends memory units of the reference (items of lists, bytes of repeated text). What they truly take comes out of
    /// the fuel.
    ///
    /// # Errors
    /// [`ExprFault::Memory`] when the evaluation has made too much.
    pub fn charge(&mut self, units: usize) -> Result<()> {
        self.budget.charge(units)
    }
}

/// All tables, in the order of search.
const TABLES: &[&[Builtin]] = &[strings::TABLE, numbers::TABLE, lists::TABLE, maps::TABLE, dates::TABLE, kinds::TABLE];

/// All methods.
pub const METHODS: &[Method] = dates::METHODS;

/// The builtin of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    TABLES.iter().flat_map(|table| table.iter()).find(|builtin| builtin.name == name)
}

/// All names, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter()).map(|builtin| builtin.name)
}

/// A rule of [`Check::Rule`] begins by counting.
///
/// # Errors
/// [`ExprFault::ArgumentCount`].
pub fn counted(name: &'static str, arguments: &[Nature], wanted: usize) -> Result<(), ExprFault> {
    if arguments.len() == wanted { Ok(()) } else { Err(ExprFault::ArgumentCount(name.into(), arguments.len())) }
}

/// The fault of a rule that refuses a nature.
#[cold]
#[must_use]
pub fn refused(name: &'static str, nature: Nature) -> ExprFault {
    ExprFault::ArgumentType(name.into(), nature.name())
}
