//! Functions on lists.

use alloc::vec::Vec;

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::value::Value;

use super::{Builtin, Call, Check, Nature, Overload, counted, refused};
use crate::expr::access::position;
use crate::expr::loops::{descending, sort_keyed};
use crate::expr::ops;
use crate::expr::val::{Items, Val};

/// The functions of this file.
pub const TABLE: &[Builtin] = &[
    Builtin { name: "len", check: Check::Rule(check_len), call: len },
    Builtin { name: "first", check: Check::Rule(|natures| check_end("first", natures)), call: first },
    Builtin { name: "last", check: Check::Rule(|natures| check_end("last", natures)), call: last },
    Builtin { name: "get", check: Check::Rule(|_| Ok(Nature::UNKNOWN)), call: get },
    Builtin { name: "take", check: Check::Rule(check_take), call: take },
    Builtin { name: "reverse", check: Check::Rule(|natures| check_list("reverse", natures)), call: reverse },
    Builtin { name: "uniq", check: Check::Rule(|natures| check_list("uniq", natures)), call: uniq },
    Builtin { name: "concat", check: Check::Rule(check_concat), call: concat },
    Builtin { name: "flatten", check: Check::Rule(|natures| check_list("flatten", natures)), call: flatten },
    Builtin { name: "sort", check: Check::Overloads(SORT), call: sort },
    Builtin { name: "join", check: Check::Overloads(JOIN), call: join },
];

const SORT: &[Overload] = &[
    Overload(&[Nature::LIST, Nature::TEXT], Nature::LIST),
    Overload(&[Nature::TEXTS, Nature::TEXT], Nature::LIST),
    Overload(&[Nature::LIST], Nature::LIST),
    Overload(&[Nature::TEXTS], Nature::LIST),
];

const JOIN: &[Overload] = &[
    Overload(&[Nature::TEXTS, Nature::TEXT], Nature::TEXT),
    Overload(&[Nature::LIST, Nature::TEXT], Nature::TEXT),
    Overload(&[Nature::TEXTS], Nature::TEXT),
    Overload(&[Nature::LIST], Nature::TEXT),
];

fn is_list(nature: Nature) -> bool {
    nature.is_list() || nature.is_unknown()
}

fn check_len(natures: &[Nature]) -> Result<Nature, ExprFault> {
    counted("len", natures, 1)?;
    match natures {
        [nature] if is_list(*nature) || nature.is_map() || *nature == Nature::TEXT => Ok(Nature::INT),
        [nature, ..] => Err(refused("len", *nature)),
        [] => Ok(Nature::INT),
    }
}

/// One list, and a list comes out.
fn check_list(name: &'static str, natures: &[Nature]) -> Result<Nature, ExprFault> {
    counted(name, natures, 1)?;
    match natures {
        [nature, ..] if !is_list(*nature) => Err(refused(name, *nature)),
        _ => Ok(Nature::LIST),
    }
}

fn check_end(name: &'static str, natures: &[Nature]) -> Result<Nature, ExprFault> {
    check_list(name, natures)?;
    Ok(match natures {
        // The reference forgets here what a list literal holds.
        [Nature::TEXTS] => Nature::TEXT,
        [Nature::BYTES] => Nature::BYTE,
        _ => Nature::ANY,
    })
}

fn check_take(natures: &[Nature]) -> Result<Nature, ExprFault> {
    counted("take", natures, 2)?;
    match natures {
        [list, _] if !is_list(*list) => Err(refused("take", *list)),
        [list, count] if *count == Nature::INT || *count == Nature::INT64 || count.is_unknown() => Ok(list.forgetful()),
        [_, Nature::DURATION | Nature::MONTH | Nature::WEEKDAY] => Ok(Nature::LIST),
        [_, count] => Err(refused("take", *count)),
        _ => Ok(Nature::LIST),
    }
}

fn check_concat(natures: &[Nature]) -> Result<Nature, ExprFault> {
    if natures.is_empty() {
        return Err(ExprFault::ArgumentCount("concat".into(), 0));
    }
    match natures.iter().find(|nature| !is_list(**nature)) {
        Some(nature) => Err(refused("concat", *nature)),
        None => Ok(Nature::LIST),
    }
}

impl<'a> Call<'a> {
    /// The argument as a list.
    fn items(&self, index: usize) -> Result<Items<'a>> {
        self.argument(index).items().ok_or_else(|| self.wrong(index))
    }
}

fn size(length: usize) -> Val {
    Val::int(i64::try_from(length).unwrap_or(i64::MAX))
}

/// Text is counted in characters, although slices and indexes count bytes.
fn len(call: &mut Call<'_>) -> Result<Val> {
    match call.argument(0) {
        Val::Plain(Value::Text(text)) => Ok(size(text.chars().count())),
        value => crate::expr::access::length(value).map(size).ok_or_else(|| call.wrong(0)),
    }
}

fn first(call: &mut Call<'_>) -> Result<Val> {
    Ok(end(call.argument(0), 0))
}

fn last(call: &mut Call<'_>) -> Result<Val> {
    Ok(end(call.argument(0), -1))
}

/// An end of whatever has one; nil for everything else.
fn end(value: &Val, index: i64) -> Val {
    crate::expr::access::fetch(value, &Val::int(index)).unwrap_or(Val::NIL)
}

/// As an index or member, but nil where nothing is.
fn get(call: &mut Call<'_>) -> Result<Val> {
    let (from, key) = (call.argument(0), call.argument(1));
    let items = match from {
        Val::Plain(Value::Text(text)) => Some(Items::Bytes(text.as_bytes())),
        _ => from.items(),
    };
    if let Some(items) = items {
        let at = position(key.to_int()?, items.len());
        return Ok(at.and_then(|at| items.get(at)).unwrap_or(Val::NIL));
    }
    match (from, key) {
        (Val::Plain(Value::Map(map)), Val::Plain(Value::Text(name))) => {
            Ok(map.field(name).cloned().map_or(Val::NIL, Val::Plain))
        }
        (Val::Plain(Value::Map(map)), Val::Plain(Value::Null)) => Ok(map.get("").cloned().map_or(Val::NIL, Val::Plain)),
        (Val::Plain(Value::Map(_)) | Val::Map(_) | Val::Groups(_), _) => match (from, key) {
            (Val::Groups(groups), key) => Ok(groups.get(key)?.cloned().unwrap_or(Val::NIL)),
            _ => crate::expr::access::fetch(from, key),
        },
        (Val::Env, Val::Plain(Value::Text(name))) => {
            Ok(call.scope.variable(name).cloned().map_or(Val::NIL, Val::Plain))
        }
        (Val::Env, _) => Err(ExprFault::WrongType("text", key.kind()).into()),
        (_, Val::Plain(Value::Text(name))) => Ok(crate::expr::access::method(from, name).unwrap_or(Val::NIL)),
        _ => Ok(Val::NIL),
    }
}

fn take(call: &mut Call<'_>) -> Result<Val> {
    call.items(0)?;
    let Val::Plain(Value::Int(_)) = call.argument(1) else { return Err(call.wrong(1)) };
    let count = call.int(1)?;
    if count < 0 {
        return Err(ExprFault::WrongType("a count", "a negative number".into()).into());
    }
    crate::expr::access::slice(call.argument(0), &Val::int(0), &Val::int(count))
}

fn reverse(call: &mut Call<'_>) -> Result<Val> {
    let items = call.items(0)?;
    call.charge(items.len())?;
    Ok(Val::list(items.iter().rev().collect()))
}

/// The items without those that equal an earlier one. Plain scalars are told apart by a sorted index, so that a long
/// list takes no quadratic time; anything else is compared with what was kept.
fn uniq(call: &mut Call<'_>) -> Result<Val> {
    let items = call.items(0)?;
    let mut kept: Vec<Val> = Vec::new();
    let mut seen = alloc::collections::BTreeSet::new();
    let mut others: Vec<Val> = Vec::new();
    for item in items.iter() {
        let new = match scalar(&item) {
            Some(scalar) => seen.insert(scalar),
            None => {
                call.scope.fuel.step(others.len() as u64 + 1)?;
                let new = !others.iter().any(|known| ops::equal(known, &item));
                if new {
                    others.push(item.clone());
                }
                new
            }
        };
        if new {
            kept.push(item);
        }
    }
    call.scope.fuel.step(items.len() as u64)?;
    Ok(Val::list(kept))
}

/// What decides the equality of a scalar: all numbers that are equal have the same bits here.
fn scalar(value: &Val) -> Option<(u8, u64, crate::value::Text)> {
    let empty = || crate::value::Text::from("");
    match value {
        Val::Plain(Value::Text(text)) => Some((0, 0, text.clone())),
        Val::Plain(Value::Bool(truth)) => Some((1, u64::from(*truth), empty())),
        Val::Plain(Value::Int(int)) => match int.as_i64() {
            Some(small) if small.unsigned_abs() < 1 << 53 => Some((2, (small as f64 + 0.0).to_bits(), empty())),
            _ => None,
        },
        Val::Plain(Value::Float(float)) if float.is_finite() && float.abs() < 9_007_199_254_740_992.0 => {
            Some((2, (*float + 0.0).to_bits(), empty()))
        }
        _ => None,
    }
}

fn concat(call: &mut Call<'_>) -> Result<Val> {
    let mut all = Vec::new();
    for index in 0..call.arguments.len() {
        let items = call.items(index)?;
        call.charge(items.len())?;
        all.extend(items.iter());
    }
    Ok(Val::list(all))
}

/// Lists in lists, at any depth: walked with a list of what is open, not by recursion.
fn flatten(call: &mut Call<'_>) -> Result<Val> {
    let mut open = alloc::vec![(call.items(0)?, 0)];
    let mut flat = Vec::new();
    while let Some((items, at)) = open.pop() {
        call.scope.fuel.step(1)?;
        if at >= items.len() {
            continue;
        }
        open.push((items, at + 1));
        match items.inside(at) {
            Some(inner) => open.push((inner, 0)),
            None => flat.extend(items.get(at)),
        }
    }
    call.charge(flat.len())?;
    Ok(Val::list(flat))
}

/// Stable, unlike the reference beyond twelve items. What is no list sorts to an empty one, as in the reference.
fn sort(call: &mut Call<'_>) -> Result<Val> {
    let descending = match call.arguments.get(1) {
        Some(order) => descending(order)?,
        None => false,
    };
    let items = match call.argument(0) {
        Val::Bytes(_) => None,
        list => list.items(),
    };
    let mut keyed: Vec<(Val, Val)> = Vec::new();
    for item in items.into_iter().flat_map(Items::iter) {
        keyed.push((item.clone(), item));
    }
    sort_keyed(&mut keyed, descending)?;
    call.charge(keyed.len())?;
    Ok(Val::list(keyed.into_iter().map(|(_, item)| item).collect()))
}

fn join(call: &mut Call<'_>) -> Result<Val> {
    let glue = if call.arguments.len() > 1 { call.text(1)? } else { "" };
    if let Val::Bytes(_) = call.argument(0) {
        return Err(call.wrong(0));
    }
    let items = call.items(0)?;
    let mut joined = alloc::string::String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            joined.push_str(glue);
        }
        joined.push_str(item.expect_text()?);
        call.scope.fuel.step(1)?;
    }
    call.scope.fuel.allocate(joined.len())?;
    Ok(joined.into())
}
