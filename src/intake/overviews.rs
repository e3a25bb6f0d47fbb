//! What lists show of deployments: read from the archive in one step, and made of
//! the stored fixes where that does not hold.

use std::sync::Arc;

use uuid::Uuid;

use super::fetch::{self, Fetched};
use super::judge::judge_archived;
use super::prepare::overview;
use crate::api::ProgressSink;
use crate::archive::MadeOverview;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::track::overview::{FetchedOverview, ReadOverview};
use crate::track::{Answer, Records, TrackOptions};

/// So many are stored and sent together while they are made of stored fixes.
const TOGETHER: usize = 64;

/// What lists show of a track, made of records with these choices.
///
/// # Errors
/// [`crate::failure::FailureKind::Interrupted`] when the program is ending.
async fn made(
    uuid: Uuid,
    (records, revision): (Arc<Records>, Option<i64>),
    options: TrackOptions,
) -> Result<MadeOverview, Failure> {
    let times = records.transmissions.iter().map(|one| one.time_stamp);
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    let overview = Arc::new(overview(records, options.clone()).await?);
    Ok(MadeOverview::new(
        uuid,
        revision,
        (overview, &times),
        options,
    ))
}

/// Sends what lists show of those of these deployments that have stored data, each
/// with the choices of its track: what is stored in one step, then what has to be
/// made of the fixes, some at a time. That is stored for the next time.
///
/// # Errors
/// When the archive cannot be read. What cannot be stored is made again next time.
pub(crate) async fn load(
    store: &Store,
    wanted: Vec<(Uuid, TrackOptions)>,
    send: impl Fn(Vec<ReadOverview>),
) -> Result<(), Failure> {
    let read = store.overviews(wanted).await?;
    let missing = read.iter().filter(|one| one.overview.is_none());
    let missing: Vec<ReadOverview> = missing.cloned().collect();
    send(read);
    for some in missing.chunks(TOGETHER) {
        let (mut all, mut read) = (Vec::new(), Vec::new());
        for one in some {
            // One that is damaged is told of when it is opened.
            let Ok(Some(stored)) = store.stored(one.uuid).await else {
                continue;
            };
            let of = (Arc::new(stored.records), Some(stored.revision));
            let made = made(one.uuid, of, (*one.options).clone()).await?;
            read.push(ReadOverview {
                overview: Some(Arc::clone(&made.overview)),
                fetched_at: stored.fetched_at,
                ..one.clone()
            });
            all.push(made);
        }
        let _ = store.store_overviews(all).await;
        send(read);
    }
    Ok(())
}

/// Fetches what lists show of a deployment, and stores what comes. Where nothing
/// has changed, the track is not read.
///
/// # Errors
/// As [`fetch::request_records`].
pub(crate) async fn fetch(
    session: &Session,
    store: &Store,
    uuid: Uuid,
    options: TrackOptions,
    progress: ProgressSink,
) -> Result<FetchedOverview, Failure> {
    let answer = fetch::request_answer(session, store, uuid, progress.clone()).await?;
    if answer.is_unchanged()
        && let Some(shown) = unchanged(store, uuid, &answer, &options).await
    {
        return Ok(shown);
    }
    let fetched =
        fetch::with_records(session, store, uuid, (answer, Some(progress)), options).await?;
    stored(store, uuid, fetched).await
}

/// What the archive has of a deployment that has not changed; `None` where that
/// does not hold, or the archive cannot be written.
async fn unchanged(
    store: &Store,
    uuid: Uuid,
    answer: &Answer,
    options: &TrackOptions,
) -> Option<FetchedOverview> {
    let options = TrackOptions {
        now: unix_now(),
        ..options.clone()
    };
    let read = store.overviews(vec![(uuid, options)]).await.ok()?;
    let read = read.into_iter().next()?;
    let overview = read.overview?;
    store.confirm(uuid, answer.received_at).await.ok()?;
    store.is_stored(uuid);
    // Alarms that cannot be judged now are judged in the next round.
    let _ = judge_archived(store, uuid).await;
    Some(FetchedOverview {
        overview,
        options: read.options,
        fetched_at: answer.received_at,
        notes: Vec::new(),
        delta: Some(Default::default()),
    })
}

/// Stores a response; returns what lists show of all that is stored.
async fn stored(store: &Store, uuid: Uuid, fetched: Fetched) -> Result<FetchedOverview, Failure> {
    let (options, fetched_at) = (fetched.options.clone(), fetched.answer.received_at);
    let stored = fetch::store_fetched(store, uuid, fetched).await?;
    Ok(FetchedOverview {
        overview: stored.overview,
        options: Box::new(options),
        fetched_at,
        notes: stored.notes,
        delta: stored.delta,
    })
}
