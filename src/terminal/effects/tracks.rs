//! Pure work on a loaded track, off the thread that draws: only what was asked for last
//! counts.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use super::Services;
use crate::dashboard::event::Event;
use crate::intake::prepare;
use crate::intake::prepare::ArrangedRows;
use crate::map::{LoadedTrack, PreparedTrack, ShownField};
use crate::track::{Arrangement, TrackOptions, Wording};

/// The latest request for each kind of work on a whole track.
#[derive(Debug, Default)]
pub(super) struct AskedLast {
    rows: Latest,
    matches: Latest,
    /// By deployment.
    flags: HashMap<Uuid, Latest>,
}

/// Counts how often one kind of work was asked for.
#[derive(Debug, Default)]
struct Latest(Arc<AtomicU64>);

impl Latest {
    /// Asks for the work once more; returns whether that is still what was asked
    /// for last.
    fn begin(&self) -> impl Fn() -> bool + Send + 'static + use<> {
        let latest = Arc::clone(&self.0);
        let number = latest.fetch_add(1, Ordering::Relaxed) + 1;
        move || latest.load(Ordering::Relaxed) == number
    }
}

impl Services {
    /// Assembles a track again with other choices.
    pub(super) fn reassemble(
        &mut self,
        deployment: Uuid,
        loaded: LoadedTrack,
        options: TrackOptions,
    ) {
        let is_wanted = self.asked_last.flags.entry(deployment).or_default().begin();
        self.tasks.spawn_if_wanted(async move {
            let from = Arc::clone(&loaded.track);
            let loaded = prepare::reassemble(loaded, options, is_wanted).await?;
            Ok(loaded.map(|loaded| Event::Reassembled {
                deployment,
                from,
                loaded,
            }))
        });
    }

    /// Makes all levels of detail of a track whose map is a preview.
    pub(super) fn add_detail(&self, deployment: Uuid, track: Arc<PreparedTrack>) {
        self.tasks.spawn(async move {
            let track = prepare::full_detail(track).await?;
            Ok(Event::Detailed { deployment, track })
        });
    }

    /// Sorts and filters the rows of a track.
    pub(super) fn arrange(
        &self,
        track: Arc<PreparedTrack>,
        arrangement: Arrangement,
        field: Option<ShownField>,
    ) {
        let is_wanted = self.asked_last.rows.begin();
        self.tasks.spawn_if_wanted(async move {
            let (whole, wanted) = (Arc::clone(&track), arrangement.clone());
            let rows = match prepare::arrange(whole, wanted, field, is_wanted).await? {
                ArrangedRows::Unwanted => return Ok(None),
                ArrangedRows::All => None,
                ArrangedRows::Some(rows) => Some(rows),
            };
            Ok(Some(Event::Arranged {
                track,
                arrangement,
                rows,
            }))
        });
    }

    /// Reads the fields of a track, and prepares them for drawing.
    pub(super) fn read_fields(&self, deployment: Uuid, track: Arc<PreparedTrack>) {
        let store = self.store.clone();
        self.tasks.spawn(async move {
            let whole = Arc::clone(track.track());
            let outcome = prepare::fields(&store, deployment, whole).await;
            Ok(Event::FieldsRead { track, outcome })
        });
    }

    /// Finds the rows of a track that contain a text.
    pub(super) fn search(
        &self,
        track: Arc<PreparedTrack>,
        order: Option<Arc<Vec<u32>>>,
        wording: Wording,
        text: String,
    ) {
        let is_wanted = self.asked_last.matches.begin();
        self.tasks.spawn_if_wanted(async move {
            let (searched, rows) = (Arc::clone(&track), order.clone());
            let found = prepare::search(searched, rows, wording, text.clone(), is_wanted).await?;
            Ok(found.map(|rows| Event::Found {
                track,
                order,
                text,
                rows,
            }))
        });
    }

    /// Cuts the part of a track between two times.
    pub(super) fn cut_time_range(
        &self,
        deployment: Uuid,
        whole: Arc<PreparedTrack>,
        range: (f64, f64),
    ) {
        self.tasks.spawn(async move {
            let part = prepare::time_range(Arc::clone(&whole), range.0, range.1).await?;
            Ok(Event::TimeRangeCut {
                deployment,
                whole,
                range,
                part,
            })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for_last_counts() {
        let latest = Latest::default();
        let first = latest.begin();
        assert!(first());
        let second = latest.begin();
        assert!(!first() && second());
    }
}
