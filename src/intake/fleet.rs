//! The whole watch list fetched at once: a slow or broken answer holds up none
//! of the others.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{self, JoinSet};
use uuid::Uuid;

use super::{fetch, prepare};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::ops::session::Session;
use crate::ops::store::Store;
use crate::track::agenda::{Agenda, LastAnswer};
use crate::track::{Deployment, Track, TrackOptions};

/// Requests that are begun at once, at most.
pub(crate) const AT_ONCE: usize = 8;
/// How long a request keeps others from beginning. One that takes longer goes on
/// beside them.
pub(super) const HOLDS_UP: Duration = Duration::from_secs(5);

/// A deployment's track as it was fetched and stored, or as it is archived.
#[derive(Debug, Clone)]
pub(crate) struct Refreshed {
    /// The track.
    pub track: Arc<Track>,
    /// When the records were received, UNIX seconds.
    pub fetched_at: f64,
    /// Notes to the user about the response or the archive.
    pub notes: Vec<String>,
    /// Fixes that the archive did not hold.
    pub new: usize,
    /// How long the request took, seconds.
    pub took_s: f64,
    /// The answer, from which follows when the next request is due.
    pub answer: LastAnswer,
    /// Why the response was not stored.
    pub unstored: Option<Failure>,
}

/// Fetches in progress, one for each deployment. Dropping it cancels them.
pub(crate) struct Fleet {
    running: JoinSet<(usize, Result<Refreshed, Failure>)>,
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
                let mut fetched = std::pin::pin!(refresh(&session, &store, &entry));
                let outcome = match tokio::time::timeout(HOLDS_UP, &mut fetched).await {
                    Ok(outcome) => outcome,
                    Err(_) => {
                        drop(permit);
                        fetched.await
                    }
                };
                (place, outcome)
            });
            places.insert(task.id(), place);
        }
        Self { running, places }
    }

    /// The next fetch that ended: the place of its deployment in the list, and
    /// its outcome. `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<(usize, Result<Refreshed, Failure>)> {
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

/// Those of a list that are due, by the last answers in the archive: all where these cannot
/// be read.
pub(crate) async fn due(store: &Store, list: &[Deployment], refresh: Duration) -> HashSet<Uuid> {
    let answers = store.last_answers().await.unwrap_or_default();
    let (now, mut agenda) = (unix_now(), Agenda::new(refresh.as_secs_f64()));
    for entry in list {
        agenda.put(entry.uuid, answers.get(&entry.uuid).copied(), now);
    }
    agenda.due(now, usize::MAX, None).into_iter().collect()
}

/// Fetches a watched deployment with the flags that the user set, and stores the
/// response.
///
/// # Errors
/// As [`fetch::request_records`], and when the flags cannot be read.
pub(crate) async fn refresh(
    session: &Session,
    store: &Store,
    entry: &Deployment,
) -> Result<Refreshed, Failure> {
    let options = options(store, entry).await?;
    let fetched = fetch::fetch_changed(session, store, entry.uuid, options, None).await?;
    let (fetched_at, took_s) = (fetched.answer.received_at, fetched.answer.took_s);
    let stored = fetch::store_fetched(store, entry.uuid, fetched).await?;
    let delta = stored.delta.unwrap_or_default();
    Ok(Refreshed {
        track: stored.track,
        fetched_at,
        notes: stored.notes,
        new: delta.new,
        took_s,
        answer: stored.overview.last_answer(LastAnswer {
            at: fetched_at,
            first_at: fetched_at,
            idle: delta.idle,
            ..LastAnswer::default()
        }),
        unstored: stored.unstored,
    })
}

/// The archived track of a deployment, where wanted with the fields of its records;
/// `None` if nothing is archived.
///
/// # Errors
/// When the archive cannot be read.
pub(crate) async fn archived(
    store: &Store,
    entry: &Deployment,
    with_fields: bool,
) -> Result<Option<Refreshed>, Failure> {
    let options = options(store, entry).await?;
    let stored = match with_fields {
        true => store.stored_with_fields(entry.uuid).await?,
        false => store.stored(entry.uuid).await?,
    };
    let Some(stored) = stored else {
        return Ok(None);
    };
    let track = prepare::assemble(Arc::new(stored.records), options).await?;
    Ok(Some(Refreshed {
        track,
        fetched_at: stored.fetched_at,
        notes: Vec::new(),
        new: 0,
        took_s: 0.0,
        answer: LastAnswer::default(),
        unstored: None,
    }))
}

async fn options(store: &Store, entry: &Deployment) -> Result<TrackOptions, Failure> {
    Ok(TrackOptions {
        overrules: store.overrides(entry.uuid).await?,
        ..entry.options(unix_now())
    })
}

/// The failure of a fetch that ended without an outcome.
pub(crate) fn without_outcome() -> Failure {
    Failure::new(
        FailureKind::Other,
        "an internal fault while fetching",
        "Please report it.",
    )
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
