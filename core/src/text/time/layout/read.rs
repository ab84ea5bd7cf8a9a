//! Reads a text in the form of a layout.

use alloc::string::String;
use core::fmt;

use super::super::{DAY, MONTHS, Moment, Timestamp, WEEKDAYS, Zone, days_before, days_in, is_leap, nanos_of};
use super::{Offset, Pad, Part, RFC3339, name, next_part};

/// Why a text does not fit a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutFault {
    /// The text differs from the layout at this byte of the text, where this part was wanted.
    Differs {
        /// Bytes of the text that did fit.
        at: usize,
        /// The part of the layout.
        wanted: String,
    },
    /// Text is left after the end of the layout, from this byte on.
    Extra(usize),
    /// A part has a value that no calendar has.
    OutOfRange(&'static str),
}

impl fmt::Display for LayoutFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { at, wanted } => write!(f, "text does not fit the layout at byte {at}, wanted {wanted:?}"),
            Self::Extra(at) => write!(f, "text goes on after the layout from byte {at}"),
            Self::OutOfRange(part) => write!(f, "{part} is out of range"),
        }
    }
}

/// A moment from a text in the form of a layout. Where the text names no zone, or the offset or
/// abbreviation that `zone` has at that moment, it is in `zone`. As Go's `time.ParseInLocation`, and as
/// `time.Parse` where that is UTC.
///
/// # Errors
/// [`LayoutFault`].
pub fn parse(layout: &str, text: &str, zone: &Zone) -> Result<Moment, LayoutFault> {
    if let Some((at, offset)) = Some(text).filter(|_| layout == RFC3339).and_then(super::super::parse_rfc3339) {
        let own = zone.at(at.seconds).offset == offset;
        let zone = match () {
            () if text.ends_with('Z') => Zone::utc(),
            () if own => zone.clone(),
            () => Zone::fixed("", offset),
        };
        return Ok(Moment { at, zone });
    }
    let mut found = Found::default();
    let mut input = Input { all: text.as_bytes(), at: 0 };
    let mut rest = layout;
    loop {
        let next = next_part(rest);
        let before = next.map_or(rest, |(before, ..)| before);
        input.skip(before).ok_or_else(|| input.differs(before))?;
        let Some((_, part, written, after)) = next else { break };
        rest = after;
        let start = input.at;
        let fraction_follows = || {
            next_part(rest).is_some_and(|(before, part, ..)| before.is_empty() && matches!(part, Part::Fraction { .. }))
        };
        if found.read(part, &mut input, fraction_follows).is_none() {
            input.at = start;
            return Err(input.differs(written));
        }
        found.check()?;
    }
    if input.at < input.all.len() {
        return Err(LayoutFault::Extra(input.at));
    }
    found.moment(zone)
}

/// The text that is read, and how far.
struct Input<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn rest(&self) -> &'a [u8] {
        self.all.get(self.at..).unwrap_or(&[])
    }

    fn differs(&self, wanted: &str) -> LayoutFault {
        LayoutFault::Differs { at: self.at, wanted: wanted.into() }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.rest().first() == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// Passes plain text of the layout; a run of blanks there is any run of blanks here.
    fn skip(&mut self, plain: &str) -> Option<()> {
        let mut plain = plain.as_bytes();
        while let Some((first, rest)) = plain.split_first() {
            if *first == b' ' {
                if self.rest().first().is_some_and(|next| *next != b' ') {
                    return None;
                }
                while self.eat(b' ') {}
                let blanks = plain.iter().take_while(|byte| **byte == b' ').count();
                plain = plain.get(blanks..).unwrap_or(&[]);
                continue;
            }
            if !self.eat(*first) {
                return None;
            }
            plain = rest;
        }
        Some(())
    }

    /// So many digits at most, so many at least.
    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let rest = self.rest();
        let count = rest.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        if count < least {
            return None;
        }
        self.at += count;
        Some(rest.iter().take(count).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }

    /// The index of the name that comes next, whatever its case.
    fn name(&mut self, names: &[&str], long: bool) -> Option<i64> {
        let rest = self.rest();
        let found = names.iter().enumerate().find_map(|(index, full)| {
            let wanted = name(&[full], 0, long);
            rest.get(..wanted.len()).filter(|text| text.eq_ignore_ascii_case(wanted.as_bytes()))?;
            Some((index, wanted.len()))
        });
        let (index, length) = found?;
        self.at += length;
        i64::try_from(index).ok()
    }
}

/// What has been read so far.
#[derive(Default)]
struct Found<'a> {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    /// After noon, or expressly before.
    noon: Option<bool>,
    zulu: bool,
    offset: Option<i64>,
    offset_parts: [i64; 3],
    abbreviation: Option<&'a [u8]>,
    twelve: bool,
}

impl<'a> Found<'a> {
    /// Reads one part; `None` where it is not there.
    fn read(&mut self, part: Part, input: &mut Input<'a>, fraction_follows: impl Fn() -> bool) -> Option<()> {
        let least = |pad: Pad, width: usize| if pad == Pad::Zero { width } else { 1 };
        match part {
            Part::Year => {
                let year = input.digits(2, 2)?;
                self.year = if year >= 69 { year + 1900 } else { year + 2000 };
            }
            Part::LongYear => self.year = input.digits(4, 4)?,
            Part::MonthName { long } => self.month = Some(input.name(&MONTHS, long)? + 1),
            Part::Month(pad) => self.month = Some(input.digits(least(pad, 2), 2)?),
            Part::WeekdayName { long } => {
                input.name(&WEEKDAYS, long)?;
            }
            Part::Day(pad) => {
                if pad == Pad::Blank {
                    input.eat(b' ');
                }
                self.day = Some(input.digits(least(pad, 2), 2)?);
            }
            Part::YearDay(pad) => {
                if pad == Pad::Blank && input.eat(b' ') {
                    input.eat(b' ');
                }
                self.year_day = Some(input.digits(least(pad, 3), 3)?);
            }
            Part::Hour => self.hour = input.digits(1, 2)?,
            Part::Hour12(pad) => {
                self.hour = input.digits(least(pad, 2), 2)?;
                self.twelve = true;
            }
            Part::Minute(pad) => self.minute = input.digits(least(pad, 2), 2)?,
            Part::Second(pad) => {
                self.second = input.digits(least(pad, 2), 2)?;
                // A fraction may follow the seconds even where the layout has none.
                if self.second < 60 && !fraction_follows() {
                    self.fraction(input);
                }
            }
            Part::Noon { upper } => {
                let word = input.rest().get(..2)?;
                self.noon = Some(match (word, upper) {
                    (b"PM", true) | (b"pm", false) => true,
                    (b"AM", true) | (b"am", false) => false,
                    _ => return None,
                });
                input.at += 2;
            }
            Part::Offset(form) => {
                if form.zulu && input.eat(b'Z') {
                    self.zulu = true;
                } else {
                    self.read_offset(form, input)?;
                }
            }
            Part::Abbreviation => {
                let rest = input.rest();
                if rest.starts_with(b"UTC") {
                    self.zulu = true;
                    input.at += 3;
                } else {
                    let length = abbreviation(rest)?;
                    self.abbreviation = rest.get(..length);
                    input.at += length;
                }
            }
            Part::Fraction { digits, fixed: true, .. } => {
                let written = input.rest().get(..=digits)?;
                let (mark, digits) = written.split_first()?;
                if !matches!(mark, b'.' | b',') || !digits.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                self.nanos = nanos_of(digits);
                input.at += written.len();
            }
            Part::Fraction { .. } => self.fraction(input),
        }
        Some(())
    }

    /// A point or comma with any number of digits, if there is one.
    fn fraction(&mut self, input: &mut Input<'a>) {
        let Some((b'.' | b',', digits)) = input.rest().split_first() else { return };
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count > 0 {
            self.nanos = nanos_of(digits.get(..count).unwrap_or(&[]));
            input.at += count + 1;
        }
    }

    fn read_offset(&mut self, form: Offset, input: &mut Input<'a>) -> Option<()> {
        let sign = match () {
            () if input.eat(b'+') => 1,
            () if input.eat(b'-') => -1,
            () => return None,
        };
        self.offset_parts = [0; 3];
        for (at, part) in self.offset_parts.iter_mut().take(usize::from(form.parts)).enumerate() {
            if at > 0 && form.colons && !input.eat(b':') {
                return None;
            }
            *part = input.digits(2, 2)?;
        }
        let [hours, minutes, seconds] = self.offset_parts;
        self.offset = Some(sign * ((hours * 60 + minutes) * 60 + seconds));
        Some(())
    }

    /// The ranges of the parts by themselves.
    fn check(&self) -> Result<(), LayoutFault> {
        let [hours, minutes, seconds] = self.offset_parts;
        let wrong = match () {
            () if self.month.is_some_and(|month| !(1..=12).contains(&month)) => "month",
            () if self.hour >= 24 || (self.twelve && self.hour > 12) => "hour",
            () if self.minute >= 60 => "minute",
            () if self.second >= 60 => "second",
            // People do write offsets of 24 hours and of 60 minutes.
            () if hours > 24 => "time zone offset hour",
            () if minutes > 60 => "time zone offset minute",
            () if seconds > 60 => "time zone offset second",
            () => return Ok(()),
        };
        Err(LayoutFault::OutOfRange(wrong))
    }

    /// The moment that all parts together mean.
    fn moment(mut self, zone: &Zone) -> Result<Moment, LayoutFault> {
        match self.noon {
            Some(true) if self.hour < 12 => self.hour += 12,
            Some(false) if self.hour == 12 => self.hour = 0,
            _ => {}
        }
        let (month, day) = self.date()?;
        let of_day = self.hour * 3600 + self.minute * 60 + self.second;
        let date = (self.year, month, day);
        if self.zulu {
            return Ok(Moment::from_clock(date, of_day, self.nanos, Zone::utc()));
        }
        let seconds = days_before(self.year, month, day) * DAY + of_day;
        let fixed = |name: &str, offset: i64| Zone::fixed(name, i32::try_from(offset).unwrap_or(0));
        let abbreviation = self.abbreviation.and_then(|name| core::str::from_utf8(name).ok()).unwrap_or("");
        if let Some(offset) = self.offset {
            let at = Timestamp { seconds: seconds - offset, nanos: self.nanos };
            let own = zone.at(at.seconds);
            let ours = i64::from(own.offset) == offset && (abbreviation.is_empty() || abbreviation == own.abbreviation);
            let zone = if ours { zone.clone() } else { fixed(abbreviation, offset) };
            return Ok(Moment { at, zone });
        }
        if let Some(offset) = zone.offset_of_name(abbreviation, seconds) {
            let at = Timestamp { seconds: seconds - i64::from(offset), nanos: self.nanos };
            return Ok(Moment { at, zone: zone.clone() });
        }
        if !abbreviation.is_empty() {
            // A name alone says nothing of its offset, except `GMT+3`, and the moment is then taken as UTC.
            let hours = abbreviation.strip_prefix("GMT").and_then(|hours| hours.parse::<i64>().ok()).unwrap_or(0);
            let at = Timestamp { seconds, nanos: self.nanos };
            return Ok(Moment { at, zone: fixed(abbreviation, hours * 3600) });
        }
        Ok(Moment::from_clock(date, of_day, self.nanos, zone.clone()))
    }

    /// Month and day, by the day of the year where that was given.
    fn date(&self) -> Result<(i64, i64), LayoutFault> {
        if let Some(year_day) = self.year_day {
            let length = if is_leap(self.year) { 366 } else { 365 };
            if !(1..=length).contains(&year_day) {
                return Err(LayoutFault::OutOfRange("day of the year"));
            }
            let (_, month, day) = super::super::date_of(days_before(self.year, 1, 1) + year_day - 1);
            if self.month.is_some_and(|seen| seen != month) || self.day.is_some_and(|seen| seen != day) {
                return Err(LayoutFault::OutOfRange("day of the year beside month and day"));
            }
            return Ok((month, day));
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        let length = u8::try_from(month).map_or(31, |month| days_in(self.year, month));
        if (1..=i64::from(length)).contains(&day) { Ok((month, day)) } else { Err(LayoutFault::OutOfRange("day")) }
    }
}

/// How long the abbreviation of a zone is that a text begins with.
fn abbreviation(text: &[u8]) -> Option<usize> {
    if text.len() < 3 {
        return None;
    }
    if text.starts_with(b"ChST") || text.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(rest) = text.strip_prefix(b"GMT") {
        return Some(3 + signed_hours(rest));
    }
    if matches!(text.first(), Some(b'+' | b'-')) {
        return Some(signed_hours(text)).filter(|length| *length > 0);
    }
    let upper = text.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    let ends_in_t = text.get(upper.wrapping_sub(1)) == Some(&b'T');
    match upper {
        3 => Some(3),
        4 if ends_in_t || text.starts_with(b"WITA") => Some(4),
        5 if ends_in_t => Some(5),
        _ => None,
    }
}

/// How long `+3` or `-11` is; 0 where there is none or it is beyond 23.
fn signed_hours(text: &[u8]) -> usize {
    let Some((b'+' | b'-', digits)) = text.split_first() else { return 0 };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let hours = digits
        .iter()
        .take(count)
        .fold(0_u32, |sum, digit| sum.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
    if count == 0 || hours > 23 { 0 } else { count + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::time::layout::{RFC1123, STRING};
    use alloc::format;

    fn read(layout: &str, text: &str) -> String {
        match parse(layout, text, &Zone::utc()) {
            Ok(moment) => super::super::format(&moment, STRING),
            Err(fault) => format!("{fault}"),
        }
    }

    #[test]
    fn a_text_is_read_part_by_part() {
        for (layout, text, wanted) in [
            ("2006-01-02", "2024-02-29", "2024-02-29 00:00:00 +0000 UTC"),
            ("2006-1-2 3:04PM", "2024-2-9 12:05AM", "2024-02-09 00:05:00 +0000 UTC"),
            ("15:04:05", "10:11:12.5", "0000-01-01 10:11:12.5 +0000 UTC"),
            (RFC1123, "thu, 29 FEB 2024 10:11:12 GMT+2", "2024-02-29 12:11:12 +0200 GMT+2"),
            ("2006-01-02 -0700", "2024-02-29 +0000", "2024-02-29 00:00:00 +0000 UTC"),
            ("2006-002", "2024-060", "2024-02-29 00:00:00 +0000 UTC"),
            ("Jan _2  2006", "Feb  9 2024", "2024-02-09 00:00:00 +0000 UTC"),
            ("02-01-06", "29-02-24", "2024-02-29 00:00:00 +0000 UTC"),
            ("2006", "2024x", "text goes on after the layout from byte 4"),
            ("2006-01-02", "2024-13-01", "month is out of range"),
            ("2006-01-02", "2023-02-29", "day is out of range"),
            ("2006-01-02", "2024-2-9", "text does not fit the layout at byte 5, wanted \"01\""),
            ("MST", "CESTX", "text does not fit the layout at byte 0, wanted \"MST\""),
            ("2006-002", "2023-366", "day of the year is out of range"),
            ("3PM", "13PM", "hour is out of range"),
        ] {
            assert_eq!(read(layout, text), wanted, "{layout} {text}");
        }
    }
}
