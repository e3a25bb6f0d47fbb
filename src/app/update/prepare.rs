//! Work on a whole track, on blocking threads: assembling, arranging and preparing
//! it for drawing.

use std::sync::Arc;

use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::app::store::Store;
use crate::failure::Failure;
use crate::map::{DistanceTo, FieldCharts, PreparedTrack};
use crate::os::blocking::blocking;
use crate::track::field::fix_key;
use crate::track::{Records, Track, TrackOptions};
use crate::watch::Overview;

/// The turn of work on long tracks. In sequence it takes no longer than
/// in parallel, and only a single additional track is in memory.
static TURN: Semaphore = Semaphore::const_new(1);

/// The fields of a track, prepared for drawing. A track of the archive is opened
/// without them: they are read here.
///
/// # Errors
/// When the archive cannot be read; a failure of the kind `Interrupted` when the program
/// is ending.
pub(crate) async fn fields(
    store: &Store,
    deployment: Uuid,
    track: Arc<Track>,
    others: Vec<DistanceTo>,
) -> Result<Arc<FieldCharts>, Failure> {
    let stored = if track.fields().is_empty() {
        Some(
            store
                .read(move |archive| archive.fields(deployment))
                .await?,
        )
    } else {
        None
    };
    blocking(move || {
        let keys = track
            .fixes()
            .map(|fix| fix_key(fix.time_stamp, fix.position));
        let rows = stored.map_or_else(|| track.fields().clone(), |stored| stored.rows(keys));
        Arc::new(FieldCharts::with_distances(track, rows, &others))
    })
    .await
}

/// The fields of a track that has them, prepared for drawing.
///
/// # Errors
/// A failure of the kind `Interrupted` when the program is ending.
pub(crate) async fn charts(track: Arc<Track>) -> Result<Arc<FieldCharts>, Failure> {
    blocking(move || {
        let rows = track.fields().clone();
        Arc::new(FieldCharts::new(track, rows))
    })
    .await
}

/// A track prepared for drawing.
///
/// # Errors
/// A failure of the kind `Interrupted` when the program is ending.
pub(crate) async fn prepared(track: Arc<Track>) -> Result<Arc<PreparedTrack>, Failure> {
    blocking(move || Arc::new(PreparedTrack::new(track))).await
}

/// Assembles a track from records; returns the `shown` track if it is the same.
///
/// # Errors
/// A failure of the kind `Interrupted` when the program is ending.
pub(crate) async fn assemble(
    records: Arc<Records>,
    options: TrackOptions,
    shown: Option<Arc<Track>>,
) -> Result<Arc<Track>, Failure> {
    blocking(move || {
        let track = Track::new(&records, &options);
        match shown.filter(|shown| **shown == track) {
            Some(shown) => shown,
            None => Arc::new(track),
        }
    })
    .await
}

/// Makes the overview of a track for lists.
///
/// # Errors
/// A failure of the kind `Interrupted` when the program is ending.
pub(crate) async fn overview(track: Arc<Track>) -> Result<Arc<Overview>, Failure> {
    blocking(move || Arc::new(Overview::new(&track))).await
}

/// Does work on a long track on a blocking thread, after the work that began before.
///
/// # Errors
/// A failure of the kind `Interrupted` when the program is ending.
pub(crate) async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    // It is never closed. The turn lasts until the work ends, even if the future is dropped.
    let turn = TURN.acquire().await.ok();
    blocking(move || {
        let _turn = turn;
        work()
    })
    .await
}
