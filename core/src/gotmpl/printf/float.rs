//! Floats under the verbs of `fmt`: `%e %f %g` through [`crate::text::float`], `%b` and `%x` here.

use alloc::format;
use alloc::string::String;

use crate::text::float::{self, Form};

pub(super) fn is_verb(verb: char) -> bool {
    matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E')
}

pub(super) fn text(value: f64, verb: char, precision: Option<usize>) -> String {
    let form = match verb {
        'e' | 'E' => Form::Exponent,
        'f' | 'F' => Form::Fixed,
        'b' if value.is_finite() => return binary(value),
        'x' | 'X' if value.is_finite() => return hexadecimal(value, precision, verb == 'X'),
        _ => Form::General,
    };
    let text = float::format(value, form, precision);
    if value.is_finite() && matches!(verb, 'E' | 'G') { text.to_ascii_uppercase() } else { text }
}

/// Mantissa and exponent of a finite number, `mantissa × 2^exponent`.
fn parts(value: f64) -> (u64, i64) {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

/// `%b`: `6755399441055744p-52`.
fn binary(value: f64) -> String {
    let (mantissa, exponent) = parts(value);
    format!("{}{mantissa}p{exponent:+}", if value.is_sign_negative() { "-" } else { "" })
}

/// `%x`: `0x1.8p+00`.
fn hexadecimal(value: f64, precision: Option<usize>, upper: bool) -> String {
    let (mut mantissa, mut exponent) = parts(value);
    exponent += 52;
    mantissa <<= 8;
    if mantissa == 0 {
        exponent = 0;
    }
    while mantissa != 0 && mantissa >> 60 == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    if let Some(digits @ 0..15) = precision {
        let shift = 60 - 4 * digits;
        let (kept, extra) = (mantissa >> shift, mantissa & ((1_u64 << shift) - 1));
        let half = 1_u64 << (shift - 1);
        mantissa = (kept + u64::from(extra > half || (extra == half && kept & 1 == 1))) << shift;
        if mantissa >> 61 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let mut text = format!("{}0x{}", if value.is_sign_negative() { "-" } else { "" }, mantissa >> 60);
    let mut fraction = mantissa << 4;
    let mut digits = precision;
    if digits.map_or(fraction != 0, |digits| digits > 0) {
        text.push('.');
    }
    while digits.map_or(fraction != 0, |digits| digits > 0) {
        text.push(char::from_digit((fraction >> 60) as u32, 16).unwrap_or('0'));
        fraction <<= 4;
        digits = digits.map(|digits| digits - 1);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let text = format!("{text}p{sign}{:02}", exponent.unsigned_abs());
    if upper { text.to_ascii_uppercase() } else { text }
}

/// `#`: always a point, and for `g` the zeros that it otherwise leaves out.
pub(super) fn with_point(text: &str, verb: char, precision: Option<usize>) -> String {
    let is_hex = matches!(verb, 'x' | 'X');
    let marks: &[char] = if is_hex { &['p', 'P'] } else { &['e', 'E', 'p', 'P'] };
    let (number, tail) = text.split_at(text.find(marks).unwrap_or(text.len()));
    let mut missing = if matches!(verb, 'v' | 'g' | 'G' | 'x') { precision.unwrap_or(6) } else { 0 };
    let mut significant = false;
    for digit in number.chars().skip(1).filter(|&next| next != '.') {
        significant |= digit != '0';
        if significant {
            missing = missing.saturating_sub(1);
        }
    }
    let mut out = String::from(number);
    if !number.contains('.') {
        if number.len() == 2 && number.ends_with('0') {
            missing = missing.saturating_sub(1);
        }
        out.push('.');
    }
    out.extend(core::iter::repeat_n('0', missing));
    out.push_str(tail);
    out
}
