//! Many deployments fetched at once: a slow or broken response does not delay the others.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{self, JoinSet};
use uuid::Uuid;

use super::source::Source;
use super::update::{Outcome, Reports, update, without_outcome};
use crate::app::store::Store;
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::watch::agenda::{Agenda, HOLDS_UP_S, LastAnswer, LastFailure, places};
use crate::watch::{Deployment, FetchRequest, Update};

/// The most requests in progress that hold up others.
const AT_ONCE: usize = 8;

/// Fetches in progress, one for each deployment. Dropping it cancels them.
pub(crate) struct Fleet {
    running: JoinSet<Result<Update, Failure>>,
    deployments: HashMap<task::Id, Uuid>,
}

impl Fleet {
    /// Starts the requests, a few at a time, and stores the responses.
    pub(crate) fn fetch(source: &Source, store: &Store, requests: Vec<FetchRequest>) -> Self {
        let permits = Arc::new(Semaphore::new(AT_ONCE));
        let holds_up = Duration::from_secs_f64(HOLDS_UP_S);
        let late = Arc::new(AtomicUsize::new(0));
        let mut running = JoinSet::new();
        let mut deployments = HashMap::new();
        for request in requests {
            let source = source.clone();
            let store = store.clone();
            let permits = Arc::clone(&permits);
            let late = Arc::clone(&late);
            let uuid = request.deployment.uuid;
            let task = running.spawn(async move {
                let permit = Arc::clone(&permits).acquire_owned().await;
                let mut updated =
                    std::pin::pin!(update(&source, &store, request, Reports::default()));
                let outcome = match tokio::time::timeout(holds_up, &mut updated).await {
                    Ok(outcome) => outcome,
                    Err(_) => {
                        drop(permit);
                        let before = late.fetch_add(1, Ordering::Relaxed);
                        permits.add_permits(places(0, before + 1) - places(0, before));
                        updated.await
                    }
                };
                outcome.and_then(Outcome::now)
            });
            deployments.insert(task.id(), uuid);
        }
        Self {
            running,
            deployments,
        }
    }

    /// The next fetch that ended: its deployment, and its outcome. `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<(Uuid, Result<Update, Failure>)> {
        let (task, outcome) = match self.running.join_next_with_id().await? {
            Ok(ended) => ended,
            // A task that panicked has failed to fetch its deployment.
            Err(error) => (error.id(), Err(without_outcome())),
        };
        Some((*self.deployments.get(&task)?, outcome))
    }
}

/// The last answers for all deployments that have one; none where they cannot be read.
pub(crate) async fn last_answers(store: &Store) -> HashMap<Uuid, LastAnswer> {
    let read = store.read(|archive| archive.last_answers(unix_now()));
    read.await.unwrap_or_default()
}

/// The deployments for which a service had no usable answer since their last one; none where they
/// cannot be read.
pub(crate) async fn last_failures(store: &Store, service: String) -> HashMap<Uuid, LastFailure> {
    let read = store.read(move |archive| archive.last_failures(&service));
    read.await.unwrap_or_default()
}

/// The agenda of a list at a service, by the last answers in the archive: all are due if these
/// cannot be read.
pub(crate) async fn agenda(
    store: &Store,
    service: String,
    list: &[Deployment],
    refresh: Duration,
) -> Agenda {
    let answers = last_answers(store).await;
    let failed = last_failures(store, service).await;
    let now = unix_now();
    let mut agenda = Agenda::new(refresh.as_secs_f64());
    for entry in list {
        agenda.put(entry.id.uuid, answers.get(&entry.id.uuid).copied(), now);
        agenda.limit_age(entry.id.uuid, entry.limits.max_age_s);
    }
    agenda.wait_as_asked(&failed, now);
    agenda
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_fetch_that_panics_is_the_failure_of_its_own_deployment() {
        let mut running = JoinSet::new();
        let panics = running.spawn(async { panic!("while fetching") });
        let deployment = Uuid::from_u128(3);
        let mut fleet = Fleet {
            running,
            deployments: HashMap::from([(panics.id(), deployment)]),
        };
        match fleet.next().await {
            Some((uuid, Err(failure))) => {
                assert_eq!((uuid, failure), (deployment, without_outcome()));
            }
            other => panic!("{other:?}"),
        }
        assert!(fleet.next().await.is_none());
    }
}
