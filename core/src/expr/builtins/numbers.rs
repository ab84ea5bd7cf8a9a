//! Functions on numbers.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{Builtin, Call, Check, Nature, Overload, counted, refused};
use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::expr::loops::push;
use crate::expr::val::{Items, Val};
use crate::text::{float, literal};
use crate::value::{Value, compare};

/// The functions of this file.
pub const TABLE: &[Builtin] = &[
    Builtin { name: "abs", check: Check::Rule(|given| one_number("abs", given, None)), call: abs },
    Builtin {
        name: "ceil",
        check: Check::Rule(|given| one_number("ceil", given, Some(Nature::FLOAT))),
        call: |call| rounded(call, libm::ceil),
    },
    Builtin {
        name: "floor",
        check: Check::Rule(|given| one_number("floor", given, Some(Nature::FLOAT))),
        call: |call| rounded(call, libm::floor),
    },
    Builtin {
        name: "round",
        check: Check::Rule(|given| one_number("round", given, Some(Nature::FLOAT))),
        call: |call| rounded(call, libm::round),
    },
    Builtin { name: "int", check: Check::Rule(|given| converted("int", given, Nature::INT)), call: int },
    Builtin { name: "float", check: Check::Rule(|given| converted("float", given, Nature::FLOAT)), call: to_float },
    Builtin {
        name: "max",
        check: Check::Rule(|given| aggregated("max", given)),
        call: |call| extreme(call, Ordering::Less),
    },
    Builtin {
        name: "min",
        check: Check::Rule(|given| aggregated("min", given)),
        call: |call| extreme(call, Ordering::Greater),
    },
    Builtin { name: "mean", check: Check::Rule(|given| aggregated("mean", given)), call: mean },
    Builtin { name: "median", check: Check::Rule(|given| aggregated("median", given)), call: median },
    bits("bitand", |call| two_integers(call, |a, b| Ok(a & b))),
    bits("bitor", |call| two_integers(call, |a, b| Ok(a | b))),
    bits("bitxor", |call| two_integers(call, |a, b| Ok(a ^ b))),
    bits("bitnand", |call| two_integers(call, |a, b| Ok(a & !b))),
    bits("bitshl", |call| two_integers(call, |a, by| Ok(a.checked_shl(shift(by)?).unwrap_or(0)))),
    bits("bitshr", |call| two_integers(call, |a, by| Ok(a >> shift(by)?.min(63)))),
    bits("bitushr", |call| two_integers(call, |a, by| Ok((a as u64).checked_shr(shift(by)?).unwrap_or(0) as i64))),
    Builtin {
        name: "bitnot",
        check: Check::Overloads(&[Overload(&[Nature::INT], Nature::INT)]),
        call: |call| Ok(Val::int(!integer(call, 0)?)),
    },
];

const fn bits(name: &'static str, call: fn(&mut Call<'_>) -> Result<Val>) -> Builtin {
    Builtin { name, check: Check::Overloads(&[Overload(&[Nature::INT, Nature::INT], Nature::INT)]), call }
}

/// A number by its Go kind: durations, months and weekdays are integers there.
fn is_numeric(nature: Nature) -> bool {
    nature.is_number() || matches!(nature, Nature::DURATION | Nature::MONTH | Nature::WEEKDAY)
}

fn one_number(name: &'static str, given: &[Nature], gives: Option<Nature>) -> Result<Nature, ExprFault> {
    counted(name, given, 1)?;
    match given {
        [nature] if is_numeric(*nature) || nature.is_unknown() => Ok(gives.unwrap_or(*nature)),
        [nature, ..] => Err(refused(name, *nature)),
        [] => Ok(Nature::UNKNOWN),
    }
}

fn converted(name: &'static str, given: &[Nature], gives: Nature) -> Result<Nature, ExprFault> {
    counted(name, given, 1)?;
    match given {
        [nature] if is_numeric(*nature) || nature.is_unknown() || *nature == Nature::TEXT => Ok(gives),
        [nature, ..] => Err(refused(name, *nature)),
        [] => Ok(gives),
    }
}

/// Numbers up to the first list or unknown, behind which anything may come.
fn aggregated(name: &'static str, given: &[Nature]) -> Result<Nature, ExprFault> {
    for nature in given {
        if nature.is_unknown() || nature.is_list() {
            return Ok(Nature::ANY);
        }
        if !is_numeric(*nature) {
            return Err(refused(name, *nature));
        }
    }
    given.first().copied().ok_or_else(|| ExprFault::ArgumentCount(name.into(), 0))
}

fn abs(call: &mut Call<'_>) -> Result<Val> {
    match call.argument(0) {
        // Negative zero stays what it is, and the smallest integer has no positive counterpart.
        Val::Plain(Value::Float(value)) => Ok(if *value < 0.0 { -value } else { *value }.into()),
        Val::Plain(Value::Int(value)) => Ok(match value.as_i64() {
            Some(value) => Val::int(value.wrapping_abs()),
            None => Val::Plain(Value::Int(*value)),
        }),
        _ => Err(call.wrong(0)),
    }
}

fn rounded(call: &mut Call<'_>, rule: fn(f64) -> f64) -> Result<Val> {
    match call.argument(0) {
        Val::Plain(Value::Float(value)) => Ok(rule(*value).into()),
        Val::Plain(Value::Int(value)) => Ok(value.as_f64().into()),
        _ => Err(call.wrong(0)),
    }
}

fn int(call: &mut Call<'_>) -> Result<Val> {
    match call.argument(0) {
        Val::Plain(Value::Int(value)) => Ok(Val::Plain(Value::Int(*value))),
        Val::Plain(Value::Text(text)) => {
            call.scope.fuel.scan(text.len().saturating_mul(4))?;
            let value = literal::signed_integer(text, 10);
            value.map(Val::int).map_err(|_| unreadable("an integer", text))
        }
        Val::Duration(nanos) => Ok(Val::int(*nanos)),
        Val::Month(number) | Val::Weekday(number) => Ok(Val::int(i64::from(*number))),
        other => other.to_int().map(Val::int),
    }
}

fn to_float(call: &mut Call<'_>) -> Result<Val> {
    match call.argument(0) {
        Val::Plain(Value::Text(text)) => {
            call.scope.fuel.scan(text.len().saturating_mul(4))?;
            float::parse(text).map(Val::from).map_err(|_| unreadable("a float", text))
        }
        other => other.to_float().map(Val::from),
    }
}

#[cold]
fn unreadable(wanted: &'static str, text: &str) -> crate::error::Error {
    ExprFault::Conversion(wanted, alloc::format!("text {text:?}").into()).into()
}

/// The integer of an argument that must be one: no float, no duration.
fn integer(call: &Call<'_>, index: usize) -> Result<i64> {
    match call.argument(index) {
        Val::Plain(Value::Int(value)) => Ok(value.wrapping_i64()),
        _ => Err(call.wrong(index)),
    }
}

fn two_integers(call: &mut Call<'_>, rule: fn(i64, i64) -> Result<i64, ExprFault>) -> Result<Val> {
    let value = rule(integer(call, 0)?, integer(call, 1)?)?;
    Ok(Val::int(value))
}

fn shift(by: i64) -> Result<u32, ExprFault> {
    if by < 0 { Err(ExprFault::NegativeShift(by)) } else { Ok(u32::try_from(by).unwrap_or(u32::MAX)) }
}

/// How deep lists may stand in lists here: an expression cannot write more.
const DEPTH: usize = 100;

/// The largest or smallest of all arguments, lists looked into; `worse` is what the one kept so far must
/// be to the next for the next to take its place, so of equals the first stays.
fn extreme(call: &mut Call<'_>, worse: Ordering) -> Result<Val> {
    // One argument alone that is no number and no list comes back as it is.
    if let [only @ Val::Plain(Value::Null | Value::Bool(_) | Value::Text(_) | Value::Map(_))]
    | [only @ (Val::Time(_) | Val::Zone(_) | Val::Map(_) | Val::Groups(_) | Val::Method(_) | Val::Env)] =
        call.arguments
    {
        return Ok(only.clone());
    }
    let mut kept: Option<Val> = None;
    for argument in call.arguments {
        match argument.items() {
            Some(items) => in_list(call, items, worse, &mut kept, DEPTH)?,
            None => keep(call, argument, worse, &mut kept)?,
        }
    }
    Ok(kept.unwrap_or(Val::NIL))
}

fn in_list(call: &Call<'_>, items: Items<'_>, worse: Ordering, kept: &mut Option<Val>, depth: usize) -> Result<()> {
    let deeper = deeper(depth)?;
    call.scope.fuel.step((items.len() + items.len() / 4) as u64)?;
    for item in items.iter() {
        match item.items() {
            Some(items) => in_list(call, items, worse, kept, deeper)?,
            None if matches!(item, Val::Plain(Value::Int(_) | Value::Float(_))) => keep(call, &item, worse, kept)?,
            None => return Err(ExprFault::ArgumentType(call.name.into(), item.kind()).into()),
        }
    }
    Ok(())
}

fn deeper(depth: usize) -> Result<usize> {
    depth.checked_sub(1).ok_or_else(|| ExprFault::Depth(DEPTH).into())
}

fn keep(call: &Call<'_>, next: &Val, worse: Ordering, kept: &mut Option<Val>) -> Result<()> {
    let numeric = matches!(
        next,
        Val::Plain(Value::Int(_) | Value::Float(_)) | Val::Duration(_) | Val::Month(_) | Val::Weekday(_)
    );
    if !numeric {
        return Err(ExprFault::ArgumentType(call.name.into(), next.kind()).into());
    }
    let replaces = match kept {
        None => true,
        Some(kept) => order(kept, next)? == Some(worse),
    };
    if replaces {
        *kept = Some(next.clone());
    }
    Ok(())
}

/// Numbers with numbers, durations with durations: nothing else has an order here.
fn order(a: &Val, b: &Val) -> Result<Option<Ordering>> {
    match (a, b) {
        (Val::Plain(a), Val::Plain(b)) => Ok(compare::order(a, b)),
        (Val::Duration(a), Val::Duration(b)) => Ok(Some(a.cmp(b))),
        _ => Err(ExprFault::OperandType("<", a.kind(), b.kind()).into()),
    }
}

/// What is done with each number of all arguments as a float, lists looked into.
fn numbers(call: &Call<'_>, val: &Val, each: &mut dyn FnMut(f64) -> Result<()>, depth: usize) -> Result<()> {
    if let Some(items) = val.items() {
        let deeper = deeper(depth)?;
        call.scope.fuel.step(items.len() as u64)?;
        return items.iter().try_for_each(|item| numbers(call, &item, each, deeper));
    }
    each(match val {
        Val::Plain(Value::Int(value)) => value.as_f64(),
        Val::Plain(Value::Float(value)) => *value,
        Val::Duration(nanos) => *nanos as f64,
        Val::Month(number) | Val::Weekday(number) => f64::from(*number),
        other => return Err(ExprFault::ArgumentType(call.name.into(), other.kind()).into()),
    })
}

fn all_numbers(call: &Call<'_>, each: &mut dyn FnMut(f64) -> Result<()>) -> Result<()> {
    call.arguments.iter().try_for_each(|argument| numbers(call, argument, each, DEPTH))
}

fn mean(call: &mut Call<'_>) -> Result<Val> {
    let (mut sum, mut count) = (0.0, 0_u32);
    all_numbers(call, &mut |number| {
        (sum, count) = (sum + number, count.saturating_add(1));
        Ok(())
    })?;
    Ok(if count == 0 { 0.0.into() } else { (sum / f64::from(count)).into() })
}

fn median(call: &mut Call<'_>) -> Result<Val> {
    let fuel = call.scope.fuel;
    let (mark, mut ranks) = (fuel.mark(), Vec::new());
    // A long list is mostly the only argument: room for it is made at once.
    let length = call.argument(0).items().map_or(0, Items::len);
    fuel.allocate(length.saturating_mul(size_of::<u64>()))?;
    ranks.reserve_exact(length);
    all_numbers(call, &mut |number| push(&mut ranks, rank(number), fuel))?;
    let count = ranks.len();
    fuel.scan(count.saturating_mul(4 * count.checked_ilog2().unwrap_or(0) as usize))?;
    // The largest come out first, down to those in the middle.
    let mut ranks = BinaryHeap::from(ranks);
    let mut middle = [0.0; 2];
    for _ in 0..=count / 2 {
        middle = [ranks.pop().map_or(0.0, ranked), middle[0]];
    }
    fuel.forget(mark, 0);
    Ok(if count % 2 == 1 { middle[0] } else { (middle[0] + middle[1]) / 2.0 }.into())
}

const SIGN: u64 = 1 << 63;

/// An integer of the same order as floats have when Go sorts them: what is no number comes first.
fn rank(number: f64) -> u64 {
    match number.to_bits() {
        _ if number.is_nan() => 0,
        negative if negative & SIGN != 0 => !negative,
        bits => bits | SIGN,
    }
}

/// The number of a rank.
fn ranked(rank: u64) -> f64 {
    match rank {
        0 => f64::NAN,
        negative if negative & SIGN == 0 => f64::from_bits(!negative),
        bits => f64::from_bits(bits & !SIGN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_in_the_order_of_their_numbers_and_lead_back_to_them() {
        let numbers = [f64::NEG_INFINITY, -1e300, -2.5, -1.0, -0.0, 0.0, 1e-300, 1.0, 2.5, f64::INFINITY];
        assert!(numbers.map(rank).is_sorted());
        assert_eq!(numbers.map(|number| ranked(rank(number)).to_bits()), numbers.map(f64::to_bits));
        assert!(ranked(rank(f64::NAN)).is_nan() && rank(f64::NAN) < rank(f64::NEG_INFINITY));
    }
}
