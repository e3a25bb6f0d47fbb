//! The rows of a track as JSON objects, each made in one reused buffer.

use std::io;

use super::super::fields::FieldsObject;
use super::super::row::{ABSENT, has_absent};
use crate::text::json::JsonWriter;
use crate::track::time::Stamps;
use crate::track::{Fix, Track};

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
        let leg = self.track.leg(fix.index);
        self.row.clear();
        self.row.extend_from_slice(b"{\"time\":\"");
        let time = self.stamps.rfc3339(fix.time_stamp);
        self.row.extend_from_slice(time.as_bytes());
        self.row.push(b'"');
        let position = fix.position;
        self.number(b",\"time_stamp\":", Some(fix.time_stamp));
        self.number(b",\"latitude\":", Some(position.latitude));
        self.number(b",\"longitude\":", Some(position.longitude));
        self.number(b",\"distance_m\":", leg.map(|leg| leg.distance_m));
        self.number(b",\"speed_m_s\":", leg.and_then(|leg| leg.speed_m_s));
        self.number(b",\"course_deg\":", leg.and_then(|leg| leg.course_deg));
        self.number(b",\"gap_s\":", leg.map(|leg| leg.duration_s));
        self.row.extend_from_slice(b",\"qc_flag\":");
        let flag = self.integer.format(fix.flag.code());
        self.row.extend_from_slice(flag.as_bytes());
        self.row.extend_from_slice(b",\"qc_reason\":");
        let reason = self.track.reason_text(fix.index);
        if reason.is_empty() {
            self.row.extend_from_slice(b"\"\"");
        } else {
            serde_json::to_writer(JsonWriter::new(&mut self.row), &reason)?;
        }
        if self.has_absent {
            let is_absent = self.track.is_absent_from_latest(fix.index);
            self.row.extend_from_slice(b",\"");
            self.row.extend_from_slice(ABSENT.as_bytes());
            let value: &[u8] = if is_absent { b"\":true" } else { b"\":false" };
            self.row.extend_from_slice(value);
        }
        let fields = FieldsObject {
            track: self.track,
            fix: fix.index,
        };
        if !fields.is_empty() {
            self.row.extend_from_slice(b",\"fields\":");
            serde_json::to_writer(JsonWriter::new(&mut self.row), &fields)?;
        }
        self.row.push(b'}');
        Ok(&self.row)
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
                let made = made.of(&fix).unwrap();
                assert_eq!(
                    String::from_utf8_lossy(made),
                    String::from_utf8_lossy(&expected)
                );
            }
        }
    }
}
