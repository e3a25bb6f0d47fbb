//! Times as text and text as times: RFC 3339, tables, ages, spans.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::temporal::{DateTimePrinter, Pieces};
use jiff::tz::TimeZone;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The time zone that the screen shows times in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum ShownZone {
    #[default]
    Utc,
    /// The time zone of this computer.
    Local,
}

/// Earliest and latest time that every writer can print: from the year 1 to
/// 9999-12-30T22:00:00Z, the last that every time zone has a date for. What lies
/// outside has no RFC 3339 form (its section 1 keeps to four digits).
pub(crate) const CALENDAR: (f64, f64) = (-62_135_596_800.0, 253_402_207_200.0);

/// A time stamp as an instant, to the microsecond; none outside [`CALENDAR`].
fn instant(time_stamp: f64) -> Option<Timestamp> {
    if !(CALENDAR.0..=CALENDAR.1).contains(&time_stamp) {
        return None;
    }
    // Within the calendar.
    let micros = (time_stamp * 1e6).round() as i64;
    Timestamp::from_microsecond(micros).ok()
}

/// RFC 3339 in UTC with `Z`, and with a fraction of up to six digits if it has one.
pub(crate) fn rfc3339(time_stamp: f64) -> String {
    let mut text = String::new();
    write_rfc3339(time_stamp, &mut text);
    text
}

/// Writes a time as [`rfc3339`] has it into a text that is used again.
pub(crate) fn write_rfc3339(time_stamp: f64, text: &mut String) {
    static PRINTER: DateTimePrinter = DateTimePrinter::new();
    text.clear();
    // jiff leaves out a fraction of zero and its trailing zeros.
    let written = instant(time_stamp).map(|instant| PRINTER.print_timestamp(&instant, &mut *text));
    if !matches!(written, Some(Ok(()))) {
        text.push_str("invalid");
    }
}

/// As tables show it: `2026-11-20 22:46:05`, in UTC or in a zone. A fraction of
/// a second is cut off.
pub(crate) fn table(time_stamp: f64, zone: Option<&TimeZone>) -> String {
    written(time_stamp, zone, "%Y-%m-%d %H:%M:%S")
}

/// A text with its times in RFC 3339 and UTC as [`table`] has them.
pub(crate) fn as_in_tables(text: &str, zone: Option<&TimeZone>) -> String {
    let shown = |word: &str| {
        let stamp = word.trim_end_matches([';', ':', ',', '.']);
        let at: Option<Timestamp> = stamp.strip_suffix('Z').and_then(|_| stamp.parse().ok());
        at.map_or_else(
            || word.to_owned(),
            |at| word.replace(stamp, &table(at.as_duration().as_secs_f64(), zone)),
        )
    };
    text.split(' ').map(shown).collect::<Vec<_>>().join(" ")
}

/// The day of a time in UTC: `2026-11-20`.
pub(crate) fn day(time_stamp: f64) -> String {
    written(time_stamp, None, "%Y-%m-%d")
}

/// In UTC or in a zone, as a pattern of strftime says. A fraction of a second is cut off.
pub(crate) fn written(time_stamp: f64, zone: Option<&TimeZone>, pattern: &str) -> String {
    let Some(instant) = instant(time_stamp.floor()) else {
        return "invalid".to_owned();
    };
    let zone = zone.cloned().unwrap_or(TimeZone::UTC);
    instant.to_zoned(zone).strftime(pattern).to_string()
}

/// The abbreviation of a zone at a time, such as `CET` or `+05`.
pub(crate) fn zone_name(time_stamp: f64, zone: &TimeZone) -> String {
    instant(time_stamp).map_or_else(String::new, |instant| {
        instant.to_zoned(zone.clone()).strftime("%Z").to_string()
    })
}

/// Seconds that the clock of a zone is ahead of UTC at a time; 0 without a zone.
pub(crate) fn ahead_of_utc(time_stamp: f64, zone: Option<&TimeZone>) -> f64 {
    let offset = |zone: &TimeZone| Some(zone.to_offset(instant(time_stamp)?).seconds());
    zone.and_then(offset).map_or(0.0, f64::from)
}

/// A span in the two largest units a person would say: `45 s`, `12 min`,
/// `2 h 13 min`, `3 d 4 h`; from two years on in years of the calendar's mean
/// length.
pub(crate) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "?".to_owned();
    }
    // Saturates.
    let whole = seconds.abs().floor() as u64;
    let days = whole / 86_400;
    let hours = whole / 3600 % 24;
    let minutes = whole / 60 % 60;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{minutes} min"),
        3600..86_400 if minutes == 0 => format!("{hours} h"),
        3600..86_400 => format!("{hours} h {minutes} min"),
        _ if days >= 730 => format!("{} y", days * 400 / 146_097),
        _ if days >= 100 || hours == 0 => format!("{days} d"),
        _ => format!("{days} d {hours} h"),
    }
}

/// A span as [`duration`] says it, rounded to its smallest unit and not cut: a
/// reporting interval of 599 s is 10 min.
pub(crate) fn interval(seconds: f64) -> String {
    let unit = match seconds.abs() {
        s if s < 59.5 => 1.0,
        s if s < 86_370.0 => 60.0,
        _ => 3600.0,
    };
    duration((seconds / unit).round() * unit)
}

/// How long before `now` a time lies: `2 h 13 min ago`. A time ahead of the
/// clock says so.
pub(crate) fn age(time_stamp: f64, now: f64) -> String {
    let age = short_age(time_stamp, now);
    if is_ahead(time_stamp, now) {
        age
    } else {
        format!("{age} ago")
    }
}

/// As [`age`], for a column whose heading says that it is an age: `2 h 13 min`.
pub(crate) fn short_age(time_stamp: f64, now: f64) -> String {
    let age = now - time_stamp;
    if is_ahead(time_stamp, now) {
        format!("in {}: clock?", duration(-age))
    } else {
        duration(age.max(0.0))
    }
}

/// If a time is ahead of the clock by more than clocks differ.
fn is_ahead(time_stamp: f64, now: f64) -> bool {
    now - time_stamp < -1.0
}

/// Why a text is neither a time nor a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TimeError(String);

impl TimeError {
    fn new(text: &str, why: &str) -> Self {
        Self(format!("'{}' {why}", crate::text::excerpt(text, 60)))
    }

    /// Outside [`CALENDAR`]: no file can hold it.
    fn not_in_calendar(text: &str) -> Self {
        let why = "is outside the times that files can hold: 0001-01-01T00:00:00Z to 9999-12-30T22:00:00Z";
        Self::new(text, why)
    }
}

/// A time as a user gives it: RFC 3339 (in UTC if it names no zone), a
/// date (its midnight in UTC), UNIX seconds, or an age before `now` such as `7d`. The answer is in UNIX seconds.
///
/// # Errors
/// When it is none of these, is outside [`CALENDAR`], or is a whole number from 1 to
/// 9999: that is a year or an age without its unit, and not a second of 1970.
pub(crate) fn parse(text: &str, now: f64) -> Result<f64, TimeError> {
    parse_in(text, now, None)
}

/// As [`parse`], but a time without a zone is in this zone; `None` for UTC.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_in(text: &str, now: f64, zone: Option<&TimeZone>) -> Result<f64, TimeError> {
    let time = read(text, now, zone)?;
    if (CALENDAR.0..=CALENDAR.1).contains(&time) {
        Ok(time)
    } else {
        Err(TimeError::not_in_calendar(text))
    }
}

/// The second that [`jiff`] leaves out where a time has second 60, which it reads as 59: by POSIX
/// a leap second is the first of the next minute, and so is one that was rounded up.
pub(crate) fn second_60_s(written: &str) -> f64 {
    let is_second = |(at, _): (usize, &str)| {
        let (before, after) = (&written[..at], &written[at + 3..]);
        let has_minute = before.len() > 2 && before.as_bytes()[before.len() - 3] == b':';
        has_minute && !after.starts_with(|next: char| next.is_ascii_digit() || next == ':')
    };
    f64::from(written.match_indices(":60").any(is_second))
}

/// A time of any year.
fn read(text: &str, now: f64, zone: Option<&TimeZone>) -> Result<f64, TimeError> {
    let text = text.trim();
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant.as_microsecond() as f64 / 1e6 + second_60_s(text));
    }
    // A date alone is its midnight; `Date` would pass over a time of day.
    let beyond = || TimeError::not_in_calendar(text);
    if let Ok(civil) = text.parse::<DateTime>() {
        let zone = zone.cloned().unwrap_or(TimeZone::UTC);
        let instant = civil.to_zoned(zone).map_err(|_| beyond())?;
        return Ok(instant.timestamp().as_microsecond() as f64 / 1e6 + second_60_s(text));
    }
    // A time with its zone that is no instant within the range of the library.
    if let Ok(pieces) = Pieces::parse(text)
        && pieces.time().is_some()
        && !(1..9999).contains(&pieces.date().year())
    {
        return Err(beyond());
    }
    // A bare number is what the service itself writes: a time stamp.
    let digits = text.strip_prefix('-').unwrap_or(text);
    if (1..=4).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte != b'0')
    {
        return Err(TimeError::new(
            text,
            "could be a year, an age or UNIX seconds; give a date (such as 2026-01-01), an age with its unit (7d, 12h), or seconds as 1970-01-01T00:00:07Z",
        ));
    }
    if let Ok(stamp) = text.parse::<f64>()
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    {
        return Ok(stamp);
    }
    match span(text) {
        Some(seconds) if seconds >= 0.0 => Ok(now - seconds),
        _ => Err(TimeError::new(
            text,
            "is not a time; give RFC 3339 (2026-11-20T22:46:05Z; UTC where no zone is given), a date (2026-11-20, its midnight in UTC), UNIX seconds (1700007200) or an age (2w, 7d, 1d12h, 30min, 45s)",
        )),
    }
}

/// The units of a span, the greatest first, with their length in seconds.
const UNITS: [(&str, f64); 6] = [
    ("w", 604_800.0),
    ("d", 86_400.0),
    ("h", 3600.0),
    ("min", 60.0),
    ("m", 60.0),
    ("s", 1.0),
];

/// A span as a user gives it, and as driftline prints it: `90s`, `15min`, `12h`, `3d`,
/// `2w`, or several of them, the greater first: `1d12h`, `1 d 12 h`. The answer is in
/// seconds, over 0 and at most ten years.
///
/// # Errors
/// When it is not a span, or outside these bounds. A number needs a unit: users mean different
/// units without one.
pub(crate) fn parse_duration(text: &str) -> Result<f64, TimeError> {
    match span(text) {
        None => Err(TimeError::new(
            text,
            "is not a duration; give whole numbers with their units, the greater first: 90s, 15min, 12h, 3d, 2w, 1d12h",
        )),
        Some(seconds) if seconds > 0.0 && seconds <= 315_576_000.0 => Ok(seconds),
        Some(_) => Err(TimeError::new(
            text,
            "is not a usable duration: it must be over 0 and at most 10 years",
        )),
    }
}

/// A span in whole seconds as text that [`parse_duration`] reads back: `1d12h`.
pub(crate) fn exact_duration(seconds: f64) -> String {
    parts(seconds, &["w", "d", "h", "min", "s"])
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect()
}

/// A span that a user gave, to the second: `1 d 6 h 30 min`.
pub(crate) fn whole_duration(seconds: f64) -> String {
    let parts: Vec<String> = parts(seconds, &["d", "h", "min", "s"])
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    parts.join(" ")
}

/// The whole seconds of a span in these units, the greater first; without those of which
/// there are none.
fn parts(seconds: f64, units: &[&str]) -> impl Iterator<Item = (f64, &'static str)> {
    let mut rest = seconds.round();
    let units = UNITS.into_iter().filter(|(unit, _)| units.contains(unit));
    units.filter_map(move |(unit, length)| {
        let count = (rest / length).floor();
        rest -= count * length;
        (count > 0.0).then_some((count, unit))
    })
}

/// A span in seconds.
fn span(text: &str) -> Option<f64> {
    let split_behind =
        |text: &'_ str, is_part: fn(&char) -> bool| text.chars().take_while(is_part).count();
    let mut rest = text.trim();
    let mut seconds = 0.0;
    let mut smallest = f64::INFINITY;
    while !rest.is_empty() {
        let (number, behind) = rest.split_at(split_behind(rest, char::is_ascii_digit));
        let behind = behind.trim_start();
        let (unit, behind) = behind.split_at(split_behind(behind, char::is_ascii_alphabetic));
        let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
        if *length >= smallest {
            return None;
        }
        seconds += number.parse::<f64>().ok()? * length;
        smallest = *length;
        rest = behind.trim_start();
    }
    smallest.is_finite().then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_for_people_has_no_time_for_programs() {
        let told = |text| as_in_tables(text, None);
        assert_eq!(
            told("no records since 2026-11-29T23:17:39Z; 3 of 4"),
            "no records since 2026-11-29 23:17:39; 3 of 4"
        );
        for as_it_was in ["", "Z", "a Z: b", "outside by  2 m"] {
            assert_eq!(told(as_it_was), as_it_was);
        }
    }

    #[test]
    fn a_duration_has_whole_numbers_with_units_the_greater_first() {
        for (typed, seconds) in [
            ("90s", 90.0),
            ("15min", 900.0),
            ("15m", 900.0),
            ("12h", 43_200.0),
            ("3d", 259_200.0),
            ("2w", 1_209_600.0),
            ("1d12h", 129_600.0),
            (" 1 d 12 h ", 129_600.0),
            ("1w 2d 3h 4min 5s", 788_645.0),
        ] {
            assert_eq!(parse_duration(typed), Ok(seconds), "{typed}");
        }
        for typed in [
            "", "12", "1.5h", "1d1.5h", "2days", "12 hours", "h", "12h1d", "1h1h", "1m1min", "-1h",
            "+1h", "1H", "1d 12", "1h,30m", "\u{661}h", "P1D", "1e3s",
        ] {
            let refused = parse_duration(typed);
            let why = refused.as_ref().unwrap_err().to_string();
            assert!(why.contains("is not a duration"), "{typed}: {refused:?}");
        }
        for typed in ["0s", "0d0h", "522w", "99999999999999999999999d"] {
            let refused = parse_duration(typed);
            let why = refused.as_ref().unwrap_err().to_string();
            assert!(why.contains("usable duration"), "{typed}: {refused:?}");
        }
    }

    #[test]
    fn a_duration_is_read_back_as_it_is_printed() {
        for seconds in [
            1.0, 59.0, 60.0, 3600.0, 5400.0, 86_400.0, 129_600.0, 777_600.0,
        ] {
            assert_eq!(parse_duration(&duration(seconds)), Ok(seconds));
        }
        for seconds in [1.0, 61.0, 5400.0, 129_600.0, 604_801.0, 99_999.0] {
            assert_eq!(parse_duration(&exact_duration(seconds)), Ok(seconds));
        }
    }

    #[test]
    fn a_time_that_no_file_can_hold_is_refused() {
        for typed in ["0000-01-01", "99999999999d", "-0001-05-05", "1e300"] {
            assert!(parse(typed, 1.8e9).is_err(), "{typed}");
        }
        assert!(parse("0002-01-01", 1.8e9).is_ok());
    }

    #[test]
    fn a_time_that_no_file_can_hold_names_the_bound_that_it_breaks() {
        for typed in [
            "9999-12-31",
            "9999-12-31T00:00:00Z",
            "9999-12-31T12:00:00+01:00",
            "0000-06-01",
            "1795214765000",
        ] {
            let words = parse(typed, 1.8e9).unwrap_err().to_string();
            assert!(words.contains("to 9999-12-30T22:00:00Z"), "{words}");
        }
        let last = parse("9999-12-30T22:00:00Z", 1.8e9);
        assert_eq!(last, Ok(CALENDAR.1));
    }

    #[test]
    fn a_year_or_an_age_without_its_unit_is_no_second_of_1970() {
        for typed in ["2027", "7", "30", "1970", "0012"] {
            let words = parse(typed, 1.8e9).unwrap_err().to_string();
            assert!(words.contains("a date (such as 2026-01-01)"), "{words}");
        }
        // Seconds are what the service writes.
        for (typed, seconds) in [("0", 0.0), ("1795214765", 1_795_214_765.0), ("7.5", 7.5)] {
            assert_eq!(parse(typed, 1.8e9), Ok(seconds), "{typed}");
        }
        assert_eq!(parse("-86400", 1.8e9), Ok(-86_400.0));
    }

    #[test]
    fn an_interval_is_rounded_and_an_age_is_not() {
        for (seconds, words) in [
            (14.6, "15 s"),
            (59.7, "1 min"),
            (599.0, "10 min"),
            (3582.0, "1 h"),
            (7770.0, "2 h 10 min"),
            (86_399.0, "1 d"),
            (863_000.0, "10 d"),
        ] {
            assert_eq!(interval(seconds), words);
        }
        assert_eq!(duration(599.0), "9 min");
    }

    #[test]
    fn times_before_1970_and_with_fractions_are_written_right() {
        assert_eq!(rfc3339(0.0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(-2_147_483_647.793), "1901-12-13T20:45:52.207Z");
        assert_eq!(rfc3339(1_670_499_952.41), "2022-12-08T11:45:52.41Z");
        assert_eq!(rfc3339(1e300), "invalid");
    }

    #[test]
    fn ages_are_in_words_a_person_uses() {
        let now = 1e9;
        for (age_s, words) in [
            (0.0, "0 s ago"),
            (59.9, "59 s ago"),
            (60.0, "1 min ago"),
            (7980.0, "2 h 13 min ago"),
            (7200.0, "2 h ago"),
            (273_600.0, "3 d 4 h ago"),
            (-7200.0, "in 2 h: clock?"),
            (1_015_977_600.0, "32 y ago"),
        ] {
            assert_eq!(age(now - age_s, now), words);
        }
    }

    #[test]
    fn what_a_person_gives_is_understood() {
        let now = 1_000_000.0;
        assert_eq!(parse("7d", now), Ok(now - 604_800.0));
        assert_eq!(parse("2026-11-20T22:46:05Z", now), Ok(1_795_214_765.0));
        assert_eq!(
            parse("2026-11-20T22:46:05.5+01:00", now),
            Ok(1_795_211_165.5)
        );
        assert_eq!(parse("1970-01-02", now), Ok(86_400.0));
        // A time of day without a zone is UTC, and is never passed over.
        for same in ["1970-01-02T10:30", "1970-01-02 10:30:00"] {
            assert_eq!(parse(same, now), Ok(124_200.0), "{same}");
        }
        for wrong in ["yesterday", "", "-7d", "2026-13-01", "7x", "NaN", "1e5"] {
            assert!(parse(wrong, now).is_err(), "{wrong}");
        }
        for (text, seconds) in [("30s", 30.0), ("5m", 300.0), ("2h", 7200.0)] {
            assert_eq!(parse_duration(text), Ok(seconds), "{text}");
        }
        for wrong in [
            "0",
            "0s",
            "-1s",
            "1e30s",
            "NaN",
            "inf",
            "",
            "s",
            "9999999999999d",
        ] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_time_makes_a_writer_panic(time in proptest::num::f64::ANY) {
            let _ = (rfc3339(time), table(time, None), age(time, 0.0), duration(time));
        }
    }
}
