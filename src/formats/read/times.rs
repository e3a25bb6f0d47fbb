//! The times of a file.

use jiff::civil::{self, Date, DateTime};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};

use crate::text;
use crate::track::field::FieldValue;
use crate::track::time::rfc3339;
use crate::track::{JsonKind, Member, RecordFault};

/// A number beyond this is a time in milliseconds: in seconds it is the year 5138.
const MILLISECONDS_FROM: f64 = 1e11;
/// Numbers from 0 on that are all times before this (1976-12-21) are no UNIX time of a track:
/// rather days of a spreadsheet, or dates such as 20221201 or 202212011030.
const LIKELY_FROM: f64 = 2.2e8;

/// A time as a row has it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Time<'a> {
    Whole(FieldValue<'a>),
    /// A date, and a time of day.
    Parts(FieldValue<'a>, FieldValue<'a>),
}

/// Reads times, and remembers what it took for granted.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// The heading of the last time without a zone, and its offset from UTC, seconds.
    heading: Option<(String, i32)>,
    /// The sentences about times without a zone.
    zones: Vec<String>,
    /// Some date has no time of day.
    lacks_time_of_day: bool,
    /// The latest time that was a number, UNIX seconds.
    latest_number: Option<f64>,
    /// Numbers are seconds, however large: those of driftline's own files.
    pub(super) is_own: bool,
}

impl Clock {
    /// The UNIX time (seconds) that a row has; `heading` is the name of its column, which
    /// may have the zone.
    pub(super) fn time(&mut self, time: Time<'_>, heading: &str) -> Result<f64, RecordFault> {
        match time {
            Time::Whole(FieldValue::Text(written)) => self.text(written.trim(), heading),
            Time::Parts(FieldValue::Text(date), FieldValue::Text(time)) => {
                self.text(&format!("{} {}", date.trim(), time.trim()), heading)
            }
            Time::Parts(..) => Err(fault("date and time of day")),
            Time::Whole(value) => match value.number() {
                Some(number) => self.number(number, heading),
                None => Err(RecordFault::NotNumber(
                    Member::TimeStamp,
                    match value {
                        FieldValue::Truth(_) => JsonKind::Boolean,
                        _ => JsonKind::Null,
                    },
                )),
            },
        }
    }

    /// A number, or a date with a time: blank or `T` between them, `-` or `/` in the
    /// date, with a zone or without.
    fn text(&mut self, written: &str, heading: &str) -> Result<f64, RecordFault> {
        if written.is_empty() {
            return Err(RecordFault::NotNumber(Member::TimeStamp, JsonKind::Null));
        }
        if let Ok(number) = written.parse::<f64>()
            && number.is_finite()
        {
            return self.number(number, heading);
        }
        match instant(written) {
            Some(Instant {
                unix,
                has_zone: true,
            }) => Ok(unix),
            Some(Instant {
                unix,
                has_zone: false,
            }) => {
                self.lacks_time_of_day |= !written.contains(['T', 't', ' ']);
                Ok(unix - f64::from(self.offset_s(heading)))
            }
            None => Err(fault(written)),
        }
    }

    /// The offset from UTC (seconds) of times without a zone below this heading.
    fn offset_s(&mut self, heading: &str) -> i32 {
        if let Some((known, offset_s)) = &self.heading
            && known == heading
        {
            return *offset_s;
        }
        let zone = zone_of(heading);
        let offset_s = zone.map_or(Some(0), offset_s);
        let shown = text::excerpt(heading, 60);
        let note = match offset_s {
            Some(0) => "times without a zone are taken as UTC".to_owned(),
            Some(offset_s) => format!(
                "times without a zone are taken as UTC{}, by the heading '{shown}'",
                Offset::from_seconds(offset_s).unwrap_or(Offset::UTC)
            ),
            None => format!(
                "times without a zone are taken as UTC: the heading '{shown}' has no offset from it, such as 'time (UTC+2)' has"
            ),
        };
        if !self.zones.contains(&note) {
            self.zones.push(note);
        }
        let offset_s = offset_s.unwrap_or(0);
        self.heading = Some((heading.to_owned(), offset_s));
        offset_s
    }

    /// The time that a number below this heading is.
    fn number(&mut self, number: f64, heading: &str) -> Result<f64, RecordFault> {
        if heading.contains(" since ") {
            let since = Since::of(bracketed(heading).unwrap_or(heading));
            let since = since.ok_or_else(|| {
                let heading = text::excerpt(heading, 60);
                let words = format!(
                    "'{heading}' is no count of time: such as 'days since 1950-01-01' is expected"
                );
                RecordFault::Other(words.into())
            })?;
            return Ok(since.time(number));
        }
        let time = if number.abs() > MILLISECONDS_FROM && !self.is_own {
            number / 1e3
        } else {
            number
        };
        let latest = self.latest_number.map_or(time, |known| known.max(time));
        self.latest_number = Some(latest);
        Ok(time)
    }

    /// The sentence about what was taken for granted.
    pub(super) fn note(&self) -> Option<String> {
        let latest = self.latest_number;
        let latest = latest.filter(|latest| (0.0..LIKELY_FROM).contains(latest));
        let near_1970 = latest.map(|latest| {
            let latest = rfc3339(latest.floor());
            format!("times that are numbers are taken as UNIX time: the latest is {latest}")
        });
        let day = "dates without a time of day are taken as midnight".to_owned();
        let day = self.lacks_time_of_day.then_some(day);
        let zones = self.zones.iter().cloned();
        let notes: Vec<String> = zones.chain(day).chain(near_1970).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// The count of time in the units of the CF conventions (1.8, section 4.4), such as
/// `days since 1950-01-01T00:00:00Z`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since {
    /// A step of the count, seconds.
    unit_s: f64,
    /// The UNIX time of its zero, seconds.
    zero: f64,
}

impl Since {
    /// The count that is written so. Months and years have no length of their own.
    pub(super) fn of(written: &str) -> Option<Self> {
        let (unit, zero) = written.trim().split_once(" since ")?;
        let unit_s = match unit.trim().to_ascii_lowercase().as_str() {
            "ms" | "msec" | "millisecond" | "milliseconds" => 1e-3,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => return None,
        };
        // The conventions allow 1950-1-1.
        let zero = zero.trim();
        let (date, time) = zero.split_once([' ', 'T']).unwrap_or((zero, ""));
        let date: Vec<String> = date.split('-').map(|part| format!("{part:0>2}")).collect();
        let zero = format!("{} {time}", date.join("-"));
        let zero = instant(zero.trim_end())?.unix;
        Some(Self { unit_s, zero })
    }

    /// The UNIX time (seconds) that a number is.
    pub(super) fn time(self, number: f64) -> f64 {
        let time = self.zero + number * self.unit_s;
        if self.unit_s <= 1.0 {
            return time;
        }
        // A day as a fraction is no more exact than that.
        (time * 1e3).round() / 1e3
    }
}

/// A time as it is written.
struct Instant {
    /// UNIX time, seconds, in UTC if it has no zone.
    unix: f64,
    has_zone: bool,
}

/// The instant that a date, or a date with a time, is.
fn instant(written: &str) -> Option<Instant> {
    let utc = written.strip_suffix(" UTC");
    let mut iso = utc.unwrap_or(written).replace('/', "-");
    if utc.is_some() {
        iso.push('Z');
    }
    if let Ok(instant) = iso.parse::<Timestamp>() {
        let unix = unix(instant);
        return Some(Instant {
            unix,
            has_zone: true,
        });
    }
    // The name of a zone in brackets, as in RFC 9557: the zone decides.
    if written.contains('[') {
        let zoned = written.parse::<Zoned>().ok()?;
        return Some(Instant {
            unix: unix(zoned.timestamp()),
            has_zone: true,
        });
    }
    let civil = iso.parse::<DateTime>().ok()?;
    let unix = unix(civil.to_zoned(TimeZone::UTC).ok()?.timestamp());
    Some(Instant {
        unix,
        has_zone: false,
    })
}

/// The unit or zone in brackets after a name.
pub(super) fn bracketed(heading: &str) -> Option<&str> {
    let (_, rest) = heading.split_once(['(', '['])?;
    rest.split([')', ']']).next().map(str::trim)
}

/// The first of the headings of a time that has a zone; empty if none has.
pub(super) fn zoned<'a>(headings: impl IntoIterator<Item = &'a str>) -> &'a str {
    let mut headings = headings.into_iter();
    headings
        .find(|heading| zone_of(heading).is_some())
        .unwrap_or_default()
}

/// The part of a heading that may be a zone: in brackets, or from `UTC`, `GMT` or `local` on.
fn zone_of(heading: &str) -> Option<&str> {
    let lower = heading.to_ascii_lowercase();
    let named = || {
        ["utc", "gmt", "local"]
            .iter()
            .find_map(|name| lower.find(name))
    };
    bracketed(heading)
        .or_else(|| heading.get(named()?..).map(str::trim))
        .filter(|zone| !zone.is_empty())
}

/// The offset from UTC (seconds) of a zone such as `UTC`, `GMT+2`, `Z` or `+05:30`; `None` of
/// another, such as `CEST` or `local`.
fn offset_s(zone: &str) -> Option<i32> {
    let zone = zone.trim().to_ascii_lowercase();
    let names = ["utc", "gmt", "zulu", "ut", "z"];
    let named = names.iter().find_map(|name| zone.strip_prefix(name));
    let rest = named.unwrap_or(&zone).trim_matches([' ', '_']);
    let Some(sign) = rest
        .chars()
        .next()
        .filter(|first| matches!(first, '+' | '-'))
    else {
        let is_bare = matches!(rest, "" | "time") || rest.starts_with([',', ';']);
        return (named.is_some() && is_bare).then_some(0);
    };
    let digits = rest.get(1..)?;
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "0"),
    };
    let part = |digits: &str, most: i32| {
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: i32 = is_number.then(|| digits.parse().ok())??;
        (number <= most).then_some(number)
    };
    let offset_s = part(hours, 14)? * 3600 + part(minutes, 59)? * 60;
    Some(if sign == '-' { -offset_s } else { offset_s })
}

/// `true` for the zone or the count of times, as a row of units has it: it may have digits.
pub(super) fn is_unit_of_time(written: &str) -> bool {
    offset_s(written).is_some() || Since::of(written).is_some()
}

fn unix(instant: Timestamp) -> f64 {
    #[allow(clippy::cast_precision_loss)] // microseconds of four-digit years
    let micros = instant.as_microsecond() as f64;
    micros / 1e6
}

/// The UNIX time of a year and a day of it from 1 on, with a fraction.
pub(super) fn year_and_day(written: &str) -> Option<f64> {
    let (year, day) = written.split_once(' ')?;
    let day: f64 = day.trim().parse().ok()?;
    let begin = Date::new(year.trim().parse().ok()?, 1, 1).ok()?;
    let begin = begin.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    #[allow(clippy::cast_precision_loss)] // seconds of four-digit years
    let time = begin as f64 + (day - 1.0) * 86_400.0;
    // A day as a fraction has no more than that.
    (0.0..=367.0)
        .contains(&day)
        .then(|| (time * 1e3).round() / 1e3)
}

/// The UNIX time that is written by a pattern, in UTC if it has no zone.
pub(super) fn by_pattern(pattern: &str, written: &str) -> Option<f64> {
    let parsed = BrokenDownTime::parse(pattern, written).ok()?;
    let instant = match parsed.to_timestamp() {
        Ok(instant) => instant,
        Err(_) => {
            let date = || {
                parsed
                    .to_date()
                    .map(|date| date.to_datetime(civil::Time::midnight()))
            };
            let civil: DateTime = parsed.to_datetime().or_else(|_| date()).ok()?;
            civil.to_zoned(TimeZone::UTC).ok()?.timestamp()
        }
    };
    Some(unix(instant))
}

fn fault(written: &str) -> RecordFault {
    let written = text::excerpt(written, 60);
    let words =
        format!("'{written}' is no time: 2026-11-23T14:05:00Z or UNIX seconds are expected");
    RecordFault::Other(words.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &str) -> Option<f64> {
        Clock::default()
            .time(Time::Whole(FieldValue::Text(written)), "")
            .ok()
    }

    #[test]
    fn times_of_other_programs_are_read_to_the_same_second() {
        // 2022-12-11T00:29:39Z by `date -u +%s`.
        let expected = Some(1_670_718_579.0);
        for written in [
            "2022-12-11T00:29:39Z",
            "2022-12-11 00:29:39",
            "2022/12/11 00:29:39+00",
            "2022-12-11T01:29:39+01:00",
            "2022-12-11 00:29:39 UTC",
            "2022-12-11 00:29:39.000",
            "1670718579",
            "1670718579000",
        ] {
            assert_eq!(read(written), expected, "{written}");
        }
        let parts = Time::Parts(FieldValue::Text("2022/12/11"), FieldValue::Text("00:29:39"));
        assert_eq!(Clock::default().time(parts, "").ok(), expected);
    }

    #[test]
    fn what_could_be_two_times_is_none() {
        for written in [
            "",
            "11/12/2022 00:29:39",
            "2022-12-11 02:30 PM",
            "yesterday",
            "2022-13-01",
            "NaN",
        ] {
            assert_eq!(read(written), None, "{written}");
        }
    }

    #[test]
    fn a_time_without_a_zone_is_utc_and_that_is_noted() {
        let mut clock = Clock::default();
        let time = |written| Time::Whole(FieldValue::Text(written));
        clock.time(time("2022-12-11T00:29:39Z"), "time").unwrap();
        assert_eq!(clock.note(), None);
        clock.time(time("2022-12-11T00:29:39"), "time").unwrap();
        assert!(clock.note().unwrap().contains("UTC"));
    }

    /// Against `cftime` 1.6 (`num2date`).
    #[test]
    fn numbers_below_a_count_since_a_date_are_the_times_that_cf_says() {
        let read = |number: f64, heading: &str| {
            let time = Time::Whole(FieldValue::Number(number));
            Clock::default().time(time, heading).ok()
        };
        for (heading, number, time) in [
            (
                "time (seconds since 2000-01-01T00:00:00Z)",
                8.4e8,
                1_786_684_800.0,
            ),
            (
                "time [days since 1950-01-01 00:00:00 UTC]",
                28_000.25,
                1_788_069_600.0,
            ),
            (
                "time (days since 1950-1-1)",
                27_740.000_011_574_074,
                1_765_584_001.0,
            ),
            ("t (hours since 1900-01-01 00:00:0)", 0.0, f64::NAN),
            ("t (Hours since 1970-01-01T00:00:00+01:00)", 1.5, 1800.0),
            ("t (minutes since 1970-01-01)", 2.0, 120.0),
            ("t (milliseconds since 1970-01-01)", 1500.0, 1.5),
            ("seconds since 1970-01-01", 0.123_456_7, 0.123_456_7),
            ("t (months since 1950-01-01)", 2.0, f64::NAN),
            ("t (days since deployment)", 2.0, f64::NAN),
        ] {
            let expected = Some(time).filter(|time| time.is_finite());
            assert_eq!(read(number, heading), expected, "{heading}");
        }
        // A time that is written out needs no count.
        let mut clock = Clock::default();
        let written = Time::Whole(FieldValue::Text("1970-01-01T00:00:07Z"));
        assert_eq!(
            clock.time(written, "t (days since 1950-01-01)").ok(),
            Some(7.0)
        );
    }

    #[test]
    fn a_date_without_a_time_of_day_is_midnight_and_that_is_noted() {
        let mut clock = Clock::default();
        let midnight = clock.time(Time::Whole(FieldValue::Text("2022-12-11")), "date");
        assert_eq!(midnight.unwrap() % 86_400.0, 0.0);
        assert!(clock.note().unwrap().contains("midnight"));
    }

    #[test]
    fn the_offset_in_a_heading_is_that_of_times_without_a_zone() {
        let read = |written: &str, heading: &str| {
            let mut clock = Clock::default();
            let time = clock.time(Time::Whole(FieldValue::Text(written)), heading);
            (time.unwrap(), clock.note().unwrap_or_default())
        };
        let utc = read("2022-12-11 00:29:39", "time").0;
        for (heading, hours, said) in [
            (
                "time (UTC+2)",
                2.0,
                "taken as UTC+02, by the heading 'time (UTC+2)'",
            ),
            ("time [GMT-03:30]", -3.5, "taken as UTC-03:30"),
            ("Time (+0545)", 5.75, "taken as UTC+05:45"),
            ("time_gmt+1", 1.0, "taken as UTC+01"),
            ("time (UTC)", 0.0, "taken as UTC"),
            ("time [Z]", 0.0, "taken as UTC"),
            ("GMT time", 0.0, "taken as UTC"),
            ("time (utc, ISO 8601)", 0.0, "taken as UTC"),
            ("timestamp [CEST]", 0.0, "'timestamp [CEST]' has no offset"),
            ("Local time", 0.0, "'Local time' has no offset"),
            ("time (GMT Summer Time)", 0.0, "has no offset"),
            ("time (UTC-5/-4)", 0.0, "has no offset"),
        ] {
            let (time, note) = read("2022-12-11 00:29:39", heading);
            assert_eq!(utc - time, hours * 3600.0, "{heading}");
            assert!(note.contains(said), "{heading}: {note}");
            assert_eq!(
                note.contains("heading"),
                hours != 0.0 || said.contains("no offset")
            );
            // A time with a zone of its own, or a number, needs none.
            for written in ["2022-12-11T00:29:39Z", "1670718579"] {
                assert_eq!(read(written, heading), (utc, String::new()), "{heading}");
            }
        }
    }
}
