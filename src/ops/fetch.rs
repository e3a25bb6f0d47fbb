//! A deployment's track from the service: fetched, understood and assembled
//! away from the threads that keep the program responsive.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use uuid::Uuid;

use super::{
    failure::{Failure, FailureKind},
    session::Session,
    store::ResponseToStore,
};
use crate::{
    api::{ProgressSink, Validators},
    archive,
    chart::PreparedTrack,
    track::{Records, Track, TrackOptions},
};

/// Records as the service sent them.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordsAnswer {
    /// The records, in the service's order.
    pub records: Records,
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body, decompressed.
    pub bytes: u64,
    /// When the answer was complete, UNIX seconds.
    pub fetched_at: f64,
    /// How long it took, tries and waits included.
    pub duration: Duration,
    /// What a reader should know about the answer.
    pub notes: Vec<String>,
    /// Whether nothing changed since the answer that was known.
    pub unchanged: bool,
    /// What it can be asked for again by.
    pub validators: Validators,
}

/// A track as the service sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackAnswer {
    /// The track.
    pub track: Arc<Track>,
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body, decompressed.
    pub bytes: u64,
    /// When the answer was complete, UNIX seconds.
    pub fetched_at: f64,
    /// How long it took, tries and waits included.
    pub duration: Duration,
    /// What a reader should know about the answer.
    pub notes: Vec<String>,
}

/// Fetches the records of a deployment, with `known` only if they are others
/// than those. Dropping the future cancels it.
///
/// # Errors
/// [`Failure`] of any kind but [`FailureKind::OutcomeUnknown`].
pub async fn fetch_records(
    session: &Session,
    deployment: Uuid,
    known: &Validators,
    progress: Option<ProgressSink>,
) -> Result<RecordsAnswer, Failure> {
    let started = Instant::now();
    let (token, _) = session.token().await?;
    let answer = session
        .client()
        .deployment_data(&token, deployment, known, progress)
        .await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return Err(session.failed(error).await),
    };
    let mut notes = Vec::new();
    if answer.status == 204 {
        notes.push("the service answered 204, no content: no fixes".to_owned());
    }
    if let Some(ahead) = answer.clock_ahead_s.filter(|ahead| ahead.abs() > 120.0) {
        let (minutes, way) = (
            (ahead.abs() / 60.0).round(),
            if ahead > 0.0 { "ahead of" } else { "behind" },
        );
        notes.push(format!(
            "the service's clock is {minutes} min {way} this machine's: ages are wrong by that much if this machine's is the wrong one"
        ));
    }
    notes.extend(answer.records.hint().map(str::to_owned));
    Ok(RecordsAnswer {
        records: answer.records,
        status: answer.status,
        bytes: answer.bytes,
        fetched_at: unix_now(),
        duration: started.elapsed(),
        notes,
        unchanged: answer.unchanged,
        validators: answer.validators,
    })
}

/// Fetches a deployment and assembles its track; `assembly` is asked once the
/// records are there, with the moment (UNIX seconds) they came. Dropping the
/// future cancels it.
///
/// # Errors
/// As [`fetch_records`].
pub async fn fetch_track(
    session: &Session,
    deployment: Uuid,
    assembly: impl FnOnce(f64) -> TrackOptions + Send,
    progress: Option<ProgressSink>,
) -> Result<TrackAnswer, Failure> {
    let answer = fetch_records(session, deployment, &Validators::default(), progress).await?;
    let assembly = assembly(answer.fetched_at);
    let track = assemble(answer.records, assembly).await?;
    Ok(TrackAnswer {
        track,
        status: answer.status,
        bytes: answer.bytes,
        fetched_at: answer.fetched_at,
        duration: answer.duration,
        notes: answer.notes,
    })
}

/// Assembles a track off the asynchronous threads.
///
/// # Errors
/// [`FailureKind::Interrupted`] where the program is ending.
pub async fn assemble(records: Records, assembly: TrackOptions) -> Result<Arc<Track>, Failure> {
    off_the_loop(move || Track::assemble(records, &assembly)).await
}

async fn off_the_loop(
    make: impl FnOnce() -> Track + Send + 'static,
) -> Result<Arc<Track>, Failure> {
    tokio::task::spawn_blocking(move || Arc::new(make()))
        .await
        .map_err(|_| {
            Failure::new(
                FailureKind::Interrupted,
                "the track was not assembled: the program is ending",
                "",
            )
        })
}

/// A track assembled anew with other choices, off the asynchronous threads.
pub async fn reassembled(track: Arc<Track>, assembly: TrackOptions) -> Arc<Track> {
    let kept = Arc::clone(&track);
    tokio::task::spawn_blocking(move || Arc::new(track.reassembled(&assembly)))
        .await
        .unwrap_or(kept)
}

/// Makes a track ready for the screen: its levels of detail. It works on the
/// whole track, so never on the thread that draws.
pub fn make_ready(track: Arc<Track>) -> Arc<PreparedTrack> {
    Arc::new(PreparedTrack::new(track))
}

/// As [`make_ready`], but of a long track with a sketch for its map.
pub fn make_sketch(track: Arc<Track>) -> Arc<PreparedTrack> {
    Arc::new(PreparedTrack::sketched(track))
}

/// As [`make_ready`], but of a long track with a sketch for its map, which
/// [`refined`] makes whole; off the asynchronous threads.
pub async fn sketched(track: Arc<Track>) -> Arc<PreparedTrack> {
    let kept = Arc::clone(&track);
    tokio::task::spawn_blocking(move || make_sketch(track))
        .await
        .unwrap_or_else(|_| make_ready(kept))
}

/// The whole of a track that was sketched; off the asynchronous threads.
pub async fn refined(sketch: Arc<PreparedTrack>) -> Arc<PreparedTrack> {
    if !sketch.is_sketch() {
        return sketch;
    }
    let kept = Arc::clone(&sketch);
    tokio::task::spawn_blocking(move || Arc::new(sketch.refined()))
        .await
        .unwrap_or(kept)
}

/// As [`make_ready`], off the asynchronous threads.
pub async fn charted(track: Arc<Track>) -> Arc<PreparedTrack> {
    let kept = Arc::clone(&track);
    tokio::task::spawn_blocking(move || make_ready(track))
        .await
        .unwrap_or_else(|_| make_ready(kept))
}

/// The part of a track in a window of time (UNIX seconds, both ends with it).
pub fn within(track: &Track, window: (f64, f64)) -> Track {
    track.window(Some(window.0), Some(window.1))
}

/// The present as UNIX seconds.
pub(super) fn unix_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// A track that came and is still to be kept.
#[derive(Debug)]
pub struct Fetched {
    /// The track as it came.
    pub answer: TrackAnswer,
    /// What goes into the archive; nothing where the service confirmed what is
    /// there.
    came: Option<ResponseToStore>,
    assembly: TrackOptions,
}

/// A track that was kept in the archive.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    /// The track: what came, and what came before and was not sent again.
    pub answer: TrackAnswer,
    /// What it brought; none where it could not be kept.
    pub news: Option<archive::FetchDelta>,
}

/// Fetches a deployment's track, if it changed since what the archive holds of
/// it, and does not keep it yet: a person waits for the track alone.
///
/// # Errors
/// As [`fetch_records`].
pub async fn fetch(
    session: &Session,
    store: &super::Store,
    deployment: Uuid,
    assembly: impl FnOnce(f64) -> TrackOptions + Send,
    progress: Option<ProgressSink>,
) -> Result<Fetched, Failure> {
    let source = session.base().to_string();
    let known = store
        .validators(deployment, source.clone())
        .await
        .unwrap_or_default();
    let known = Validators {
        etag: known.etag,
        modified: known.modified,
    };
    let mut answer = fetch_records(session, deployment, &known, progress.clone()).await?;
    if answer.unchanged {
        if let Ok(Some(kept)) = store.kept(deployment).await {
            // Where it cannot be written down, the age is the only thing lost.
            let _ = store.confirm(deployment, answer.fetched_at).await;
            return confirmed(answer, kept.records, assembly).await;
        }
        // What is known is not there any more: all of it, then.
        answer = fetch_records(session, deployment, &Validators::default(), progress).await?;
    }
    let came = ResponseToStore {
        records: Arc::new(answer.records),
        at: answer.fetched_at,
        status: answer.status,
        bytes: answer.bytes,
        source,
        validators: archive::Validators {
            etag: answer.validators.etag,
            modified: answer.validators.modified,
        },
    };
    let assembly = assembly(answer.fetched_at);
    let (records, choices) = (Arc::clone(&came.records), assembly.clone());
    let track = off_the_loop(move || Track::of(&records, &choices)).await?;
    Ok(Fetched {
        answer: TrackAnswer {
            track,
            status: answer.status,
            bytes: answer.bytes,
            fetched_at: answer.fetched_at,
            duration: answer.duration,
            notes: answer.notes,
        },
        came: Some(came),
        assembly,
    })
}

/// Keeps a track that came. Where the archive cannot be written the track comes
/// all the same, with a note.
///
/// # Errors
/// [`FailureKind::Interrupted`] where the program is ending.
pub async fn keep(
    store: &super::Store,
    deployment: Uuid,
    fetched: Fetched,
) -> Result<KeptAnswer, Failure> {
    let Fetched {
        mut answer,
        came,
        assembly,
    } = fetched;
    let Some(came) = came else {
        return Ok(KeptAnswer {
            answer,
            news: Some(archive::FetchDelta::default()),
        });
    };
    let records = Arc::clone(&came.records);
    let kept = store.keep(deployment, came).await;
    answer.notes.extend(store.news());
    let mut hint = records.hint();
    drop(records);
    let news = match kept {
        Ok(news) => {
            if news.absent > 0
                && let Ok(Some(kept)) = store.kept(deployment).await
            {
                answer.notes.push(not_sent_again(news.absent));
                hint = kept.records.hint();
                answer.track = assemble(kept.records, assembly).await?;
            }
            Some(news)
        }
        Err(failure) => {
            answer
                .notes
                .push(format!("not kept in the archive: {}", failure.message));
            None
        }
    };
    if let Some(hint) = hint.filter(|hint| !answer.notes.iter().any(|note| note == hint)) {
        answer.notes.push(hint.to_owned());
    }
    Ok(KeptAnswer { answer, news })
}

/// Fetches a deployment's track and keeps it.
///
/// # Errors
/// As [`fetch_records`].
pub async fn fetch_and_keep(
    session: &Session,
    store: &super::Store,
    deployment: Uuid,
    assembly: impl FnOnce(f64) -> TrackOptions + Send,
    progress: Option<ProgressSink>,
) -> Result<KeptAnswer, Failure> {
    let fetched = fetch(session, store, deployment, assembly, progress).await?;
    keep(store, deployment, fetched).await
}

/// The answer that nothing changed, with what is kept.
async fn confirmed(
    answer: RecordsAnswer,
    records: Records,
    assembly: impl FnOnce(f64) -> TrackOptions + Send,
) -> Result<Fetched, Failure> {
    let mut notes = answer.notes;
    if !records.unsent.is_empty() {
        notes.push(not_sent_again(records.unsent.len()));
    }
    notes.extend(records.hint().map(str::to_owned));
    let assembly = assembly(answer.fetched_at);
    let track = assemble(records, assembly.clone()).await?;
    Ok(Fetched {
        answer: TrackAnswer {
            track,
            status: answer.status,
            bytes: answer.bytes,
            fetched_at: answer.fetched_at,
            duration: answer.duration,
            notes,
        },
        came: None,
        assembly,
    })
}

fn not_sent_again(count: usize) -> String {
    format!("{count} fixes that came before were not sent again; they are kept and shown")
}
