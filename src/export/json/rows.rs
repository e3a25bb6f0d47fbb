//! The rows of a track as JSON objects, each made in one reused buffer.

use std::io;

use super::super::fields::FieldsObject;
use super::super::row::{ABSENT, has_absent};
use crate::text::json::JsonWriter;
use crate::track::time::Stamps;
use crate::track::{Fix, Leg, Track};

/// A member of the object of a fix.
#[derive(Debug, Clone, Copy)]
enum Member {
    Time,
    TimeStamp,
    Latitude,
    Longitude,
    Distance,
    Speed,
    Course,
    Gap,
    Flag,
    Reason,
    Absent,
    Fields,
}

/// The members in the order of the CSV's columns.
const IN_ORDER: [Member; 12] = [
    Member::Time,
    Member::TimeStamp,
    Member::Latitude,
    Member::Longitude,
    Member::Distance,
    Member::Speed,
    Member::Course,
    Member::Gap,
    Member::Flag,
    Member::Reason,
    Member::Absent,
    Member::Fields,
];

/// The members in the order of their names.
const BY_NAME: [Member; 12] = [
    Member::Absent,
    Member::Course,
    Member::Distance,
    Member::Fields,
    Member::Gap,
    Member::Latitude,
    Member::Longitude,
    Member::Flag,
    Member::Reason,
    Member::Speed,
    Member::Time,
    Member::TimeStamp,
];

/// Makes the rows of a track, byte for byte as serde makes them of a
/// [`Row`](super::super::row::Row), in a third of its time: names need no
/// escaping, and a row is written at once.
pub(in crate::export) struct Rows<'a> {
    track: &'a Track,
    has_absent: bool,
    stamps: Stamps,
    float: zmij::Buffer,
    integer: itoa::Buffer,
    row: Vec<u8>,
}

impl<'a> Rows<'a> {
    pub(in crate::export) fn new(track: &'a Track) -> Self {
        Self {
            track,
            has_absent: has_absent(track),
            stamps: Stamps::default(),
            float: zmij::Buffer::new(),
            integer: itoa::Buffer::new(),
            row: Vec::with_capacity(512),
        }
    }

    /// The object of a fix, without a line end.
    pub(in crate::export) fn of(&mut self, fix: &Fix) -> io::Result<&[u8]> {
        self.ordered(fix, &IN_ORDER)
    }

    /// The same with its members in the order of their names.
    pub(in crate::export) fn by_name(&mut self, fix: &Fix) -> io::Result<&[u8]> {
        self.ordered(fix, &BY_NAME)
    }

    fn ordered(&mut self, fix: &Fix, order: &[Member]) -> io::Result<&[u8]> {
        let leg = self.track.leg(fix.index);
        self.row.clear();
        self.row.push(b'{');
        for member in order {
            self.member(*member, fix, leg.as_ref())?;
        }
        if self.row.ends_with(b",") {
            self.row.pop();
        }
        self.row.push(b'}');
        Ok(&self.row)
    }

    /// Adds a member, if the object has it, and a comma.
    fn member(&mut self, member: Member, fix: &Fix, leg: Option<&Leg>) -> io::Result<()> {
        match member {
            Member::Time => {
                self.row.extend_from_slice(b"\"time\":\"");
                let time = self.stamps.rfc3339(fix.time_stamp);
                self.row.extend_from_slice(time.as_bytes());
                self.row.push(b'"');
            }
            Member::TimeStamp => self.number(b"\"time_stamp\":", Some(fix.time_stamp)),
            Member::Latitude => self.number(b"\"latitude\":", Some(fix.position.latitude)),
            Member::Longitude => self.number(b"\"longitude\":", Some(fix.position.longitude)),
            Member::Distance => self.number(b"\"distance_m\":", leg.map(|leg| leg.distance_m)),
            Member::Speed => self.number(b"\"speed_m_s\":", leg.and_then(|leg| leg.speed_m_s)),
            Member::Course => self.number(b"\"course_deg\":", leg.and_then(|leg| leg.course_deg)),
            Member::Gap => self.number(b"\"gap_s\":", leg.map(|leg| leg.duration_s)),
            Member::Flag => {
                self.row.extend_from_slice(b"\"qc_flag\":");
                let flag = self.integer.format(fix.flag.code());
                self.row.extend_from_slice(flag.as_bytes());
            }
            Member::Reason => {
                self.row.extend_from_slice(b"\"qc_reason\":");
                let reason = self.track.reason_text(fix.index);
                if reason.is_empty() {
                    self.row.extend_from_slice(b"\"\"");
                } else {
                    serde_json::to_writer(JsonWriter::new(&mut self.row), &reason)?;
                }
            }
            Member::Absent if self.has_absent => {
                let is_absent = self.track.is_absent_from_latest(fix.index);
                self.row.push(b'"');
                self.row.extend_from_slice(ABSENT.as_bytes());
                let value: &[u8] = if is_absent { b"\":true" } else { b"\":false" };
                self.row.extend_from_slice(value);
            }
            Member::Fields => {
                let fields = FieldsObject {
                    track: self.track,
                    fix: fix.index,
                };
                if fields.is_empty() {
                    return Ok(());
                }
                self.row.extend_from_slice(b"\"fields\":");
                serde_json::to_writer(JsonWriter::new(&mut self.row), &fields)?;
            }
            Member::Absent => return Ok(()),
        }
        self.row.push(b',');
        Ok(())
    }

    /// Adds a number, or null, as [`Number`](super::super::number::Number) has it.
    fn number(&mut self, name: &[u8], value: Option<f64>) {
        self.row.extend_from_slice(name);
        let text = match value {
            Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
                #[allow(clippy::cast_possible_truncation)] // whole and in range
                self.integer.format(value as i64)
            }
            Some(value) if value.is_finite() => self.float.format_finite(value),
            _ => "null",
        };
        self.row.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;

    use super::super::super::row::rows;
    use super::*;
    use crate::export::tests::track;
    use crate::track::{Platform, TrackOptions};

    #[test]
    fn a_row_is_what_serde_makes_of_it() {
        let tracks = [
            track(&[
                (-2_147_483_647.793, -0.1, -179.999_999_999),
                (0.0, -0.0, 1e-7),
                (86_400.123_456_7, 1e-300, 180.0),
                (90_000.0, 76.382_598_876_953_12, 22.868_707_656_860_35),
                (90_001.0, 1.0, 22.868_707_656_860_35),
                (1.5e9, 5e-324, 0.1),
            ]),
            Track::of(
                &crate::testing::fields::ice_buoy(0.0, 30, 4),
                &TrackOptions::new(Platform::Generic, 2e9),
            ),
        ];
        for track in tracks {
            let mut made = Rows::new(&track);
            for (fix, row) in track.fixes().zip(rows(&track)) {
                let mut expected = Vec::new();
                serde_json::to_writer(JsonWriter::new(&mut expected), &row).unwrap();
                let of = made.of(&fix).unwrap();
                assert_eq!(
                    String::from_utf8_lossy(of),
                    String::from_utf8_lossy(&expected)
                );
                let by_name: BTreeMap<&str, &RawValue> = serde_json::from_slice(&expected).unwrap();
                let by_name = serde_json::to_string(&by_name).unwrap();
                let made = made.by_name(&fix).unwrap();
                assert_eq!(String::from_utf8_lossy(made), by_name);
            }
        }
    }
}
