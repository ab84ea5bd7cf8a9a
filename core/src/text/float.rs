//! Floats as Go writes and reads them: `strconv.FormatFloat`, `strconv.ParseFloat`, and the two shortest
//! forms that documents carry.

use alloc::format;
use alloc::string::{String, ToString};

use super::literal::{Problem, underscores_separate};

/// The verbs of Go's float text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `e`: `1.5e+06`, at least two digits of exponent.
    Exponent,
    /// `f`: `1500000`.
    Fixed,
    /// `g`: as `e` for large and small exponents, else as `f`.
    General,
}

/// More digits than any binary64 has; what is asked beyond is zeros.
const DIGITS: usize = 1100;
/// No more digits than this are written, as Go's fmt has it, whatever a template asks for.
const MOST: usize = 1_000_000;

/// A float in a form with a given number of digits after the point (for `g`: significant digits), or
/// with the fewest that read back as the same float. As `strconv.FormatFloat(value, form, precision, 64)`.
#[must_use]
pub fn format(value: f64, form: Form, precision: Option<usize>) -> String {
    if let Some(word) = not_finite(value) {
        return word.to_string();
    }
    match (form, precision.map(|digits| digits.min(MOST))) {
        (Form::Exponent, None) => exponent(&format!("{value:e}"), 2),
        (Form::Exponent, Some(digits)) => exponent(&padded_exponent(value, digits), 2),
        (Form::Fixed, None) => format!("{value}"),
        (Form::Fixed, Some(digits)) => {
            let mut text = format!("{value:.*}", digits.min(DIGITS));
            text.extend(core::iter::repeat_n('0', digits.saturating_sub(DIGITS)));
            text
        }
        (Form::General, None) => general(&format!("{value:e}"), 6, false),
        (Form::General, Some(digits)) => {
            let digits = digits.max(1);
            let text = format!("{value:.*e}", (digits - 1).min(DIGITS));
            general(&trimmed(&text), digits, true)
        }
    }
}

/// As fmt's `%v` prints it, Go's `g` with the fewest digits: `123456`, `1e+06`, `0.0001`, `1e-05`.
#[must_use]
pub fn shortest(value: f64) -> String {
    // Most floats: Rust writes them the same way where no exponent is needed.
    if value == 0.0 || (1e-4..1e6).contains(&value.abs()) {
        return format!("{value}");
    }
    format(value, Form::General, None)
}

/// As Go writes it into JSON: the exponent begins at 1e21 and below 1e-6; `None` for what JSON cannot hold.
#[must_use]
pub fn json(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        return Some(exponent(&format!("{value:e}"), 1));
    }
    Some(format!("{value}"))
}

fn not_finite(value: f64) -> Option<&'static str> {
    match () {
        () if value.is_nan() => Some("NaN"),
        () if value == f64::INFINITY => Some("+Inf"),
        () if value == f64::NEG_INFINITY => Some("-Inf"),
        () => None,
    }
}

/// Rust's `-1.5e-7` with a sign and at least so many digits in the exponent: `-1.5e-07`.
fn exponent(text: &str, least: usize) -> String {
    let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, digits) = match power.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', power),
    };
    format!("{mantissa}e{sign}{digits:0>least$}")
}

/// `{:e}` with any number of digits after the point.
fn padded_exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.*e}", digits.min(DIGITS));
    match (digits.checked_sub(DIGITS), text.split_once('e')) {
        (Some(missing @ 1..), Some((mantissa, power))) => format!("{mantissa}{}e{power}", "0".repeat(missing)),
        _ => text,
    }
}

/// Without zeros at the end of the mantissa.
fn trimmed(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, power)) if mantissa.contains('.') => {
            format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text.to_string(),
    }
}

/// Rust's `{:e}` text in Go's `g`. `limit` is the exponent where `e` begins; where the precision was given,
/// a number with fewer digits has its limit lower.
fn general(text: &str, limit: usize, precise: bool) -> String {
    let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let (first, more) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let count = i32::try_from(1 + more.len()).unwrap_or(i32::MAX);
    let mut limit = i32::try_from(limit).unwrap_or(i32::MAX);
    if precise && limit > count && count > power {
        limit = count;
    }
    if power < -4 || power >= limit {
        return exponent(text, 2);
    }
    if power < 0 {
        let zeros = "0".repeat(usize::try_from(-power - 1).unwrap_or(0));
        return format!("{sign}0.{zeros}{first}{more}");
    }
    let whole = usize::try_from(power).unwrap_or(0);
    if more.len() <= whole {
        let zeros = "0".repeat(whole - more.len());
        return format!("{sign}{first}{more}{zeros}");
    }
    let (before, after) = more.split_at(whole);
    format!("{sign}{first}{before}.{after}")
}

/// The float nearest to a text, as `strconv.ParseFloat(text, 64)`: decimal or hexadecimal with `p`
/// exponent, `_` between digits, `inf`, `infinity`, `nan` in any case.
///
/// # Errors
/// [`Problem::BadNumber`], or [`Problem::TooLarge`] where only an infinity would do.
pub fn parse(text: &str) -> Result<f64, Problem> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or("")),
        Some(b'+') => (false, text.get(1..).unwrap_or("")),
        _ => (false, text),
    };
    let signed = |magnitude: f64| if negative { -magnitude } else { magnitude };
    if digits.eq_ignore_ascii_case("inf") || digits.eq_ignore_ascii_case("infinity") {
        return Ok(signed(f64::INFINITY));
    }
    if text.eq_ignore_ascii_case("nan") {
        return Ok(f64::NAN);
    }
    let plain: String;
    let digits = match (digits.contains('_'), underscores_separate(digits)) {
        (true, true) => {
            plain = digits.replace('_', "");
            &plain
        }
        (true, false) => return Err(Problem::BadNumber),
        (false, _) => digits,
    };
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(body) => hexadecimal(body)?,
        None => decimal(digits)?,
    };
    if magnitude.is_infinite() { Err(Problem::TooLarge) } else { Ok(signed(magnitude)) }
}

/// Digits, point and exponent alone: the words that Rust would read too are gone by now.
fn decimal(digits: &str) -> Result<f64, Problem> {
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !plain || digits.starts_with(['+', '-']) {
        return Err(Problem::BadNumber);
    }
    digits.parse().map_err(|_| Problem::BadNumber)
}

/// `0x1.8p-3`: the mantissa to 64 bits with the rest as one sticky bit, then rounded once, half to even.
fn hexadecimal(body: &str) -> Result<f64, Problem> {
    let (mantissa, power) = body.split_once(['p', 'P']).ok_or(Problem::BadNumber)?;
    let mut bits = 0_u64;
    let mut scale = exponent_value(power)?;
    let (mut any, mut point) = (false, false);
    for next in mantissa.chars() {
        if next == '.' && !point {
            point = true;
            continue;
        }
        let digit = u64::from(next.to_digit(16).ok_or(Problem::BadNumber)?);
        any = true;
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
            scale -= if point { 4 } else { 0 };
        } else {
            bits |= u64::from(digit != 0);
            scale += if point { 0 } else { 4 };
        }
    }
    if any { Ok(scaled(bits, scale)) } else { Err(Problem::BadNumber) }
}

/// An optional sign and digits; far beyond any float it stays what it is in effect.
fn exponent_value(power: &str) -> Result<i64, Problem> {
    let digits = power.strip_prefix(['+', '-']).unwrap_or(power);
    if digits.is_empty() {
        return Err(Problem::BadNumber);
    }
    let mut value = 0_i64;
    for next in digits.chars() {
        let digit = next.to_digit(10).ok_or(Problem::BadNumber)?;
        value = (value * 10 + i64::from(digit)).min(100_000);
    }
    Ok(if power.starts_with('-') { -value } else { value })
}

/// `bits` times two to the `scale`, rounded once; its lowest bit is sticky where it has 61 bits or more.
fn scaled(bits: u64, scale: i64) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let length = i64::from(64 - bits.leading_zeros());
    let exponent = (scale + length - 1).clamp(-2000, 2000);
    if exponent > 1023 {
        return f64::INFINITY;
    }
    // How many bits the result keeps: 53, fewer below the smallest normal number.
    let keep = if exponent >= -1022 { 53 } else { 53 - (-1022 - exponent) };
    if keep < 0 {
        return 0.0;
    }
    let drop = length - keep;
    let rounded = match u32::try_from(drop) {
        Ok(0) | Err(_) => bits,
        Ok(drop) if drop > 64 => 0,
        Ok(64) => u64::from(bits > 1 << 63),
        Ok(drop) => {
            let (whole, half, below) = (bits >> drop, 1_u64 << (drop - 1), bits & ((1_u64 << drop) - 1));
            whole + u64::from(below > half || (below == half && whole & 1 == 1))
        }
    };
    let shift = if drop > 0 { scale + drop } else { scale };
    libm::scalbn(rounded as f64, i32::try_from(shift).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_text_has_an_exponent_from_a_million_and_below_a_ten_thousandth() {
        for (value, wanted) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (999_999.5, "999999.5"),
            (1e6, "1e+06"),
            (12_345_678.0, "1.2345678e+07"),
            (0.0001, "0.0001"),
            (0.000_012_345, "1.2345e-05"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(shortest(value), wanted);
        }
    }

    #[test]
    fn json_has_an_exponent_from_1e21_and_below_1e_6() {
        for (value, wanted) in [
            (1e6, "1000000"),
            (1e20, "100000000000000000000"),
            (1.5e21, "1.5e+21"),
            (0.000_001, "0.000001"),
            (1.5e-9, "1.5e-9"),
            (-0.0, "-0"),
        ] {
            assert_eq!(json(value).as_deref(), Some(wanted));
        }
        assert_eq!(json(f64::NAN), None);
    }

    #[test]
    fn a_given_precision_rounds_half_to_even_on_the_exact_value() {
        assert_eq!(format(2.5, Form::Fixed, Some(0)), "2");
        assert_eq!(format(0.125, Form::Fixed, Some(2)), "0.12");
        assert_eq!(format(1234.5678, Form::Exponent, Some(3)), "1.235e+03");
        assert_eq!(format(100_000.0, Form::General, Some(3)), "1e+05");
        assert_eq!(format(100.0, Form::General, Some(3)), "100");
        assert_eq!(format(0.1, Form::Fixed, Some(1200)).len(), 1202);
    }

    #[test]
    fn floats_are_read_as_go_reads_them() {
        for (text, wanted) in [
            ("1", 1.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("+1e3", 1000.0),
            ("0x1p-2", 0.25),
            ("0x1.8P1", 3.0),
            ("0x_1_0p0", 16.0),
            ("1_0.0_1", 10.01),
            ("-inf", f64::NEG_INFINITY),
            ("Infinity", f64::INFINITY),
            ("1e-400", 0.0),
            ("0x1p-1074", 5e-324),
            ("0x1.fffffffffffff8p1023", f64::INFINITY),
        ] {
            if wanted.is_infinite() && text.starts_with("0x") {
                assert_eq!(parse(text), Err(Problem::TooLarge), "{text}");
            } else {
                assert_eq!(parse(text), Ok(wanted), "{text}");
            }
        }
        for bad in ["", ".", "+", "1e", "0x1", "0xp1", "1__0", "1_", "1 ", "+nan", "--1", "e5", "0x1p", "1p3", "in"] {
            assert_eq!(parse(bad), Err(Problem::BadNumber), "{bad}");
        }
        assert_eq!(parse("1e400"), Err(Problem::TooLarge));
        assert!(parse("nan").is_ok_and(f64::is_nan));
    }
}
