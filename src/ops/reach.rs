//! Whether the service can be reached, as the fetches of a dashboard find it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::session::Session;
use super::store::Store;
use crate::failure::{Failure, FailureKind};

/// The service counts as unreachable when so many requests in a row found no way
/// to it.
const UNREACHED: u32 = 2;

/// The requests in a row that did not reach the service; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    failures: Arc<AtomicU32>,
}

impl Reach {
    /// Takes the end of a fetch into account, and raises the alarm `unreachable`
    /// where it is due. The archive ends that alarm itself, with the next response.
    pub(crate) async fn noted(&self, session: &Session, store: &Store, failure: Option<&Failure>) {
        let Some(failure) = failure.filter(|one| one.kind == FailureKind::Unreachable) else {
            self.failures.store(0, Ordering::Relaxed);
            return;
        };
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        let is_watching = store.count_active().await.is_ok_and(|count| count > 0);
        if failures >= UNREACHED && is_watching {
            let service = session.base().to_string();
            // Without an archive the header says it all the same.
            let _ = store.unreachable(service, failure.reason.clone()).await;
        }
    }
}
