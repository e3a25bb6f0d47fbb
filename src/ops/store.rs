//! The archive behind the use cases: opened when it is first needed, off the
//! asynchronous threads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use super::failure::{Failure, FailureKind};
use super::fetch::unix_now;
use crate::archive::{Archive, ArchiveError, Kept, News, Watched};
use crate::geo::Position;
use crate::track::{Flag, Overrules, Records};

/// The archive of this user, or one in memory. Clones share it.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Where it is; none: in memory.
    path: Option<PathBuf>,
    open: Mutex<Option<Archive>>,
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        Self::new(
            FailureKind::Other,
            error.to_string(),
            format!("{}.", error.hint()),
        )
    }
}

impl Store {
    /// The archive at a path. Nothing is opened or made yet.
    pub fn at(path: PathBuf) -> Self {
        Self {
            inner: Arc::new(Inner {
                path: Some(path),
                open: Mutex::new(None),
            }),
        }
    }

    /// An archive that is gone with the program: the demo's.
    pub fn in_memory() -> Self {
        Self {
            inner: Arc::new(Inner {
                path: None,
                open: Mutex::new(None),
            }),
        }
    }

    /// Does something with the archive, which is made where it is not there.
    async fn with<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.blocking(move |inner| {
            let mut slot = inner.open.lock().map_err(|_| broken())?;
            // One that was removed or replaced meanwhile is opened anew: what
            // is written into a file without a name is lost.
            let archive = match slot.take().filter(Archive::is_in_place) {
                Some(archive) => archive,
                None => match &inner.path {
                    Some(path) => Archive::open(path)?,
                    None => Archive::in_memory()?,
                },
            };
            let archive = slot.insert(archive);
            Ok(act(archive)?)
        })
        .await
    }

    /// Reads the archive; `T`'s default where there is none. Nothing is made.
    async fn read<T: Default + Send + 'static>(
        &self,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.blocking(move |inner| {
            let slot = inner.open.lock().map_err(|_| broken())?;
            let open = slot.as_ref().filter(|archive| archive.is_in_place());
            match (open, &inner.path) {
                (Some(archive), _) => Ok(act(archive)?),
                (None, None) => Ok(T::default()),
                (None, Some(path)) => match Archive::open_read_only(path)? {
                    Some(archive) => Ok(act(&archive)?),
                    None => Ok(T::default()),
                },
            }
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Inner) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || act(&inner))
            .await
            .unwrap_or_else(|_| Err(broken()))
    }

    /// The watch list.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub async fn watched(&self) -> Result<Vec<Watched>, Failure> {
        self.read(Archive::watched).await
    }

    /// Puts a deployment on the watch list, or changes its entry; the answer is
    /// whether it is new there.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub async fn watch(&self, entry: Watched) -> Result<bool, Failure> {
        self.with(move |archive| archive.watch(&entry, unix_now()))
            .await
    }

    /// Takes a deployment off the watch list; the answer is whether it was on
    /// it.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub async fn unwatch(&self, uuid: Uuid) -> Result<bool, Failure> {
        self.with(move |archive| archive.unwatch(uuid)).await
    }

    /// Keeps an answer; the answer comes back with what it brought.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(super) async fn keep(
        &self,
        uuid: Uuid,
        records: Arc<Records>,
        fetched_at: f64,
        status: u16,
        bytes: u64,
    ) -> Result<News, Failure> {
        self.with(move |archive| archive.keep(uuid, &records, fetched_at, status, bytes))
            .await
    }

    /// What is kept of a deployment.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub async fn kept(&self, uuid: Uuid) -> Result<Option<Kept>, Failure> {
        self.read(move |archive| archive.kept(uuid)).await
    }

    /// The flags a person set for a deployment.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub async fn overrules(&self, uuid: Uuid) -> Result<Overrules, Failure> {
        self.read(move |archive| archive.overrules(uuid)).await
    }

    /// Sets the flag of a fix by hand, or takes that back.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub async fn overrule(
        &self,
        uuid: Uuid,
        time: f64,
        position: Position,
        flag: Option<Flag>,
    ) -> Result<(), Failure> {
        self.with(move |archive| archive.overrule(uuid, time, position, flag))
            .await
    }

    /// Whether a deployment is on the watch list.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub async fn is_watched(&self, uuid: Uuid) -> Result<bool, Failure> {
        self.read(move |archive| archive.is_watched(uuid)).await
    }

    /// The ledger of plants, oldest first.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub async fn ledger(&self) -> Result<Vec<crate::plant::ledger::Entry>, Failure> {
        self.read(|archive| archive.ledger(unix_now())).await
    }

    pub(super) async fn begin(
        &self,
        operation: crate::plant::ledger::Operation,
        plant: String,
        name: Option<String>,
        tag: Option<String>,
    ) -> Result<i64, Failure> {
        self.with(move |archive| {
            archive.begin(
                unix_now(),
                operation,
                &plant,
                name.as_deref(),
                tag.as_deref(),
            )
        })
        .await
    }

    pub(super) async fn complete(&self, entry: crate::plant::ledger::Entry) -> Result<(), Failure> {
        self.with(move |archive| archive.complete(&entry)).await
    }

    /// How much the archive holds, and where it is.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn counts(&self) -> Result<Option<[(&'static str, u64); 4]>, Failure> {
        self.read(|archive| archive.counts().map(Some)).await
    }

    /// SQLite's check of the whole archive: what it found, nothing where all is
    /// well.
    ///
    /// # Errors
    /// When the check cannot be made.
    pub async fn check(&self) -> Result<Vec<String>, Failure> {
        self.read(Archive::check).await
    }

    /// Gives the room of deleted rows back.
    ///
    /// # Errors
    /// When there is no room for the copy, or another process holds it.
    pub async fn vacuum(&self) -> Result<(), Failure> {
        self.with(|archive| archive.vacuum()).await
    }
}

fn broken() -> Failure {
    Failure::new(
        FailureKind::Other,
        "the archive is out of order after an internal fault",
        "Start driftline anew.",
    )
}
