//! Equality and order of data: by meaning, so `1` equals `1.0`; never by how a value is stored.

use core::cmp::Ordering;

use super::{Map, Value};

/// Numbers by their value, text by its bytes, lists and maps by their members. An integer meets a
/// float as the nearest binary64, as the reference's expressions compare them. NaN equals nothing.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Int(int), Self::Float(float)) | (Self::Float(float), Self::Int(int)) => int.as_f64() == *float,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            _ => false,
        }
    }
}

/// Entries alone: the shape says how a map is read, not what is in it.
impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.entries() == other.entries()
    }
}

/// The order of two values that have one: numbers, texts (by bytes), bools (false first).
#[must_use]
pub fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Float(b)) => a.as_f64().partial_cmp(b),
        (Value::Float(a), Value::Int(b)) => a.partial_cmp(&b.as_f64()),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value() {
        assert_eq!(Value::from(1_i64), Value::from(1.0));
        assert_eq!(Value::from(alloc::vec![Value::from(2.0)]), Value::from(alloc::vec![Value::from(2_i64)]));
        assert_eq!(order(&Value::from(1_i64), &Value::from(1.5)), Some(Ordering::Less));
        assert_eq!(order(&Value::from(u64::MAX), &Value::from(i64::MIN)), Some(Ordering::Greater));
    }

    #[test]
    fn kinds_do_not_mix() {
        assert_ne!(Value::from(1_i64), Value::from("1"));
        assert_ne!(Value::Null, Value::from(false));
        assert_eq!(order(&Value::from("a"), &Value::from(1_i64)), None);
    }
}
