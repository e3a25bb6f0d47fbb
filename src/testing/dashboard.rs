//! Dashboards for tests, and the results of fetches for them.

use std::sync::Arc;

use jiff::tz::TimeZone;
use uuid::Uuid;

use crate::alarm::{Alarm, Kind};
use crate::dashboard::Dashboard;
use crate::dashboard::event::{Event, FetchNews, RequestId};
use crate::dashboard::shared::{Host, TrackSource, Watched};
use crate::failure::Failure;
use crate::map::{GlyphSet, LoadedTrack, PreparedTrack};
use crate::settings::Settings;
use crate::track::{Platform, Records, Track, TrackOptions};
use crate::watch::{Deployment, Update};

/// A dashboard on these deployments at `now` (UNIX seconds), in UTC, drawn with
/// braille, fetching every minute where no interval is known.
pub(crate) fn opened(list: Vec<Deployment>, now: f64) -> Dashboard {
    Dashboard::new(Settings::default(), watched(list), host(now))
}

/// A person sees a frame of the dashboard.
pub(crate) fn seen(dashboard: &mut Dashboard) {
    let targets = dashboard.shell.targets.clone();
    dashboard.frame_shown(targets);
}

/// These deployments at a service.
pub(crate) fn watched(list: Vec<Deployment>) -> Watched {
    Watched {
        address: "https://service.example/api".to_owned(),
        sandbox: "https://service.example/api".to_owned(),
        remote: None,
        source: TrackSource::Service,
        list,
        unread: None,
        answers: Default::default(),
        namesakes: Default::default(),
        open: None,
    }
}

/// A computer in UTC whose terminal shows braille, at `now` (UNIX seconds).
pub(crate) fn host(now: f64) -> Host {
    Host {
        zone: TimeZone::UTC,
        best_markers: GlyphSet::Braille,
        folder: "/home/user".to_owned(),
        now,
    }
}

/// A drifter's loaded track of these records, from a fetch that ended at `now` (UNIX
/// seconds).
pub(crate) fn loaded(records: Records, now: f64) -> LoadedTrack {
    let options = TrackOptions::new(Platform::Drifter, now);
    let track = Track::new(&records, &options);
    LoadedTrack {
        track: Arc::new(PreparedTrack::new(Arc::new(track))),
        options: Box::new(options),
        fetched_at: now,
    }
}

/// The end of a fetch whose track is shown, and which added nothing to the archive.
pub(crate) fn updated(
    (request, _): (RequestId, Uuid),
    outcome: Result<LoadedTrack, Failure>,
) -> Event {
    let (outcome, track) = match outcome {
        Err(failure) => (Err(failure), None),
        Ok(loaded) => {
            let update = Update {
                track: None,
                overview: Arc::clone(loaded.track.overview()),
                options: loaded.options,
                fetched_at: loaded.fetched_at,
                took_s: 1.0,
                delta: None,
                notes: Vec::new(),
                unstored: None,
                unjudged: None,
            };
            (Ok(Box::new(update)), Some(loaded.track))
        }
    };
    Event::Fetch(request, FetchNews::Ended { outcome, track })
}

/// An alarm of a deployment (`None`: of the service) that was raised and seen this many
/// seconds before `now`, and nobody has said anything of.
pub(crate) fn alarm(id: &str, of: Option<Uuid>, kind: Kind, now: f64, ago_s: f64) -> Alarm {
    let (value, limit) = match kind {
        Kind::Overdue => (12_600.0, 10_800.0),
        Kind::PickedUp => (4.1, 1.5),
        Kind::Unreachable => (0.0, 0.0),
        _ => (240.0, 200.0),
    };
    Alarm {
        id: id.to_owned(),
        deployment: of.map(Into::into),
        label: None,
        kind,
        field: String::new(),
        raised_at: now - ago_s,
        seen_at: now - ago_s,
        acknowledged_at: None,
        snoozed_until: None,
        cleared_at: None,
        fix_time: of.map(|_| now - ago_s - 60.0),
        value: of.map(|_| value),
        limit: of.map(|_| limit),
        text: match kind {
            Kind::Outside => {
                format!("outside its watch circle: {value} m from the centre, limit {limit} m")
            }
            _ => format!("{}: {value}, limit {limit}", kind.word()),
        },
        cause: None,
        ended: None,
        notified_at: None,
        reminders: 0,
    }
}

/// The watch list of an archive that holds nothing else, as it is read where the user
/// has changed nothing since.
pub(crate) fn archived(watched: Vec<Deployment>) -> Event {
    Event::Archived {
        edits: 0,
        watched,
        overrides: Default::default(),
        plant_log: Vec::new(),
    }
}
