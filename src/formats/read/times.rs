//! The times of a file.

use jiff::Timestamp;
use jiff::civil::{self, Date, DateTime};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

use crate::text;
use crate::track::field::FieldValue;
use crate::track::time::rfc3339;
use crate::track::{JsonKind, Member, RecordFault};

/// A number beyond this is a time in milliseconds: in seconds it is the year 5138.
const MILLISECONDS_FROM: f64 = 1e11;
/// Numbers from 0 on that are all below this (1973) are no UNIX seconds of a track: rather
/// days of a spreadsheet, or dates such as 20221201.
const LIKELY_FROM: f64 = 1e8;

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
    lacks_zone: bool,
    /// The latest time that was a number, UNIX seconds.
    latest_number: Option<f64>,
}

impl Clock {
    /// The UNIX time (seconds) that a row has.
    pub(super) fn time(&mut self, time: Time<'_>) -> Result<f64, RecordFault> {
        match time {
            Time::Whole(FieldValue::Text(written)) => self.text(written.trim()),
            Time::Parts(FieldValue::Text(date), FieldValue::Text(time)) => {
                self.text(&format!("{} {}", date.trim(), time.trim()))
            }
            Time::Parts(..) => Err(fault("date and time of day")),
            Time::Whole(value) => match value.number() {
                Some(number) => Ok(self.number(number)),
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
    fn text(&mut self, written: &str) -> Result<f64, RecordFault> {
        if written.is_empty() {
            return Err(RecordFault::NotNumber(Member::TimeStamp, JsonKind::Null));
        }
        if let Ok(number) = written.parse::<f64>()
            && number.is_finite()
        {
            return Ok(self.number(number));
        }
        let changed: String;
        let written_iso = if written.contains('/') || written.ends_with(" UTC") {
            changed = written.trim_end_matches(" UTC").replace('/', "-");
            if written.ends_with(" UTC") {
                format!("{changed}Z")
            } else {
                changed
            }
        } else {
            written.to_owned()
        };
        if let Ok(instant) = written_iso.parse::<Timestamp>() {
            return Ok(unix(instant));
        }
        if let Ok(civil) = written_iso.parse::<DateTime>()
            && let Ok(instant) = civil.to_zoned(TimeZone::UTC)
        {
            self.lacks_zone = true;
            return Ok(unix(instant.timestamp()));
        }
        Err(fault(written))
    }

    /// The time that a number is.
    fn number(&mut self, number: f64) -> f64 {
        let time = if number.abs() > MILLISECONDS_FROM {
            number / 1e3
        } else {
            number
        };
        let latest = self.latest_number.map_or(time, |known| known.max(time));
        self.latest_number = Some(latest);
        time
    }

    /// The sentence about what was taken for granted.
    pub(super) fn note(&self) -> Option<String> {
        let latest = self.latest_number;
        let latest = latest.filter(|latest| (0.0..LIKELY_FROM).contains(latest));
        let near_1970 = latest.map(|latest| {
            let latest = rfc3339(latest.floor());
            format!("times that are numbers are taken as UNIX seconds: the latest is {latest}")
        });
        let zone = self.lacks_zone;
        let zone = zone.then(|| "times without a zone are taken as UTC".to_owned());
        let notes: Vec<String> = zone.into_iter().chain(near_1970).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
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
            .time(Time::Whole(FieldValue::Text(written)))
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
        assert_eq!(Clock::default().time(parts).ok(), expected);
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
        clock.time(time("2022-12-11T00:29:39Z")).unwrap();
        assert_eq!(clock.note(), None);
        clock.time(time("2022-12-11T00:29:39")).unwrap();
        assert!(clock.note().unwrap().contains("UTC"));
    }
}
