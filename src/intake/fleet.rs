//! The whole watch list fetched at once: a slow or broken answer holds up none
//! of the others.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{self, JoinSet};
use uuid::Uuid;

use super::update::{Keep, Outcome, Reports, Request, Turn, update, without_outcome};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::track::agenda::{Agenda, LastAnswer};
use crate::track::{Deployment, Update};

/// Requests that are begun at once, at most.
pub(crate) const AT_ONCE: usize = 8;
/// How long a request keeps others from beginning. One that takes longer goes on
/// beside them.
pub(super) const HOLDS_UP: Duration = Duration::from_secs(5);

/// Fetches in progress, one for each deployment. Dropping it cancels them.
pub(crate) struct Fleet {
    running: JoinSet<(usize, Result<Update, Failure>)>,
    /// The place of the deployment of each task.
    places: HashMap<task::Id, usize>,
}

impl Fleet {
    /// Begins to fetch the deployments of a list, `at_once` at a time, and to
    /// store what comes.
    pub(crate) fn fetch(
        session: &Session,
        store: &Store,
        list: impl IntoIterator<Item = Deployment>,
        at_once: usize,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(at_once.max(1)));
        let (mut running, mut places) = (JoinSet::new(), HashMap::new());
        for (place, entry) in list.into_iter().enumerate() {
            let (session, store) = (session.clone(), store.clone());
            let permits = Arc::clone(&permits);
            let task = running.spawn(async move {
                let permit = permits.acquire_owned().await;
                let request = Request {
                    keep: Keep::IfWatched,
                    ..Request::of(&entry, Turn::Now)
                };
                let updated = update(&session, &store, request, Reports::default());
                let mut updated = std::pin::pin!(updated);
                let outcome = match tokio::time::timeout(HOLDS_UP, &mut updated).await {
                    Ok(outcome) => outcome,
                    Err(_) => {
                        drop(permit);
                        updated.await
                    }
                };
                (place, outcome.and_then(Outcome::now))
            });
            places.insert(task.id(), place);
        }
        Self { running, places }
    }

    /// The next fetch that ended: the place of its deployment in the list, and
    /// its outcome. `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<(usize, Result<Update, Failure>)> {
        loop {
            match self.running.join_next_with_id().await? {
                Ok((_, done)) => return Some(done),
                // A task that panicked has failed to fetch its deployment.
                Err(error) => {
                    if let Some(place) = self.places.remove(&error.id()) {
                        return Some((place, Err(without_outcome())));
                    }
                }
            }
        }
    }
}

/// The last answers for all deployments that have one; none where they cannot be read.
pub(crate) async fn last_answers(store: &Store) -> HashMap<Uuid, LastAnswer> {
    let read = store.read(|archive| archive.last_answers(unix_now()));
    read.await.unwrap_or_default()
}

/// Those of a list that are due, by the last answers in the archive: all where these cannot
/// be read.
pub(crate) async fn due(store: &Store, list: &[Deployment], refresh: Duration) -> HashSet<Uuid> {
    let answers = last_answers(store).await;
    let (now, mut agenda) = (unix_now(), Agenda::new(refresh.as_secs_f64()));
    for entry in list {
        agenda.put(entry.uuid, answers.get(&entry.uuid).copied(), now);
    }
    agenda.due(now, usize::MAX, None).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_fetch_that_panics_is_the_failure_of_its_own_deployment() {
        let (mut running, mut places) = (JoinSet::new(), HashMap::new());
        let panics = running.spawn(async { panic!("while fetching") });
        places.insert(panics.id(), 3);
        let mut fleet = Fleet { running, places };
        match fleet.next().await {
            Some((3, Err(failure))) => assert_eq!(failure, without_outcome()),
            other => panic!("{other:?}"),
        }
        assert!(fleet.next().await.is_none());
    }
}
