//! The times of a file.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{Timestamp, Zoned};

use super::dates::Moment;
use super::position::is_none;
use super::readings::TwoReadings;
use super::since::Since;
use crate::mapping::{TimeFormat, seconds, unix};
use crate::text;
use crate::track::field::FieldValue;
use crate::track::time::rfc3339;
use crate::track::{JsonKind, Member, RecordFault};

/// A number beyond this is a time in milliseconds: in seconds it is the year 5138. A thousand
/// times more is one in microseconds, and so on.
const MILLISECONDS_FROM: f64 = 1e11;
/// Numbers from 0 on that are all times before this (1976-12-21) are no UNIX time of a track:
/// rather days of a spreadsheet, or dates such as 20221201 or 202212011030.
pub(super) const LIKELY_FROM: f64 = 2.2e8;

/// Words in the heading of numbers that are UNIX time.
const OF_UNIX: &str = "s sec secs second seconds ms msec millis millisecond milliseconds us µs \
    μs micros microsecond microseconds ns nanos nanosecond nanoseconds unix unixtime epoch posix \
    timestamp time utc gmt z";
/// Numbers of fourteen digits begin here.
const FOURTEEN_DIGITS: f64 = 1e13;

/// A time as a row has it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Time<'a> {
    Whole(FieldValue<'a>),
    /// A date, and a time of day.
    Parts(FieldValue<'a>, FieldValue<'a>),
}

/// How the times of a source are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Notation {
    /// RFC 3339 in its usual variants, or UNIX time: those of a service.
    #[default]
    Iso,
    /// In any way that can be one time: those of a file.
    Any,
    /// As the user says.
    Format(TimeFormat),
}

/// Reads times, and remembers what it took for granted.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(super) notation: Notation,
    /// The number of the record whose time is read.
    pub(super) record: usize,
    /// Day and month as numbers: the first reading has the day first.
    order: TwoReadings,
    /// Digits that are a date, or by the second reading UNIX time.
    packed: TwoReadings,
    /// The heading of those digits.
    packed_heading: String,
    /// The heading of the last time without a zone, and its offset from UTC, seconds.
    heading: Option<(String, i32)>,
    /// The sentences about times without a zone.
    zones: Vec<String>,
    /// Some date has no time of day.
    lacks_time_of_day: bool,
    /// The latest time that was a number, UNIX seconds.
    latest_number: Option<f64>,
    /// The heading of the last number that was taken as UNIX time.
    number_heading: String,
    /// Numbers are seconds, however large: those of driftline's own files.
    pub(super) is_own: bool,
}

impl Clock {
    /// Reads times that are written so.
    pub(super) fn new(notation: Notation) -> Self {
        Self {
            notation,
            ..Self::default()
        }
    }

    /// The UNIX time (seconds) that a row has; `heading` is the name of its column, which
    /// may have the zone.
    pub(crate) fn time(&mut self, time: Time<'_>, heading: &str) -> Result<f64, RecordFault> {
        match time {
            Time::Whole(FieldValue::Text(written)) => self.text(written.trim(), heading),
            Time::Parts(FieldValue::Text(date), FieldValue::Text(time)) => {
                self.text(&format!("{} {}", date.trim(), time.trim()), heading)
            }
            Time::Parts(..) => Err(self.fault("date and time of day")),
            Time::Whole(value) => match value.number() {
                Some(number) if matches!(self.notation, Notation::Format(_)) => {
                    self.text(&number.to_string(), heading)
                }
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

    /// A time as the user says it is written; else a number, or a date with a time: blank or
    /// `T` between them, `-` or `/` in the date, with a zone or without.
    fn text(&mut self, written: &str, heading: &str) -> Result<f64, RecordFault> {
        if is_none(written) {
            return Err(RecordFault::NotNumber(Member::TimeStamp, JsonKind::Null));
        }
        if let Notation::Format(format) = &self.notation
            && *format != TimeFormat::Iso
        {
            let time = format.time(written).filter(|time| time.is_finite());
            return time.ok_or_else(|| self.fault(written));
        }
        let number = written
            .parse()
            .ok()
            .or_else(|| written.replacen(',', ".", 1).parse().ok());
        if let Some(number) = number.filter(|number: &f64| number.is_finite()) {
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
            None => self.moment(written, heading),
        }
    }

    /// A time as programs and people write it.
    fn moment(&mut self, written: &str, heading: &str) -> Result<f64, RecordFault> {
        let moment = match self.notation {
            Notation::Any => Moment::read(written),
            Notation::Iso | Notation::Format(_) => None,
        }
        .ok_or_else(|| self.fault(written))?;
        self.lacks_time_of_day |= moment.time.is_none();
        let own = moment.offset_s;
        let offset_s = f64::from(own.unwrap_or_else(|| self.offset_s(heading)));
        let readings = moment.civil().map(|civil| Some(unix(civil?)? - offset_s));
        let shown = || text::excerpt(written, 60);
        let time = self.order.choose(self.record, readings, shown);
        time.ok_or_else(|| self.fault(written))
    }

    /// The offset from UTC (seconds) of times without a zone below this heading.
    fn offset_s(&mut self, heading: &str) -> i32 {
        if let Some((known, offset_s)) = &self.heading
            && known == heading
        {
            return *offset_s;
        }
        let (offset_s, note) = zone_note(heading);
        if !self.zones.contains(&note) {
            self.zones.push(note);
        }
        self.heading = Some((heading.to_owned(), offset_s));
        offset_s
    }

    /// The time that a number below this heading is.
    fn number(&mut self, number: f64, heading: &str) -> Result<f64, RecordFault> {
        if heading.to_ascii_lowercase().contains(" since ") {
            let since = Since::parse(bracketed(heading).unwrap_or(heading)).ok_or_else(|| {
                let heading = text::excerpt(heading, 60);
                let words = format!(
                    "'{heading}' is no count of time: such as 'days since 1950-01-01' is expected"
                );
                RecordFault::Other(words.into())
            })?;
            return Ok(since.time(number));
        }
        let parts = match self.is_own {
            true => 1.0,
            false => parts_of_second(number, heading),
        };
        let time = number / parts;
        let is_any = self.notation == Notation::Any && !self.is_own;
        let packed = is_any.then(|| packed(number)).flatten();
        let utc = packed.and_then(|moment| unix(moment.civil()[0]?));
        // In milliseconds fourteen digits are a year beyond 2286.
        if let Some(date) = utc.filter(|_| number >= FOURTEEN_DIGITS) {
            return Ok(date - f64::from(self.offset_s(heading)));
        }
        let date = utc.map(|utc| utc - f64::from(zone_note(heading).0));
        if date.is_some() {
            heading.clone_into(&mut self.packed_heading);
        } else {
            self.latest_number = Some(self.latest_number.map_or(time, |known| known.max(time)));
            if self.number_heading != heading {
                heading.clone_into(&mut self.number_heading);
                self.note_unit(heading);
            }
        }
        let shown = || number.to_string();
        let chosen = self.packed.choose(self.record, [date, Some(time)], shown);
        chosen.ok_or_else(|| self.fault(&number.to_string()))
    }

    /// Notes the unit of a heading over numbers that are taken as UNIX time, if it says otherwise.
    fn note_unit(&mut self, heading: &str) {
        let is_known = |word: &str| OF_UNIX.split(' ').any(|known| known == word);
        let unit = bracketed(heading).unwrap_or_default().to_lowercase();
        let mut words = unit.split(|letter: char| !letter.is_alphanumeric());
        let named = ["utc", "gmt", "local", "lcl"];
        // CEST, EST, AKDT.
        let is_of_zone = |unit: &str| {
            unit.ends_with('T') && unit.chars().all(|letter| letter.is_ascii_uppercase())
        };
        let is_zone = named.iter().any(|zone| unit.contains(zone))
            || offset_s(&unit).is_some()
            || bracketed(heading).is_some_and(is_of_zone);
        if !self.is_own && !is_zone && !words.all(|word| word.is_empty() || is_known(word)) {
            self.zones.push(format!(
                "the unit of '{}' is not known: its numbers are taken as UNIX time",
                text::excerpt(heading, 60)
            ));
        }
    }

    /// The seconds that the whole column adds to times, by the numbers of their records.
    pub(super) fn corrections(&self) -> impl Iterator<Item = &[(usize, f64)]> {
        [self.order.corrections(), self.packed.corrections()].into_iter()
    }

    /// Both readings of dates of which no time shows the order of day and month.
    pub(super) fn unsettled(&self) -> Option<String> {
        let example = self
            .order
            .example
            .as_ref()
            .filter(|_| self.order.is_open())?;
        let moment = Moment::read(example)?;
        let [day_first, month_first] = moment.dates;
        Some(format!(
            "'{example}' is {} or {}, and no time of the column shows which: choose with \
             --time-format, such as '%d/%m/%Y %H:%M:%S' or '%m/%d/%Y %H:%M:%S'",
            day_first?, month_first?
        ))
    }

    /// The sentence about what was taken for granted.
    pub(crate) fn note(&self) -> Option<String> {
        let latest = self
            .latest_number
            .filter(|latest| (0.0..LIKELY_FROM).contains(latest));
        let near_1970 = latest.map(|latest| {
            let latest = rfc3339(latest.floor());
            let flag = match self.notation {
                Notation::Any => {
                    "; --time-format reads others, such as excel for days of a spreadsheet"
                }
                Notation::Iso | Notation::Format(_) => "",
            };
            format!("times that are numbers are taken as UNIX time: the latest is {latest}{flag}")
        });
        let digits = self
            .packed
            .example
            .as_ref()
            .filter(|_| self.packed.is_open());
        let packed = digits
            .map(|_| zone_note(&self.packed_heading).1)
            .filter(|note| !self.zones.contains(note));
        let lacks_time = self.lacks_time_of_day || digits.is_some_and(|digits| digits.len() == 8);
        let order = self.order.decided().map(|(is_second, by)| {
            let order = if is_second { "month/day" } else { "day/month" };
            format!("dates are taken as {order}/year, as '{by}' shows")
        });
        let day =
            lacks_time.then(|| "dates without a time of day are taken as midnight".to_owned());
        let zones = self.zones.iter().cloned().chain(packed);
        let notes: Vec<String> = zones.chain(order).chain(day).chain(near_1970).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    fn fault(&self, written: &str) -> RecordFault {
        let written = text::excerpt(written, 60);
        let words = match &self.notation {
            Notation::Iso => {
                format!("'{written}' is no time: 2026-11-23T14:05:00Z or UNIX seconds are expected")
            }
            Notation::Any => {
                // Which of its pairs is the year no digit shows.
                let patterns = match written.split(' ').next().is_some_and(is_short_date) {
                    true => "'%y%m%d %H%M%S' or '%d%m%y %H%M%S'",
                    false => "'%d.%m.%y %H:%M'",
                };
                format!(
                    "'{written}' is no time: 2026-11-23T14:05:00Z or UNIX seconds are expected, or \
                     --time-format with the pattern, such as {patterns}"
                )
            }
            Notation::Format(format) => {
                format!("'{written}' is no time of --time-format '{format}'")
            }
        };
        RecordFault::Other(words.into())
    }
}

/// The parts of a second that a time counts: those of the unit in the heading, else by its size.
fn parts_of_second(number: f64, heading: &str) -> f64 {
    let unit = bracketed(heading).unwrap_or_default().to_lowercase();
    match unit.as_str() {
        "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => return 1e3,
        "us" | "µs" | "μs" | "micros" | "microsecond" | "microseconds" => return 1e6,
        "ns" | "nanos" | "nanosecond" | "nanoseconds" => return 1e9,
        _ => {}
    }
    [1e9, 1e6, 1e3]
        .into_iter()
        .find(|parts| number.abs() > MILLISECONDS_FROM * parts / 1e3)
        .unwrap_or(1.0)
}

/// The digits of a number as a moment, if they are as many as one has.
fn packed(number: f64) -> Option<Moment> {
    let ranges = [1e7..1e8, 1e11..1e12, FOURTEEN_DIGITS..1e14];
    let is_of_length = ranges.iter().any(|range| range.contains(&number));
    is_of_length.then(|| Moment::packed(number))?
}

/// The offset from UTC (seconds) of times without a zone below this heading, and the sentence
/// about it.
fn zone_note(heading: &str) -> (i32, String) {
    let offset_s = zone_in(heading).map_or(Some(0), offset_s);
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
    (offset_s.unwrap_or(0), note)
}

/// A time as it is written.
pub(super) struct Instant {
    /// UNIX time, seconds, in UTC if it has no zone.
    pub(super) unix: f64,
    has_zone: bool,
}

/// The instant that a date, or a date with a time, is.
pub(super) fn instant(written: &str) -> Option<Instant> {
    let utc = written.strip_suffix(" UTC");
    let mut iso = utc.unwrap_or(written).replace('/', "-");
    if utc.is_some() {
        iso.push('Z');
    }
    if let Ok(instant) = iso.parse::<Timestamp>() {
        return Some(Instant {
            unix: seconds(instant),
            has_zone: true,
        });
    }
    // The name of a zone in brackets, as in RFC 9557: the zone decides.
    if written.contains('[') {
        let zoned = written.parse::<Zoned>().ok()?;
        return Some(Instant {
            unix: seconds(zoned.timestamp()),
            has_zone: true,
        });
    }
    let civil = iso.parse::<DateTime>().ok()?;
    Some(Instant {
        unix: unix(civil)?,
        has_zone: false,
    })
}

/// `true` for a date of six digits, two of them its year.
pub(super) fn is_short_date(written: &str) -> bool {
    written.len() == 6 && written.bytes().all(|byte| byte.is_ascii_digit())
}

/// The unit or zone in brackets after a name.
pub(crate) fn bracketed(heading: &str) -> Option<&str> {
    let (_, rest) = heading.split_once(['(', '['])?;
    rest.split([')', ']']).next().map(str::trim)
}

/// The first of the headings of a time that has a zone; empty if none has.
pub(crate) fn zoned<'a>(headings: impl IntoIterator<Item = &'a str>) -> &'a str {
    let mut headings = headings.into_iter();
    headings
        .find(|heading| zone_in(heading).is_some())
        .unwrap_or_default()
}

/// `true` if a heading says how far its times are from UTC.
pub(super) fn has_offset(heading: &str) -> bool {
    zone_in(heading).and_then(offset_s).is_some()
}

/// The part of a heading that may be a zone: in brackets, or from `UTC`, `GMT` or `local` on.
fn zone_in(heading: &str) -> Option<&str> {
    let lower = heading.to_ascii_lowercase();
    let named = || {
        ["utc", "gmt", "local", "lcl"]
            .iter()
            .find_map(|name| lower.find(name))
    };
    bracketed(heading)
        .or_else(|| heading.get(named()?..).map(str::trim))
        .filter(|zone| !zone.is_empty())
}

/// The offset from UTC (seconds) of a zone such as `UTC`, `GMT+2`, `Z` or `+05:30`; `None` of
/// another, such as `CEST` or `local`.
pub(super) fn offset_s(zone: &str) -> Option<i32> {
    let zone = zone.trim().to_ascii_lowercase();
    let names = ["utc", "gmt", "zulu", "ut", "z"];
    let named = names.iter().find_map(|name| zone.strip_prefix(name));
    let rest = named.unwrap_or(&zone).trim_matches([' ', '_']);
    let Some(sign) = rest
        .chars()
        .next()
        .filter(|first| matches!(first, '+' | '-'))
    else {
        // `utc_t`, `UTC_datetime`.
        let is_name = matches!(rest, "t" | "d" | "date" | "time" | "datetime" | "timestamp");
        let is_bare = rest.is_empty() || is_name || rest.starts_with([',', ';']);
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
pub(crate) fn is_unit_of_time(written: &str) -> bool {
    offset_s(written).is_some() || Since::parse(written).is_some()
}

#[cfg(test)]
mod tests;
