//! Work on a whole track, on blocking threads: assembling, arranging and preparing
//! it for drawing.

use std::sync::Arc;

use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::failure::{Failure, FailureKind};
use crate::map::{FieldCharts, LoadedTrack, PreparedTrack, ShownField};
use crate::ops::blocking::{Stopped, blocking};
use crate::ops::store::Store;
use crate::track::field::fix_key;
use crate::track::{Arrangement, Overview, Records, Track, TrackOptions, Wording, matching_rows};

/// Number of fixes from which work on a track waits for its turn.
const LONG: usize = 100_000;

/// The turn of work on long tracks. One after the other it takes no longer than
/// side by side, and only one more track is in memory.
static TURN: Semaphore = Semaphore::const_new(1);

/// Assembles a loaded track again with other options, for a long one with a
/// preview of its map; `None` where it is no longer wanted when its turn comes.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn reassemble(
    loaded: LoadedTrack,
    options: TrackOptions,
    is_wanted: impl Fn() -> bool + Send + 'static,
) -> Result<Option<LoadedTrack>, Failure> {
    in_turn(loaded.track.len(), move || {
        is_wanted().then(|| {
            let track = Arc::new(loaded.track.track().reassembled(&options));
            LoadedTrack {
                track: Arc::new(PreparedTrack::with_preview(track)),
                options: Box::new(options),
                ..loaded
            }
        })
    })
    .await
}

/// The part of a track between two times, prepared for drawing.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn time_range(
    track: Arc<PreparedTrack>,
    from: f64,
    to: f64,
) -> Result<Arc<PreparedTrack>, Failure> {
    in_turn(track.len(), move || {
        let part = track.window(Some(from), Some(to));
        Arc::new(PreparedTrack::new(Arc::new(part)))
    })
    .await
}

/// The rows of a table of fixes that contain a text; `None` where they are no
/// longer wanted when their turn comes.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn search(
    track: Arc<PreparedTrack>,
    order: Option<Arc<Vec<u32>>>,
    wording: Wording,
    text: String,
    is_wanted: impl Fn() -> bool + Send + 'static,
) -> Result<Option<Arc<Vec<u32>>>, Failure> {
    in_turn(track.len(), move || {
        let order = order.as_ref().map(|order| order.as_slice());
        is_wanted().then(|| Arc::new(matching_rows(&track, order, &wording, &text)))
    })
    .await
}

/// The rows of a track, sorted and filtered.
#[derive(Debug)]
pub(crate) enum ArrangedRows {
    /// They were no longer wanted when their turn came.
    Unwanted,
    /// All fixes in time order.
    All,
    /// The indices of the fixes in their order.
    Some(Arc<Vec<u32>>),
}

/// The rows of a track, sorted and filtered. `field` is what they are sorted by,
/// where that is a field.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn arrange(
    track: Arc<PreparedTrack>,
    arrangement: Arrangement,
    field: Option<ShownField>,
    is_wanted: impl Fn() -> bool + Send + 'static,
) -> Result<ArrangedRows, Failure> {
    in_turn(track.len(), move || {
        if !is_wanted() {
            return ArrangedRows::Unwanted;
        }
        let read = field.as_ref().map(ShownField::reader);
        let value = |fix| read.as_ref().and_then(|read| read(fix));
        match arrangement.rows(&track, value) {
            None => ArrangedRows::All,
            Some(rows) => ArrangedRows::Some(Arc::new(rows)),
        }
    })
    .await
}

/// The fields of a track, prepared for drawing. A track of the archive is opened
/// without them: they are read here.
///
/// # Errors
/// When the archive cannot be read; [`FailureKind::Interrupted`] when the
/// program is ending.
pub(crate) async fn fields(
    store: &Store,
    deployment: Uuid,
    track: Arc<Track>,
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
    off_the_loop(move || {
        let keys = track.fixes();
        let keys = keys.map(|fix| fix_key(fix.time_stamp, fix.position));
        let rows = stored.map_or_else(|| track.fields().clone(), |stored| stored.of(keys));
        Arc::new(FieldCharts::new(track, rows))
    })
    .await
}

/// The fields of a track that has them, prepared for drawing.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn charts(track: Arc<Track>) -> Result<Arc<FieldCharts>, Failure> {
    off_the_loop(move || {
        let rows = track.fields().clone();
        Arc::new(FieldCharts::new(track, rows))
    })
    .await
}

/// A track with the full detail of its map; the same track if it has that
/// already.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn full_detail(
    preview: Arc<PreparedTrack>,
) -> Result<Arc<PreparedTrack>, Failure> {
    if !preview.is_preview() {
        return Ok(preview);
    }
    off_the_loop(move || Arc::new(preview.with_full_detail())).await
}

/// A track prepared for drawing in full detail.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn prepared(track: Arc<Track>) -> Result<Arc<PreparedTrack>, Failure> {
    off_the_loop(move || Arc::new(PreparedTrack::new(track))).await
}

/// A track prepared for drawing, a long one with a preview of its map.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn prepared_preview(track: Arc<Track>) -> Result<Arc<PreparedTrack>, Failure> {
    off_the_loop(move || Arc::new(PreparedTrack::with_preview(track))).await
}

/// Assembles a track from records; the one that is `held` where that is the same.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(super) async fn assemble(
    records: Arc<Records>,
    options: TrackOptions,
    held: Option<Arc<Track>>,
) -> Result<Arc<Track>, Failure> {
    off_the_loop(move || {
        let track = Track::of(&records, &options);
        match held.filter(|held| **held == track) {
            Some(held) => held,
            None => Arc::new(track),
        }
    })
    .await
}

/// Makes the overview of a track from records.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(super) async fn overview(
    records: Arc<Records>,
    options: TrackOptions,
) -> Result<Overview, Failure> {
    off_the_loop(move || Overview::of(&Track::of(&records, &options))).await
}

/// Makes the overview of a track for lists.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(super) async fn overview_of(track: Arc<Track>) -> Result<Arc<Overview>, Failure> {
    off_the_loop(move || Arc::new(Overview::of(&track))).await
}

/// Runs work on a whole track with so many fixes on a blocking thread, on a long
/// one after that which was begun before.
async fn in_turn<T: Send + 'static>(
    fixes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let _turn = if fixes >= LONG {
        // It is never closed.
        TURN.acquire().await.ok()
    } else {
        None
    };
    off_the_loop(work).await
}

/// Runs work on a whole track on a blocking thread.
async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    blocking(work).await.map_err(|stopped| match stopped {
        Stopped::Fault => Failure::new(
            FailureKind::Other,
            "an internal fault while working on a track",
            "Please report it.",
        ),
        Stopped::Ending => Failure::new(FailureKind::Interrupted, stopped.to_string(), ""),
    })
}
