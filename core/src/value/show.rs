//! Data as text, as Go's `%v` prints it: what a value becomes inside a mixed template string.
//!
//! Null is `<nil>`, a list `[1 2]`, a map `map[a:1 b:2]` in key order; text stands for itself at
//! every depth. A float is in its shortest form, with an exponent from 1e21 in JSON but from 1e6 here.

use alloc::string::{String, ToString};
use core::fmt::{self, Display, Write};

use super::wire::{Pay, room};
use super::{Int, Text, Value};
use crate::error::Result;
use crate::text::float;

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("<nil>"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(int) => int.fmt(f),
            Self::Float(number) => f.write_str(&float::shortest(*number)),
            Self::Text(text) => f.write_str(text),
            Self::List(items) => {
                f.write_char('[')?;
                for (at, item) in items.iter().enumerate() {
                    separate(f, at)?;
                    item.fmt(f)?;
                }
                f.write_char(']')
            }
            Self::Map(map) => {
                f.write_str("map[")?;
                for (at, (key, value)) in map.iter().enumerate() {
                    separate(f, at)?;
                    write!(f, "{key}:")?;
                    value.fmt(f)?;
                }
                f.write_char(']')
            }
        }
    }
}

fn separate(f: &mut fmt::Formatter<'_>, at: usize) -> fmt::Result {
    if at == 0 { Ok(()) } else { f.write_char(' ') }
}

/// The text of a value, shared where it is text already.
#[must_use]
pub fn text(value: &Value) -> Text {
    match value {
        Value::Text(text) => text.clone(),
        other => other.to_string().into(),
    }
}

/// Appends the text of a value.
pub fn append(out: &mut String, value: &Value) {
    match value {
        Value::Text(text) => out.push_str(text),
        Value::Int(int) => out.push_str(core::str::from_utf8(Digits::of(*int).as_bytes()).unwrap_or_default()),
        other => {
            // Writing into a String cannot fail.
            let _written = write!(out, "{other}");
        }
    }
}

/// Appends what something prints as, each growth of the text paid for before it grows.
///
/// # Errors
/// What paying finds wrong; the text is cut short then.
pub fn write_paid(out: &mut String, shown: &dyn Display, pay: Pay<'_>) -> Result<()> {
    let mut paid = Paid { out, pay, outcome: Ok(()) };
    // Writing fails where it is not paid for, and nowhere else.
    let _written = write!(paid, "{shown}");
    paid.outcome
}

struct Paid<'a> {
    out: &'a mut String,
    pay: Pay<'a>,
    outcome: Result<()>,
}

impl Write for Paid<'_> {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.outcome = room(self.out, more.len(), self.pay);
        if self.outcome.is_err() {
            return Err(fmt::Error);
        }
        self.out.push_str(more);
        Ok(())
    }
}

/// An integer in decimal, without the detour over a formatter: templates print many.
pub struct Digits {
    written: [u8; 20],
    from: usize,
}

impl Digits {
    /// The digits of an integer, and the sign of a negative one.
    #[must_use]
    pub fn of(int: Int) -> Self {
        let (mut written, mut from) = ([0; 20], 20);
        let mut rest = if int.negative { int.bits.wrapping_neg() } else { int.bits };
        loop {
            // Code made for size divides by dividing; most numbers are small enough to multiply by 2^35 / 10 instead.
            let tenth = if rest <= u64::from(u32::MAX) { (rest * 0xCCCC_CCCD) >> 35 } else { rest / 10 };
            from -= 1;
            written[from] = b'0' + (rest - tenth * 10) as u8;
            rest = tenth;
            if rest == 0 {
                break;
            }
        }
        if int.negative {
            from -= 1;
            written[from] = b'-';
        }
        Self { written, from }
    }

    /// As ASCII.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.written[self.from..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn values_print_as_go_prints_them() {
        let value = json::parse(r#"{"b":[1,"two",null,2.5,true],"a":{},"c":[]}"#).unwrap();
        assert_eq!(value.to_string(), "map[a:map[] b:[1 two <nil> 2.5 true] c:[]]");
    }

    #[test]
    fn integers_print_in_full_at_both_ends() {
        for (int, text) in [
            (Int::from(i64::MIN), "-9223372036854775808"),
            (Int::from(u64::MAX), "18446744073709551615"),
            (Int::from(0_i64), "0"),
        ] {
            let mut out = String::new();
            append(&mut out, &Value::Int(int));
            assert_eq!(out, text);
        }
    }

    #[test]
    fn floats_print_with_an_exponent_from_a_million_on() {
        let cases =
            [(2.0, "2"), (123_456.0, "123456"), (1e6, "1e+06"), (12_345_678.0, "1.2345678e+07"), (1e-4, "0.0001")];
        for (number, text) in cases.into_iter().chain([(1e-5, "1e-05"), (f64::INFINITY, "+Inf"), (-0.0, "-0")]) {
            assert_eq!(Value::Float(number).to_string(), text);
        }
    }
}
