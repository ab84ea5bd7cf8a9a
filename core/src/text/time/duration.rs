//! Durations in nanoseconds: Go's, and those of manifests, which know days, weeks, months and years too.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

/// Why a text is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurationFault {
    /// No number where one is wanted, or something after the last unit.
    Malformed,
    /// A number without a unit: only `0` needs none.
    NoUnit,
    /// A unit that is not known.
    UnknownUnit,
    /// Longer than 292 years.
    TooLong,
}

impl fmt::Display for DurationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not a duration, wanted numbers with units such as 1h30m",
            Self::NoUnit => "unit is missing, wanted one such as 30s or 5m",
            Self::UnknownUnit => "unknown unit of a duration",
            Self::TooLong => "duration is longer than 292 years",
        })
    }
}

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Go's `time.ParseDuration`: a sign, then numbers with units, `0` alone without one.
///
/// # Errors
/// [`DurationFault`].
pub fn parse(text: &str) -> Result<i64, DurationFault> {
    sum(text, go_unit)
}

/// A duration of a manifest or an agent's configuration: Go's, and `d`, `w`, `M` (30 days), `y` (365 days),
/// where `D`, `W`, `Y` mean the same; blanks around it are ignored. Nothing else may stand between the parts
/// (the reference ignores what does, S27). Parts in days and longer are cut to whole hours, as the reference cuts them.
///
/// # Errors
/// [`DurationFault`].
pub fn parse_extended(text: &str) -> Result<i64, DurationFault> {
    sum(text.trim(), |unit| {
        let days = match unit {
            "d" | "D" => 1,
            "w" | "W" => 7,
            "M" => 30,
            "y" | "Y" => 365,
            _ => return go_unit(unit),
        };
        Some(Unit { nanos: days * DAY, whole: HOUR })
    })
}

/// What a number is multiplied by, and what its product is cut to.
#[derive(Clone, Copy)]
struct Unit {
    nanos: u64,
    whole: u64,
}

fn go_unit(unit: &str) -> Option<Unit> {
    let nanos = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => MICROSECOND,
        "ms" => MILLISECOND,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        _ => return None,
    };
    Some(Unit { nanos, whole: 1 })
}

fn sum(text: &str, known: impl Fn(&str) -> Option<Unit>) -> Result<i64, DurationFault> {
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or("")),
        Some(b'+') => (false, text.get(1..).unwrap_or("")),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(DurationFault::Malformed);
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (nanos, after) = part(rest, &known)?;
        total = total.checked_add(nanos).filter(|total| *total <= 1 << 63).ok_or(DurationFault::TooLong)?;
        rest = after;
    }
    match (negative, i64::try_from(total)) {
        (true, _) => Ok((total as i64).wrapping_neg()),
        (false, total) => total.map_err(|_| DurationFault::TooLong),
    }
}

/// The nanoseconds of the first number and unit, and what follows them.
fn part<'a>(text: &'a str, known: &impl Fn(&str) -> Option<Unit>) -> Result<(u64, &'a str), DurationFault> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(DurationFault::Malformed);
    }
    let end = rest.find(|next: char| next == '.' || next.is_ascii_digit()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if name.is_empty() {
        return Err(DurationFault::NoUnit);
    }
    let unit = known(name).ok_or(DurationFault::UnknownUnit)?;
    let count = if whole.is_empty() { 0 } else { whole.parse::<u64>().map_err(|_| DurationFault::TooLong)? };
    let nanos = count.checked_mul(unit.nanos).filter(|nanos| *nanos <= 1 << 63).ok_or(DurationFault::TooLong)?;
    let nanos = nanos.saturating_add(fraction_of(fraction, unit.nanos));
    if nanos > 1 << 63 {
        return Err(DurationFault::TooLong);
    }
    Ok((nanos / unit.whole * unit.whole, rest))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|next: char| !next.is_ascii_digit()).unwrap_or(text.len()))
}

/// A fraction of a unit as Go takes it: by a float of all the digits that 63 bits hold.
fn fraction_of(digits: &str, unit: u64) -> u64 {
    let mut value = 0_u64;
    let mut scale = 1.0_f64;
    for digit in digits.bytes() {
        let next = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0')));
        match next.filter(|next| *next <= 1 << 63) {
            Some(next) => value = next,
            None => break,
        }
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// Go's text of a duration: `1h30m0s`, `1.5s`, `15µs`, `0s`.
#[must_use]
pub fn format(nanos: i64) -> String {
    let magnitude = nanos.unsigned_abs();
    let sign = if nanos < 0 { "-" } else { "" };
    match magnitude {
        0 => return "0s".to_string(),
        1..MICROSECOND => return format!("{sign}{magnitude}ns"),
        MICROSECOND..MILLISECOND => return format!("{sign}{}µs", decimal(magnitude, MICROSECOND)),
        MILLISECOND..SECOND => return format!("{sign}{}ms", decimal(magnitude, MILLISECOND)),
        _ => {}
    }
    let seconds = decimal(magnitude % MINUTE, SECOND);
    let minutes = magnitude / MINUTE;
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{sign}{seconds}s"),
        (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
        (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
}

/// `value / unit` with all its digits and no zeros at the end; `unit` is a power of ten.
fn decimal(value: u64, unit: u64) -> String {
    let whole = value / unit;
    match value % unit {
        0 => whole.to_string(),
        rest => {
            let digits = unit.ilog10() as usize;
            let text = format!("{whole}.{rest:0digits$}");
            text.trim_end_matches('0').to_string()
        }
    }
}

/// To a multiple of a unit, toward zero; a unit of nothing or less changes nothing. As Go's `Truncate`.
#[must_use]
pub fn truncate(nanos: i64, unit: i64) -> i64 {
    if unit <= 0 { nanos } else { nanos - nanos % unit }
}

/// To the nearest multiple of a unit, halfway away from zero, staying in range. As Go's `Round`.
#[must_use]
pub fn round(nanos: i64, unit: i64) -> i64 {
    if unit <= 0 {
        return nanos;
    }
    let rest = nanos % unit;
    let below = nanos - rest;
    let half = i128::from(rest.unsigned_abs()) * 2;
    if half < i128::from(unit) {
        return below;
    }
    if nanos < 0 { below.saturating_sub(unit) } else { below.saturating_add(unit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_durations_are_read_and_written() {
        for (text, nanos, shown) in [
            ("0", 0, "0s"),
            ("1h30m", 5_400_000_000_000, "1h30m0s"),
            ("-1.5h", -5_400_000_000_000, "-1h30m0s"),
            (".5s", 500_000_000, "500ms"),
            ("1.s", 1_000_000_000, "1s"),
            ("1µs", 1_000, "1µs"),
            ("1500us", 1_500_000, "1.5ms"),
            ("1m0.045s", 60_045_000_000, "1m0.045s"),
            ("-9223372036854775808ns", i64::MIN, "-2562047h47m16.854775808s"),
            ("0.3333333333333333333h", 1_200_000_000_000, "20m0s"),
        ] {
            assert_eq!(parse(text), Ok(nanos), "{text}");
            assert_eq!(format(nanos), shown);
        }
        assert_eq!(parse("1"), Err(DurationFault::NoUnit));
        assert_eq!(parse("1d"), Err(DurationFault::UnknownUnit));
        assert_eq!(parse("9223372037s"), Err(DurationFault::TooLong));
        for bad in ["", "-", "h", ".s", "1h ", "+-1h"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn extended_durations_know_days_and_refuse_junk() {
        for (text, hours) in
            [("2d", 48), ("1w", 168), ("1M", 720), ("1y", 8760), ("1d12h", 36), ("1.5d", 36), ("-1D", -24), (" 1h ", 1)]
        {
            assert_eq!(parse_extended(text), Ok(hours * HOUR as i64), "{text}");
        }
        assert_eq!(parse_extended("0.01d"), Ok(0));
        for junk in ["5m!!", "x5m", "1h 1m", "1.5", "", "1h-5m", "1Mo"] {
            assert!(parse_extended(junk).is_err(), "{junk}");
        }
    }

    #[test]
    fn rounding_goes_to_the_nearest_and_stays_in_range() {
        assert_eq!((truncate(75, 60), round(75, 60), round(90, 60), round(-90, 60)), (60, 60, 120, -120));
        assert_eq!((round(i64::MAX, 2), round(5, 0)), (i64::MAX, 5));
    }
}
