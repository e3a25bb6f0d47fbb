//! Only one export writes to a table at a time. Each puts an object of its own below
//! the prefix and then lists those of others: of two that begin at once at least one
//! sees the other and ends. This needs no more of a store than that a list holds what
//! was written before, and its times are those of the store's own clock.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::stop::interrupted;
use super::store::{Found, TableStore};
use crate::failure::{Failure, FailureKind};
use crate::track::time;

/// The folder of these objects below the prefix.
pub(super) const FOLDER: &str = "_driftline/exporting";
/// How often an export writes its object anew.
const RENEWED: Duration = Duration::from_secs(30);
/// An object that was not written anew for so long, in seconds, is of an export that
/// has ended without removing it.
const ENDED_S: i64 = 180;
/// An export that could not write its own anew for so long ends, so that no other
/// can have taken its place.
const LOST: Duration = Duration::from_secs(120);

/// The right to write to a table.
pub(super) struct Lock {
    path: String,
    renewed: Mutex<Instant>,
}

impl Lock {
    /// Takes it, unless `stopped` ends first.
    ///
    /// # Errors
    /// When another export is in progress, the store refuses or cannot be reached,
    /// or it was stopped. Nothing is left in the store then.
    pub(super) async fn take(
        store: &TableStore,
        stopped: impl Future<Output = ()>,
    ) -> Result<Self, Failure> {
        let name = Uuid::new_v4();
        let lock = Self {
            path: format!("{FOLDER}/{name}"),
            renewed: Mutex::new(Instant::now()),
        };
        let taken = tokio::select! {
            // A signal is caught before the store has anything of it.
            biased;
            () = stopped => Err(interrupted()),
            taken = lock.write_and_look(store) => taken,
        };
        match taken {
            Ok(()) => Ok(lock),
            Err(failure) => {
                lock.release(store).await;
                Err(failure)
            }
        }
    }

    async fn write_and_look(&self, store: &TableStore) -> Result<(), Failure> {
        store.write(&self.path, text()).await?;
        let found = store.list(FOLDER).await?;
        let (ended, others) = sorted(&found, &self.path);
        if let Some(other) = others.first() {
            return Err(in_progress(store, other));
        }
        for one in ended {
            store.remove(&one.path).await?;
        }
        Ok(())
    }

    /// Keeps it; ends only where it cannot be kept, with why.
    pub(super) async fn keep(&self, store: &TableStore) -> Failure {
        let mut last = None;
        loop {
            let since = self.renewed.lock().map(|at| at.elapsed());
            if since.is_ok_and(|since| since > LOST) {
                return last.unwrap_or_else(|| {
                    Failure::new(
                        FailureKind::Other,
                        format!("the export to {} was held up for too long", store.address()),
                        "Files are complete or as they were: export again.",
                    )
                });
            }
            tokio::time::sleep(RENEWED).await;
            let begun = Instant::now();
            match store.write(&self.path, text()).await {
                Ok(()) => {
                    if let Ok(mut renewed) = self.renewed.lock() {
                        *renewed = begun;
                    }
                }
                Err(failure) => last = Some(failure),
            }
        }
    }

    /// Gives it up.
    pub(super) async fn release(&self, store: &TableStore) {
        // What stays counts as ended after a while.
        let removed = store.remove(&self.path);
        let _ = tokio::time::timeout(Duration::from_secs(10), removed).await;
    }
}

/// What the object of an export says to a person who looks.
fn text() -> Vec<u8> {
    b"An export of driftline is in progress.\n".to_vec()
}

/// The objects of exports that have ended, and those of others in progress, by the
/// time of one's own.
fn sorted<'a>(found: &'a [Found], own: &str) -> (Vec<&'a Found>, Vec<&'a Found>) {
    let now = found.iter().find(|one| one.path == own);
    let now = now.map_or(i64::MIN, |own| own.written_at);
    let others = found.iter().filter(|one| one.path != own);
    others.partition(|one| now.saturating_sub(one.written_at) > ENDED_S)
}

fn in_progress(store: &TableStore, other: &Found) -> Failure {
    #[allow(clippy::cast_precision_loss)] // seconds of the calendar
    let at = time::rfc3339(other.written_at as f64);
    Failure::new(
        FailureKind::Other,
        format!(
            "another export to {} is in progress, or was killed: it was last seen at {at}",
            store.address()
        ),
        "Wait until it has ended. One that was killed is passed over after 3 minutes.",
    )
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[test]
    fn an_export_sees_those_in_progress_and_passes_over_those_that_ended() {
        let found = |path: &str, written_at: i64| Found {
            path: path.to_owned(),
            bytes: 1,
            written_at,
        };
        let all = [
            found("own", 1000),
            found("old", 1000 - ENDED_S - 1),
            found("new", 1000 - ENDED_S),
            found("later", 2000),
        ];
        let (ended, others) = sorted(&all, "own");
        let names =
            |list: &[&Found]| -> Vec<String> { list.iter().map(|one| one.path.clone()).collect() };
        assert_eq!(names(&ended), ["old"]);
        assert_eq!(names(&others), ["new", "later"]);
        // Its own is not listed: nothing can be said to have ended.
        let (ended, others) = sorted(&all[1..], "own");
        assert_eq!((ended.len(), others.len()), (0, 3));
    }

    #[tokio::test]
    async fn of_two_exports_at_once_one_ends() {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("file://{}/table", folder.path().display());
        let store = || {
            let address = super::super::address::TableAddress::parse(&address).unwrap();
            TableStore::open(address, Duration::from_secs(5)).unwrap()
        };
        let (one, other) = (store(), store());
        let lock = Lock::take(&one, pending()).await.unwrap();
        let refused = Lock::take(&other, pending()).await;
        let failure = refused.err().unwrap();
        assert!(failure.message().contains("is in progress"), "{failure}");
        lock.release(&one).await;
        // One that is stopped takes it no more.
        let stopped = Lock::take(&other, ready(())).await.err().unwrap();
        assert_eq!(stopped.kind, FailureKind::Interrupted);
        // None has left anything.
        assert_eq!(one.list("").await.unwrap(), []);
        Lock::take(&other, pending()).await.unwrap();
    }
}
