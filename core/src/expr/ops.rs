//! What operators do to values: equality, order, arithmetic, membership.

use alloc::string::String;
use alloc::sync::Arc;
use core::cmp::Ordering;

use crate::error::expr::ExprFault;
use crate::error::{Error, Result};
use crate::names::Fuel;
use crate::text::pow::pow;
use crate::text::time::{Moment, Timestamp};
use crate::value::{Extent, Int, Shape, Text, Value};

use super::ast::Binary;
use super::val::{Items, Val};

#[cold]
fn refused<T>(operator: Binary, a: &Val, b: &Val) -> Result<T> {
    Err(ExprFault::OperandType(operator.text(), a.kind(), b.kind()).into())
}

// Equality

/// `==`: numbers by value, lists item by item, maps strictly (an integer in a map is no float), nil and a root
/// that was not given alike.
pub(super) fn equal(a: &Val, b: &Val, fuel: &Fuel) -> Result<bool> {
    Ok(match (a, b) {
        (Val::Plain(a), Val::Plain(b)) => {
            pay(a, b, fuel)?;
            equal_data(a, b)
        }
        (Val::Time(a), Val::Time(b)) => a.at == b.at,
        (Val::Duration(a), Val::Duration(b)) => a == b,
        _ => match (a.items(), b.items()) {
            (Some(a), Some(b)) => all_alike(a, b, fuel, equal)?,
            _ => is_nil(a) && is_nil(b) || same(a, b, fuel)?,
        },
    })
}

/// A function of two values that tells whether they are alike.
type Alike = fn(&Val, &Val, &Fuel) -> Result<bool>;

fn all_alike(a: Items<'_>, b: Items<'_>, fuel: &Fuel, alike: Alike) -> Result<bool> {
    if a.len() != b.len() {
        return Ok(false);
    }
    for (a, b) in a.iter().zip(b.iter()) {
        fuel.step(1)?;
        if !alike(&a, &b, fuel)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Texts up to this length are compared within the step of the node that compares them.
const SHORT: usize = 64;

/// Pays for the comparison of two values: for as much as the smaller one weighs, where it could come to that.
fn pay(a: &Value, b: &Value, fuel: &Fuel) -> Result<()> {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) if a.len() == b.len() => pay_text(a, fuel),
        (Value::List(a), Value::List(b)) if a.len() == b.len() => pay_weights(a.extent(), b.extent(), fuel),
        (Value::Map(a), Value::Map(b)) if a.len() == b.len() => pay_weights(a.extent(), b.extent(), fuel),
        _ => Ok(()),
    }
}

fn pay_weights(a: Extent, b: Extent, fuel: &Fuel) -> Result<()> {
    fuel.scan(usize::try_from(a.weight.min(b.weight)).unwrap_or(usize::MAX))
}

/// Pays for one comparison with a text, be it the key of a map: bytes are compared faster than they are read.
#[inline(never)]
pub(super) fn pay_text(text: &str, fuel: &Fuel) -> Result<()> {
    if text.len() > SHORT { fuel.scan(text.len() / 8) } else { Ok(()) }
}

fn equal_data(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Int(int), Value::Float(float)) | (Value::Float(float), Value::Int(int)) => int.as_f64() == *float,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal_data(a, b)),
        (Value::Null, root @ Value::Map(_)) | (root @ Value::Map(_), Value::Null) => is_absent(root),
        _ => same_data(a, b),
    }
}

/// Go's deep equality: kind and value, at every depth. Integers of all widths are one kind.
fn same(a: &Val, b: &Val, fuel: &Fuel) -> Result<bool> {
    Ok(match (a, b) {
        (Val::Plain(a), Val::Plain(b)) => {
            pay(a, b, fuel)?;
            same_data(a, b)
        }
        (Val::Duration(a), Val::Duration(b)) => a == b,
        (Val::Time(a), Val::Time(b)) => a.at == b.at && a.zone.name() == b.zone.name(),
        (Val::Zone(a), Val::Zone(b)) => a.name() == b.name(),
        (Val::Month(a), Val::Month(b)) | (Val::Weekday(a), Val::Weekday(b)) => a == b,
        (Val::Env, Val::Env) => true,
        (Val::Map(a), Val::Map(b)) => a.len() == b.len() && members_alike(a, |at| b.get(at).cloned(), fuel)?,
        // A map that holds a range is not plain, and may equal one that holds the list.
        (Val::Map(a), Val::Plain(Value::Map(b))) | (Val::Plain(Value::Map(b)), Val::Map(a)) => {
            let member =
                |at| b.entries().get(at).map(|(key, value): &(Text, Value)| (key.clone(), value.clone().into()));
            a.len() == b.len() && b.shape() != Shape::Texts && members_alike(a, member, fuel)?
        }
        (Val::Groups(a), Val::Groups(b)) => {
            let mut pairs = a.entries.iter().zip(&b.entries);
            a.of_lists == b.of_lists
                && a.entries.len() == b.entries.len()
                && pairs.try_fold(true, |all, (a, b)| {
                    fuel.step(1)?;
                    Ok::<bool, Error>(all && same(&a.0, &b.0, fuel)? && same(&a.1, &b.1, fuel)?)
                })?
        }
        _ => match (a.items(), b.items()) {
            (Some(a), Some(b)) => all_alike(a, b, fuel, same)?,
            _ => false,
        },
    })
}

fn members_alike(a: &[(Text, Val)], b: impl Fn(usize) -> Option<(Text, Val)>, fuel: &Fuel) -> Result<bool> {
    for (at, (key, value)) in a.iter().enumerate() {
        pay_text(key, fuel)?;
        fuel.step(1)?;
        let Some((other, its)) = b(at) else { return Ok(false) };
        if *key != other || !same(value, &its, fuel)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn same_data(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_data(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            let kinds =
                (a.shape() == Shape::Texts) == (b.shape() == Shape::Texts) && is_absent_map(a) == is_absent_map(b);
            kinds && a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.0 == b.0 && same_data(a.1, b.1))
        }
        _ => false,
    }
}

fn is_absent(value: &Value) -> bool {
    matches!(value, Value::Map(map) if is_absent_map(map))
}

fn is_absent_map(map: &crate::value::Map) -> bool {
    map.is_empty() && matches!(map.shape(), Shape::Absent | Shape::Texts)
}

/// Nil, a root that was not given, or the list that a group does not have.
pub(super) fn is_nil(value: &Val) -> bool {
    match value {
        Val::Plain(Value::Null) => true,
        Val::List(items) => items.is_empty(),
        Val::Plain(value) => is_absent(value),
        _ => false,
    }
}

// Order

/// A number, as numbers are compared.
#[derive(Clone, Copy)]
enum Number {
    Int(Int),
    Float(f64),
}

fn number(value: &Val) -> Option<Number> {
    match value {
        Val::Plain(Value::Int(int)) => Some(Number::Int(*int)),
        Val::Plain(Value::Float(float)) => Some(Number::Float(*float)),
        _ => None,
    }
}

/// Values that have an order among each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Numbers,
    Texts,
    Times,
    Durations,
}

/// What a value can be ordered with.
pub(super) fn class(value: &Val) -> Option<Class> {
    match value {
        Val::Plain(Value::Int(_) | Value::Float(_)) => Some(Class::Numbers),
        Val::Plain(Value::Text(_)) => Some(Class::Texts),
        Val::Time(_) => Some(Class::Times),
        Val::Duration(_) => Some(Class::Durations),
        _ => None,
    }
}

/// The order of two values of one class, total: NaN comes before all numbers. Of two classes: equal.
pub(super) fn total_order(a: &Val, b: &Val) -> Ordering {
    match (a, b) {
        (Val::Plain(Value::Text(a)), Val::Plain(Value::Text(b))) => a.cmp(b),
        (Val::Time(a), Val::Time(b)) => a.at.cmp(&b.at),
        (Val::Duration(a), Val::Duration(b)) => a.cmp(b),
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => order_numbers(a, b),
            _ => Ordering::Equal,
        },
    }
}

/// By exact value, so that the order is one even where floats are too coarse for integers.
fn order_numbers(a: Number, b: Number) -> Ordering {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a.cmp(&b),
        (Number::Int(a), Number::Float(b)) => order_mixed(a, b),
        (Number::Float(a), Number::Int(b)) => order_mixed(b, a).reverse(),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
    }
}

fn order_mixed(int: Int, float: f64) -> Ordering {
    const BEYOND: f64 = 36_893_488_147_419_103_232.0;
    if float.is_nan() {
        return Ordering::Greater;
    }
    if float.abs() >= BEYOND {
        return if float > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let whole = float as i128;
    int.as_i128().cmp(&whole).then_with(|| (whole as f64).partial_cmp(&float).unwrap_or(Ordering::Equal))
}

/// `<`, `>`, `<=`, `>=`
pub(super) fn compare(operator: Binary, a: &Val, b: &Val, fuel: &Fuel) -> Result<bool> {
    let kind = class(a);
    if kind.is_none() || kind != class(b) {
        return refused(operator, a, b);
    }
    if let (Some(Number::Float(x)), Some(Number::Float(y))) = (number(a), number(b))
        && (x.is_nan() || y.is_nan())
    {
        return Ok(false);
    }
    if let (Some(a), Some(b)) = (a.as_text(), b.as_text()) {
        pay_text(if a.len() < b.len() { a } else { b }, fuel)?;
    }
    let order = total_order(a, b);
    Ok(match operator {
        Binary::Less => order.is_lt(),
        Binary::More => order.is_gt(),
        Binary::LessEqual => order.is_le(),
        _ => order.is_ge(),
    })
}

// Arithmetic

/// On integers: wrapping as 64-bit integers do; exact where an operand is beyond them and the outcome is not lost.
fn integer(a: Int, b: Int, wrapping: fn(i64, i64) -> i64, exact: fn(i128, i128) -> Option<i128>) -> Val {
    let narrow = || wrapping(a.wrapping_i64(), b.wrapping_i64()).into();
    let outcome = match (a.as_i64(), b.as_i64()) {
        (Some(_), Some(_)) => narrow(),
        _ => exact(a.as_i128(), b.as_i128()).and_then(|exact| Int::try_from(exact).ok()).unwrap_or_else(narrow),
    };
    Val::Plain(Value::Int(outcome))
}

fn floats(a: &Val, b: &Val) -> Option<(f64, f64)> {
    let float = |number| match number {
        Number::Int(int) => int.as_f64(),
        Number::Float(float) => float,
    };
    Some((float(number(a)?), float(number(b)?)))
}

fn integers(a: &Val, b: &Val) -> Option<(Int, Int)> {
    match (a, b) {
        (Val::Plain(Value::Int(a)), Val::Plain(Value::Int(b))) => Some((*a, *b)),
        _ => None,
    }
}

fn later(moment: &Moment, nanos: i64) -> Val {
    Val::Time(Arc::new(Moment { at: moment.at.plus(nanos), zone: moment.zone.clone() }))
}

fn between(a: Timestamp, b: Timestamp) -> Val {
    Val::Duration(a.since(b))
}

/// `+`
pub(super) fn add(a: &Val, b: &Val) -> Result<Val> {
    if let Some((a, b)) = integers(a, b) {
        return Ok(integer(a, b, i64::wrapping_add, i128::checked_add));
    }
    match (a, b) {
        (Val::Plain(Value::Text(a)), Val::Plain(Value::Text(b))) => {
            let mut joined = String::with_capacity(a.len().saturating_add(b.len()));
            joined.push_str(a);
            joined.push_str(b);
            Ok(joined.into())
        }
        (Val::Time(moment), Val::Duration(nanos)) | (Val::Duration(nanos), Val::Time(moment)) => {
            Ok(later(moment, *nanos))
        }
        (Val::Duration(a), Val::Duration(b)) => Ok(Val::Duration(a.wrapping_add(*b))),
        _ => match floats(a, b) {
            Some((a, b)) => Ok((a + b).into()),
            None => refused(Binary::Add, a, b),
        },
    }
}

/// `-`
pub(super) fn subtract(a: &Val, b: &Val) -> Result<Val> {
    if let Some((a, b)) = integers(a, b) {
        return Ok(integer(a, b, i64::wrapping_sub, i128::checked_sub));
    }
    match (a, b) {
        (Val::Time(a), Val::Time(b)) => Ok(between(a.at, b.at)),
        (Val::Time(moment), Val::Duration(nanos)) => Ok(later(moment, nanos.wrapping_neg())),
        (Val::Duration(a), Val::Duration(b)) => Ok(Val::Duration(a.wrapping_sub(*b))),
        _ => match floats(a, b) {
            Some((a, b)) => Ok((a - b).into()),
            None => refused(Binary::Subtract, a, b),
        },
    }
}

/// `*`: a duration times an integer is a duration, times a float it is a float of nanoseconds.
pub(super) fn multiply(a: &Val, b: &Val) -> Result<Val> {
    if let Some((a, b)) = integers(a, b) {
        return Ok(integer(a, b, i64::wrapping_mul, i128::checked_mul));
    }
    match (a, b) {
        (Val::Duration(a), Val::Duration(b)) => Ok(Val::Duration(a.wrapping_mul(*b))),
        (Val::Duration(nanos), Val::Plain(Value::Int(by))) | (Val::Plain(Value::Int(by)), Val::Duration(nanos)) => {
            Ok(Val::Duration(nanos.wrapping_mul(by.wrapping_i64())))
        }
        (Val::Duration(nanos), Val::Plain(Value::Float(by))) | (Val::Plain(Value::Float(by)), Val::Duration(nanos)) => {
            Ok((*nanos as f64 * by).into())
        }
        _ => match floats(a, b) {
            Some((a, b)) => Ok((a * b).into()),
            None => refused(Binary::Multiply, a, b),
        },
    }
}

/// `/`: always a float.
pub(super) fn divide(a: &Val, b: &Val) -> Result<Val> {
    match floats(a, b) {
        Some((a, b)) => Ok((a / b).into()),
        None => refused(Binary::Divide, a, b),
    }
}

/// `%`: of integers.
pub(super) fn modulo(a: &Val, b: &Val) -> Result<Val> {
    match integers(a, b) {
        Some((_, b)) if b.as_i128() == 0 => Err(ExprFault::DivideByZero.into()),
        Some((a, b)) => Ok(integer(a, b, i64::wrapping_rem, i128::checked_rem)),
        None => refused(Binary::Modulo, a, b),
    }
}

/// `**`
pub(super) fn power(a: &Val, b: &Val) -> Result<Val> {
    Ok(pow(a.to_float()?, b.to_float()?).into())
}

/// `-a`: arithmetic whatever the width; what does not fit wraps.
pub(super) fn negate(value: &Val) -> Result<Val> {
    match value {
        Val::Plain(Value::Int(int)) => {
            let exact = Int::try_from(-int.as_i128()).ok().filter(|exact| exact.as_i64().is_some());
            Ok(Val::Plain(Value::Int(exact.unwrap_or_else(|| int.wrapping_i64().wrapping_neg().into()))))
        }
        Val::Plain(Value::Float(float)) => Ok((-float).into()),
        _ => Err(ExprFault::OperandType("-", value.kind(), "".into()).into()),
    }
}

// Text and membership

/// `contains`, `startsWith`, `endsWith`: nil on either side is false.
pub(super) fn on_texts(operator: Binary, a: &Val, b: &Val, fuel: &Fuel) -> Result<Val> {
    if is_nil(a) || is_nil(b) {
        return Ok(false.into());
    }
    let (a, b) = (a.expect_text()?, b.expect_text()?);
    let holds = match operator {
        Binary::Contains => {
            fuel.scan(a.len())?;
            a.contains(b)
        }
        Binary::StartsWith => {
            pay_text(b, fuel)?;
            a.starts_with(b)
        }
        _ => {
            pay_text(b, fuel)?;
            a.ends_with(b)
        }
    };
    Ok(holds.into())
}

/// `in`
pub(super) fn contains(needle: &Val, container: &Val, fuel: &Fuel) -> Result<bool> {
    match (container.items(), needle) {
        (Some(Items::Plain(items)), Val::Plain(needle)) => {
            fuel.scan(items.len().saturating_mul(3))?;
            for item in items {
                pay(item, needle, fuel)?;
                if equal_data(item, needle) {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        (Some(items), needle) => {
            for item in items.iter() {
                fuel.step(1)?;
                if equal(&item, needle, fuel)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        _ => {}
    }
    if let Some(key) = needle.as_text() {
        pay_text(key, fuel)?;
    }
    match container {
        Val::Plain(Value::Null) => Ok(false),
        Val::Plain(Value::Map(map)) => match (needle, map.shape()) {
            (Val::Plain(Value::Text(key)), Shape::Record(_)) => Ok(map.field(key).is_some()),
            (Val::Plain(Value::Text(key)), _) => Ok(map.get(key).is_some()),
            (Val::Plain(Value::Null), Shape::Plain | Shape::Texts | Shape::Absent) => Ok(map.get("").is_some()),
            _ => refused(Binary::In, needle, container),
        },
        Val::Map(entries) => match needle {
            Val::Plain(Value::Text(key)) => Ok(entries.binary_search_by(|entry| entry.0.cmp(key)).is_ok()),
            Val::Plain(Value::Null) => Ok(entries.first().is_some_and(|entry| entry.0.is_empty())),
            _ => refused(Binary::In, needle, container),
        },
        Val::Groups(groups) => Ok(groups.get(needle)?.is_some()),
        // Records of the reference without members that an expression could see.
        Val::Time(_) if needle.as_text().is_some() => Ok(false),
        _ => refused(Binary::In, needle, container),
    }
}
