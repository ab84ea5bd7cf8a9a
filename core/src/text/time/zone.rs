//! Offsets from UTC through the years: TZif bytes (RFC 8536) and the rule in their footer.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{Civil, DAY, days_before, days_in, is_leap};

/// A zone, shared.
#[derive(Clone)]
pub struct Zone(Arc<Rules>);

struct Rules {
    name: String,
    kinds: Vec<Kind>,
    /// From this second on, this kind holds; ascending.
    changes: Vec<(i64, u8)>,
    /// What holds after the last change.
    tail: Option<Tail>,
}

/// One of the offsets that a zone has had.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kind {
    offset: i32,
    summer: bool,
    abbreviation: String,
}

/// What a clock does at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local<'a> {
    /// Seconds east of UTC.
    pub offset: i32,
    /// `CET`; empty where the zone has no name for it.
    pub abbreviation: &'a str,
    /// Summer time.
    pub summer: bool,
    /// Since when, in seconds since 1970.
    start: i64,
    /// Until when.
    end: i64,
}

/// Bytes that are no zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneFault;

impl fmt::Display for ZoneFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a TZif file")
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.0.name)
    }
}

impl Zone {
    /// Coordinated universal time.
    #[must_use]
    pub fn utc() -> Self {
        Self::fixed("UTC", 0)
    }

    /// One offset for ever; the name is both the zone's and the abbreviation, and may be empty.
    #[must_use]
    pub fn fixed(name: &str, offset: i32) -> Self {
        let kind = Kind { offset, summer: false, abbreviation: name.to_string() };
        Self(Arc::new(Rules { name: name.to_string(), kinds: alloc::vec![kind], changes: Vec::new(), tail: None }))
    }

    /// From the bytes of a TZif file, as `/usr/share/zoneinfo` holds them.
    ///
    /// # Errors
    /// [`ZoneFault`] when they are none.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, ZoneFault> {
        read(name, bytes).map(|rules| Self(Arc::new(rules))).ok_or(ZoneFault)
    }

    /// The name it was asked for by: `Europe/Zurich`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What a clock of this zone does at a moment, in seconds since 1970.
    #[must_use]
    pub fn at(&self, seconds: i64) -> Local<'_> {
        let rules = &*self.0;
        let next = rules.changes.partition_point(|(since, _)| *since <= seconds);
        let end = rules.changes.get(next).map_or(i64::MAX, |(since, _)| *since);
        let Some((start, kind)) = next.checked_sub(1).and_then(|at| rules.changes.get(at)) else {
            return rules.first().during(i64::MIN, end);
        };
        match &rules.tail {
            Some(tail) if next == rules.changes.len() => tail.at(seconds),
            _ => rules.kinds.get(usize::from(*kind)).unwrap_or(rules.first()).during(*start, end),
        }
    }

    /// The moment at which a clock of this zone shows a date and time, given as if they were UTC. In the
    /// hour that a change skips or repeats, the answer is as Go gives it.
    #[must_use]
    pub fn utc_of_local(&self, local: i64) -> i64 {
        let guess = self.at(local);
        let utc = local.saturating_sub(i64::from(guess.offset));
        if guess.offset == 0 || (guess.start..guess.end).contains(&utc) {
            return utc;
        }
        local.saturating_sub(i64::from(self.at(utc).offset))
    }
}

impl Zone {
    /// The offset that an abbreviation means in this zone: at a date and time given as if they were UTC, or
    /// else at any time.
    pub(super) fn offset_of_name(&self, name: &str, local: i64) -> Option<i32> {
        let named = || self.0.kinds.iter().filter(|kind| !name.is_empty() && kind.abbreviation == name);
        let held = |kind: &&Kind| self.at(local.saturating_sub(i64::from(kind.offset))).abbreviation == name;
        named().find(held).or_else(|| named().next()).map(|kind| kind.offset)
    }
}

impl Kind {
    fn during(&self, start: i64, end: i64) -> Local<'_> {
        Local { offset: self.offset, abbreviation: &self.abbreviation, summer: self.summer, start, end }
    }
}

/// For a zone whose kinds are missing altogether, which `read` refuses.
static NOWHERE: Kind = Kind { offset: 0, summer: false, abbreviation: String::new() };

impl Rules {
    /// What held before the first change: the first kind if no change leads to it, otherwise the first
    /// that is not summer time.
    fn first(&self) -> &Kind {
        let led_to = self.changes.iter().any(|(_, kind)| *kind == 0);
        let winter = || self.kinds.iter().find(|kind| !kind.summer);
        let chosen = if led_to { winter().or(self.kinds.first()) } else { self.kinds.first() };
        chosen.unwrap_or(&NOWHERE)
    }
}

/// Reads the second block of version 2 and later, the only block of version 1.
fn read(name: &str, bytes: &[u8]) -> Option<Rules> {
    let mut input = Bytes(bytes);
    let head = Head::read(&mut input)?;
    if head.version == 0 {
        return block(&mut input, &head, 4).map(|(kinds, changes)| Rules {
            name: name.to_string(),
            kinds,
            changes,
            tail: None,
        });
    }
    input.take(head.length(4)?)?;
    let head = Head::read(&mut input)?;
    let (kinds, changes) = block(&mut input, &head, 8)?;
    let footer = input.0.strip_prefix(b"\n").and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    let tail = footer.and_then(|footer| core::str::from_utf8(footer).ok()).and_then(Tail::parse);
    Some(Rules { name: name.to_string(), kinds, changes, tail })
}

/// Bytes not yet read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        let bytes: [u8; 4] = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    }
}

struct Head {
    version: u8,
    utc_marks: usize,
    standard_marks: usize,
    leaps: usize,
    changes: usize,
    kinds: usize,
    letters: usize,
}

impl Head {
    fn read(input: &mut Bytes<'_>) -> Option<Self> {
        if input.take(4)? != b"TZif" {
            return None;
        }
        let version = *input.take(16)?.first()?;
        let mut count = || input.count();
        let (utc_marks, standard_marks, leaps) = (count()?, count()?, count()?);
        let (changes, kinds, letters) = (count()?, count()?, count()?);
        if kinds == 0 || kinds > 256 {
            return None;
        }
        Some(Self { version, utc_marks, standard_marks, leaps, changes, kinds, letters })
    }

    /// Bytes of the block, a moment taking `width` of them.
    fn length(&self, width: usize) -> Option<usize> {
        let changes = self.changes.checked_mul(width + 1)?;
        let leaps = self.leaps.checked_mul(width + 4)?;
        let rest = self.kinds.checked_mul(6)?.checked_add(self.letters)?;
        changes.checked_add(leaps)?.checked_add(rest)?.checked_add(self.utc_marks)?.checked_add(self.standard_marks)
    }
}

/// The offsets and the changes between them.
type Block = (Vec<Kind>, Vec<(i64, u8)>);

fn block(input: &mut Bytes<'_>, head: &Head, width: usize) -> Option<Block> {
    let mut input_block = Bytes(input.take(head.length(width)?)?);
    let times = input_block.take(head.changes.checked_mul(width)?)?;
    let indices = input_block.take(head.changes)?;
    let kinds = input_block.take(head.kinds.checked_mul(6)?)?;
    let letters = input_block.take(head.letters)?;
    let kinds: Vec<Kind> = kinds.chunks_exact(6).map(|kind| kind_of(kind, letters)).collect::<Option<_>>()?;
    let changes: Vec<(i64, u8)> =
        times.chunks_exact(width).zip(indices).map(|(time, kind)| (moment(time), *kind)).collect();
    let sound =
        changes.iter().all(|(_, kind)| usize::from(*kind) < kinds.len()) && changes.is_sorted_by(|a, b| a.0 < b.0);
    sound.then_some((kinds, changes))
}

/// A signed big-endian number of any width up to eight bytes.
fn moment(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { -1 } else { 0 };
    bytes.iter().fold(sign, |sum, byte| sum << 8 | i64::from(*byte))
}

fn kind_of(bytes: &[u8], letters: &[u8]) -> Option<Kind> {
    let offset = i32::try_from(moment(bytes.get(..4)?)).ok()?;
    let name = letters.get(usize::from(*bytes.get(5)?)..)?.split(|byte| *byte == 0).next()?;
    let abbreviation = core::str::from_utf8(name).ok()?.to_string();
    Some(Kind { offset, summer: *bytes.get(4)? != 0, abbreviation })
}

/// A POSIX TZ string: standard time, perhaps summer time, and when it begins and ends.
#[derive(Debug, PartialEq, Eq)]
struct Tail {
    standard: Kind,
    summer: Option<(Kind, Rule, Rule)>,
}

/// A day of the year, and the seconds after its midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rule {
    day: Day,
    seconds: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    /// `J60`: from 1, the leap day is never counted.
    Plain(i64),
    /// `59`: from 0, the leap day is counted.
    Counted(i64),
    /// `M3.5.0`: month, week (5 is the last), weekday.
    Week(u8, i64, i64),
}

impl Tail {
    fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let name = abbreviation(&mut rest)?;
        let offset = -clock(&mut rest)?;
        let standard = Kind { offset: i32::try_from(offset).ok()?, summer: false, abbreviation: name };
        if rest.is_empty() {
            return Some(Self { standard, summer: None });
        }
        let name = abbreviation(&mut rest)?;
        let offset = if rest.is_empty() || rest.starts_with(',') { offset + 3600 } else { -clock(&mut rest)? };
        let summer = Kind { offset: i32::try_from(offset).ok()?, summer: true, abbreviation: name };
        // Without rules the habit of the United States holds, as tzset has it.
        let rules = if rest.is_empty() { ",M3.2.0,M11.1.0" } else { rest };
        let (start, end) = rules.strip_prefix(',')?.split_once(',')?;
        Some(Self { standard, summer: Some((summer, Rule::parse(start)?, Rule::parse(end)?)) })
    }

    fn at(&self, seconds: i64) -> Local<'_> {
        let Some((summer, begins, ends)) = &self.summer else {
            return self.standard.during(i64::MIN, i64::MAX);
        };
        let year = Civil::at(seconds).year;
        let first = days_before(year, 1, 1).saturating_mul(DAY);
        let last = days_before(year.saturating_add(1), 1, 1).saturating_mul(DAY);
        let begins = first.saturating_add(begins.second_of(year)).saturating_sub(i64::from(self.standard.offset));
        let ends = first.saturating_add(ends.second_of(year)).saturating_sub(i64::from(summer.offset));
        // In the south the year begins and ends in summer.
        let (outer, inner, from, to) = if begins <= ends {
            (&self.standard, summer, begins, ends)
        } else {
            (summer, &self.standard, ends, begins)
        };
        match seconds {
            early if early < from => outer.during(first, from),
            late if late >= to => outer.during(to, last),
            _ => inner.during(from, to),
        }
    }
}

impl Rule {
    fn parse(text: &str) -> Option<Self> {
        let (day, seconds) = match text.split_once('/') {
            Some((day, mut time)) => (day, clock(&mut time).filter(|_| time.is_empty())?),
            None => (text, 2 * 3600),
        };
        let within =
            |text: &str, least: i64, most: i64| text.parse::<i64>().ok().filter(|day| (least..=most).contains(day));
        let day = if let Some(plain) = day.strip_prefix('J') {
            Day::Plain(within(plain, 1, 365)?)
        } else if let Some(week) = day.strip_prefix('M') {
            let mut parts = week.split('.');
            let month = u8::try_from(within(parts.next()?, 1, 12)?).ok()?;
            Day::Week(month, within(parts.next()?, 1, 5)?, within(parts.next()?, 0, 6)?)
        } else {
            Day::Counted(within(day, 0, 365)?)
        };
        Some(Self { day, seconds })
    }

    /// Seconds from the start of the year, by the clock that holds before the change.
    fn second_of(self, year: i64) -> i64 {
        let day = match self.day {
            Day::Plain(day) => day - 1 + i64::from(is_leap(year) && day >= 60),
            Day::Counted(day) => day,
            Day::Week(month, week, weekday) => {
                let first = days_before(year, i64::from(month), 1);
                let ahead = (weekday - (first + 4)).rem_euclid(7);
                let mut day = ahead + (week - 1) * 7;
                if day >= i64::from(days_in(year, month)) {
                    day -= 7;
                }
                first + day - days_before(year, 1, 1)
            }
        };
        day * DAY + self.seconds
    }
}

/// `CET` or `<+0330>`.
fn abbreviation(rest: &mut &str) -> Option<String> {
    if let Some(quoted) = rest.strip_prefix('<') {
        let (name, after) = quoted.split_once('>')?;
        *rest = after;
        return Some(name.to_string());
    }
    let end = rest.find(|next: char| next.is_ascii_digit() || matches!(next, ',' | '+' | '-')).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    (name.len() >= 3).then(|| name.to_string())
}

/// `[+-]h[hh][:mm[:ss]]` in seconds.
fn clock(rest: &mut &str) -> Option<i64> {
    let (sign, mut text) = match rest.as_bytes().first()? {
        b'-' => (-1, rest.get(1..)?),
        b'+' => (1, rest.get(1..)?),
        _ => (1, *rest),
    };
    let mut total = 0;
    for (unit, most) in [(3600, 168), (60, 59), (1, 59)] {
        let end = text.find(|next: char| !next.is_ascii_digit()).unwrap_or(text.len());
        let (digits, after) = text.split_at(end);
        total += digits.parse::<i64>().ok().filter(|value| *value <= most)? * unit;
        text = after;
        match text.strip_prefix(':') {
            Some(after) if unit > 1 => text = after,
            _ => break,
        }
    }
    *rest = text;
    Some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::time::Timestamp;

    fn seconds(text: &str) -> i64 {
        Timestamp::parse_rfc3339(text).unwrap().seconds
    }

    fn zurich() -> Zone {
        Zone::read("Europe/Zurich", include_bytes!("../../../../tests/zones/Europe/Zurich")).unwrap()
    }

    #[test]
    fn a_zone_knows_its_past_and_its_rule_for_the_future() {
        let zone = zurich();
        for (at, offset, name) in [
            ("1900-01-01T00:00:00Z", 3600, "CET"),
            ("1985-07-01T00:00:00Z", 7200, "CEST"),
            ("2024-03-31T00:59:59Z", 3600, "CET"),
            ("2024-03-31T01:00:00Z", 7200, "CEST"),
            ("2060-07-01T00:00:00Z", 7200, "CEST"),
            ("2060-12-01T00:00:00Z", 3600, "CET"),
        ] {
            let local = zone.at(seconds(at));
            assert_eq!((local.offset, local.abbreviation), (offset, name), "{at}");
        }
    }

    #[test]
    fn a_skipped_and_a_repeated_hour_are_taken_as_go_takes_them() {
        let zone = zurich();
        let utc = |local: &str| zone.utc_of_local(seconds(local)) - seconds(local);
        assert_eq!(utc("2024-03-31T02:30:00Z"), -3600);
        assert_eq!(utc("2024-10-27T02:30:00Z"), -3600);
        assert_eq!(utc("2060-07-01T12:00:00Z"), -7200);
    }

    #[test]
    fn a_rule_may_name_its_days_in_three_ways_and_lie_in_the_south() {
        let sydney = Tail::parse("AEST-10AEDT,M10.1.0,M4.1.0/3").unwrap();
        assert_eq!(sydney.at(seconds("2024-01-01T00:00:00Z")).abbreviation, "AEDT");
        assert_eq!(sydney.at(seconds("2024-07-01T00:00:00Z")).abbreviation, "AEST");
        let days = Tail::parse("<+03>-3<+04>,J60/0,59/24").unwrap();
        let (_, begins, ends) = days.summer.unwrap();
        assert_eq!(begins.second_of(2024), 60 * DAY);
        assert_eq!(ends.second_of(2024), 60 * DAY);
        assert_eq!(Tail::parse("IST-5:30").unwrap().at(0).offset, 19_800);
    }

    #[test]
    fn bytes_cut_short_anywhere_are_refused_or_read() {
        let bytes = include_bytes!("../../../../tests/zones/Europe/Zurich");
        for end in 0..bytes.len() {
            if let Ok(zone) = Zone::read("x", &bytes[..end]) {
                let _any = zone.at(i64::MAX).offset + zone.at(i64::MIN).offset;
            }
        }
        assert!(Zone::read("x", b"TZif").is_err() && Zone::read("x", b"").is_err());
    }
}
