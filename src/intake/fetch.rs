//! Loads a deployment's track from the service or the archive: fetches,
//! assembles and stores it.

mod notes;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use uuid::Uuid;

use super::judge::{AtHand, judge, judge_stored};
use super::prepare::{assemble, full_detail, overview_of, prepared, prepared_preview};
use crate::api::ProgressSink;
use crate::archive::MadeOverview;
use crate::chart::{LoadedTrack, PreparedTrack};
use crate::failure::Failure;
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::track::{
    Answer, FetchDelta, FlagOverrides, Overview, RequestBasis, Track, TrackOptions, time,
};
use notes::{absent_note, add_hint, missing_fields_note, unkept_note};

/// Difference between the two clocks, in seconds, above which the user is
/// notified.
const CLOCKS_DIFFER_S: f64 = 120.0;

/// A track assembled from one response of the service.
#[derive(Debug, Clone)]
pub(crate) struct Fetched {
    /// The track.
    pub track: Arc<Track>,
    /// The response.
    pub answer: Answer,
    /// Notes to the user about the response.
    pub notes: Vec<String>,
    /// The options with which the track was assembled.
    pub options: TrackOptions,
}

/// A track whose response is in the archive.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// The track: the response, and archived fixes that are absent from it.
    pub track: Arc<Track>,
    /// What lists show of it.
    pub overview: Arc<Overview>,
    /// Notes to the user about the response or the archive.
    pub notes: Vec<String>,
    /// What the response added to the archive; `None` if it was not stored.
    pub delta: Option<FetchDelta>,
    /// Why the response, or that it is unchanged, was not stored.
    pub unstored: Option<Failure>,
}

/// Requests the records of a deployment; with validators in `basis`, only if they changed.
/// Dropping the future cancels the request.
///
/// # Errors
/// [`Failure`] of any kind but [`crate::failure::FailureKind::OutcomeUnknown`].
pub(crate) async fn request_records(
    session: &Session,
    deployment: Uuid,
    basis: &RequestBasis,
    progress: Option<ProgressSink>,
) -> Result<Answer, Failure> {
    let (token, _) = session.token().await?;
    let began = Instant::now();
    let answer = session
        .client()
        .deployment_data(&token, deployment, basis, progress)
        .await;
    let mut answer = session.checked(answer).await?;
    answer.took_s = began.elapsed().as_secs_f64();
    Ok(answer)
}

/// Fetches a deployment and assembles its track; the archive is not used. The
/// time of the options is replaced by the time of the response.
///
/// # Errors
/// As [`request_records`].
pub(crate) async fn fetch_track(
    session: &Session,
    deployment: Uuid,
    options: TrackOptions,
    progress: Option<ProgressSink>,
) -> Result<Fetched, Failure> {
    let answer = request_records(session, deployment, &RequestBasis::default(), progress).await?;
    assembled(answer, options).await
}

/// Fetches a deployment's track, if it changed since the archived response.
/// The archive is not written yet: the user waits for the track only.
///
/// # Errors
/// As [`request_records`].
pub(crate) async fn fetch_changed(
    session: &Session,
    store: &Store,
    deployment: Uuid,
    options: TrackOptions,
    progress: Option<ProgressSink>,
) -> Result<Fetched, Failure> {
    let fetched = request_changed(session, store, deployment, options, progress).await;
    if let Err(failure) = &fetched {
        note_failure(session, store, deployment, failure).await;
    }
    fetched
}

async fn request_changed(
    session: &Session,
    store: &Store,
    deployment: Uuid,
    options: TrackOptions,
    progress: Option<ProgressSink>,
) -> Result<Fetched, Failure> {
    let answer = request_unless_known(session, store, deployment, progress.clone()).await?;
    with_records(session, store, deployment, (answer, progress), options).await
}

/// Requests the records of a deployment, if they changed since the archived
/// response. A failure is recorded as [`fetch_changed`] does.
///
/// # Errors
/// As [`request_records`].
pub(super) async fn request_answer(
    session: &Session,
    store: &Store,
    deployment: Uuid,
    progress: ProgressSink,
) -> Result<Answer, Failure> {
    let answer = request_unless_known(session, store, deployment, Some(progress)).await;
    if let Err(failure) = &answer {
        note_failure(session, store, deployment, failure).await;
    }
    answer
}

async fn note_failure(session: &Session, store: &Store, deployment: Uuid, failure: &Failure) {
    // An archive that cannot be written is told by whatever needs it.
    let service = session.base().to_string();
    let _ = store.failed(service, deployment, failure).await;
}

async fn request_unless_known(
    session: &Session,
    store: &Store,
    deployment: Uuid,
    progress: Option<ProgressSink>,
) -> Result<Answer, Failure> {
    // Without validators the whole response is requested: slower, but equally
    // correct.
    let basis = store
        .request_basis(
            deployment,
            session.base().to_string(),
            session.client().asked_fields().cloned(),
        )
        .await
        .unwrap_or_default();
    request_records(session, deployment, &basis, progress).await
}

/// The track of an answer, or of the archived data where it says that nothing has
/// changed. Without these the records are requested.
///
/// # Errors
/// As [`request_records`].
pub(super) async fn with_records(
    session: &Session,
    store: &Store,
    deployment: Uuid,
    (mut answer, progress): (Answer, Option<ProgressSink>),
    options: TrackOptions,
) -> Result<Fetched, Failure> {
    if answer.is_unchanged() {
        match store.stored_with_fields(deployment).await {
            Ok(Some(stored)) => {
                let records = stored.records.with_asked_fields(answer.asked.as_ref());
                answer.records = Arc::new(records);
            }
            // The data that the validators belong to is gone from the archive.
            Ok(None) | Err(_) => {
                let all = RequestBasis::default();
                answer = request_records(session, deployment, &all, progress).await?;
            }
        }
    }
    assembled(answer, options).await
}

/// Stores a fetched response in the archive. If the archive cannot be written,
/// returns the track with a note.
///
/// # Errors
/// [`crate::failure::FailureKind::Interrupted`] when the program is ending.
pub(crate) async fn store_fetched(
    store: &Store,
    deployment: Uuid,
    fetched: Fetched,
) -> Result<Stored, Failure> {
    let Fetched {
        mut track,
        answer,
        mut notes,
        options,
    } = fetched;
    let mut overview = overview_of(Arc::clone(&track)).await?;
    let choices = options.clone();
    let made = |overview, track: &Track, revision| {
        let of = (overview, track.time_stamps());
        MadeOverview::new(deployment, revision, of, choices.clone())
    };
    if answer.is_unchanged() {
        if !answer.records.unsent.is_empty() {
            notes.push(absent_note(answer.records.unsent.len()));
        }
        // If it cannot be written, the archive shows an earlier time of fetch.
        let unstored = match store.confirm(deployment, answer.received_at).await {
            Ok(()) => {
                store.is_stored(deployment);
                let judged = judge_stored(store, deployment, Some((Arc::clone(&track), options)));
                notes.extend(judged.await.err().map(not_judged));
                None
            }
            Err(failure) => {
                hold(store, deployment, answer).await;
                Some(failure)
            }
        };
        return Ok(Stored {
            track,
            overview,
            notes,
            delta: Some(FetchDelta::default()),
            unstored,
        });
    }
    let asked = answer.asked.clone();
    let cost = Answer {
        records: Arc::default(),
        ..answer.clone()
    };
    let shown = made(Arc::clone(&overview), &track, None);
    let stored = store.ingest(deployment, answer.clone(), Some(shown)).await;
    notes.extend(store.warnings());
    let mut unstored = None;
    let delta = match stored {
        Ok(delta) => {
            notes.extend(unkept_note(delta.unkept_fields));
            store.is_stored(deployment);
            if delta.is_part
                && let Ok(Some(stored)) = store.stored_with_fields(deployment).await
            {
                if delta.absent > 0 {
                    notes.push(absent_note(delta.absent));
                }
                add_hint(&mut notes, &stored.records);
                let records = stored.records.with_asked_fields(asked.as_ref());
                track = assemble(Arc::new(records), options.clone()).await?;
                overview = overview_of(Arc::clone(&track)).await?;
                let shown = made(Arc::clone(&overview), &track, Some(stored.revision));
                // What is not stored is made of the fixes when it is needed.
                let _ = store.store_overviews(vec![shown]).await;
            }
            // Where the archive has more than the response, that is read.
            let whole = (!delta.is_part).then(|| (Arc::clone(&track), options));
            let judged = judge_stored(store, deployment, whole);
            notes.extend(judged.await.err().map(not_judged));
            Some(delta.with_cost_of(&cost))
        }
        Err(failure) => {
            hold(store, deployment, answer).await;
            notes.push(format!("not stored in the archive: {}", failure.message()));
            unstored = Some(failure);
            None
        }
    };
    Ok(Stored {
        track,
        overview,
        notes,
        delta,
        unstored,
    })
}

/// Judges in memory a response that the archive has not taken.
async fn hold(store: &Store, deployment: Uuid, answer: Answer) {
    let at = answer.received_at;
    let judged = move |archive: &mut _| judge(archive, deployment, &AtHand::default(), at);
    store.hold(deployment, answer, judged).await;
}

/// That alarms could not be judged, for the user.
fn not_judged(failure: Failure) -> String {
    format!("alarms could not be judged: {}", failure.message())
}

/// Fetches a deployment's track, prepares it for drawing, and stores it.
/// `preview` is called as soon as the track can be shown, for a long track with
/// a preview of its map. Where the response has the same fixes as the track that is
/// `held`, that one stays, with what was prepared of it.
///
/// # Errors
/// As [`request_records`].
pub(crate) async fn load(
    session: &Session,
    store: &Store,
    (deployment, options, held): (Uuid, TrackOptions, Option<Arc<PreparedTrack>>),
    progress: ProgressSink,
    preview: impl FnOnce(LoadedTrack) + Send,
) -> Result<LoadedTrack, Failure> {
    let fetched = fetch_changed(session, store, deployment, options, Some(progress)).await?;
    show_and_store(store, deployment, (fetched, held), preview).await
}

/// Shows and stores a response that arrived by another way than [`load`]'s.
/// `preview` is called as there.
///
/// # Errors
/// [`crate::failure::FailureKind::Interrupted`] where the program is ending.
pub(crate) async fn take_in(
    store: &Store,
    deployment: Uuid,
    answer: Answer,
    options: TrackOptions,
    preview: impl FnOnce(LoadedTrack) + Send,
) -> Result<LoadedTrack, Failure> {
    let fetched = assembled(answer, options).await?;
    show_and_store(store, deployment, (fetched, None), preview).await
}

async fn show_and_store(
    store: &Store,
    deployment: Uuid,
    (mut fetched, held): (Fetched, Option<Arc<PreparedTrack>>),
    preview: impl FnOnce(LoadedTrack) + Send,
) -> Result<LoadedTrack, Failure> {
    let (options, fetched_at) = (fetched.options.clone(), fetched.answer.received_at);
    let previewed = prepared_preview(Arc::clone(&fetched.track), held).await?;
    fetched.track = Arc::clone(previewed.track());
    let received = Arc::clone(&fetched.track);
    let loaded = |track, notes, delta| LoadedTrack {
        track,
        options: Box::new(options.clone()),
        fetched_at,
        notes,
        delta,
    };
    preview(loaded(Arc::clone(&previewed), Vec::new(), None));
    let full = full_detail(previewed).await?;
    let stored = store_fetched(store, deployment, fetched).await?;
    let track = if Arc::ptr_eq(&stored.track, &received) {
        full
    } else {
        prepared(stored.track).await?
    };
    Ok(loaded(track, stored.notes, stored.delta))
}

/// Archived data of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct FromArchive {
    /// The flags that the user set.
    pub overrides: FlagOverrides,
    /// The track, for a long one with a preview of its map; `None` if nothing
    /// is archived.
    pub loaded: Option<LoadedTrack>,
}

/// Loads the archived track of a deployment, assembled with the archived flags
/// in addition to those of `options`.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn load_stored(
    store: &Store,
    deployment: Uuid,
    options: TrackOptions,
) -> Result<FromArchive, Failure> {
    let overrides = store.overrides(deployment).await?;
    let options = TrackOptions {
        overrules: overrides.merged_with(&options.overrules),
        ..options
    };
    let loaded = match store.stored(deployment).await? {
        None => None,
        Some(stored) => {
            let track = assemble(Arc::new(stored.records), options.clone()).await?;
            Some(LoadedTrack {
                track: prepared_preview(track, None).await?,
                options: Box::new(options),
                fetched_at: stored.fetched_at,
                notes: Vec::new(),
                delta: None,
            })
        }
    };
    Ok(FromArchive { overrides, loaded })
}

/// Assembles a track from a response.
async fn assembled(answer: Answer, options: TrackOptions) -> Result<Fetched, Failure> {
    let mut notes = Vec::new();
    if answer.status == 204 {
        notes.push("the service answered 204, no content: no fixes".to_owned());
    }
    if answer.fields_failed {
        notes.push("asked for the set fields, no record had time_stamp, latitude and longitude: asked again for whole records; check the setting 'fields'".to_owned());
    }
    if let Some(ahead) = answer.clock_ahead_s
        && ahead.abs() > CLOCKS_DIFFER_S
    {
        let side = if ahead > 0.0 { "ahead of" } else { "behind" };
        notes.push(format!(
            "the service's clock is {} {side} this computer's: ages are wrong by that much if this computer's is the wrong one",
            time::duration(ahead)
        ));
    }
    add_hint(&mut notes, &answer.records);
    notes.extend(answer.records.fields.note());
    notes.extend(missing_fields_note(&answer));
    let options = TrackOptions {
        now: answer.received_at,
        ..options
    };
    let track = assemble(Arc::clone(&answer.records), options.clone()).await?;
    Ok(Fetched {
        track,
        answer,
        notes,
        options,
    })
}
