//! The track of a deployment as the archive has it, and work on a whole track, on blocking threads:
//! assembling, arranging and preparing it for drawing.

use std::sync::Arc;

use tokio::sync::Semaphore;
use uuid::Uuid;

use super::keep::Assembled;
use crate::app::store::Store;
use crate::failure::Failure;
use crate::map::{DistanceTo, FieldCharts, PreparedTrack};
use crate::os::blocking::blocking;
use crate::track::field::{FieldChoice, fix_key};
use crate::track::{FlagOverrides, Records, Track, TrackOptions};
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

/// Archived data of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct Archived {
    /// The flags that the user set.
    pub flags: FlagOverrides,
    /// The track; `None` if nothing is archived.
    pub track: Option<Assembled>,
}

/// The choice to read a track with or without the fields of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// With them.
    With,
    /// Without them, which takes less time.
    Without,
}

impl Fields {
    /// The fields for a file: with or without them, by its format, and by what the user
    /// chose of them.
    pub(crate) fn for_format(has_fields: bool, choice: Option<&FieldChoice>) -> Self {
        if has_fields && !choice.is_some_and(FieldChoice::is_none) {
            Self::With
        } else {
            Self::Without
        }
    }
}

/// The archived track of a deployment, assembled with the archived flags in addition to
/// those of `options`.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn archived(
    store: &Store,
    uuid: Uuid,
    options: TrackOptions,
    fields: Fields,
) -> Result<Archived, Failure> {
    let read = store.read_data(move |archive| {
        // The same UUID may be another instrument at another service.
        let stored = match fields {
            _ if archive.is_of_other_base(uuid)? => None,
            Fields::With => archive.stored_with_fields(uuid)?,
            Fields::Without => archive.stored(uuid)?,
        };
        Ok((archive.overrides(uuid)?, archive.clock(uuid)?, stored))
    });
    let (flags, clock, stored) = read.await?;
    let now = options.now;
    let options = TrackOptions {
        overrules: flags.merged_with(&options.overrules),
        ..options
    }
    .by_clock(clock, now);
    let track = match stored {
        None => None,
        Some(stored) => Some(Assembled {
            track: assemble(Arc::new(stored.records), options.clone(), None).await?,
            options: Box::new(options),
            fetched_at: stored.fetched_at,
        }),
    };
    Ok(Archived { flags, track })
}
