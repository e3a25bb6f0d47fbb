//! The fetch of a deployment, for the dashboard, `collect` and the commands: from the
//! request to what is stored, judged and shown. The story goes on in `keep`, which assembles and
//! stores a response, and ends in `judge`.
//!
//! Of the programs that share an archive, none requests a deployment before it is due. On a server
//! they take leases, so that only one requests it at a time. For a file, which the programs of a
//! computer share, nothing is written before a request: two of them that begin in the same moment
//! both request it.

pub(crate) mod keep;
pub(crate) mod prepare;
#[cfg(test)]
mod tests;

use std::pin::pin;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::source::Source;
use crate::app::alarms::judge::{AtHand, judge};
use crate::app::store::Store;
use crate::app::update::keep::{Assembled, assembled, confirm, keep};
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::service::ProgressSink;
use crate::track::FlagOverrides;
use crate::watch::agenda::{LastAnswer, retry_after_s};
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
            // A request too many is better than none if it cannot be read.
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

/// Leases of requests in progress are renewed at this interval.
pub(crate) const RENEW_EVERY: Duration = Duration::from_secs(15);

/// In how many seconds a deployment of an archive file is due by its last response there, which
/// another program may have stored; `None` if it is due.
fn not_due(answer: LastAnswer, now: f64, refresh_s: f64) -> Option<f64> {
    let due_s = answer.next(refresh_s).at - now;
    // A time ahead of the clock is not that of the response.
    (answer.at <= now && due_s > 0.0).then_some(due_s)
}

/// The lease of a deployment, which ends on drop: a cancelled fetch must
/// not block the deployment for the other programs.
struct Lease<'s> {
    store: &'s Store,
    deployment: Uuid,
    /// `true` if it may be held.
    is_held: bool,
}

impl<'s> Lease<'s> {
    /// Takes it. If the archive cannot be written, the track is shown all the same.
    ///
    /// # Errors
    /// In how many seconds to try again, if it is not free.
    async fn take(store: &'s Store, deployment: Uuid) -> Result<Self, f64> {
        let mut lease = Self {
            store,
            deployment,
            is_held: true,
        };
        let taken = store.lease(deployment).await;
        lease.is_held = matches!(taken, Ok(None));
        match taken {
            Ok(Some(wait_s)) => Err(wait_s),
            Ok(None) | Err(_) => Ok(lease),
        }
    }

    /// Ends it; the deployment is due again after this many seconds.
    async fn end(mut self, due_s: f64) {
        if self.is_held {
            let _ = self.store.end_lease(self.deployment, due_s).await;
            self.is_held = false;
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let (true, Ok(runtime)) = (self.is_held, Handle::try_current()) {
            let store = self.store.clone();
            let deployment = self.deployment;
            runtime.spawn(async move {
                // It is due as before.
                let _ = store.end_lease(deployment, 0.0).await;
            });
        }
    }
}

/// Records that a request for a watched deployment failed, and what that means for the alarm
/// that its service gives no usable response. The deployment itself may be silent all the
/// same.
///
/// The request `began` at this time, UNIX seconds.
async fn note_refusal(store: &Store, service: String, uuid: Uuid, began: f64, failure: &Failure) {
    if failure.kind == FailureKind::Interrupted {
        return;
    }
    store.remember_failure(uuid, failure.reason.clone());
    let failure = failure.clone();
    let last = store.last_requests().remove(&uuid).unwrap_or_default();
    let is_about_service = failure.kind == FailureKind::Unreachable;
    // That the archive cannot be written is reported with the next response.
    let noted = store.write(move |archive| {
        let was_readable =
            failure.is_refusal() && archive.reading(|archive| archive.has_answer(uuid))?;
        let now = unix_now();
        if was_readable && failure.means_no_fix() {
            archive.reached_without_fix(&service, uuid, now)?;
        } else if let Some((refusal, text)) = against(&service, &failure, was_readable) {
            let answered_at = archive.answered_at(&service, now)?;
            let refusal = refusal.beside_answer(began, answered_at);
            archive.unreached(&service, &text, uuid, began, refusal, now)?;
            let wait_s = retry_after_s(&failure);
            if wait_s > 0.0 {
                archive.asked_to_wait(&service, uuid, now + wait_s)?;
            }
        }
        Ok(())
    });
    if noted.await.is_ok() && !is_about_service {
        let at_hand = AtHand {
            last,
            ..AtHand::default()
        };
        let _ = judge(store, uuid, at_hand, unix_now()).await;
    }
}

/// The meaning of a failure for the service, and the text of its alarm; `None` if no request
/// was sent.
fn against(service: &str, failure: &Failure, was_readable: bool) -> Option<(Refusal, String)> {
    let refusal = if was_readable {
        Refusal::of_readable(failure)?
    } else {
        Refusal::from_failure(failure)?
    };
    let status = failure.service.as_ref().map(|error| error.status);
    let why = &failure.reason;
    let text = match (refusal, status) {
        (Refusal::Unconnected | Refusal::Unreached, _) => {
            format!("{service} cannot be reached: {why}")
        }
        (Refusal::BrokeOff, _) => format!("{service} gives no whole answer: {why}"),
        (Refusal::OfProgram, _) => format!("{service} gives no records: {why}"),
        (_, Some(401)) => format!("{service} refuses the token (401)"),
        (Refusal::Useless, Some(400..)) => format!("{service} answers with errors: {why}"),
        (Refusal::Useless, _) => format!("{service} answers without records: {why}"),
        (_, Some(_)) => format!("{service} refuses what was asked for: {why}"),
        (_, None) => format!("{service} gives no records: {why}"),
    };
    Some((refusal, text))
}
