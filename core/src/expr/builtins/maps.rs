//! Functions on maps.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::value::Value;

use super::{Builtin, Call, Check, Nature, counted, refused};
use crate::expr::groups::Key;
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

/// Keys and values in key order.
fn entries(call: &Call<'_>) -> Result<Vec<(Val, Val)>> {
    match call.argument(0) {
        Val::Plain(Value::Map(map)) => Ok(map
            .iter()
            .map(|(key, value)| (Val::Plain(Value::Text(key.clone())), Val::Plain(value.clone())))
            .collect()),
        Val::Map(entries) => {
            Ok(entries.iter().map(|(key, value)| (Val::Plain(Value::Text(key.clone())), value.clone())).collect())
        }
        Val::Groups(groups) => Ok(groups.entries.clone()),
        _ => Err(call.wrong(0)),
    }
}

fn keys(call: &mut Call<'_>) -> Result<Val> {
    let entries = entries(call)?;
    call.scope.fuel.step(entries.len() as u64)?;
    Ok(Val::list(entries.into_iter().map(|(key, _)| key).collect()))
}

fn values(call: &mut Call<'_>) -> Result<Val> {
    let entries = entries(call)?;
    call.scope.fuel.step(entries.len() as u64)?;
    Ok(Val::list(entries.into_iter().map(|(_, value)| value).collect()))
}

fn to_pairs(call: &mut Call<'_>) -> Result<Val> {
    let entries = entries(call)?;
    call.scope.fuel.step(entries.len() as u64)?;
    Ok(Val::list(entries.into_iter().map(|(key, value)| Val::list(alloc::vec![key, value])).collect()))
}

/// Of two pairs with one key the later stays.
fn from_pairs(call: &mut Call<'_>) -> Result<Val> {
    let pairs = call.argument(0).items().ok_or_else(|| call.wrong(0))?;
    call.scope.fuel.step(pairs.len() as u64)?;
    let mut map = BTreeMap::new();
    for pair in pairs.iter() {
        let items = pair.items().filter(|items| items.len() == 2);
        match items.and_then(|items| Some((items.get(0)?, items.get(1)?))) {
            Some((key, value)) => {
                map.insert(Key::new(key)?, value);
            }
            None => return Err(ExprFault::ArgumentType("fromPairs".into(), pair.kind()).into()),
        }
    }
    Ok(Val::Groups(Arc::new(Groups::of_pairs(map))))
}
