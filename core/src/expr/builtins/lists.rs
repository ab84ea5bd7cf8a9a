//! Functions on lists.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::error::expr::ExprFault;
use crate::error::{Error, Result};
use crate::names::Fuel;
use crate::value::{Text, Value};

use super::{Builtin, Call, Check, Nature, Overload, counted, refused};
use crate::expr::access::{self, position};
use crate::expr::loops::{descending, push, search_cost, sort_keyed};
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
];

const SORT: &[Overload] = &[
    Overload(&[Nature::LIST, Nature::TEXT], Nature::LIST),
    Overload(&[Nature::TEXTS, Nature::TEXT], Nature::LIST),
    Overload(&[Nature::LIST], Nature::LIST),
    Overload(&[Nature::TEXTS], Nature::LIST),
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

    /// Pays for a list of so many items that exist.
    fn list(&self, items: usize) -> Result<()> {
        self.scope.fuel.scan(items.saturating_mul(4))?;
        self.scope.fuel.list(items)
    }
}

fn size(length: usize) -> Val {
    Val::int(i64::try_from(length).unwrap_or(i64::MAX))
}

/// Text is counted in characters, although slices and indexes count bytes.
fn len(call: &mut Call<'_>) -> Result<Val> {
    match call.argument(0) {
        Val::Plain(Value::Text(text)) => {
            call.scope.fuel.scan(text.len() / 4)?;
            Ok(size(text.chars().count()))
        }
        value => access::length(value).map(size).ok_or_else(|| call.wrong(0)),
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
    access::fetch(value, &Val::int(index)).unwrap_or(Val::NIL)
}

/// As an index or member, but nil where nothing is.
fn get(call: &mut Call<'_>) -> Result<Val> {
    let (from, key) = (call.argument(0), call.argument(1));
    let items = match from {
        Val::Plain(Value::Text(text)) => Some(Items::Bytes(text.as_bytes())),
        _ => from.items(),
    };
    if let Some(name) = key.as_text() {
        ops::pay_text(name, call.scope.fuel)?;
    }
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
            _ => access::fetch(from, key),
        },
        (Val::Env, Val::Plain(Value::Text(name))) => {
            Ok(call.scope.variable(name).cloned().map_or(Val::NIL, Val::Plain))
        }
        (Val::Env, _) => Err(ExprFault::WrongType("text", key.kind()).into()),
        (_, Val::Plain(Value::Text(name))) => Ok(access::method(from, name).unwrap_or(Val::NIL)),
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
    access::slice(call.argument(0), &Val::int(0), &Val::int(count), call.scope.fuel)
}

fn reverse(call: &mut Call<'_>) -> Result<Val> {
    let items = call.items(0)?;
    call.charge(items.len())?;
    call.list(items.len())?;
    Ok(Val::list(items.iter().rev().collect()))
}

/// The items without those that equal an earlier one. Items are found by a digest of what decides their equality, so
/// that a long list takes no quadratic time; those of one digest are compared.
fn uniq(call: &mut Call<'_>) -> Result<Val> {
    let (items, fuel) = (call.items(0)?, call.scope.fuel);
    let mark = fuel.mark();
    // A search tree takes about three times what it holds.
    let row = 3 * size_of::<(u64, u32)>();
    let mut seen: BTreeSet<(u64, u32)> = BTreeSet::new();
    let mut unique: Vec<Val> = Vec::new();
    for item in items.iter() {
        search_cost(seen.len(), &Val::NIL, fuel)?;
        let digest = digest(&item, fuel)?;
        let mut known = false;
        for (_, place) in seen.range((digest, 0)..=(digest, u32::MAX)) {
            fuel.step(2)?;
            known = ops::equal(unique.get(*place as usize).unwrap_or(&Val::NIL), &item, fuel)?;
            if known {
                break;
            }
        }
        if !known {
            fuel.allocate(row)?;
            seen.insert((digest, unique.len() as u32));
            push(&mut unique, item, fuel)?;
        }
    }
    drop(seen);
    fuel.forget(mark, 0);
    fuel.allocate(unique.capacity().saturating_mul(size_of::<Val>()))?;
    fuel.list(0)?;
    Ok(Val::list(unique))
}

/// Equal for values that are equal; mostly different for others. What is nil equals an empty list.
fn digest(value: &Val, fuel: &Fuel) -> Result<u64> {
    fuel.step(1)?;
    let number = |float: f64| mixed(1, (float + 0.0).to_bits());
    Ok(match value {
        Val::Plain(Value::Bool(truth)) => u64::from(*truth),
        Val::Plain(Value::Int(int)) => number(int.as_f64()),
        Val::Plain(Value::Float(float)) => number(*float),
        Val::Plain(Value::Text(text)) => of_text(text, fuel)?,
        Val::Plain(Value::Map(map)) if !ops::is_nil(value) => {
            of_members(map.iter().map(|(key, value)| (key, Val::Plain(value.clone()))), fuel)?
        }
        Val::Map(entries) => of_members(entries.iter().map(|(key, value)| (key, value.clone())), fuel)?,
        Val::Duration(nanos) => mixed(2, *nanos as u64),
        Val::Time(moment) => mixed(3, moment.at.seconds as u64),
        _ => {
            let mut items = value.items().into_iter().flat_map(Items::iter);
            items.try_fold(4, |all, item| Ok::<u64, Error>(mixed(all, digest(&item, fuel)?)))?
        }
    })
}

fn of_members<'a>(members: impl Iterator<Item = (&'a Text, Val)>, fuel: &Fuel) -> Result<u64> {
    let mut all = 5;
    for (key, value) in members {
        all = mixed(mixed(all, of_text(key, fuel)?), digest(&value, fuel)?);
    }
    Ok(all)
}

fn of_text(text: &str, fuel: &Fuel) -> Result<u64> {
    fuel.scan(text.len())?;
    Ok(text.bytes().fold(6, |all, byte| mixed(all, byte.into())))
}

fn mixed(all: u64, more: u64) -> u64 {
    (all.rotate_left(5) ^ more).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn concat(call: &mut Call<'_>) -> Result<Val> {
    let mut length: usize = 0;
    for index in 0..call.arguments.len() {
        let more = call.items(index)?.len();
        call.charge(more)?;
        length = length.saturating_add(more);
    }
    call.list(length)?;
    let mut all = Vec::with_capacity(length);
    for index in 0..call.arguments.len() {
        all.extend(call.items(index)?.iter());
    }
    Ok(Val::list(all))
}

/// Lists in lists, at any depth. Counted first, so that what is too much is never made.
fn flatten(call: &mut Call<'_>) -> Result<Val> {
    let (list, fuel) = (call.items(0)?, call.scope.fuel);
    let mut count: usize = 0;
    for_each_leaf(list, fuel, &mut |items| count = count.saturating_add(items.len()))?;
    call.charge(count)?;
    call.list(count)?;
    let mut flat = Vec::with_capacity(count);
    for_each_leaf(list, fuel, &mut |items| flat.extend(items.iter()))?;
    Ok(Val::list(flat))
}

/// Runs of items that are no lists: walked with a list of what is open, not by recursion.
fn for_each_leaf<'a>(list: Items<'a>, fuel: &Fuel, run: &mut dyn FnMut(Items<'a>)) -> Result<()> {
    let mut open = alloc::vec![(list, 0)];
    while let Some((items, at)) = open.pop() {
        fuel.step(1)?;
        let end = (at..items.len()).find(|at| items.inside(*at).is_some()).unwrap_or(items.len());
        fuel.step((end - at) as u64 / 2)?;
        run(items.part(at, end));
        if let Some(inner) = items.inside(end) {
            open.push((items, end + 1));
            open.push((inner, 0));
        }
    }
    Ok(())
}

/// Stable, unlike the reference beyond twelve items. What is no list sorts to an empty one, as in the reference.
fn sort(call: &mut Call<'_>) -> Result<Val> {
    let descending = match call.arguments.get(1) {
        Some(order) => descending(order)?,
        None => false,
    };
    let (items, fuel) = (call.argument(0).items(), call.scope.fuel);
    let Some(items) = items.filter(|items| !matches!(items, Items::Bytes(_))) else { return Ok(Val::list(Vec::new())) };
    call.list(items.len())?;
    let mark = fuel.mark();
    fuel.allocate(items.len().saturating_mul(size_of::<(Val, u32)>()))?;
    let mut keyed: Vec<(Val, u32)> = items.iter().zip(0..).collect();
    sort_keyed(&mut keyed, descending, fuel)?;
    call.charge(keyed.len())?;
    let sorted = keyed.into_iter().map(|(item, _)| item).collect();
    fuel.forget(mark, 0);
    Ok(Val::list(sorted))
}
