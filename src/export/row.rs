//! A row for each fix, with the columns common to all formats.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::fields::FieldsObject;
use super::number::Number;
use crate::track::{Fix, Flag, Track, time};

/// The columns of all formats, in order.
pub(super) const COLUMNS: [&str; 10] = [
    "time",
    "time_stamp",
    "latitude",
    "longitude",
    "distance_m",
    "speed_m_s",
    "course_deg",
    "gap_s",
    "qc_flag",
    "qc_reason",
];

/// The column after those of all formats, which a file has only if the track has
/// fixes that the service no longer sends.
pub(super) const ABSENT: &str = "absent_from_latest_response";

/// Whether the track has fixes that are absent from the latest response.
pub(super) fn has_absent(track: &Track) -> bool {
    (0..track.len()).any(|index| track.is_absent_from_latest(index))
}

/// A fix with the leg to it.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    pub(super) time: String,
    pub(super) time_stamp: f64,
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) distance_m: Option<f64>,
    pub(super) speed_m_s: Option<f64>,
    pub(super) course_deg: Option<f64>,
    pub(super) gap_s: Option<f64>,
    pub(super) flag: Flag,
    pub(super) reason: Cow<'static, str>,
    /// Whether it is absent from the latest response; none where no fix of the
    /// track is.
    pub(super) absent: Option<bool>,
    /// What its record carries besides.
    pub(super) fields: FieldsObject<'a>,
}

impl<'a> Row<'a> {
    /// `has_absent` is what [`has_absent`] returns for the track.
    pub(super) fn new(track: &'a Track, fix: &Fix, has_absent: bool) -> Self {
        let leg = track.leg(fix.index);
        Self {
            time: time::rfc3339(fix.time_stamp),
            time_stamp: fix.time_stamp,
            latitude: fix.position.latitude,
            longitude: fix.position.longitude,
            distance_m: leg.map(|leg| leg.distance_m),
            speed_m_s: leg.and_then(|leg| leg.speed_m_s),
            course_deg: leg.and_then(|leg| leg.course_deg),
            gap_s: leg.map(|leg| leg.duration_s),
            flag: fix.flag,
            reason: track.reason_text(fix.index),
            absent: has_absent.then(|| track.is_absent_from_latest(fix.index)),
            fields: FieldsObject {
                track,
                fix: fix.index,
            },
        }
    }
}

/// Iterates over the rows of a track.
pub(super) fn rows(track: &Track) -> impl Iterator<Item = Row<'_>> {
    let has_absent = has_absent(track);
    track
        .fixes()
        .map(move |fix| Row::new(track, &fix, has_absent))
}

impl Row<'_> {
    /// Adds its columns to an object, without the fields of its record.
    pub(super) fn columns<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("time", &self.time)?;
        map.serialize_entry("time_stamp", &Number(self.time_stamp))?;
        map.serialize_entry("latitude", &Number(self.latitude))?;
        map.serialize_entry("longitude", &Number(self.longitude))?;
        map.serialize_entry("distance_m", &self.distance_m.map(Number))?;
        map.serialize_entry("speed_m_s", &self.speed_m_s.map(Number))?;
        map.serialize_entry("course_deg", &self.course_deg.map(Number))?;
        map.serialize_entry("gap_s", &self.gap_s.map(Number))?;
        map.serialize_entry("qc_flag", &self.flag.code())?;
        map.serialize_entry("qc_reason", &self.reason)?;
        if let Some(absent) = self.absent {
            map.serialize_entry(ABSENT, &absent)?;
        }
        Ok(())
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.columns(&mut map)?;
        if !self.fields.is_empty() {
            map.serialize_entry("fields", &self.fields)?;
        }
        map.end()
    }
}
