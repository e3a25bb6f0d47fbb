//! JSON: one object with all data, or one line for each fix.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::row::{Number, rows};
use super::subject::Subject;
use crate::text::json::JsonWriter;
use crate::track::{Summary, Track, time};

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        deployment: subject.deployment,
        label: subject.label,
        platform: track.platform().name(),
        fetched_at: time::rfc3339(subject.fetched_at),
        fixes: Fixes(track),
        unusable: UnusableRecords(track),
        summary: SummaryObject::new(track, subject.now),
    };
    serde_json::to_writer(JsonWriter::new(&mut *out), &document)?;
    out.write_all(b"\n")
}

pub(super) fn write_lines(track: &Track, out: &mut dyn Write) -> io::Result<()> {
    for row in rows(track) {
        serde_json::to_writer(JsonWriter::new(&mut *out), &row)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Document<'a> {
    deployment: &'a str,
    label: Option<&'a str>,
    platform: &'static str,
    fetched_at: String,
    fixes: Fixes<'a>,
    unusable: UnusableRecords<'a>,
    summary: SummaryObject,
}

struct Fixes<'a>(&'a Track);

impl Serialize for Fixes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for row in rows(self.0) {
            list.serialize_element(&row)?;
        }
        list.end()
    }
}

struct UnusableRecords<'a>(&'a Track);

impl Serialize for UnusableRecords<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct One<'a> {
            index: usize,
            reason: String,
            record: &'a str,
            qc_flag: u8,
        }
        let mut list = serializer.serialize_seq(Some(self.0.unusable().len()))?;
        for record in self.0.unusable() {
            let (index, reason, record) = (record.index, record.fault.to_string(), &record.excerpt);
            list.serialize_element(&One {
                index,
                reason,
                record,
                qc_flag: crate::track::Flag::Fail.code(),
            })?;
        }
        list.end()
    }
}

/// The summary of a track, as exported.
#[derive(Serialize)]
pub(super) struct SummaryObject {
    fixes: usize,
    unusable: usize,
    repeats: usize,
    suspect: usize,
    fail: usize,
    first: Option<String>,
    last: Option<String>,
    length_m: Number,
    displacement_m: Number,
    max_speed_m_s: Option<Number>,
    longest_gap_s: Option<Number>,
    median_interval_s: Option<Number>,
    completeness: Option<Number>,
    health: &'static str,
    bbox: Option<[Number; 4]>,
}

impl SummaryObject {
    pub(super) fn new(track: &Track, now: f64) -> Self {
        let summary: &Summary = track.summary();
        Self {
            fixes: summary.fixes,
            unusable: summary.unusable,
            repeats: summary.repeats,
            suspect: summary.suspect,
            fail: summary.fail,
            first: summary.first.map(time::rfc3339),
            last: summary.last.map(time::rfc3339),
            length_m: Number(summary.length_m),
            displacement_m: Number(summary.displacement_m),
            max_speed_m_s: summary.max_speed_m_s.map(Number),
            longest_gap_s: summary.longest_gap_s.map(Number),
            median_interval_s: summary.median_interval_s.map(Number),
            completeness: summary.completeness.map(Number),
            health: track.health(now).state.word(),
            bbox: summary.bbox.map(|bbox| bbox.corners().map(Number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::export::tests::{subject, track};

    #[test]
    fn the_object_has_the_contracts_members_and_nothing_is_not_null() {
        for places in [
            vec![],
            vec![(0.0, 1.0, 2.0)],
            vec![(0.0, 1.0, 179.0), (86_400.0, 1.0, -179.9)],
        ] {
            let track = track(&places);
            let mut out = Vec::new();
            write(&subject(), &track, &mut out).unwrap();
            let value: Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(value["fixes"].as_array().unwrap().len(), places.len());
            let summary = value["summary"].as_object().unwrap();
            for member in [
                "fixes",
                "unusable",
                "repeats",
                "suspect",
                "fail",
                "first",
                "last",
                "length_m",
                "displacement_m",
                "max_speed_m_s",
                "longest_gap_s",
                "median_interval_s",
                "completeness",
                "health",
                "bbox",
            ] {
                assert!(summary.contains_key(member), "{member}");
            }
            if places.len() == 2 {
                assert_eq!(summary["bbox"], serde_json::json!([179, 1, -179.9, 1]));
                assert_eq!(summary["last"], "1970-01-02T00:00:00Z");
            }
        }
    }
}
