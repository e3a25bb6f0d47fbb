//! What a dashboard of the tests opens with.

use jiff::tz::TimeZone;

use crate::app::Start;
use crate::chart::GlyphSet;
use crate::geo::{CoordinateFormat, Units};
use crate::track::Deployment;

/// A dashboard on these deployments at `now` (UNIX seconds), in UTC, drawn with
/// braille, fetching every minute where no interval is known.
pub(crate) fn start(watched: Vec<Deployment>, now: f64) -> Start {
    Start {
        profile: "default".to_owned(),
        address: "https://service.example/api".to_owned(),
        sandbox: "https://service.example/api".to_owned(),
        demo: false,
        warning: None,
        watched,
        configured: Vec::new(),
        open: None,
        zone: TimeZone::UTC,
        units: Units::default(),
        coordinates: CoordinateFormat::default(),
        markers: GlyphSet::Braille,
        keymap: Default::default(),
        folder: "/home/user".to_owned(),
        refresh_s: 60.0,
        now,
    }
}
