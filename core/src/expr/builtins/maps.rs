//! Functions on maps.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::names::Fuel;
use crate::value::{Text, Value};

use super::{Builtin, Call, Check, Nature, counted, refused};
use crate::expr::access;
use crate::expr::groups::Key;
use crate::expr::loops::search_cost;
use crate::expr::val::{Groups, Val};

/// The functions of this file.
pub const TABLE: &[Builtin] = &[
    Builtin { name: "keys", check: Check::Rule(|natures| check_map("keys", natures)), call: keys },
    Builtin { name: "values", check: Check::Rule(|natures| check_map("values", natures)), call: values },
    Builtin { name: "toPairs", check: Check::Rule(|natures| check_map("toPairs", natures)), call: to_pairs },
    Builtin { name: "fromPairs", check: Check::Rule(check_pairs), call: from_pairs },
];

fn check_map(name: &'static str, natures: &[Nature]) -> Result<Nature, ExprFault> {
    counted(name, natures, 1)?;
    match natures {
        [nature, ..] if !nature.is_map() && !nature.is_unknown() => Err(refused(name, *nature)),
        _ => Ok(Nature::LIST),
    }
}

fn check_pairs(natures: &[Nature]) -> Result<Nature, ExprFault> {
    counted("fromPairs", natures, 1)?;
    match natures {
        [nature, ..] if !nature.is_list() && !nature.is_unknown() => Err(refused("fromPairs", *nature)),
        _ => Ok(Nature::PAIRS),
    }
}

/// What becomes of the key and value of each entry, in key order. Each takes so many bytes besides its place.
fn each(call: &Call<'_>, bytes: usize, made: fn(Val, Val) -> Val) -> Result<Val> {
    let text = |key: &Text| Val::Plain(Value::Text(key.clone()));
    let value = call.argument(0);
    let length = match value {
        Val::Plain(Value::Map(_)) | Val::Map(_) | Val::Groups(_) => access::length(value).unwrap_or(0),
        _ => return Err(call.wrong(0)),
    };
    let taken = length.saturating_mul(bytes);
    call.scope.fuel.step(length as u64)?;
    call.scope.fuel.scan(taken)?;
    call.scope.fuel.list(length)?;
    call.scope.fuel.allocate(taken)?;
    Ok(Val::list(match value {
        Val::Plain(Value::Map(map)) => map.iter().map(|(key, value)| made(text(key), value.clone().into())).collect(),
        Val::Map(entries) => entries.iter().map(|(key, value)| made(text(key), value.clone())).collect(),
        Val::Groups(groups) => groups.entries.iter().map(|(key, value)| made(key.clone(), value.clone())).collect(),
        _ => Vec::new(),
    }))
}

fn keys(call: &mut Call<'_>) -> Result<Val> {
    each(call, 0, |key, _| key)
}

fn values(call: &mut Call<'_>) -> Result<Val> {
    each(call, 0, |_, value| value)
}

fn to_pairs(call: &mut Call<'_>) -> Result<Val> {
    each(call, Fuel::CONTAINER + 2 * size_of::<Value>(), |key, value| Val::list(alloc::vec![key, value]))
}

/// What a pair takes: a place in a search tree of which half is used, and one in the map.
const PAIR: usize = 3 * size_of::<(Val, Val)>();

/// Of two pairs with one key the later stays.
fn from_pairs(call: &mut Call<'_>) -> Result<Val> {
    let pairs = call.argument(0).items().ok_or_else(|| call.wrong(0))?;
    let mut map = BTreeMap::new();
    for pair in pairs.iter() {
        let items = pair.items().filter(|items| items.len() == 2);
        match items.and_then(|items| Some((items.get(0)?, items.get(1)?))) {
            Some((key, value)) => {
                search_cost(map.len(), &key, call.scope.fuel)?;
                call.scope.fuel.allocate(PAIR)?;
                map.insert(Key::new(key)?, value);
            }
            None => return Err(ExprFault::ArgumentType("fromPairs".into(), pair.kind()).into()),
        }
    }
    Ok(Val::Groups(Arc::new(Groups::of_pairs(map))))
}
