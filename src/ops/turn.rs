//! Requests in turn: of the programs that share an archive on a server, one asks for
//! a deployment at a time, and none before it is due.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::store::Store;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::track::Overview;
use crate::track::schedule::NextRequest;

/// Leases of what is being asked for are renewed after this long.
pub(super) const RENEW_EVERY: Duration = Duration::from_secs(15);

/// What came of a turn.
#[derive(Debug)]
pub(crate) enum Turn<T> {
    /// The deployment was asked for.
    Had(T),
    /// Another program asks for it now, or has asked: try again in so many seconds.
    NotDue(f64),
}

/// Fetches a deployment where it is this program's turn, and ends the turn with when
/// it is due again. Where no other program can take turns, or `shortest_wait_s`
/// between two requests is `None` since a person asks, it is always its turn. When it
/// is due again follows from the `overview` of what was fetched.
///
/// # Errors
/// As `fetch`.
pub(crate) async fn in_turn<T>(
    store: &Store,
    deployment: Uuid,
    shortest_wait_s: Option<f64>,
    fetch: impl Future<Output = Result<T, Failure>>,
    overview: impl FnOnce(&T) -> Arc<Overview>,
) -> Result<Turn<T>, Failure> {
    let Some(refresh_s) = shortest_wait_s.filter(|_| store.is_shared()) else {
        return fetch.await.map(Turn::Had);
    };
    // Where the archive cannot be written, the track is shown all the same.
    if let Ok(Some(wait_s)) = store.lease(deployment).await {
        return Ok(Turn::NotDue(wait_s));
    }
    let mut fetch = pin!(fetch);
    let outcome = loop {
        match tokio::time::timeout(RENEW_EVERY, &mut fetch).await {
            Ok(outcome) => break outcome,
            Err(_) => {
                let _ = store.renew_leases(false).await;
            }
        }
    };
    let now = unix_now();
    let next = match &outcome {
        Ok(fetched) => {
            let overview = overview(fetched);
            let last = overview.latest.map(|fix| fix.time_stamp);
            NextRequest::after_answer(last, overview.interval_s, now, refresh_s)
        }
        Err(failure) => NextRequest::after_failure(failure, 1, now, refresh_s, 0.5),
    };
    let _ = store.end_lease(deployment, next.at - now).await;
    outcome.map(Turn::Had)
}
