//! What a `@validate` rule may call, and how it is held against a value.

use crate::error::Result;
use crate::expr::Program;
use crate::names::{Fuel, NoFunctions, Scope};
use crate::span::Source;
use crate::value::{Value, show};

/// Whether a scalar satisfies a rule: an expression over `value` (or `Value`), its text.
///
/// A rule that does not compile over the text of a number or bool is compiled again over the native value,
/// so that `value == "5"` and `value > 1024` both work.
///
/// # Errors
/// What the expression gives.
pub(super) fn holds(rule: &str, value: &Value) -> Result<bool> {
    let native = matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_));
    match compile(rule, &Value::Text(show::text(value))) {
        Err(_) if native => run(rule, value),
        Err(fault) => Err(fault),
        Ok(program) => run_with(&program, &Value::Text(show::text(value))),
    }
}

fn run(rule: &str, value: &Value) -> Result<bool> {
    run_with(&compile(rule, value)?, value)
}

fn compile(rule: &str, value: &Value) -> Result<Program> {
    within(value, |scope| Program::compile_bool(&Source::anonymous(rule), scope))
}

fn run_with(program: &Program, value: &Value) -> Result<bool> {
    within(value, |scope| program.evaluate_bool(scope))
}

fn within<T>(value: &Value, act: impl FnOnce(&Scope<'_>) -> Result<T>) -> Result<T> {
    let fuel = Fuel::new();
    let variables = [("value", value.clone()), ("Value", value.clone())];
    act(&Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel })
}
