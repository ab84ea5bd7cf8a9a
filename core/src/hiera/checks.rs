//! `@validate` rules: what they may call, and how they are held against a value.
//!
//! A rule is an expression over `value` (or `Value`) that must be true. It sees no data and no facts, and may
//! call the checks of [`CHECKS`], each under two spellings: `isIPv4(value) || isHostname(value)`. A check
//! answers false for a text it does not accept, where some of the reference's raise an error.

use alloc::string::ToString;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::error::expr::ExprFault;
use crate::error::{Error, Result};
use crate::expr::Program;
use crate::names::{Fuel, Functions, Scope, Signature};
use crate::span::Source;
use crate::text::pattern::Pattern;
use crate::text::{Cursor, float, time::duration};
use crate::value::{Value, show};

/// A rule compiled for one value.
#[derive(Debug)]
pub struct Check {
    program: Program,
    value: Value,
}

impl Check {
    /// Compiles a rule for a scalar, over its text; one that does not compile over the text of a number or
    /// bool is compiled again over the native value, so that `value == "5"` and `value > 1024` both work.
    ///
    /// # Errors
    /// What is wrong with the rule, sited in it.
    pub fn compile(rule: &str, value: &Value) -> Result<Self> {
        Self::compile_from(rule, value, &Fuel::new())
    }

    fn compile_from(rule: &str, value: &Value, fuel: &Fuel) -> Result<Self> {
        let source = Source::anonymous(rule);
        let over = |value: Value| {
            let program = within(&value, fuel, |scope| Program::compile_bool(&source, scope))?;
            Ok(Self { program, value })
        };
        let native = matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_));
        match over(Value::Text(show::text(value))) {
            Err(_) if native => over(value.clone()),
            outcome => outcome,
        }
    }

    /// Whether the value satisfies the rule.
    ///
    /// # Errors
    /// What stops the rule from being decided, sited in it.
    pub fn holds(&self) -> Result<bool> {
        within(&self.value, &Fuel::new(), |scope| self.program.evaluate_bool(scope))
    }
}

/// Compiles a rule and holds it against a scalar, out of the purse of all rules.
///
/// # Errors
/// As [`Check::compile`] and [`Check::holds`].
pub(super) fn holds(rule: &str, value: &Value, fuel: &Fuel) -> Result<bool> {
    fuel.step(20 + rule.len() as u64 / 8)?;
    let check = Check::compile_from(rule, value, fuel)?;
    within(&check.value, fuel, |scope| check.program.evaluate_bool(scope))
}

fn within<T>(value: &Value, fuel: &Fuel, act: impl FnOnce(&Scope<'_>) -> Result<T>) -> Result<T> {
    let variables = [("value", value.clone()), ("Value", value.clone())];
    act(&Scope { variables: &variables, functions: &Checks, fuel })
}

/// The checks of one text: both spellings, and what is accepted.
type Accepts = fn(&str) -> bool;
const CHECKS: [(&str, &str, Accepts); 9] = [
    ("isIP", "is_ip", is_ip),
    ("isIPv4", "is_ipv4", is_ipv4),
    ("isIPv6", "is_ipv6", |text| is_ip(text) && !is_ipv4(text)),
    ("isInt", "is_int", is_int),
    ("isFloat", "is_float", is_float),
    ("isDuration", "is_duration", is_duration),
    ("isShellSafe", "is_shellsafe", is_shell_safe),
    ("isHostname", "is_hostname", |text| text.split('.').all(is_label)),
    ("isFQDN", "is_fqdn", is_fqdn),
];

const SIGNATURES: [Signature; 20] = [
    Signature::of_text("isIP", 1),
    Signature::of_text("isIPv4", 1),
    Signature::of_text("isIPv6", 1),
    Signature::of_text("isInt", 1),
    Signature::of_text("isFloat", 1),
    Signature::of_text("isDuration", 1),
    Signature::of_text("isRegex", 2),
    Signature::of_text("isShellSafe", 1),
    Signature::of_text("isHostname", 1),
    Signature::of_text("isFQDN", 1),
    Signature::of_text("is_ip", 1),
    Signature::of_text("is_ipv4", 1),
    Signature::of_text("is_ipv6", 1),
    Signature::of_text("is_int", 1),
    Signature::of_text("is_float", 1),
    Signature::of_text("is_duration", 1),
    Signature::of_text("is_regex", 2),
    Signature::of_text("is_shellsafe", 1),
    Signature::of_text("is_hostname", 1),
    Signature::of_text("is_fqdn", 1),
];

struct Checks;

impl Functions for Checks {
    fn signatures(&self) -> &[Signature] {
        &SIGNATURES
    }

    fn call(&self, name: &str, arguments: &[Value], fuel: &Fuel) -> Result<Value> {
        let text = |index: usize| match arguments.get(index) {
            Some(Value::Text(text)) => Ok(&**text),
            Some(other) => Err(Error::from(ExprFault::WrongType("text", other.kind().into()))),
            None => Err(ExprFault::ArgumentCount(name.to_string().into(), arguments.len()).into()),
        };
        if matches!(name, "isRegex" | "is_regex") {
            return is_match(text(0)?, text(1)?, fuel).map(Value::Bool);
        }
        match CHECKS.iter().find(|(camel, snake, _)| name == *camel || name == *snake) {
            Some((_, _, accepts)) => Ok(Value::Bool(accepts(text(0)?))),
            None => Err(Error::invalid(alloc::format!("function {name} is not available in a rule"))),
        }
    }
}

/// Bytes of text that a search has passed in the time that its pattern takes to be compiled.
const MAKING: usize = 12;

fn is_match(text: &str, pattern: &str, fuel: &Fuel) -> Result<bool> {
    let pattern = Pattern::new(pattern).map_err(|fault| ExprFault::BadPattern(fault.to_string()))?;
    // Making the automaton is as much work as a few bytes of text.
    fuel.step(pattern.steps(text.len() + MAKING))?;
    Ok(pattern.is_match(text))
}

/// Without a zone, without leading zeros in the numbers of IPv4.
fn is_ip(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

/// Also where it is written as the IPv6 address that maps it.
fn is_ipv4(text: &str) -> bool {
    let mapped = |address: Ipv6Addr| address.to_ipv4_mapped().is_some();
    text.parse::<Ipv4Addr>().is_ok() || text.parse::<Ipv6Addr>().is_ok_and(mapped)
}

/// An optional sign and digits, as many as there are.
fn is_int(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A decimal float of any size, as Go's `big.Float` reads it: the exponent may also be one of two (`1p3`)
/// and fits in 32 bits, `Inf` and `inf` are floats, `NaN` is none.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, "Inf" | "inf") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E', 'p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let plain = mantissa.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && float::parse(mantissa).is_ok()
        || is_int(mantissa) && !mantissa.starts_with(['+', '-']);
    let exponent = exponent.is_none_or(|exponent| is_int(exponent) && exponent.parse::<i32>().is_ok());
    plain && exponent
}

/// A text that holds at least one number with a unit, and none with an unknown one. What stands between
/// them does not count: vectors validator/duration want `foo1h` and `1h 30m` accepted here, although a
/// duration that is used must be one from end to end.
fn is_duration(text: &str) -> bool {
    if text == "0" {
        return true;
    }
    let mut cursor = Cursor::new(text.trim());
    let mut any = false;
    loop {
        cursor.take_while(|next| !next.is_ascii_digit() && next != '.');
        if cursor.is_done() {
            return any;
        }
        let number = cursor.take_while(|next| next.is_ascii_digit() || next == '.');
        let unit = cursor.take_while(|next| next.is_ascii_alphabetic());
        let known = match unit {
            "" => continue,
            "w" | "W" | "d" | "D" | "M" | "y" | "Y" => float::parse(number).is_ok(),
            _ => duration::parse(&alloc::format!("{number}{unit}")).is_ok(),
        };
        if !known {
            return false;
        }
        any = true;
    }
}

/// Nothing that begins a command, a redirection or a substitution; quotes and globs are allowed.
fn is_shell_safe(text: &str) -> bool {
    !text.trim().contains(['`', '$', ';', '|', '&', '>', '<', '(', ')', '\n'])
}

/// One label of a host name.
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && !label.starts_with('-')
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// At least two labels, the last one beginning with a letter; a dot may end it.
fn is_fqdn(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    let Some((_, last)) = text.rsplit_once('.') else { return false };
    text.split('.').all(is_label) && last.starts_with(|first: char| first.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(rule: &str, value: impl Into<Value>) -> bool {
        super::holds(rule, &value.into(), &Fuel::new()).unwrap()
    }

    #[test]
    fn checks_answer_false_rather_than_raise() {
        assert!(holds("isIP(value) or isHostname(value)", "web01"));
        assert!(holds("not isIPv4(value)", "fd00::1"));
        assert!(holds("isIPv4(value) and not isIPv6(value)", "::ffff:1.2.3.4"));
        assert!(!holds("is_fqdn(value)", "web01.example.1"));
        assert!(holds("is_fqdn(value)", "web01.example.net."));
    }

    #[test]
    fn a_number_is_text_first_and_a_number_if_the_rule_asks_for_one() {
        assert!(holds("value == \"5\"", 5_i64));
        assert!(holds("value > 1024", 8080_i64));
        assert!(holds("value", true));
        assert!(Check::compile("value > 1024", &Value::from("x")).is_err());
    }

    #[test]
    fn a_pattern_that_is_none_is_an_error_and_a_costly_one_is_paid_for() {
        assert!(super::holds("isRegex(value, \"[\")", &Value::from("a"), &Fuel::new()).is_err());
        let fuel = Fuel::with(10, 10, 10);
        assert!(is_match(&"a".repeat(10_000), "(a{100}){10}", &fuel).is_err());
    }
}
