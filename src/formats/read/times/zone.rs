//! The zone of times that have none of their own: in their heading, or next to them.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use crate::mapping::{TimeFormat, seconds};
use crate::text;

/// The UNIX time of a time that is local in a zone; `local` is what it would be in UTC. An
/// abbreviation such as CET is no zone: summer time may have another, or not.
///
/// # Errors
/// Why it is not known.
pub(super) fn utc(local: f64, zone: &str) -> Result<f64, String> {
    if let Some(hours) = hours(zone) {
        return Ok(local - hours * 3600.0);
    }
    let shown = text::excerpt(zone, 60);
    let known = zone.contains('/').then(|| TimeZone::get(zone).ok());
    let known = known.flatten().ok_or_else(|| {
        format!(
            "'{shown}' is no offset from UTC such as +02:00, and no zone that is known here, such as Europe/Oslo: write the offset"
        )
    })?;
    let micros = Timestamp::from_microsecond((local * 1e6).round() as i64);
    let time = micros.map(|local| known.to_ambiguous_timestamp(Offset::UTC.to_datetime(local)));
    let time = time.and_then(|time| time.unambiguous());
    time.map(seconds).map_err(|_| {
        format!("this time of day is there twice or never in {shown}: write the offset")
    })
}

/// A column of zones.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// The zone of records without one, as the chosen columns have it.
    pub(super) of_blanks: Option<String>,
    /// Some record has none.
    pub(super) has_blanks: bool,
    /// The zone that was needed first, and if another one was.
    needed: String,
    has_several: bool,
}

impl Column {
    pub(super) fn new(of_blanks: Option<String>) -> Self {
        Self {
            of_blanks,
            ..Self::default()
        }
    }

    /// Remembers a zone that is needed.
    pub(super) fn need(&mut self, zone: &str) {
        match self.needed.is_empty() {
            true => zone.clone_into(&mut self.needed),
            false => self.has_several |= self.needed != zone,
        }
    }

    /// The zone of the records that have none next to others: empty if those have several.
    pub(super) fn zone_of_blanks(&self) -> Option<String> {
        let is_needed = self.has_blanks && !self.needed.is_empty();
        is_needed.then(|| match self.has_several {
            true => String::new(),
            false => self.needed.clone(),
        })
    }
}

/// `true` for a zone that [`utc`] knows.
pub(in crate::formats::read) fn is_zone(zone: &str) -> bool {
    hours(zone).is_some() || zone.contains('/') && TimeZone::get(zone).is_ok()
}

/// The hours that a zone is before UTC: `UTC`, `GMT-5`, `+02:00`, `-0330`, `5.5`. Three digits may
/// be minutes, and are none.
fn hours(zone: &str) -> Option<f64> {
    let zone = zone.trim().replace('\u{2212}', "-");
    let signed = match zone.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("+{zone}"),
        false => zone,
    };
    let number = signed.parse::<f64>().ok();
    let is_doubtful = signed.len() == 4 && number.is_some_and(|number| number.fract() == 0.0);
    number.filter(|hours| hours.abs() <= 14.0).or_else(|| {
        let offset_s = offset_s(&signed).filter(|_| !is_doubtful)?;
        Some(f64::from(offset_s) / 3600.0)
    })
}

/// `true` if the times of a format are not local.
pub(super) fn has_zone(format: &TimeFormat) -> bool {
    match format {
        TimeFormat::Unix | TimeFormat::UnixMs => true,
        TimeFormat::Pattern(pattern) => {
            let zones = ["%z", "%:z", "%Z", "%Q", "%s"];
            zones.iter().any(|zone| pattern.contains(zone))
        }
        TimeFormat::Iso | TimeFormat::YearDay | TimeFormat::Excel => false,
    }
}

/// The offset from UTC (seconds) of times without a zone below this heading, and the sentence
/// about it.
pub(super) fn note(heading: &str) -> (i32, String) {
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
pub(in crate::formats::read) fn has_offset(heading: &str) -> bool {
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
pub(in crate::formats::read) fn offset_s(zone: &str) -> Option<i32> {
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
