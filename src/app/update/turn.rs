//! Requests in turn: of the programs that share an archive, none requests a deployment before it
//! is due. On a server they take leases, so that only one requests it at a time. For a file,
//! which the programs of a computer share, nothing is written before a request: two of them that
//! begin in the same moment both request it.

use std::time::Duration;

use tokio::runtime::Handle;
use uuid::Uuid;

use crate::app::store::Store;
use crate::watch::agenda::LastAnswer;

/// Leases of requests in progress are renewed at this interval.
pub(crate) const RENEW_EVERY: Duration = Duration::from_secs(15);

/// In how many seconds a deployment of an archive file is due by its last response there, which
/// another program may have stored; `None` if it is due.
pub(crate) fn not_due(answer: LastAnswer, now: f64, refresh_s: f64) -> Option<f64> {
    let due_s = answer.next(refresh_s).at - now;
    // A time ahead of the clock is not that of the response.
    (answer.at <= now && due_s > 0.0).then_some(due_s)
}

/// The lease of a deployment, which ends on drop: a cancelled fetch must
/// not block the deployment for the other programs.
pub(crate) struct Lease<'s> {
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
    pub(crate) async fn take(store: &'s Store, deployment: Uuid) -> Result<Self, f64> {
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
    pub(crate) async fn end(mut self, due_s: f64) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_program_asked_for_is_asked_for_when_it_is_due() {
        let now = 1.8e9;
        let four_hours = 14_400.0;
        let wait = |ago: f64, age: f64| {
            let answer = LastAnswer {
                at: now - ago,
                first_at: now - 9e6,
                last_fix: Some(now - age),
                interval_s: Some(four_hours),
                gaps: 20,
                ..LastAnswer::default()
            };
            not_due(answer, now, 60.0)
        };
        assert_eq!(wait(1800.0, 3600.0), Some(3.0 * 3600.0));
        assert_eq!(wait(1800.0, four_hours), None);
        // A clock that was ahead, and no interval.
        assert_eq!(wait(-9e9, 3600.0), None);
        let unknown = LastAnswer {
            at: now - 20.0,
            first_at: now - 20.0,
            ..LastAnswer::default()
        };
        assert_eq!(not_due(unknown, now, 60.0), Some(40.0));
    }
}
