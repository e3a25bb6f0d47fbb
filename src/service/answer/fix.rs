//! The time and the position of a record.

use super::record::{Record, cell_text};
use crate::formats::json_kind;
use crate::formats::read::json::Member as Cell;
use crate::formats::read::position::degrees;
use crate::formats::read::times::{Clock, Time, zoned};
use crate::formats::read::units::{Unit, add_unit};
use crate::mapping::{AnswerShape, TimeFormat};
use crate::text;
use crate::track::field::FieldValue;
use crate::track::{JsonKind, Member, RecordFault, Transmission, Unusable};

/// Reads the fixes of records, and remembers what it took for granted of their times.
#[derive(Debug)]
pub(super) struct FixReader {
    pub(super) shape: AnswerShape,
    pub(super) clock: Clock,
    /// The paths of time, latitude and longitude.
    pub(super) paths: Vec<String>,
    /// Their headings: the paths, with the units that a row of units has.
    headings: Vec<String>,
}

impl FixReader {
    pub(super) fn new(shape: &AnswerShape) -> Self {
        let paths: Vec<String> = shape
            .time
            .iter()
            .chain([&shape.latitude, &shape.longitude])
            .cloned()
            .collect();
        Self {
            headings: paths.clone(),
            paths,
            shape: shape.clone(),
            clock: Clock::default(),
        }
    }

    /// Takes the units that a row has below the names.
    pub(super) fn take_units(&mut self, row: &Record<'_>) {
        for (heading, path) in self.headings.iter_mut().zip(&self.paths) {
            let unit = row.get(path).map(|cell| cell_text(&cell));
            add_unit(heading, unit.as_deref().unwrap_or_default());
        }
    }

    /// The fix that a record is. Of several faults one is that a value is missing, if any is.
    pub(super) fn transmission(&mut self, record: &Record<'_>) -> Result<Transmission, Unusable> {
        self.first_fix(record).map_err(|unusable| {
            let fault = self.missing(record).unwrap_or(unusable.fault);
            Unusable { fault, ..unusable }
        })
    }

    /// Which of the values of a fix is null or not there.
    fn missing(&self, record: &Record<'_>) -> Option<RecordFault> {
        let members = std::iter::repeat_n(Member::TimeStamp, self.shape.time.len());
        let members = members.chain([Member::Latitude, Member::Longitude]);
        let cells = members.zip(&self.paths);
        let mut faults = cells.filter_map(|(member, path)| self.cell(record, member, path).err());
        faults.find(RecordFault::is_missing)
    }

    fn first_fix(&mut self, record: &Record<'_>) -> Result<Transmission, Unusable> {
        let time = self.time(record)?;
        let shape = &self.shape;
        let number = |member: Member, path: &str| {
            let cell = self.cell(record, member, path)?;
            let at = shape.time.len() + usize::from(member == Member::Longitude);
            let heading = self.headings.get(at).map_or("", String::as_str);
            let unit = Unit::read(member, heading)?;
            let number = degrees(member, Some(cell.value()), unit, None)?;
            if shape.missing.contains(&number) {
                Err(RecordFault::NotNumber(member, JsonKind::Null))
            } else {
                Ok(number)
            }
        };
        let read = || {
            let latitude = number(Member::Latitude, &shape.latitude)?;
            let longitude = number(Member::Longitude, &shape.longitude)?;
            Transmission::new(time, latitude, longitude)
        };
        read().map_err(|fault| fault.at(time))
    }

    /// The value of a member, if it may be a number.
    fn cell<'r>(
        &self,
        record: &Record<'r>,
        member: Member,
        path: &str,
    ) -> Result<Cell<'r>, RecordFault> {
        let lacks = || {
            if self.shape.is_strict {
                RecordFault::Missing(member)
            } else {
                RecordFault::MissingPath(path.into())
            }
        };
        let cell = record.get(path).ok_or_else(lacks)?;
        let kind = match &cell {
            Cell::Text(text) if !self.shape.is_strict && text.trim().is_empty() => JsonKind::Null,
            Cell::Text(_) if !self.shape.is_strict => JsonKind::Number,
            Cell::Text(_) => JsonKind::Text,
            Cell::Json(json) => json_kind(json),
        };
        match kind {
            JsonKind::Number => Ok(cell),
            kind => Err(RecordFault::NotNumber(member, kind)),
        }
    }

    pub(super) fn time(&mut self, record: &Record<'_>) -> Result<f64, RecordFault> {
        let shape = &self.shape;
        let mut written = String::new();
        for path in &shape.time {
            let cell = self.cell(record, Member::TimeStamp, path)?;
            let part = cell_text(&cell);
            let is_missing = part
                .parse()
                .is_ok_and(|number: f64| shape.missing.contains(&number));
            if part.is_empty() || is_missing {
                return Err(RecordFault::NotNumber(Member::TimeStamp, JsonKind::Null));
            }
            if !written.is_empty() {
                written.push(' ');
            }
            written.push_str(&part);
        }
        if shape.time_format == TimeFormat::Iso {
            let headings = self.headings.iter().take(shape.time.len());
            let heading = zoned(headings.map(String::as_str));
            return (self.clock).time(Time::Whole(FieldValue::Text(&written)), heading);
        }
        let time = shape.time_format.time(&written);
        if time.is_some_and(|time| !time.is_finite()) {
            return Err(RecordFault::NotFinite(Member::TimeStamp));
        }
        time.ok_or_else(|| {
            let words = format!(
                "'{}' is no time of time_format {}",
                text::excerpt(&written, 60),
                text::excerpt(&shape.time_format.to_string(), 60)
            );
            RecordFault::Other(words.into())
        })
    }
}
