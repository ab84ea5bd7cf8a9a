//! Moments, the calendar, and RFC 3339. No clock is read here: moments come from a host or from text.
//!
//! - [`duration`]: Go's durations and the extended ones of manifests
//! - [`zone`]: offsets from UTC, read from TZif bytes
//! - [`layout`]: Go's calendar layouts, the ones written as `2006-01-02`

pub mod duration;
pub mod layout;
pub mod zone;

use alloc::format;
use alloc::string::String;

pub use zone::Zone;

/// A moment: seconds since 1970 UTC, and nanoseconds below a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp {
    /// Whole seconds, negative before 1970.
    pub seconds: i64,
    /// 0 to 999,999,999.
    pub nanos: u32,
}

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;
/// Seconds of a day.
const DAY: i64 = 86_400;

impl Timestamp {
    /// The first second of the year 1: Go's zero time.
    pub const YEAR_ONE: Self = Self { seconds: -62_135_596_800, nanos: 0 };

    /// From RFC 3339 text, as strict as Go is: `T` and `Z` in upper case, a zone, any digits of fraction.
    #[must_use]
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        parse_rfc3339(text).map(|(at, _)| at)
    }

    /// RFC 3339 in UTC, with as many digits of a fraction as are needed: `2026-07-10T08:30:00.5Z`. This is
    /// how the reference writes a moment into JSON.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let Civil { year, month, day, hour, minute, second, .. } = Civil::at(self.seconds);
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanos != 0 {
            let fraction = format!(".{:09}", self.nanos);
            text.push_str(fraction.trim_end_matches('0'));
        }
        text.push('Z');
        text
    }

    /// This many nanoseconds later, or earlier when negative.
    #[must_use]
    pub fn plus(self, nanos: i64) -> Self {
        let below = i64::from(self.nanos) + nanos.rem_euclid(SECOND);
        Self {
            seconds: self.seconds.saturating_add(nanos.div_euclid(SECOND)).saturating_add(below / SECOND),
            nanos: (below % SECOND) as u32,
        }
    }

    /// Nanoseconds since an earlier moment, negative when that is later; the largest or smallest duration
    /// where it does not fit.
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        let nanos = self.nanos_since_epoch() - earlier.nanos_since_epoch();
        i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
    }

    /// All of it in nanoseconds since 1970.
    #[must_use]
    pub fn nanos_since_epoch(self) -> i128 {
        i128::from(self.seconds) * i128::from(SECOND) + i128::from(self.nanos)
    }
}

/// A moment from RFC 3339 text, and the offset from UTC in seconds that it was written with.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<(Timestamp, i32)> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize, least: i64, most: i64| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        let value = digits
            .iter()
            .try_fold(0_i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))?;
        (least..=most).contains(&value).then_some(value)
    };
    let year = number(0, 4, 0, 9999)?;
    let month = number(5, 7, 1, 12)?;
    let day = number(8, 10, 1, i64::from(days_in(year, month as u8)))?;
    let time = number(11, 13, 0, 23)? * 3600 + number(14, 16, 0, 59)? * 60 + number(17, 19, 0, 59)?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if marks.iter().any(|(at, mark)| bytes.get(*at) != Some(mark)) {
        return None;
    }
    let rest = bytes.get(19..)?;
    let digits = match rest.split_first() {
        Some((b'.', digits)) => digits.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let fraction = if digits > 0 { rest.get(1..=digits)? } else { &[] };
    let nanos = nanos_of(fraction);
    let zone = rest.get(if digits > 0 { digits + 1 } else { 0 }..)?;
    let offset = match zone {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let at = bytes.len() - zone.len();
            let seconds = (number(at + 1, at + 3, 0, 23)? * 60 + number(at + 4, at + 6, 0, 59)?) * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let seconds = days_before(year, month, day) * DAY + time - offset;
    Some((Timestamp { seconds, nanos }, i32::try_from(offset).ok()?))
}

/// Digits of a fraction as nanoseconds; those after the ninth are dropped.
fn nanos_of(digits: &[u8]) -> u32 {
    (0..9).fold(0, |sum, at| sum * 10 + digits.get(at).map_or(0, |digit| u32::from(digit.wrapping_sub(b'0') % 10)))
}

/// A moment in a zone: what the date functions of a language pass around.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When.
    pub at: Timestamp,
    /// Where it is shown.
    pub zone: Zone,
}

impl Moment {
    /// In UTC.
    #[must_use]
    pub fn utc(at: Timestamp) -> Self {
        Self { at, zone: Zone::utc() }
    }

    /// From a date and time of day as shown by a clock in the zone. Values beyond their range carry over:
    /// the 32nd of January is the 1st of February.
    #[must_use]
    pub fn from_clock(date: (i64, i64, i64), seconds_of_day: i64, nanos: u32, zone: Zone) -> Self {
        let local = days_before(date.0, date.1, date.2).saturating_mul(DAY).saturating_add(seconds_of_day);
        let seconds = zone.utc_of_local(local);
        Self { at: Timestamp { seconds, nanos }, zone }
    }

    /// Date and time of day as a clock in the zone shows them.
    #[must_use]
    pub fn civil(&self) -> Civil {
        Civil::at(self.at.seconds.saturating_add(i64::from(self.zone.at(self.at.seconds).offset)))
    }

    /// Years, months and days later by the calendar; the time of day stays.
    #[must_use]
    pub fn add_date(&self, years: i64, months: i64, days: i64) -> Self {
        let now = self.civil();
        let date = (
            now.year.saturating_add(years),
            i64::from(now.month).saturating_add(months),
            i64::from(now.day).saturating_add(days),
        );
        Self::from_clock(date, now.second_of_day(), self.at.nanos, self.zone.clone())
    }
}

/// A date and a time of day, without a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// Astronomical: the year before 1 is 0.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 is Sunday.
    pub weekday: u8,
    /// From 1.
    pub year_day: u16,
}

impl Civil {
    /// The date and time of so many seconds since 1970-01-01 00:00:00.
    #[must_use]
    pub fn at(seconds: i64) -> Self {
        let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let (year, month, day) = date_of(days);
        Self {
            year,
            month: month as u8,
            day: day as u8,
            hour: (rest / 3600) as u8,
            minute: (rest / 60 % 60) as u8,
            second: (rest % 60) as u8,
            weekday: (days + 4).rem_euclid(7) as u8,
            year_day: (days - days_before(year, 1, 1) + 1) as u16,
        }
    }

    /// Seconds since midnight.
    #[must_use]
    pub fn second_of_day(self) -> i64 {
        i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }

    /// Year and number of the ISO 8601 week: the one that holds this week's Thursday.
    #[must_use]
    pub fn iso_week(self) -> (i64, u8) {
        let days = days_before(self.year, i64::from(self.month), i64::from(self.day));
        let thursday = days + 3 - (i64::from(self.weekday) + 6) % 7;
        let (year, ..) = date_of(thursday);
        (year, ((thursday - days_before(year, 1, 1)) / 7 + 1) as u8)
    }
}

/// English names of the months, January first.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// English names of the days, Sunday first.
pub const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// How many days a month has.
#[must_use]
pub fn days_in(year: i64, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 1970-01-01 to a date. Months and days may lie beyond their range and carry over. Counted in
/// eras of 400 years that begin in March, so that the leap day is the last of its year.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    // No calendar reaches further: what lies beyond is as good as the bound, and nothing overflows.
    const FAR: i64 = 200_000_000_000_000;
    let months = year.clamp(-FAR / 400, FAR / 400) * 12 + month.clamp(-FAR, FAR) - 3;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468 + day.clamp(-FAR, FAR) - 1
}

/// Year, month and day of a count of days since 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_survives_the_way_there_and_back() {
        for days in (-1_000_000..1_000_000).step_by(997) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_before(year, month, day), days);
        }
        let leap = Civil::at(1_709_164_800);
        assert_eq!((leap.year, leap.month, leap.day, leap.weekday, leap.year_day), (2024, 2, 29, 4, 60));
        assert_eq!(Civil::at(Timestamp::YEAR_ONE.seconds).year, 1);
    }

    #[test]
    fn rfc_3339_is_read_strictly_and_written_short() {
        let at = Timestamp::parse_rfc3339("2024-02-29T10:11:12.045+05:30").unwrap();
        assert_eq!(at.rfc3339(), "2024-02-29T04:41:12.045Z");
        for bad in [
            "2023-02-29T00:00:00Z",
            "2024-02-29 10:11:12Z",
            "2024-02-29T10:11:12",
            "2024-02-29T10:11Z",
            "2024-02-29T24:00:00Z",
            "2024-02-29T10:11:12z",
            "2024-02-29T10:11:12.Z",
            "2024-02-29T10:11:12+0530",
            "",
            "é",
        ] {
            assert_eq!(Timestamp::parse_rfc3339(bad), None, "{bad}");
        }
    }

    #[test]
    fn nanoseconds_carry_both_ways_and_durations_saturate() {
        let at = Timestamp { seconds: 10, nanos: 900_000_000 };
        assert_eq!(at.plus(200_000_000), Timestamp { seconds: 11, nanos: 100_000_000 });
        assert_eq!(at.plus(-1_000_000_000), Timestamp { seconds: 9, nanos: 900_000_000 });
        assert_eq!(at.since(at.plus(5)), -5);
        assert_eq!(Timestamp { seconds: i64::MAX, nanos: 0 }.since(at), i64::MAX);
    }

    #[test]
    fn the_calendar_has_no_end_that_panics() {
        for seconds in [i64::MIN, i64::MAX] {
            let _any = Civil::at(seconds).iso_week();
            let _any = Moment::utc(Timestamp { seconds, nanos: 0 }).add_date(seconds, seconds, seconds);
        }
    }

    #[test]
    fn iso_weeks_belong_to_the_year_of_their_thursday() {
        let week = |text| Civil::at(Timestamp::parse_rfc3339(text).unwrap().seconds).iso_week();
        assert_eq!(week("2021-01-03T00:00:00Z"), (2020, 53));
        assert_eq!(week("2024-12-30T00:00:00Z"), (2025, 1));
        assert_eq!(week("2024-02-29T00:00:00Z"), (2024, 9));
    }
}
