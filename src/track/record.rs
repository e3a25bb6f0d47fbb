//! Records that the service sent, before they are a track.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::fault::{JsonKind, Member, RecordFault};
use super::field::{FieldChoice, FieldRows};
use super::quality::MARKED_INVALID;
use super::time::CALENDAR;
use crate::geo::Position;
use crate::text;

/// A valid transmission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Transmission {
    /// UNIX time in seconds, UTC, finite and within [`CALENDAR`].
    pub time_stamp: f64,
    /// The position of the instrument.
    pub position: Position,
}

impl Transmission {
    /// A transmission from the three numbers of a record.
    ///
    /// # Errors
    /// [`RecordFault::OutOfRange`] with the first number that is.
    pub(crate) fn new(time_stamp: f64, latitude: f64, longitude: f64) -> Result<Self, RecordFault> {
        if !(CALENDAR.0..=CALENDAR.1).contains(&time_stamp) {
            return Err(RecordFault::OutOfRange(Member::TimeStamp, time_stamp));
        }
        if !(-90.0..=90.0).contains(&latitude) {
            return Err(RecordFault::OutOfRange(Member::Latitude, latitude));
        }
        let Some(position) = Position::new(latitude, longitude) else {
            return Err(RecordFault::OutOfRange(Member::Longitude, longitude));
        };
        Ok(Self {
            time_stamp: time_stamp + 0.0,
            position,
        })
    }
}

/// Transmissions whose clones share their memory until one of them is changed: the records
/// of a response, what is stored of it and the track made of it have a million fixes once.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Transmissions(Arc<Vec<Transmission>>);

impl Deref for Transmissions {
    type Target = Vec<Transmission>;

    fn deref(&self) -> &Vec<Transmission> {
        &self.0
    }
}

impl DerefMut for Transmissions {
    fn deref_mut(&mut self) -> &mut Vec<Transmission> {
        Arc::make_mut(&mut self.0)
    }
}

impl FromIterator<Transmission> for Transmissions {
    fn from_iter<T: IntoIterator<Item = Transmission>>(all: T) -> Self {
        Self::from(Vec::from_iter(all))
    }
}

impl From<Vec<Transmission>> for Transmissions {
    fn from(all: Vec<Transmission>) -> Self {
        Self(Arc::new(all))
    }
}

/// A transmission that was received before its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Early {
    pub fix: Transmission,
    /// When it was received, UNIX seconds: it does not show that the instrument sent later.
    pub received: f64,
}

/// A record that cannot be used, and why. It is counted and shown, never drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InvalidRecord {
    /// Index in the service's answer, from 0.
    pub index: usize,
    /// Its line in a file, from 1; `None` if that is not known.
    pub line: Option<u64>,
    /// Why it cannot be used.
    pub fault: RecordFault,
    /// The record as received, sanitized and cut to 200 characters.
    pub excerpt: String,
}

impl InvalidRecord {
    /// Its place, in words: `line 4` of a file, `record 3` of an answer.
    pub(crate) fn place(&self) -> String {
        match self.line {
            Some(line) => format!("line {line}"),
            None => format!("record {}", self.index),
        }
    }
}

/// Why a record cannot be used, and of which time it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unusable {
    /// UNIX seconds; `None` if the record has no valid time.
    pub time_stamp: Option<f64>,
    /// Why it cannot be used.
    pub fault: RecordFault,
}

impl From<RecordFault> for Unusable {
    fn from(fault: RecordFault) -> Self {
        Self {
            time_stamp: None,
            fault,
        }
    }
}

impl RecordFault {
    /// The fault of a record of this time, UNIX seconds.
    pub(crate) fn at(self, time_stamp: f64) -> Unusable {
        Unusable {
            time_stamp: Some(time_stamp),
            fault: self,
        }
    }
}

/// The time of an invalid record: it shows that the instrument sends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct InvalidTime {
    /// UNIX seconds.
    pub time_stamp: f64,
    /// `true` if the position is what it lacks.
    pub lacks_position: bool,
}

impl InvalidTime {
    fn new(unusable: &Unusable) -> Option<Self> {
        use RecordFault::{Missing, NotFinite, NotNumber};
        let time_stamp = unusable.time_stamp.filter(|time| time.is_finite())?;
        let lacks_position = matches!(
            unusable.fault,
            Missing(Member::Latitude | Member::Longitude)
                | NotNumber(Member::Latitude | Member::Longitude, _)
                | NotFinite(Member::Latitude | Member::Longitude)
        );
        Some(Self {
            time_stamp,
            lacks_position,
        })
    }

    /// The times as bytes for the archive; empty if they cannot be written.
    pub(crate) fn to_bytes(times: &[Self]) -> Vec<u8> {
        postcard::to_allocvec(times).unwrap_or_default()
    }

    /// Reads [`InvalidTime::to_bytes`]; empty for other bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Vec<Self> {
        postcard::from_bytes(bytes).unwrap_or_default()
    }
}

/// The most invalid records of an answer that are stored; the others are counted.
const MOST_UNUSABLE: usize = 1000;

/// The times of at least this many invalid records of an answer are stored, the newest first.
/// An instrument that reports each minute needs two months without a position to exceed it.
const MOST_TIMES: usize = 100_000;

/// The content of an answer, in the service's order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Records {
    /// The usable transmissions.
    pub transmissions: Transmissions,
    /// The first unusable records, at most [`MOST_UNUSABLE`] of an answer.
    pub unusable: Vec<InvalidRecord>,
    /// Unusable records after those, which are counted only: a packed answer
    /// of a few kilobytes may have millions.
    pub unkept: usize,
    /// The times of all invalid records that have a time, whether they are stored or not.
    pub invalid_times: Vec<InvalidTime>,
    /// The transmissions that are archived, but absent from the last answer.
    pub unsent: Vec<Transmission>,
    /// When the last answer with them was received, UNIX seconds; `None` for now.
    pub received: Option<f64>,
    /// The transmissions that were received before their time.
    pub early: Vec<Early>,
    /// The fields of the transmissions besides time and position, in their order.
    pub fields: FieldRows,
}

impl Records {
    /// The records with only the requested fields; the archive may have more.
    pub(crate) fn with_asked_fields(self, asked: Option<&FieldChoice>) -> Self {
        let Some(asked) = asked else {
            return self;
        };
        Self {
            fields: self.fields.pick(&asked.with(&[MARKED_INVALID.to_owned()])),
            ..self
        }
    }

    /// Adds the records of the next page of an answer.
    pub(crate) fn append(&mut self, page: Self) {
        let before = self.count();
        let first = self.transmissions.len();
        let count = page.transmissions.len();
        self.fields.append(&page.fields, first, count);
        self.transmissions.extend_from_slice(&page.transmissions);
        for record in page.unusable {
            let index = before + record.index;
            self.keep_or_count(|| InvalidRecord { index, ..record });
        }
        self.unkept += page.unkept;
        for time in page.invalid_times {
            self.add_invalid_time(time);
        }
    }

    /// The number of invalid records, including those that are only counted.
    pub(crate) fn unusable_count(&self) -> usize {
        self.unusable.len() + self.unkept
    }

    /// The number of records in the answer, including invalid ones.
    pub(crate) fn count(&self) -> usize {
        self.transmissions.len() + self.unusable_count()
    }

    /// Adds an invalid record with this index in the answer: it is stored if there is room, and
    /// its time in any case.
    pub(crate) fn add_unusable(
        &mut self,
        index: usize,
        unusable: Unusable,
        excerpt: impl FnOnce() -> String,
    ) {
        if let Some(time) = InvalidTime::new(&unusable) {
            self.add_invalid_time(time);
        }
        self.keep_or_count(|| InvalidRecord {
            index,
            line: None,
            fault: unusable.fault,
            excerpt: excerpt(),
        });
    }

    /// Says in which line of a file the invalid record is that was added last.
    pub(crate) fn set_line(&mut self, line: u64) {
        if self.unkept == 0
            && let Some(last) = self.unusable.last_mut()
        {
            last.line = Some(line);
        }
    }

    fn add_invalid_time(&mut self, time: InvalidTime) {
        if self.invalid_times.len() >= 2 * MOST_TIMES {
            let newest_first =
                |a: &InvalidTime, b: &InvalidTime| b.time_stamp.total_cmp(&a.time_stamp);
            self.invalid_times.sort_by(newest_first);
            self.invalid_times.truncate(MOST_TIMES);
        }
        self.invalid_times.push(time);
    }

    fn keep_or_count(&mut self, record: impl FnOnce() -> InvalidRecord) {
        if self.unusable.len() < MOST_UNUSABLE {
            self.unusable.push(record());
        } else {
            self.unkept += 1;
        }
    }

    /// A hint on a fault of the answer as a whole; the records stay as they are.
    pub(crate) fn hint(&self) -> Option<String> {
        if let Some(words) = self.missing() {
            return Some(words);
        }
        // Assumes the same share among the records that are only counted.
        let most = |is_one: &dyn Fn(&RecordFault) -> bool| {
            let unusable = self.unusable.iter();
            let found = unusable.filter(|record| is_one(&record.fault)).count() as u128;
            let of = self.unusable.len() as u128;
            2 * found * self.unusable_count() as u128 > self.count() as u128 * of
        };
        let most_are = |member: Member| {
            most(&|fault| matches!(fault, RecordFault::OutOfRange(it, _) if *it == member))
        };
        let text = RecordFault::NotNumber(Member::TimeStamp, JsonKind::Text);
        if most(&|fault| *fault == text) {
            return Some(
                "most time stamps are texts: a time_stamp is a number, the seconds since 1970-01-01 UTC"
                    .to_owned(),
            );
        }
        if most_are(Member::TimeStamp) {
            // A time in milliseconds lies tens of thousands of years ahead.
            return Some("most time stamps are not dates: are they in milliseconds?".to_owned());
        }
        most_are(Member::Latitude).then(|| {
            "most latitudes are out of range: are latitude and longitude swapped?".to_owned()
        })
    }

    /// Names the member that no record has, with the beginning of a record:
    /// "none of 40 records has time_stamp; the first is {"date_time":…".
    fn missing(&self) -> Option<String> {
        let first = self.unusable.first()?;
        let RecordFault::Missing(member) = first.fault else {
            return None;
        };
        let mut unusable = self.unusable.iter();
        let same = unusable.all(|record| record.fault == first.fault);
        if !self.transmissions.is_empty() || !same {
            return None;
        }
        let shown = text::excerpt(&first.excerpt, 80);
        let records = match (self.unkept, self.unusable.len()) {
            (0, 1) => return Some(format!("the only record has no {member}: {shown}")),
            (0, all) => format!("{all} records"),
            (_, stored) => format!("the first {stored} records"),
        };
        Some(format!(
            "none of {records} has {member}; the first is {shown}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longitude_east_of_180_counts_from_greenwich() {
        let longitude =
            |given: f64| Transmission::new(0.0, 0.0, given).map(|t| t.position.longitude);
        assert_eq!(longitude(190.0), Ok(-170.0));
        assert_eq!(longitude(360.0), Ok(0.0));
        assert_eq!(longitude(180.0), Ok(180.0));
        assert_eq!(longitude(-180.0), Ok(-180.0));
        assert!(longitude(540.0).is_err() && longitude(-180.1).is_err());
    }

    #[test]
    fn what_is_out_of_range_says_which_and_by_what() {
        let fault = |t, lat, lon| Transmission::new(t, lat, lon).unwrap_err().to_string();
        for (fault, words) in [
            (
                fault(0.0, 90.000_000_1, 0.0),
                "latitude 90.0000001 is outside -90 to 90",
            ),
            (
                fault(1e15, 0.0, 0.0),
                "time_stamp 1e15 is outside 0001-01-01 to 9999-12-30T22:00:00Z",
            ),
            (
                fault(f64::INFINITY, 0.0, 0.0),
                "time_stamp inf is outside 0001-01-01 to 9999-12-30T22:00:00Z",
            ),
            // The last second of 9999 is a date, too, but not in every time zone.
            (
                fault(253_402_300_799.0, 0.0, 0.0),
                "time_stamp 2.53402300799e11 is outside 0001-01-01 to 9999-12-30T22:00:00Z",
            ),
            (
                fault(0.0, f64::NAN, 0.0),
                "latitude NaN is outside -90 to 90",
            ),
            (
                fault(0.0, 0.0, 540.0),
                "longitude 540 is outside -180 to 360",
            ),
        ] {
            assert_eq!(fault, words);
        }
    }

    #[test]
    fn a_hint_is_given_for_numbers_out_of_range_and_not_for_others() {
        let hint = |faults: &[RecordFault]| {
            let unusable = faults
                .iter()
                .enumerate()
                .map(|(index, fault)| InvalidRecord {
                    index,
                    line: None,
                    fault: fault.clone(),
                    excerpt: String::new(),
                });
            Records {
                unusable: unusable.collect(),
                ..Records::default()
            }
            .hint()
        };
        let (time, latitude) = (Member::TimeStamp, Member::Latitude);
        let milliseconds = RecordFault::OutOfRange(time, 1.7e12);
        assert!(hint(&[milliseconds]).unwrap().contains("milliseconds"));
        let null = |member| RecordFault::NotNumber(member, JsonKind::Null);
        let calendar = RecordFault::NotNumber(time, JsonKind::Text);
        let words = hint(&[calendar.clone(), calendar, null(time)]).unwrap();
        assert!(words.contains("seconds since 1970"), "{words}");
        let swapped = RecordFault::OutOfRange(latitude, 100.0);
        let both = [swapped.clone(), swapped.clone()];
        assert!(hint(&both).unwrap().contains("swapped"));
        // A missing number is neither in another unit nor swapped.
        let missing = RecordFault::Missing(latitude);
        assert_eq!(hint(&[missing, swapped]), None);
        assert_eq!(hint(&[null(latitude), null(latitude)]), None);
        assert_eq!(hint(&[null(time), null(time)]), None);
        assert_eq!(hint(&[RecordFault::twice("time_stamp")]), None);
    }

    #[test]
    fn records_without_a_number_are_told_with_what_they_have_instead() {
        let without = |excerpt: &str, count: usize| {
            let mut records = Records::default();
            for index in 0..count {
                let fault = RecordFault::Missing(Member::TimeStamp);
                records.add_unusable(index, fault.into(), || excerpt.to_owned());
            }
            records
        };
        let foreign = r#"{"date_time":"a:b","lat":1,"extra":{"x":1},"say \"so\"":[1,"#;
        assert_eq!(
            without(foreign, 40).hint().unwrap(),
            format!("none of 40 records has time_stamp; the first is {foreign}")
        );
        assert_eq!(
            without("{}", 1).hint().unwrap(),
            "the only record has no time_stamp: {}"
        );
        let many = without(r#"{"lat":1}"#, 5000);
        assert_eq!((many.count(), many.unusable.len()), (5000, MOST_UNUSABLE));
        assert_eq!(
            many.hint().unwrap(),
            "none of the first 1000 records has time_stamp; the first is {\"lat\":1}"
        );
        // With a record that has it, the fault is only that of the others.
        let mut one = without("{}", 3);
        one.transmissions
            .push(Transmission::new(0.0, 0.0, 0.0).unwrap());
        assert_eq!(one.hint(), None);
    }

    #[test]
    fn a_hint_counts_those_that_are_not_kept_as_those_that_are() {
        let mut records = Records::default();
        for index in 0..5000 {
            let fault = RecordFault::OutOfRange(Member::TimeStamp, 1.7e12);
            records.add_unusable(index, fault.into(), String::new);
        }
        assert!(records.hint().unwrap().contains("milliseconds"));
        let sound = Transmission::new(0.0, 0.0, 0.0).unwrap();
        records.transmissions = vec![sound; 5001].into();
        assert_eq!(records.hint(), None);
    }

    #[test]
    fn negative_zero_is_zero() {
        let zero = Transmission::new(-0.0, -0.0, -0.0).unwrap();
        assert!(zero.position.latitude.is_sign_positive() && zero.time_stamp.is_sign_positive());
    }
}
