//! The forms of a fix to copy.

use super::TrackTab;
use crate::dashboard::format;
use crate::dashboard::shared::Shared;
use crate::dashboard::tabs::{Form, row_text};
use crate::track::{Fix, Track, time};

/// A fix as a row of text: time, latitude, longitude, leg in metres, speed in m/s,
/// course in degrees, flag.
fn fix_row(track: &Track, fix: &Fix) -> String {
    let at = time::rfc3339(fix.time_stamp);
    let latitude = fix.position.latitude;
    let longitude = fix.position.longitude;
    let mut row = vec![at, latitude.to_string(), longitude.to_string()];
    if let Some(leg) = track.leg(fix.index) {
        let or_empty = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
        row.push(leg.distance_m.to_string());
        row.push(or_empty(leg.speed_m_s));
        row.push(or_empty(leg.course_deg));
    }
    row.push(fix.flag.word().to_owned());
    row_text(&row)
}

impl TrackTab {
    /// The first and last time from mark to mark or cursor, UNIX seconds; `None` without
    /// a mark.
    pub(crate) fn marked_times(&self, shared: &Shared) -> Option<(f64, f64)> {
        let (from, to) = self.marks;
        let from = from?.time_stamp;
        let to = match to {
            Some(to) => to.time_stamp,
            None => self.cursor_time(shared)?,
        };
        Some((from.min(to), from.max(to)))
    }

    pub(super) fn forms_of_fix(&self, shared: &Shared) -> Vec<Form> {
        let track = self.shown_track(shared);
        let fix = track.and_then(|track| track.fix(self.cursor));
        let (Some(track), Some(fix)) = (track, fix) else {
            return Vec::new();
        };
        let at = time::rfc3339(fix.time_stamp);
        let latitude = fix.position.latitude;
        let longitude = fix.position.longitude;
        let mut forms = vec![
            ("position", format::position(shared, fix.position)),
            ("time and position", format!("{at} {latitude} {longitude}")),
            ("row", fix_row(track, &fix)),
        ];
        let open = shared.open_deployment();
        forms.extend(open.map(|known| ("UUID", known.deployment.id.to_string())));
        forms
    }
}
