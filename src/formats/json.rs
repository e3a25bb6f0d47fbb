//! JSON: one object with all data, or one line for each fix.

pub(super) mod object;

use std::io::{self, Write};

use super::fields::Number;
use super::subject::Subject;
use crate::text::json::{self, Object, object};
use crate::track::quality::method;
use crate::track::{Flag, RecordFault, Summary, Track, time};
use object::Objects;

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let head = object! {
        deployment: subject.deployment,
        label: subject.label,
        platform: track.platform().name(),
        fetched_at: time::rfc3339(subject.fetched_at),
    };
    let unusable = track.unusable().iter().map(|record| {
        object! {
            index: record.index,
            reason: record.fault.to_string(),
            record: &record.excerpt,
            qc_flag: unusable_flag(&record.fault).code(),
        }
    });
    let tail = object! {
        unusable: unusable.collect::<Vec<_>>(),
        summary: summary(track, subject.now),
    };
    // One object in three pieces, because the rows between head and tail are
    // written without serde.
    let mut piece = Vec::new();
    json::write(&mut piece, &head)?;
    piece.pop();
    piece.extend_from_slice(b",\"fixes\":[");
    out.write_all(&piece)?;
    let mut objects = Objects::new(track);
    for (number, fix) in track.fixes().enumerate() {
        if number > 0 {
            out.write_all(b",")?;
        }
        out.write_all(objects.object(fix)?)?;
    }
    piece.clear();
    json::write(&mut piece, &tail)?;
    out.write_all(b"],")?;
    out.write_all(piece.strip_prefix(b"{").unwrap_or(&piece))?;
    out.write_all(b"\n")
}

pub(super) fn write_lines(track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let mut objects = Objects::new(track);
    for fix in track.fixes() {
        out.write_all(objects.object(fix)?)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The flag of an unusable record: missing where a value is null or not there,
/// else fail.
fn unusable_flag(fault: &RecordFault) -> Flag {
    match fault.is_missing() {
        true => Flag::Missing,
        false => Flag::Fail,
    }
}

/// The summary of a track, as exported.
pub(super) fn summary(track: &Track, now: f64) -> Object {
    let summary: &Summary = track.summary();
    let platform = track.platform();
    let limit = track.speed_limit_m_s();
    object! {
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
        // The method that made the flags.
        quality: object! {
            flags: method::FLAGS,
            speed_limit_m_s: Number(limit),
            speed_limit_source: method::limit_source(platform, limit),
            spike_floor_m: Number(platform.spike_floor_m()),
            tests: method::quality_tests(platform, limit),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::formats::tests::{subject, track};
    use crate::track::JsonKind;

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
                "quality",
            ] {
                assert!(summary.contains_key(member), "{member}");
            }
            let quality = &summary["quality"];
            assert_eq!(quality["speed_limit_m_s"], 30);
            assert_eq!(quality["speed_limit_source"], "tag");
            assert_eq!(quality["tests"][3]["name"], "speed");
            assert_eq!(quality["tests"][3]["flags"], serde_json::json!([4]));
            if places.len() == 2 {
                assert_eq!(summary["bbox"], serde_json::json!([179, 1, -179.9, 1]));
                assert_eq!(summary["last"], "1970-01-02T00:00:00Z");
            }
        }
    }

    #[test]
    fn a_record_without_a_value_is_missing_and_one_with_a_wrong_value_failed() {
        use crate::track::Member::Latitude;
        for (fault, flag) in [
            (RecordFault::Missing(Latitude), Flag::Missing),
            (
                RecordFault::NotNumber(Latitude, JsonKind::Null),
                Flag::Missing,
            ),
            (RecordFault::NotRecord(JsonKind::Null), Flag::Missing),
            (RecordFault::NotRecord(JsonKind::Array), Flag::Fail),
            (RecordFault::NotNumber(Latitude, JsonKind::Text), Flag::Fail),
            (RecordFault::OutOfRange(Latitude, 91.0), Flag::Fail),
            (RecordFault::twice("time_stamp"), Flag::Fail),
        ] {
            assert_eq!(unusable_flag(&fault), flag, "{fault}");
        }
    }
}
