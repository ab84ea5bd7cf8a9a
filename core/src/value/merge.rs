//! Two layers of data made one. Both sides are sorted, so a merge is one walk over each, or a look at a few keys.

use alloc::vec::Vec;

use super::{Map, Text, Value};

/// The later layer over the earlier: maps merge key by key, lists are joined (duplicates stay),
/// anything else replaces, null included.
#[must_use]
pub fn deep(base: Value, over: Value) -> Value {
    match (base, over) {
        (Value::Map(base), Value::Map(over)) => Value::Map(deep_maps(base, over)),
        (Value::List(mut base), Value::List(over)) => {
            if base.is_empty() {
                return Value::List(over);
            }
            if !over.is_empty() {
                base.extend(over.iter().cloned());
            }
            Value::List(base)
        }
        (_, over) => over,
    }
}

/// [`deep`] of two maps.
#[must_use]
pub fn deep_maps(base: Map, over: Map) -> Map {
    join(base, over, deep)
}

/// The later layer over the earlier: its keys replace whole values.
#[must_use]
pub fn shallow(base: Map, over: Map) -> Map {
    join(base, over, |_, over| over)
}

/// The union of two maps; `both` decides where a key is in both. The base keeps its shape.
fn join(mut base: Map, over: Map, both: fn(Value, Value) -> Value) -> Map {
    // A few keys over many are put in one by one, so that a hundred small layers are not a hundred walks over all.
    if over.len() < base.len() / FEW {
        for (key, value) in over.into_entries() {
            let mut value = Some(value);
            base.update(&key, |earlier| {
                if let Some(value) = value.take() {
                    *earlier = both(core::mem::take(earlier), value);
                }
            });
            if let Some(value) = value {
                base.insert(key, value);
            }
        }
        return base;
    }
    let shape = base.shape();
    let mut joined: Vec<(Text, Value)> = Vec::with_capacity(base.len().saturating_add(over.len()));
    let mut base = base.into_entries().into_iter().peekable();
    for (key, value) in over.into_entries() {
        while let Some(earlier) = base.next_if(|(known, _)| *known < key) {
            joined.push(earlier);
        }
        match base.next_if(|(known, _)| *known == key) {
            Some((_, earlier)) => joined.push((key, both(earlier, value))),
            None => joined.push((key, value)),
        }
    }
    joined.extend(base);
    Map::from_entries(joined).shaped(shape)
}

/// A layer of fewer keys than one for so many of the base is a small one.
const FEW: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;
    use alloc::string::ToString;

    fn merged(base: &str, over: &str) -> alloc::string::String {
        deep(json::parse(base).unwrap(), json::parse(over).unwrap()).to_string()
    }

    #[test]
    fn maps_merge_and_lists_join() {
        assert_eq!(
            merged(r#"{"a":{"x":1,"y":[1]},"c":0}"#, r#"{"a":{"y":[1,2],"z":3},"b":1}"#),
            "map[a:map[x:1 y:[1 1 2] z:3] b:1 c:0]"
        );
    }

    #[test]
    fn null_and_scalars_replace() {
        assert_eq!(
            merged(r#"{"a":[1],"b":{"c":1},"d":1}"#, r#"{"a":null,"b":2,"d":{"e":1}}"#),
            "map[a:<nil> b:2 d:map[e:1]]"
        );
    }

    #[test]
    fn a_shallow_merge_replaces_whole_values() {
        let map = |text| json::parse(text).unwrap().as_map().unwrap().clone();
        let merged = shallow(map(r#"{"a":{"x":1},"b":1}"#), map(r#"{"a":{"y":1}}"#));
        assert_eq!(Value::Map(merged).to_string(), "map[a:map[y:1] b:1]");
    }
}
