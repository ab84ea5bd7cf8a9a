//! Go's calendar layouts: a layout is the reference moment, Monday 2 January 2006 15:04:05 -0700 MST,
//! written as the text shall look.

mod read;

use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use super::{MONTHS, Moment, WEEKDAYS};

pub use read::{LayoutFault, parse};

/// The layouts that have names in Go and that dates without a layout are read by.
pub const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
/// `02 Jan 06 15:04 MST`.
pub const RFC822: &str = "02 Jan 06 15:04 MST";
/// `Monday, 02-Jan-06 15:04:05 MST`.
pub const RFC850: &str = "Monday, 02-Jan-06 15:04:05 MST";
/// `Mon, 02 Jan 2006 15:04:05 MST`.
pub const RFC1123: &str = "Mon, 02 Jan 2006 15:04:05 MST";
/// How Go prints a moment.
pub const STRING: &str = "2006-01-02 15:04:05.999999999 -0700 MST";

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pad {
    None,
    Zero,
    Blank,
}

/// How an offset is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Offset {
    /// `Z` for none.
    zulu: bool,
    colons: bool,
    /// Down to hours, minutes or seconds.
    parts: u8,
}

/// One part of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Year,
    LongYear,
    MonthName { long: bool },
    Month(Pad),
    WeekdayName { long: bool },
    Day(Pad),
    YearDay(Pad),
    Hour,
    Hour12(Pad),
    Minute(Pad),
    Second(Pad),
    Noon { upper: bool },
    Offset(Offset),
    Abbreviation,
    Fraction { digits: usize, fixed: bool, comma: bool },
}

/// A moment in the form of a layout. As Go's `Time.Format`.
#[must_use]
pub fn format(moment: &Moment, layout: &str) -> String {
    let civil = moment.civil();
    let local = moment.zone.at(moment.at.seconds);
    let mut text = String::with_capacity(layout.len() + 10);
    let mut rest = layout;
    while let Some((before, part, _, after)) = next_part(rest) {
        text.push_str(before);
        rest = after;
        match part {
            Part::Year => number(&mut text, civil.year.saturating_abs() % 100, 2, Pad::Zero),
            Part::LongYear => {
                if civil.year < 0 {
                    text.push('-');
                }
                number(&mut text, civil.year.saturating_abs(), 4, Pad::Zero);
            }
            Part::MonthName { long } => text.push_str(name(&MONTHS, usize::from(civil.month) - 1, long)),
            Part::Month(pad) => number(&mut text, i64::from(civil.month), 2, pad),
            Part::WeekdayName { long } => text.push_str(name(&WEEKDAYS, usize::from(civil.weekday), long)),
            Part::Day(pad) => number(&mut text, i64::from(civil.day), 2, pad),
            Part::YearDay(pad) => number(&mut text, i64::from(civil.year_day), 3, pad),
            Part::Hour => number(&mut text, i64::from(civil.hour), 2, Pad::Zero),
            Part::Hour12(pad) => number(&mut text, i64::from((civil.hour + 11) % 12 + 1), 2, pad),
            Part::Minute(pad) => number(&mut text, i64::from(civil.minute), 2, pad),
            Part::Second(pad) => number(&mut text, i64::from(civil.second), 2, pad),
            Part::Noon { upper } => text.push_str(match (civil.hour >= 12, upper) {
                (true, true) => "PM",
                (true, false) => "pm",
                (false, true) => "AM",
                (false, false) => "am",
            }),
            Part::Offset(form) => offset(&mut text, local.offset, form),
            Part::Abbreviation if local.abbreviation.is_empty() => {
                offset(&mut text, local.offset, Offset { zulu: false, colons: false, parts: 2 });
            }
            Part::Abbreviation => text.push_str(local.abbreviation),
            Part::Fraction { digits, fixed, comma } => fraction(&mut text, moment.at.nanos, digits, fixed, comma),
        }
    }
    text.push_str(rest);
    text
}

fn name<'a>(names: &[&'a str], at: usize, long: bool) -> &'a str {
    let name = names.get(at).copied().unwrap_or("");
    if long { name } else { name.get(..3).unwrap_or(name) }
}

fn number(text: &mut String, value: i64, width: usize, pad: Pad) {
    let _infallible = match pad {
        Pad::None => write!(text, "{value}"),
        Pad::Zero => write!(text, "{value:0width$}"),
        Pad::Blank => write!(text, "{value:width$}"),
    };
}

fn offset(text: &mut String, seconds: i32, form: Offset) {
    if form.zulu && seconds == 0 {
        text.push('Z');
        return;
    }
    text.push(if seconds < 0 { '-' } else { '+' });
    let seconds = seconds.unsigned_abs();
    let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60];
    for (at, part) in parts.iter().take(usize::from(form.parts)).enumerate() {
        if at > 0 && form.colons {
            text.push(':');
        }
        number(text, i64::from(*part), 2, Pad::Zero);
    }
}

fn fraction(text: &mut String, nanos: u32, digits: usize, fixed: bool, comma: bool) {
    let all = format!("{nanos:09}");
    let mut shown = all.get(..digits.min(9)).unwrap_or(&all);
    if !fixed {
        shown = shown.trim_end_matches('0');
        if shown.is_empty() {
            return;
        }
    }
    text.push(if comma { ',' } else { '.' });
    text.push_str(shown);
    text.extend(core::iter::repeat_n('0', if fixed { digits.saturating_sub(9) } else { 0 }));
}

/// The first part of a layout: the text before it, the part, how it is written, and what follows.
fn next_part(layout: &str) -> Option<(&str, Part, &str, &str)> {
    let bytes = layout.as_bytes();
    for at in 0..bytes.len() {
        let rest = bytes.get(at..).unwrap_or(&[]);
        if let Some((skip, part, length)) = part_at(rest) {
            let start = at + skip;
            let end = start + length;
            return Some((layout.get(..start)?, part, layout.get(start..end)?, layout.get(end..)?));
        }
    }
    None
}

/// The part that begins right here, its length, and how many bytes before it are plain text.
fn part_at(rest: &[u8]) -> Option<(usize, Part, usize)> {
    let begins = |text: &str| rest.starts_with(text.as_bytes());
    let ends_word = |length: usize| !rest.get(length).is_some_and(u8::is_ascii_lowercase);
    let part = match *rest.first()? {
        b'J' if begins("January") => (Part::MonthName { long: true }, 7),
        b'J' if begins("Jan") && ends_word(3) => (Part::MonthName { long: false }, 3),
        b'M' if begins("Monday") => (Part::WeekdayName { long: true }, 6),
        b'M' if begins("Mon") && ends_word(3) => (Part::WeekdayName { long: false }, 3),
        b'M' if begins("MST") => (Part::Abbreviation, 3),
        b'0' => match rest.get(1)? {
            b'1' => (Part::Month(Pad::Zero), 2),
            b'2' => (Part::Day(Pad::Zero), 2),
            b'3' => (Part::Hour12(Pad::Zero), 2),
            b'4' => (Part::Minute(Pad::Zero), 2),
            b'5' => (Part::Second(Pad::Zero), 2),
            b'6' => (Part::Year, 2),
            b'0' if begins("002") => (Part::YearDay(Pad::Zero), 3),
            _ => return None,
        },
        b'1' if begins("15") => (Part::Hour, 2),
        b'1' => (Part::Month(Pad::None), 1),
        b'2' if begins("2006") => (Part::LongYear, 4),
        b'2' => (Part::Day(Pad::None), 1),
        b'_' if begins("_2006") => return Some((1, Part::LongYear, 4)),
        b'_' if begins("_2") => (Part::Day(Pad::Blank), 2),
        b'_' if begins("__2") => (Part::YearDay(Pad::Blank), 3),
        b'3' => (Part::Hour12(Pad::None), 1),
        b'4' => (Part::Minute(Pad::None), 1),
        b'5' => (Part::Second(Pad::None), 1),
        b'P' if begins("PM") => (Part::Noon { upper: true }, 2),
        b'p' if begins("pm") => (Part::Noon { upper: false }, 2),
        sign @ (b'-' | b'Z') => offset_at(rest.get(1..)?, sign == b'Z')?,
        mark @ (b'.' | b',') => fraction_at(rest.get(1..)?, mark == b',')?,
        _ => return None,
    };
    Some((0, part.0, part.1))
}

/// The offset after its `-` or `Z`.
fn offset_at(rest: &[u8], zulu: bool) -> Option<(Part, usize)> {
    let forms = [("070000", false, 3), ("07:00:00", true, 3), ("0700", false, 2), ("07:00", true, 2), ("07", false, 1)];
    let (text, colons, parts) = forms.into_iter().find(|(text, ..)| rest.starts_with(text.as_bytes()))?;
    Some((Part::Offset(Offset { zulu, colons, parts }), text.len() + 1))
}

/// The fraction after its point: zeros or nines alone, and no digit after them.
fn fraction_at(rest: &[u8], comma: bool) -> Option<(Part, usize)> {
    let first = *rest.first().filter(|first| matches!(first, b'0' | b'9'))?;
    let digits = rest.iter().take_while(|byte| **byte == first).count();
    if rest.get(digits).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    Some((Part::Fraction { digits, fixed: first == b'0', comma }, digits + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::time::Zone;

    #[test]
    fn a_layout_is_written_part_by_part() {
        let moment = parse(RFC3339, "2024-02-09T13:04:05.045+05:30", &Zone::utc()).unwrap();
        for (layout, wanted) in [
            (
                "Monday Mon January Jan 1 01 2 02 _2 2006 06 002 __2",
                "Friday Fri February Feb 2 02 9 09  9 2024 24 040  40",
            ),
            ("15 3 03 4 04 5 05 PM pm", "13 1 01 4 04 5 05 PM pm"),
            (".000 .999999 ,00 .9x .01", ".045 .045 ,04 x .02"),
            ("-0700 -07:00 -07 Z0700 Z07:00 -070000 MST", "+0530 +05:30 +05 +0530 +05:30 +053000 +0530"),
            ("_2006 Month Januarys plain", "_2024 Month Februarys plain"),
            ("é 2006", "é 2024"),
        ] {
            assert_eq!(format(&moment, layout), wanted, "{layout}");
        }
    }
}
