//! The fetch of a deployment, for the dashboard, `collect` and the commands: from the
//! request to what is stored, judged and shown.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot;
use uuid::Uuid;

use super::prepare::{assemble, overview_of};
use super::refusal::note_refusal;
use super::turn::{in_turn, wait_after};
use super::{keep, notes};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::ops::blocking::to_its_end;
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::service::ProgressSink;
use crate::track::agenda::LastAnswer;
use crate::track::{
    Answer, FetchDelta, FetchRequest, FlagOverrides, Flags, Keep, RequestBasis, Track,
    TrackOptions, Turn, Update, Wanted,
};

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The deployment was fetched.
    Updated(Box<Update>),
    /// Another program requests it or has requested it: try again in this many seconds.
    NotDue(f64),
}

impl Outcome {
    /// The update of a request that did not wait for its turn.
    ///
    /// # Errors
    /// [`without_outcome`] if it did.
    pub(crate) fn now(self) -> Result<Update, Failure> {
        match self {
            Self::Updated(update) => Ok(*update),
            Self::NotDue(_) => Err(without_outcome()),
        }
    }
}

/// The failure of a fetch that ended without an outcome.
pub(crate) fn without_outcome() -> Failure {
    Failure::new(
        FailureKind::Other,
        "an internal fault while fetching",
        "Please report it.",
    )
}

/// Receivers of the reports while a deployment is fetched.
#[derive(Default)]
pub(crate) struct Reports {
    /// Takes the progress of the response.
    pub progress: Option<ProgressSink>,
    /// Takes the track of the response before it is stored, which may take long.
    pub assembled: Option<oneshot::Sender<Assembled>>,
}

/// A track with the options that it was assembled with.
#[derive(Debug, Clone)]
pub(crate) struct Assembled {
    /// The track.
    pub track: Arc<Track>,
    /// The options.
    pub options: Box<TrackOptions>,
    /// When its records were received, UNIX seconds.
    pub fetched_at: f64,
}

impl Assembled {
    /// The track of an update, if it has one.
    pub(crate) fn new(update: Update) -> Option<Self> {
        Some(Self {
            track: update.track?,
            options: update.options,
            fetched_at: update.fetched_at,
        })
    }
}

/// The archived state of a deployment before a request.
#[derive(Debug, Default)]
struct Known {
    flags: FlagOverrides,
    is_watched: bool,
    /// The validators and fields that the request builds on.
    basis: RequestBasis,
    /// The last response, if another program that still runs has stored it.
    of_another: Option<LastAnswer>,
}

/// Fetches a deployment if it is this program's turn: requests it, if it changed since
/// the archived response; assembles its track; stores and judges the response; and
/// notifies those that follow the alarms. The archive is entered once for reading and once for
/// writing. Dropping the future cancels the request.
///
/// # Errors
/// [`Failure`] of any kind but [`crate::failure::FailureKind::OutcomeUnknown`]. An archive
/// that cannot be written is none: [`Update::unstored`].
pub(crate) async fn update(
    session: &Session,
    store: &Store,
    request: FetchRequest,
    reports: Reports,
) -> Result<Outcome, Failure> {
    let known = known(session, store, &request).await?;
    if let (Turn::Leased { refresh_s } | Turn::Held { refresh_s }, Some(answer)) =
        (request.turn, known.of_another)
        && let Some(wait_s) = wait_after(answer, unix_now(), refresh_s)
    {
        return Ok(Outcome::NotDue(wait_s));
    }
    let deployment = request.deployment;
    let turn = request.turn;
    let fetch = fetch(session, store, request, known, reports);
    match turn {
        Turn::Leased { refresh_s } if store.is_shared() => {
            in_turn(store, deployment, refresh_s, fetch).await
        }
        _ => Ok(Outcome::Updated(Box::new(fetch.await?))),
    }
}

async fn known(session: &Session, store: &Store, request: &FetchRequest) -> Result<Known, Failure> {
    let uuid = request.deployment;
    let flags = request.flags;
    // On a server the lease decides.
    let takes_turns = !matches!(request.turn, Turn::Now) && !store.is_shared();
    let service = session.service_name();
    let fields = session.client().asked_fields().cloned();
    let read = store.read(move |archive| {
        Ok(Known {
            flags: match flags {
                Flags::Given => FlagOverrides::default(),
                Flags::Archived => archive.overrides(uuid)?,
            },
            is_watched: archive.is_watched(uuid).unwrap_or(false),
            // Without validators the whole response is requested: slower, but equally
            // correct.
            basis: archive
                .request_basis(uuid, &service, fields.as_ref())
                .unwrap_or_default(),
            of_another: if takes_turns {
                archive
                    .received_by_another(uuid, unix_now())
                    .unwrap_or_default()
            } else {
                None
            },
        })
    });
    match (read.await, flags) {
        // Without the flags it would be another track.
        (Err(failure), Flags::Archived) => Err(failure),
        (read, _) => Ok(read.unwrap_or_default()),
    }
}

async fn fetch(
    session: &Session,
    store: &Store,
    mut request: FetchRequest,
    known: Known,
    reports: Reports,
) -> Result<Update, Failure> {
    let uuid = request.deployment;
    if request.flags == Flags::Archived {
        request.options.overrules = known.flags;
    }
    let is_watched = known.is_watched || store.is_configured(uuid);
    let is_kept = is_watched || request.keep == Keep::Always;
    let basis = is_kept.then_some(known.basis);
    let began = unix_now();
    let fetched = answered(session, store, request, basis, reports).await;
    if let Err(failure) = &fetched
        && is_watched
    {
        note_refusal(store, session.service_name(), (uuid, began), failure).await;
    }
    store.alarms_may_differ();
    fetched
}

/// Requests a deployment and processes the response, which is stored if there is a `basis` of
/// the archive.
async fn answered(
    session: &Session,
    store: &Store,
    request: FetchRequest,
    basis: Option<RequestBasis>,
    mut reports: Reports,
) -> Result<Update, Failure> {
    let is_kept = basis.is_some();
    let uuid = request.deployment;
    let progress = reports.progress.clone();
    let basis = basis.unwrap_or_default();
    let mut answer = request_records(session, uuid, &basis, progress.clone()).await?;
    if answer.is_unchanged() {
        let report = &mut reports.assembled;
        if let Some(update) = unchanged(store, &request, answer, report).await? {
            return Ok(update);
        }
        // The data that the validators belong to is gone from the archive.
        let basis = RequestBasis {
            limited: basis.limited,
            ..RequestBasis::default()
        };
        answer = request_records(session, uuid, &basis, progress).await?;
    }
    if is_kept {
        store_answer(store, request, answer, reports).await
    } else {
        assembled(&request, &answer, reports.assembled).await
    }
}

/// Requests the records of a deployment; with validators in `basis`, only if they changed.
async fn request_records(
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

/// Processes a response with records, also one to the test of a token: assembles
/// its track, stores and judges it, and notifies those that follow the alarms.
///
/// # Errors
/// [`crate::failure::FailureKind::Interrupted`] if the program is ending.
pub(crate) async fn store_answer(
    store: &Store,
    request: FetchRequest,
    answer: Answer,
    reports: Reports,
) -> Result<Update, Failure> {
    // A response about a part of the track is not shown as the track.
    let report = reports.assembled.filter(|_| !answer.span.is_bounded());
    let update = assembled(&request, &answer, report).await?;
    let uuid = request.deployment;
    let shared = store.clone();
    // What is stored is judged, even if nobody waits for it any more.
    let kept = to_its_end(async move { keep::keep(&shared, uuid, answer, update).await });
    let update = kept.await?;
    store.alarms_may_differ();
    Ok(update)
}

/// Makes the update of a response with records, before it is stored.
async fn assembled(
    request: &FetchRequest,
    answer: &Answer,
    report: Option<oneshot::Sender<Assembled>>,
) -> Result<Update, Failure> {
    let options = request.options.clone();
    let options = options.by_clock(answer.clock(), answer.received_at);
    let shown = match &request.wanted {
        Wanted::Track { shown } => shown.clone(),
        Wanted::Overview => None,
    };
    let track = assemble(Arc::clone(&answer.records), options.clone(), shown).await?;
    let options = Box::new(options);
    if let Some(report) = report {
        // A cancelled request has no receiver.
        let _ = report.send(Assembled {
            track: Arc::clone(&track),
            options: options.clone(),
            fetched_at: answer.received_at,
        });
    }
    let unjudged = notes::none_usable(&answer.records, &track);
    let mut notes = notes::of_answer(answer);
    notes.extend(unjudged.iter().map(Failure::message));
    notes.extend(track.conflicting_repeats());
    Ok(Update {
        overview: overview_of(Arc::clone(&track)).await?,
        track: Some(track),
        options,
        fetched_at: answer.received_at,
        took_s: answer.took_s,
        delta: None,
        notes,
        unstored: None,
        unjudged,
    })
}

/// The update of a deployment that has not changed, made from the archive; `None` if the
/// archive lost its data.
async fn unchanged(
    store: &Store,
    request: &FetchRequest,
    mut answer: Answer,
    report: &mut Option<oneshot::Sender<Assembled>>,
) -> Result<Option<Update>, Failure> {
    let confirmed = keep::confirm(store, request, &answer).await;
    let mut update = match (confirmed.overview, confirmed.records) {
        (Some((overview, options)), _) => Update {
            track: None,
            overview,
            options,
            fetched_at: answer.received_at,
            took_s: answer.took_s,
            delta: None,
            notes: Vec::new(),
            unstored: None,
            unjudged: None,
        },
        (None, Some(records)) => {
            answer.records = Arc::new(records.with_asked_fields(answer.asked.as_ref()));
            let mut update = assembled(request, &answer, report.take()).await?;
            let absent = answer.records.unsent.len();
            update.notes.extend(notes::absent(absent));
            update
        }
        (None, None) => return Ok(None),
    };
    update.delta = Some(FetchDelta::default());
    if let Some(judged) = confirmed.judged {
        keep::note_judged(&mut update, judged);
    }
    if let Some(failure) = confirmed.unstored {
        keep::hold(store, request.deployment, answer, &mut update, failure).await;
    }
    Ok(Some(update))
}
