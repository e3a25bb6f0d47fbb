//! How the times of a source are written.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::TimeZone;

/// The day of 1970-01-01 in a spreadsheet, whose day 1 is 1900-01-01 and which has a
/// 1900-02-29.
const EXCEL_EPOCH: f64 = 25_569.0;
const DAY_S: f64 = 86_400.0;

#[derive(Debug, Clone, PartialEq, Eq, Default, strum::EnumString, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum TimeFormat {
    /// UNIX seconds.
    #[default]
    Unix,
    /// UNIX milliseconds.
    UnixMs,
    /// A date and a time of day as in ISO 8601.
    Iso,
    /// A year and the day of the year from 1 on, with a fraction.
    #[strum(serialize = "year_doy")]
    YearDay,
    /// Days as a spreadsheet counts them.
    Excel,
    /// A `strptime` pattern.
    #[strum(default)]
    Pattern(String),
}

impl TimeFormat {
    /// The formats that [`TimeFormat::read`] takes, for a person.
    pub(crate) const FORMS: &str =
        "unix, unix_ms, iso, year_doy, excel or a pattern such as %Y-%m-%d %H:%M";

    /// The format that a person writes; `None` if it is neither a name nor a pattern of which
    /// times can be read.
    pub(crate) fn read(written: &str) -> Option<Self> {
        let format: Self = written.parse().ok()?;
        let Self::Pattern(pattern) = &format else {
            return Some(format);
        };
        // Which half of the day is not known.
        let lacks_half = (pattern.contains("%I") || pattern.contains("%l"))
            && !(pattern.contains("%p") || pattern.contains("%P"));
        let example = strtime::format(pattern, &Timestamp::default().to_zoned(TimeZone::UTC));
        let is_read = example.is_ok_and(|example| by_pattern(pattern, &example).is_some());
        (is_read && !lacks_half).then_some(format)
    }

    /// The UNIX time (seconds) that is written in this format; `None` if it is none.
    pub(crate) fn time(&self, written: &str) -> Option<f64> {
        let number = || written.parse::<f64>().ok();
        match self {
            Self::Unix => number(),
            Self::UnixMs => Some(number()? / 1e3),
            Self::Excel => {
                let days: f64 = written.replace(',', ".").parse().ok()?;
                Some(whole_ms((days - EXCEL_EPOCH) * DAY_S))
            }
            Self::YearDay => year_and_day(written),
            Self::Pattern(pattern) => by_pattern(pattern, written),
            // Its times have more than one form.
            Self::Iso => None,
        }
    }
}

/// A time that was counted in days, which is no more exact than that.
fn whole_ms(time: f64) -> f64 {
    (time * 1e3).round() / 1e3
}

/// The UNIX time of a year and a day of it from 1 on, with a fraction.
fn year_and_day(written: &str) -> Option<f64> {
    let (year, day) = written.split_once([' ', '-'])?;
    let day: f64 = day.trim().parse().ok()?;
    let begin = Date::new(year.trim().parse().ok()?, 1, 1).ok()?;
    let time = unix(begin.to_datetime(Time::midnight()))? + (day - 1.0) * DAY_S;
    (0.0..=367.0).contains(&day).then(|| whole_ms(time))
}

/// The UNIX time that is written by a pattern, in UTC if it has no zone.
fn by_pattern(pattern: &str, written: &str) -> Option<f64> {
    let parsed = BrokenDownTime::parse(pattern, written).ok()?;
    if let Ok(instant) = parsed.to_timestamp() {
        return Some(seconds(instant));
    }
    let date = || {
        let date = parsed.to_date();
        date.map(|date| date.to_datetime(Time::midnight()))
    };
    unix(parsed.to_datetime().or_else(|_| date()).ok()?)
}

/// The UNIX time of a date with a time of day in UTC.
pub(crate) fn unix(civil: DateTime) -> Option<f64> {
    Some(seconds(civil.to_zoned(TimeZone::UTC).ok()?.timestamp()))
}

/// The UNIX time of an instant.
pub(crate) fn seconds(instant: Timestamp) -> f64 {
    let micros = instant.as_microsecond() as f64;
    micros / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against `date -u +%s`, and the serial numbers of LibreOffice.
    #[test]
    fn each_format_reads_its_times() {
        for (format, written, expected) in [
            ("unix", "1670718579.5", Some(1_670_718_579.5)),
            ("unix_ms", "1670718579500", Some(1_670_718_579.5)),
            ("excel", "44906.0205902778", Some(1_670_718_579.0)),
            ("excel", "44906,0205902778", Some(1_670_718_579.0)),
            ("excel", "25569", Some(0.0)),
            ("year_doy", "2022 345.5", Some(1_670_760_000.0)),
            ("year_doy", "2022 400", None),
            (
                "%d.%m.%y %H:%M:%S",
                "11.12.22 00:29:39",
                Some(1_670_718_579.0),
            ),
            (
                "%m/%d/%Y %I:%M:%S %p",
                "12/11/2022 12:29:39 AM",
                Some(1_670_718_579.0),
            ),
            ("%d/%b/%Y", "11/Dec/2022", Some(1_670_716_800.0)),
            ("%Y-%jT%H:%M", "2022-345T12:00", Some(1_670_760_000.0)),
            (
                "%d.%m.%Y %H:%M %z",
                "11.12.2022 01:29 +0100",
                Some(1_670_718_540.0),
            ),
            ("%d.%m.%Y", "11/12/2022", None),
        ] {
            let format = TimeFormat::read(format).unwrap();
            assert_eq!(format.time(written), expected, "{format} {written}");
        }
    }

    #[test]
    fn a_format_that_reads_no_time_is_none() {
        for written in ["", "soon", "%H:%M", "%Y-%m-%d %I:%M", "%J", "%d.%m"] {
            assert_eq!(TimeFormat::read(written), None, "{written}");
        }
    }
}
