//! Builds records and tracks from a few numbers.

use serde::Deserialize;

use super::recorded;
use crate::track::{Platform, Records, Track, TrackOptions, Transmission};

/// UNIX seconds, latitude and longitude in degrees.
pub(crate) type Numbers = (f64, f64, f64);

/// The records of a response with these numbers.
pub(crate) fn records(fixes: impl IntoIterator<Item = Numbers>) -> Records {
    let transmissions = fixes.into_iter().map(|(time_stamp, latitude, longitude)| {
        Transmission::new(time_stamp, latitude, longitude).unwrap()
    });
    Records {
        transmissions: transmissions.collect(),
        ..Records::default()
    }
}

/// The records of a recorded track.
pub(crate) fn recorded(name: &str) -> Records {
    #[derive(Deserialize)]
    struct Row {
        time_stamp: f64,
        latitude: f64,
        longitude: f64,
    }
    let rows: Vec<Row> = serde_json::from_slice(&recorded::track(name)).unwrap();
    let fixes = rows.into_iter();
    records(fixes.map(|row| (row.time_stamp, row.latitude, row.longitude)))
}

/// The times of all fixes, UNIX seconds.
pub(crate) fn times_of(track: &Track) -> Vec<f64> {
    track.fixes().map(|fix| fix.time_stamp).collect()
}

/// The track of these fixes as `platform`, assembled at `now` (UNIX seconds)
/// with failed fixes excluded.
pub(crate) fn track(
    platform: Platform,
    now: f64,
    fixes: impl IntoIterator<Item = Numbers>,
) -> Track {
    Track::new(&records(fixes), &TrackOptions::new(platform, now))
}
