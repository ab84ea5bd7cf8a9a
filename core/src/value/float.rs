//! How Go writes a binary64: the shortest digits that read back as the same number.

use alloc::format;
use alloc::string::{String, ToString};

/// Go's `%v`: an exponent from 1e6 upwards and below 1e-4, of at least two digits.
pub(super) fn general(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_string();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf".to_string() } else { "-Inf".to_string() };
    }
    written(number, -4, 6, 2)
}

/// As `encoding/json` writes it: an exponent from 1e21 upwards and below 1e-6, not padded.
pub(super) fn json(number: f64) -> String {
    written(number, -6, 21, 1)
}

fn written(number: f64, least: i32, past: i32, digits: usize) -> String {
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number == 0.0 || (least..past).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:0digits$}", exponent.unsigned_abs())
}
