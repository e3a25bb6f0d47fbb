//! The fetch of a deployment, for the dashboard, `collect` and the commands: from the
//! request to what is stored, judged and shown. The story goes on in `keep`, which assembles and
//! stores a response, and ends in `judge`.

pub(crate) mod archived;
pub(crate) mod keep;
mod notes;
pub(crate) mod prepare;
mod refusal;
pub(crate) mod turn;

#[cfg(test)]
mod tests;

use std::pin::pin;

use tokio::sync::oneshot;
use uuid::Uuid;

use super::source::Source;
use crate::app::store::Store;
use crate::app::update::keep::{Assembled, assembled, confirm, keep};
use crate::app::update::refusal::note_refusal;
use crate::app::update::turn::{Lease, RENEW_EVERY, not_due};
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::service::ProgressSink;
use crate::track::FlagOverrides;
use crate::watch::agenda::LastAnswer;
use crate::watch::{FetchRequest, Flags, Keep, RequestBasis, Turn, Update};

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
    Failure::other("an internal fault while fetching").with_hint("Please report it.")
}

/// Receivers of the reports while a deployment is fetched.
#[derive(Default)]
pub(crate) struct Reports {
    /// Takes the progress of the response.
    pub progress: Option<ProgressSink>,
    /// Takes the track of the response before it is stored, which may take long.
    pub assembled: Option<oneshot::Sender<Assembled>>,
}

/// The archived state of a deployment before a request.
#[derive(Debug, Default)]
struct Known {
    flags: FlagOverrides,
    is_watched: bool,
    /// The validators and fields that the request builds on.
    basis: RequestBasis,
    /// The last response, if what is due by it decides.
    last_answer: Option<LastAnswer>,
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
    source: &Source,
    store: &Store,
    request: FetchRequest,
    reports: Reports,
) -> Result<Outcome, Failure> {
    let known = known(source, store, &request).await?;
    if let (Turn::Leased { refresh_s, .. } | Turn::Held { refresh_s, .. }, Some(answer)) =
        (request.turn, known.last_answer)
        && let Some(wait_s) = not_due(answer, unix_now(), refresh_s)
    {
        return Ok(Outcome::NotDue(wait_s));
    }
    let uuid = request.deployment.uuid;
    let turn = request.turn;
    let fetch = fetch(source, store, request, known, reports);
    match turn {
        Turn::Leased { refresh_s, .. } if store.is_shared() => {
            under_lease(store, uuid, refresh_s, fetch).await
        }
        _ => Ok(Outcome::Updated(Box::new(fetch.await?))),
    }
}

async fn known(source: &Source, store: &Store, request: &FetchRequest) -> Result<Known, Failure> {
    let uuid = request.deployment.uuid;
    let flags = request.flags;
    // On a server the lease decides.
    let takes_turns = match request.turn {
        Turn::Now => false,
        Turn::Leased { is_retry, .. } | Turn::Held { is_retry, .. } => {
            !is_retry && !store.is_shared()
        }
    };
    let service = source.name();
    let fields = source.fields().cloned();
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
            // A request too many is better than none where it cannot be read.
            last_answer: if takes_turns {
                archive.last_answer(uuid, unix_now()).unwrap_or_default()
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
    source: &Source,
    store: &Store,
    mut request: FetchRequest,
    known: Known,
    reports: Reports,
) -> Result<Update, Failure> {
    let uuid = request.deployment.uuid;
    if request.flags == Flags::Archived {
        request.options.overrules = known.flags;
    }
    let is_watched = known.is_watched || store.is_configured(uuid);
    let is_kept = is_watched || request.keep == Keep::Always;
    let basis = is_kept.then_some(known.basis);
    let began = unix_now();
    let fetched = answered(source, store, request, basis, reports).await;
    if let Err(failure) = &fetched
        && is_watched
    {
        note_refusal(store, source.name(), uuid, began, failure).await;
    }
    store.alarms_may_differ();
    fetched
}

/// Requests a deployment and processes the response, which is stored if there is a `basis` of
/// the archive.
async fn answered(
    source: &Source,
    store: &Store,
    request: FetchRequest,
    basis: Option<RequestBasis>,
    mut reports: Reports,
) -> Result<Update, Failure> {
    let is_kept = basis.is_some();
    let progress = reports.progress.clone();
    let basis = basis.unwrap_or_default();
    let mut answer = source
        .track(&request.deployment, &basis, progress.clone())
        .await?;
    if answer.is_unchanged() {
        let report = &mut reports.assembled;
        if let Some(update) = confirm(store, &request, answer, report).await? {
            return Ok(update);
        }
        // The data that the validators belong to is gone from the archive.
        let basis = RequestBasis {
            limited: basis.limited,
            ..RequestBasis::default()
        };
        answer = source.track(&request.deployment, &basis, progress).await?;
    }
    if is_kept {
        keep(store, request, answer, reports.assembled).await
    } else {
        assembled(&request, &answer, reports.assembled).await
    }
}

/// Fetches a deployment of an archive on a server under a lease, which ends with when the
/// deployment is due again, or at once where this future is dropped.
async fn under_lease(
    store: &Store,
    deployment: Uuid,
    refresh_s: f64,
    fetch: impl Future<Output = Result<Update, Failure>>,
) -> Result<Outcome, Failure> {
    let lease = match Lease::take(store, deployment).await {
        Ok(lease) => lease,
        Err(wait_s) => return Ok(Outcome::NotDue(wait_s)),
    };
    let mut fetch = pin!(fetch);
    let fetched = loop {
        match tokio::time::timeout(RENEW_EVERY, &mut fetch).await {
            Ok(fetched) => break fetched,
            Err(_) => {
                store.renew_leases().await;
            }
        }
    };
    let due_s = match &fetched {
        Ok(update) => update.last_answer().next(refresh_s).at - unix_now(),
        // Each program counts the failures that it has seen.
        Err(_) => refresh_s,
    };
    lease.end(due_s).await;
    Ok(Outcome::Updated(Box::new(fetched?)))
}
