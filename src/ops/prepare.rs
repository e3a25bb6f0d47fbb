//! Work on a whole track, on blocking threads: assembling, arranging and preparing
//! it for drawing.

use std::sync::Arc;

use uuid::Uuid;

use super::store::Store;
use crate::chart::{FieldCharts, LoadedTrack, PreparedTrack, ShownField};
use crate::failure::{Failure, FailureKind};
use crate::track::field::fix_key;
use crate::track::{Arrangement, Overview, Records, Track, TrackOptions, Wording, matching_rows};

/// Assembles a loaded track again with other options, for a long one with a
/// preview of its map.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn reassemble(
    loaded: LoadedTrack,
    options: TrackOptions,
) -> Result<LoadedTrack, Failure> {
    off_the_loop(move || {
        let track = Arc::new(loaded.track.track().reassembled(&options));
        LoadedTrack {
            track: Arc::new(PreparedTrack::with_preview(track)),
            options: Box::new(options),
            ..loaded
        }
    })
    .await
}

/// The part of a track between two times, prepared for drawing.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn time_range(
    track: Arc<PreparedTrack>,
    (from, to): (f64, f64),
) -> Result<Arc<PreparedTrack>, Failure> {
    off_the_loop(move || {
        let part = track.window(Some(from), Some(to));
        Arc::new(PreparedTrack::new(Arc::new(part)))
    })
    .await
}

/// The rows of a table of fixes that contain a text.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn search(
    track: Arc<PreparedTrack>,
    order: Option<Arc<Vec<u32>>>,
    wording: Wording,
    text: String,
) -> Result<Arc<Vec<u32>>, Failure> {
    off_the_loop(move || {
        let order = order.as_ref().map(|order| order.as_slice());
        Arc::new(matching_rows(&track, order, &wording, &text))
    })
    .await
}

/// The rows of a track, sorted and filtered; `None` for all fixes in time
/// order. `field` is what they are sorted by, where that is a field.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn arrange(
    track: Arc<PreparedTrack>,
    arrangement: Arrangement,
    field: Option<ShownField>,
) -> Result<Option<Arc<Vec<u32>>>, Failure> {
    off_the_loop(move || {
        let read = field.as_ref().map(ShownField::reader);
        let value = |fix| read.as_ref().and_then(|read| read(fix));
        arrangement.rows(&track, value).map(Arc::new)
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
    let stored = match track.fields().is_empty() {
        true => Some(store.fields(deployment).await?),
        false => None,
    };
    off_the_loop(move || {
        let keys = track.fixes();
        let keys = keys.map(|fix| fix_key(fix.time_stamp, fix.position));
        let rows = stored.map_or_else(|| track.fields().clone(), |stored| stored.of(keys));
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
pub(super) async fn prepared_preview(track: Arc<Track>) -> Result<Arc<PreparedTrack>, Failure> {
    off_the_loop(move || Arc::new(PreparedTrack::with_preview(track))).await
}

/// Assembles a track from records.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn assemble(
    records: Arc<Records>,
    options: TrackOptions,
) -> Result<Arc<Track>, Failure> {
    off_the_loop(move || Arc::new(Track::of(&records, &options))).await
}

/// What lists show of a track, made of records.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(super) async fn overview(
    records: Arc<Records>,
    options: TrackOptions,
) -> Result<Overview, Failure> {
    off_the_loop(move || Overview::of(&Track::of(&records, &options))).await
}

/// What lists show of a track.
///
/// # Errors
/// [`FailureKind::Interrupted`] when the program is ending.
pub(super) async fn overview_of(track: Arc<Track>) -> Result<Arc<Overview>, Failure> {
    off_the_loop(move || Arc::new(Overview::of(&track))).await
}

/// Runs work on a whole track on a blocking thread.
async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| match error.is_panic() {
            true => Failure::new(
                FailureKind::Other,
                "an internal fault while working on a track",
                "Please report it.",
            ),
            false => Failure::new(FailureKind::Interrupted, "the program is ending", ""),
        })
}
