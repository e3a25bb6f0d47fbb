//! The times of a file.

mod of_day;
mod settled;
mod zone;

pub(super) use of_day::has_unit_of_day;
pub(crate) use zone::{bracketed, zoned};
pub(super) use zone::{has_offset, is_zone, offset_s};

use jiff::civil::DateTime;
use jiff::{Timestamp, Zoned};

use super::dates::Moment;
use super::position::is_none;
use super::readings::{Readings, Settled};
use super::since::Since;
use crate::mapping::{TimeFormat, seconds, unix};
use crate::text;
use crate::track::field::FieldValue;
use crate::track::time::{rfc3339, second_60_s};
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
    /// A date, and a time of day with the name of its column.
    Parts(FieldValue<'a>, FieldValue<'a>, &'a str),
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
    /// Day and month as numbers: the first reading has the day first.
    order: Readings,
    /// Digits that are a date, or by the second reading UNIX time.
    packed: Readings,
    /// The heading of those digits.
    packed_heading: String,
    /// Digits that are a time of day, by [`of_day::readings`].
    of_day: Readings,
    /// The zone of the record whose time is read, as it is next to that; empty without one.
    zone: String,
    /// The name of the column of the zones, once one of them was needed.
    zone_heading: String,
    /// The name of the column that has a zone for other records and none for this one.
    blank: Option<String>,
    column: zone::Column,
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
    /// Reads times that are written so, by the readings that are known.
    pub(super) fn new(notation: Notation, known: Settled) -> Self {
        Self {
            notation,
            column: zone::Column::new(known.zone_of_blanks),
            order: Readings::new(known.order),
            packed: Readings::new(known.packed),
            of_day: Readings::new(known.of_day),
            ..Self::default()
        }
    }

    /// The UNIX time (seconds) that a row has; `heading` is the name of its column, which
    /// may have the zone.
    pub(crate) fn time(&mut self, time: Time<'_>, heading: &str) -> Result<f64, RecordFault> {
        match time {
            Time::Whole(FieldValue::Text(written)) => self.text(written.trim(), heading),
            Time::Parts(date, time, name) => {
                let written = |value| match value {
                    FieldValue::Text(written) => Some(written.trim().to_owned()),
                    value => value.number().map(|number| number.to_string()),
                };
                let (Some(date), Some(mut time)) = (written(date), written(time)) else {
                    return Err(self.fault("date and time of day"));
                };
                if self.notation == Notation::Any {
                    time = self.time_of_day(time, name)?;
                }
                self.text(&format!("{date} {time}"), heading)
            }
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

    /// The time of day that a number is, as `12:30:00`; any other as it is written.
    fn time_of_day(&mut self, written: String, name: &str) -> Result<String, RecordFault> {
        let chosen = match of_day::unit_s(name) {
            Some(unit_s) => {
                let Ok(number) = written.replacen(',', ".", 1).parse::<f64>() else {
                    return Ok(written);
                };
                Some(number * unit_s).filter(|seconds| (0.0..=86_400.0).contains(seconds))
            }
            None => {
                let Some((readings, mark)) = of_day::readings(&written) else {
                    return Ok(written);
                };
                self.of_day.choose(readings, mark, || written.clone())
            }
        };
        let seconds = chosen.ok_or_else(|| self.fault(&written))?;
        Ok(of_day::clock(seconds))
    }

    /// Takes the zone that is next to the time of a record, and the name of its column.
    pub(super) fn set_zone(&mut self, zone: Option<(String, &str)>) {
        self.blank = zone
            .as_ref()
            .filter(|(zone, _)| zone.is_empty())
            .map(|(_, name)| (*name).to_owned());
        let (zone, name) = zone.unwrap_or_default();
        self.zone = zone;
        if !self.zone.is_empty() {
            name.clone_into(&mut self.zone_heading);
        }
    }

    /// The UNIX time of a time without a zone of its own, which is `local` in UTC.
    fn utc(&mut self, local: f64, heading: &str) -> Result<f64, RecordFault> {
        if let (Some(blank), Some(zone)) = (&self.blank, &self.column.of_blanks) {
            if zone.is_empty() {
                let blank = text::excerpt(blank, 60);
                let why = format!("it has no zone in '{blank}', where others have several");
                return Err(RecordFault::Other(why.into()));
            }
            blank.clone_into(&mut self.zone_heading);
            zone.clone_into(&mut self.zone);
        }
        if self.zone.is_empty() {
            self.column.has_blanks |= self.blank.is_some();
            return Ok(local - f64::from(self.offset_s(heading)));
        }
        self.column.need(&self.zone);
        let heading = text::excerpt(&self.zone_heading, 60);
        let note = format!("times without a zone are taken as of the zone in '{heading}'");
        if !self.zones.contains(&note) {
            self.zones.push(note);
        }
        zone::utc(local, &self.zone).map_err(|why| RecordFault::Other(why.into()))
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
            let time = time.ok_or_else(|| self.fault(written))?;
            return match zone::has_zone(format) || self.zone.is_empty() {
                true => Ok(time),
                false => self.utc(time, heading),
            };
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
                self.utc(unix, heading)
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
        let mut readings = moment.civil().map(|civil| unix(civil?));
        for time in readings.iter_mut().flatten() {
            *time = match moment.offset_s {
                Some(offset_s) => *time - f64::from(offset_s),
                None => self.utc(*time, heading)?,
            };
        }
        let shown = || text::excerpt(written, 60);
        let time = self.order.choose(readings, 0, shown);
        time.ok_or_else(|| self.fault(written))
    }

    /// The offset from UTC (seconds) of times without a zone below this heading.
    fn offset_s(&mut self, heading: &str) -> i32 {
        if let Some((known, offset_s)) = &self.heading
            && known == heading
        {
            return *offset_s;
        }
        let (offset_s, note) = zone::note(heading);
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
            return self.utc(date, heading);
        }
        let date = match self.zone.is_empty() {
            true => utc.map(|utc| utc - f64::from(zone::note(heading).0)),
            false => utc.map(|utc| self.utc(utc, heading)).transpose()?,
        };
        let shown = || number.to_string();
        let chosen = self.packed.choose([date, Some(time)], 0, shown);
        let chosen = chosen.ok_or_else(|| self.fault(&number.to_string()))?;
        if date == Some(chosen) {
            heading.clone_into(&mut self.packed_heading);
        } else {
            self.latest_number = Some(self.latest_number.map_or(time, |known| known.max(time)));
            if self.number_heading != heading {
                heading.clone_into(&mut self.number_heading);
                self.note_unit(heading);
            }
            if is_any
                && number < LIKELY_FROM
                && let Some(unit) = long_unit(heading)
            {
                let heading = text::excerpt(heading, 60);
                let words = format!(
                    "'{heading}' is no UNIX time, but {unit} since a moment that it does not name: \
                     write it, such as '{unit} since 1950-01-01', or choose with --time-format, such as \
                     excel"
                );
                return Err(RecordFault::Other(words.into()));
            }
        }
        Ok(chosen)
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
        let is_date = |bits| bits & 1 == 1;
        let digits = self.packed.example(is_date);
        let digits = digits.filter(|_| !self.packed_heading.is_empty());
        let packed = digits
            .map(|_| zone::note(&self.packed_heading).1)
            .filter(|note| !self.zones.contains(note) && self.zone_heading.is_empty());
        let lacks_time = self.lacks_time_of_day || digits.is_some_and(|digits| digits.len() == 8);
        let order = self.order.majority().map(|(is_second, by)| {
            let order = if is_second { "month/day" } else { "day/month" };
            format!("dates are taken as {order}/year, as '{by}' shows")
        });
        let day =
            lacks_time.then(|| "dates without a time of day are taken as midnight".to_owned());
        let of_day = of_day::note(&self.of_day);
        let zones = self.zones.iter().cloned().chain(packed);
        let notes: Vec<String> =
            (zones.chain(order).chain(of_day).chain(day).chain(near_1970)).collect();
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

/// The unit in a heading over numbers that are longer than seconds.
fn long_unit(heading: &str) -> Option<&'static str> {
    match of_day::unit_s(heading) {
        Some(60.0) => Some("minutes"),
        Some(3600.0) => Some("hours"),
        Some(86_400.0) => Some("days"),
        _ => None,
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
        return Some(Instant {
            unix: seconds(instant) + second_60_s(&iso),
            has_zone: true,
        });
    }
    // The name of a zone in brackets, as in RFC 9557: the zone decides.
    if written.contains('[') {
        let zoned = written.parse::<Zoned>().ok()?;
        return Some(Instant {
            unix: seconds(zoned.timestamp()) + second_60_s(written),
            has_zone: true,
        });
    }
    let civil = iso.parse::<DateTime>().ok()?;
    Some(Instant {
        unix: unix(civil)? + second_60_s(&iso),
        has_zone: false,
    })
}

/// `true` for a date of six digits, two of them its year.
pub(super) fn is_short_date(written: &str) -> bool {
    written.len() == 6 && written.bytes().all(|byte| byte.is_ascii_digit())
}

/// `true` for the zone or the count of times, as a row of units has it: it may have digits.
pub(crate) fn is_unit_of_time(written: &str) -> bool {
    offset_s(written).is_some() || Since::parse(written).is_some()
}

#[cfg(test)]
mod tests;
