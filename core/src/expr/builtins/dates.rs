//! Dates, durations and zones: functions and methods. Zones come from the machine's TZif files by way of
//! [`crate::names::Functions::zone`], the clock by [`crate::names::Functions::now`].

use alloc::string::String;
use alloc::sync::Arc;

use super::{Builtin, Call, Check, Method, Nature, Overload};
use crate::error::expr::ExprFault;
use crate::error::{Error, Result};
use crate::expr::show;
use crate::expr::val::Val;
use crate::names::{Fuel, Scope};
use crate::text::time::{Moment, Timestamp, Zone, duration, layout};

const TIME: Nature = Nature::TIME;
const DURATION: Nature = Nature::DURATION;
const INT: Nature = Nature::INT;
const TEXT: Nature = Nature::TEXT;

/// The functions of this file.
pub const TABLE: &[Builtin] = &[
    Builtin { name: "now", check: Check::Rule(now_takes), call: now },
    Builtin { name: "duration", check: Check::Overloads(&[Overload(&[TEXT], DURATION)]), call: parse_duration },
    Builtin { name: "date", check: Check::Rule(date_takes), call: date },
    Builtin {
        name: "timezone",
        check: Check::Overloads(&[Overload(&[TEXT], Nature::ZONE)]),
        call: |call| zone(call.scope, call.text(0)?).map(Val::Zone),
    },
];

/// Methods of times, durations, zones, months and weekdays.
pub const METHODS: &[Method] = &[
    of_time("Add", &[DURATION], TIME, |call| {
        let (moment, nanos) = (receiver(call)?, nanos(call, 1)?);
        Ok(time(moment.at.plus(nanos), &moment.zone))
    }),
    of_time("AddDate", &[INT, INT, INT], TIME, |call| {
        let moment = receiver(call)?.add_date(call.int(1)?, call.int(2)?, call.int(3)?);
        Ok(Val::Time(Arc::new(moment)))
    }),
    of_time("After", &[TIME], Nature::BOOL, |call| Ok((receiver(call)?.at > other(call)?.at).into())),
    of_time("Before", &[TIME], Nature::BOOL, |call| Ok((receiver(call)?.at < other(call)?.at).into())),
    // Hour, minute and second at once, which an expression cannot take.
    Method { values: 3, ..of_time("Clock", &[], INT, unreachable) },
    of_time("Compare", &[TIME], INT, |call| Ok(Val::int(receiver(call)?.at.cmp(&other(call)?.at) as i64))),
    // Year, month and day at once.
    Method { values: 3, ..of_time("Date", &[], INT, unreachable) },
    of_time("Day", &[], INT, |call| Ok(Val::int(receiver(call)?.civil().day.into()))),
    of_time("Equal", &[TIME], Nature::BOOL, |call| Ok((receiver(call)?.at == other(call)?.at).into())),
    of_time("Format", &[TEXT], TEXT, |call| {
        let (moment, wanted) = (receiver(call)?, call.text(1)?);
        // The longest piece for its letters is a year of twelve digits.
        call.scope.fuel.step(wanted.len() as u64)?;
        call.scope.fuel.text(wanted.len().saturating_mul(4).saturating_add(64))?;
        Ok(layout::format(moment, wanted).into())
    }),
    of_time("Hour", &[], INT, |call| Ok(Val::int(receiver(call)?.civil().hour.into()))),
    // Of the two values that ISOWeek and Zone give, an expression gets the first.
    Method { values: 2, ..of_time("ISOWeek", &[], INT, |call| Ok(Val::int(receiver(call)?.civil().iso_week().0))) },
    of_time("In", &[Nature::ZONE], TIME, |call| match call.argument(1) {
        Val::Zone(zone) => Ok(time(receiver(call)?.at, zone)),
        _ => Err(call.wrong(1)),
    }),
    of_time("IsDST", &[], Nature::BOOL, |call| {
        let moment = receiver(call)?;
        Ok(moment.zone.at(moment.at.seconds).summer.into())
    }),
    of_time("IsZero", &[], Nature::BOOL, |call| Ok((receiver(call)?.at == Timestamp::YEAR_ONE).into())),
    of_time("Local", &[], TIME, |call| Ok(time(receiver(call)?.at, &Zone::utc()))),
    of_time("Location", &[], Nature::ZONE, |call| Ok(Val::Zone(receiver(call)?.zone.clone()))),
    of_time("Minute", &[], INT, |call| Ok(Val::int(receiver(call)?.civil().minute.into()))),
    of_time("Month", &[], Nature::MONTH, |call| Ok(Val::Month(receiver(call)?.civil().month))),
    of_time("Nanosecond", &[], INT, |call| Ok(Val::int(receiver(call)?.at.nanos.into()))),
    of_time("Round", &[DURATION], TIME, |call| {
        let (moment, unit) = (receiver(call)?, nanos(call, 1)?);
        let rest = past_multiple(moment.at, unit);
        let up = i128::from(rest) * 2 >= i128::from(unit) && unit > 0;
        let change = if up { unit - rest } else { -rest };
        Ok(time(moment.at.plus(change), &moment.zone))
    }),
    of_time("Second", &[], INT, |call| Ok(Val::int(receiver(call)?.civil().second.into()))),
    of_time("String", &[], TEXT, |call| Ok(layout::format(receiver(call)?, layout::STRING).into())),
    of_time("Sub", &[TIME], DURATION, |call| Ok(Val::Duration(receiver(call)?.at.since(other(call)?.at)))),
    of_time("Truncate", &[DURATION], TIME, |call| {
        let (moment, unit) = (receiver(call)?, nanos(call, 1)?);
        Ok(time(moment.at.plus(-past_multiple(moment.at, unit)), &moment.zone))
    }),
    of_time("UTC", &[], TIME, |call| Ok(time(receiver(call)?.at, &Zone::utc()))),
    of_time("Unix", &[], Nature::INT64, |call| Ok(Val::int(receiver(call)?.at.seconds))),
    of_time("UnixMicro", &[], Nature::INT64, |call| epoch(call, 1_000)),
    of_time("UnixMilli", &[], Nature::INT64, |call| epoch(call, 1_000_000)),
    of_time("UnixNano", &[], Nature::INT64, |call| epoch(call, 1)),
    of_time("Weekday", &[], Nature::WEEKDAY, |call| Ok(Val::Weekday(receiver(call)?.civil().weekday))),
    of_time("Year", &[], INT, |call| Ok(Val::int(receiver(call)?.civil().year))),
    of_time("YearDay", &[], INT, |call| Ok(Val::int(receiver(call)?.civil().year_day.into()))),
    Method {
        values: 2,
        ..of_time("Zone", &[], TEXT, |call| {
            let moment = receiver(call)?;
            Ok(moment.zone.at(moment.at.seconds).abbreviation.into())
        })
    },
    of_duration("Abs", &[], DURATION, |call| Ok(Val::Duration(nanos(call, 0)?.saturating_abs()))),
    of_duration("Hours", &[], Nature::FLOAT, |call| units(call, 3_600_000_000_000)),
    of_duration("Microseconds", &[], Nature::INT64, |call| Ok(Val::int(nanos(call, 0)? / 1_000))),
    of_duration("Milliseconds", &[], Nature::INT64, |call| Ok(Val::int(nanos(call, 0)? / 1_000_000))),
    of_duration("Minutes", &[], Nature::FLOAT, |call| units(call, 60_000_000_000)),
    of_duration("Nanoseconds", &[], Nature::INT64, |call| Ok(Val::int(nanos(call, 0)?))),
    of_duration("Round", &[DURATION], DURATION, |call| {
        Ok(Val::Duration(duration::round(nanos(call, 0)?, nanos(call, 1)?)))
    }),
    of_duration("Seconds", &[], Nature::FLOAT, |call| units(call, 1_000_000_000)),
    of_duration("String", &[], TEXT, |call| Ok(duration::format(nanos(call, 0)?).into())),
    of_duration("Truncate", &[DURATION], DURATION, |call| {
        Ok(Val::Duration(duration::truncate(nanos(call, 0)?, nanos(call, 1)?)))
    }),
    named(Nature::ZONE, |call| match call.argument(0) {
        Val::Zone(zone) => Ok(zone.name().into()),
        _ => Err(call.wrong(0)),
    }),
    named(Nature::MONTH, |call| match call.argument(0) {
        Val::Month(month) => Ok(show::month_name(*month).into()),
        _ => Err(call.wrong(0)),
    }),
    named(Nature::WEEKDAY, |call| match call.argument(0) {
        Val::Weekday(day) => Ok(show::weekday_name(*day).into()),
        _ => Err(call.wrong(0)),
    }),
];

const fn of_time(
    name: &'static str,
    parameters: &'static [Nature],
    gives: Nature,
    call: fn(&mut Call<'_>) -> Result<Val>,
) -> Method {
    Method { receiver: TIME, name, parameters, gives, values: 1, call }
}

const fn of_duration(
    name: &'static str,
    parameters: &'static [Nature],
    gives: Nature,
    call: fn(&mut Call<'_>) -> Result<Val>,
) -> Method {
    Method { receiver: DURATION, name, parameters, gives, values: 1, call }
}

const fn named(receiver: Nature, call: fn(&mut Call<'_>) -> Result<Val>) -> Method {
    Method { receiver, name: "String", parameters: &[], gives: TEXT, values: 1, call }
}

/// Methods that give more than two values are refused before they could be called.
fn unreachable(call: &mut Call<'_>) -> Result<Val> {
    Err(ExprFault::Signature(call.name.into()).into())
}

fn receiver<'a>(call: &Call<'a>) -> Result<&'a Moment> {
    moment(call, 0)
}

fn other<'a>(call: &Call<'a>) -> Result<&'a Moment> {
    moment(call, 1)
}

fn moment<'a>(call: &Call<'a>, index: usize) -> Result<&'a Moment> {
    match call.argument(index) {
        Val::Time(moment) => Ok(moment),
        _ => Err(call.wrong(index)),
    }
}

fn nanos(call: &Call<'_>, index: usize) -> Result<i64> {
    match call.argument(index) {
        Val::Duration(nanos) => Ok(*nanos),
        _ => Err(call.wrong(index)),
    }
}

fn time(at: Timestamp, zone: &Zone) -> Val {
    Val::Time(Arc::new(Moment { at, zone: zone.clone() }))
}

/// Nanoseconds since the last multiple of a unit, counted from the year 1 as Go counts.
fn past_multiple(at: Timestamp, unit: i64) -> i64 {
    if unit <= 0 {
        return 0;
    }
    let since = at.nanos_since_epoch() - Timestamp::YEAR_ONE.nanos_since_epoch();
    i64::try_from(since.rem_euclid(i128::from(unit))).unwrap_or(0)
}

/// Time since 1970 in a unit of so many nanoseconds; beyond 64 bits the high ones are lost, as in Go.
fn epoch(call: &mut Call<'_>, unit: i128) -> Result<Val> {
    Ok(Val::int(receiver(call)?.at.nanos_since_epoch().div_euclid(unit) as i64))
}

/// A duration in a unit: the whole part and the rest as two floats, added, as Go does it.
fn units(call: &mut Call<'_>, unit: i64) -> Result<Val> {
    let nanos = nanos(call, 0)?;
    Ok(((nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64).into())
}

fn now_takes(given: &[Nature]) -> Result<Nature, ExprFault> {
    match given {
        [] | [Nature::ZONE] => Ok(TIME),
        _ => Err(ExprFault::ArgumentCount("now".into(), given.len())),
    }
}

fn now(call: &mut Call<'_>) -> Result<Val> {
    let Some((seconds, nanos)) = call.scope.functions.now() else {
        return Err(Error::invalid("now is not available here: there is no clock"));
    };
    let at = Timestamp { seconds, nanos };
    match call.argument(0) {
        Val::Zone(zone) => Ok(time(at, zone)),
        _ => Ok(time(at, &Zone::utc())),
    }
}

fn parse_duration(call: &mut Call<'_>) -> Result<Val> {
    let text = call.text(0)?;
    call.scope.fuel.step(text.len() as u64 / 2)?;
    duration::parse(text).map(Val::Duration).map_err(|_| ExprFault::BadDuration(text.into()).into())
}

/// A zone first, if any; then a date, a layout, the name of a zone.
fn date_takes(given: &[Nature]) -> Result<Nature, ExprFault> {
    let rest = match given {
        [Nature::ZONE, rest @ ..] => rest,
        all => all,
    };
    if given.is_empty() || rest.len() > 3 {
        return Err(ExprFault::ArgumentCount("date".into(), given.len()));
    }
    Ok(TIME)
}

/// What a date without a layout may look like.
const LAYOUTS: [&str; 7] =
    ["2006-01-02", "15:04:05", "2006-01-02 15:04:05", layout::RFC3339, layout::RFC822, layout::RFC850, layout::RFC1123];

fn date(call: &mut Call<'_>) -> Result<Val> {
    let first = usize::from(matches!(call.argument(0), Val::Zone(_)));
    let given = call.arguments.len().saturating_sub(first);
    let text = call.text(first)?;
    let zone = match (call.argument(0), given) {
        (_, 3) => zone(call.scope, call.text(first + 2)?)?,
        (Val::Zone(zone), _) => zone.clone(),
        _ => Zone::utc(),
    };
    let bad = |why: Option<String>| {
        let shown = alloc::format!("{text:?}");
        ExprFault::BadDate(why.map_or_else(|| shown.clone(), |why| alloc::format!("{shown} ({why})")))
    };
    // Each of the layouts is tried, and a fault shows the text.
    call.scope.fuel.step(16 + text.len() as u64)?;
    call.scope.fuel.allocate(Fuel::CONTAINER)?;
    let moment = if given >= 2 {
        let wanted = call.text(first + 1)?;
        call.scope.fuel.step(wanted.len() as u64)?;
        layout::parse(wanted, text, &zone).map_err(|fault| bad(Some(alloc::format!("{fault}"))))?
    } else {
        let read = |layout: &&str| layout::parse(layout, text, &zone).ok();
        LAYOUTS.iter().find_map(read).ok_or_else(|| bad(None))?
    };
    Ok(Val::Time(Arc::new(moment)))
}

/// The zone of this name. A name never leads out of the folder of zones.
fn zone(scope: &Scope<'_>, name: &str) -> Result<Zone> {
    if matches!(name, "" | "UTC" | "Local") {
        return Ok(Zone::utc());
    }
    let unknown = || Error::from(ExprFault::BadZone(name.into()));
    let odd = name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| matches!(part, "" | "." | ".."));
    if odd || name.contains('\0') {
        return Err(unknown());
    }
    // The file is read anew each time.
    let bytes = scope.functions.zone(name).ok_or_else(unknown)?;
    scope.fuel.step(64 + bytes.len() as u64 / 4)?;
    scope.fuel.allocate(bytes.len().saturating_mul(4))?;
    Zone::read(name, &bytes).map_err(|_| unknown())
}
