//! GPX 1.1: longitudes in [-180, 180), a new segment at the antimeridian and
//! after a data gap or a jump.

use std::io::Write;

use geo_types::Point;
use gpx::{Gpx, GpxVersion, Metadata, Time, Track as GpxTrack, TrackSegment, Waypoint};

use super::error::ExportError;
use super::format::Format;
use super::lines::parts;
use super::method::description;
use super::subject::Subject;
use crate::track::{Fix, Track};

pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let segments = parts(track, false).into_iter().map(|part| TrackSegment {
        points: part
            .iter()
            .filter_map(|vertex| track.fix(vertex.fix?))
            .map(|fix| waypoint(track, &fix))
            .collect(),
    });
    let document = Gpx {
        version: GpxVersion::Gpx11,
        creator: Some(concat!("driftline ", env!("CARGO_PKG_VERSION")).to_owned()),
        metadata: Some(Metadata {
            name: Some(xml_text(subject.name())),
            description: Some(xml_text(&description(track))),
            time: moment(subject.fetched_at),
            ..Metadata::default()
        }),
        // Excluded fixes are separate waypoints.
        waypoints: track
            .fixes()
            .filter(|fix| !track.is_included(fix.index))
            .map(|fix| waypoint(track, &fix))
            .collect(),
        tracks: vec![GpxTrack {
            name: Some(xml_text(subject.name())),
            source: Some(subject.deployment.to_owned()),
            segments: segments.collect(),
            ..GpxTrack::default()
        }],
        routes: Vec::new(),
    };
    gpx::write(&document, out).map_err(|error| ExportError::Unfit {
        format: Format::Gpx,
        reason: error.to_string(),
    })
}

pub(super) fn waypoint(track: &Track, fix: &Fix) -> Waypoint {
    let longitude = if fix.position.longitude >= 180.0 {
        -180.0
    } else {
        fix.position.longitude
    };
    // An `f64` near zero prints with more decimals than XML readers accept.
    // Twelve decimals are a tenth of a micrometre.
    let decimals = |degrees: f64| {
        if degrees.abs() < 1e-6 {
            (degrees * 1e12).round() / 1e12
        } else {
            degrees
        }
    };
    let place = Point::new(decimals(longitude), decimals(fix.position.latitude));
    let mut waypoint = Waypoint::new(place);
    waypoint.time = moment(fix.time_stamp);
    let reason = track.reason_text(fix.index);
    if !reason.is_empty() {
        waypoint.comment = Some(format!("{}: {reason}", fix.flag.word()));
    }
    waypoint
}

/// A time to the microsecond.
pub(super) fn moment(time_stamp: f64) -> Option<Time> {
    #[allow(clippy::cast_possible_truncation)] // within the calendar
    let nanoseconds = ((time_stamp * 1e6).round() as i128).checked_mul(1000)?;
    time::OffsetDateTime::from_unix_timestamp_nanos(nanoseconds)
        .ok()
        .map(Time::from)
}

/// Text without the characters that are invalid in XML, and without those that
/// XML discourages (XML 1.0, section 2.2): terminals act on them.
pub(super) fn xml_text(text: &str) -> String {
    text.chars()
        .filter(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..))
        .collect()
}
