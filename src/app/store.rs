//! The archive for the use cases: opened once, at its first use, on a thread of its own.

mod alarms;
mod changes;
mod leases;
mod loss;
mod memory;
mod pool;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use crate::archive::location::ArchiveLocation;
use crate::archive::{Archive, ArchiveError, Basis, Listed};
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::plant::log::Entry;
use crate::watch::Deployment;
pub(crate) use alarms::LastRequest;
use alarms::Unstored;
use changes::Seen;
use loss::{WhereRemoved, log_identity, look_for_folder};
use pool::{Pool, Slot};

/// The user's archive, or one in memory. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    inner: Arc<Inner>,
    /// It ends with the last clone: work in progress has no clone.
    pool: Arc<Pool>,
}

#[derive(Debug, Default)]
struct Inner {
    place: Place,
    /// Messages to the user about the archive itself.
    warnings: Mutex<Vec<String>>,
    /// The id of this program among those that take leases.
    holder: String,
    /// Deployments that the settings file lists.
    configured: Vec<Deployment>,
    /// The deployments that are listed.
    listed: Listed,
    /// The state of the archive when another program's changes were last looked for.
    seen: Mutex<Seen>,
    /// The last requests, and alarms of deployments whose responses could not be stored.
    unstored: Mutex<Unstored>,
    /// Changes whenever alarms may differ.
    alarm_changes: watch::Sender<()>,
    /// How often the file was removed or replaced under this process.
    replacements: AtomicU64,
    /// `true` if the archive was ever opened by this process.
    was_opened: AtomicBool,
    /// `true` in a program that runs for long, and remembers what is in the file.
    remembers: AtomicBool,
    /// Warnings that the file was made again, which are to stay.
    lasting: Mutex<Vec<String>>,
}

/// The location of an archive, if it has any.
#[derive(Debug, Default)]
enum Place {
    /// This file, or this database. If it was `named`, reading a file fails if
    /// its folder is missing: a typing error, or a disk that is not mounted.
    At { place: ArchiveLocation, named: bool },
    /// It ends with the program.
    #[default]
    Memory,
    /// There is none, for this reason.
    Nowhere(&'static str),
}

impl Place {
    fn file(&self) -> Option<&std::path::Path> {
        match self {
            Self::At { place, .. } => place.file(),
            Self::Memory | Self::Nowhere(_) => None,
        }
    }

    /// Connections at once, at most.
    fn connections(&self) -> usize {
        match self {
            #[cfg(feature = "postgres")]
            Self::At {
                place: ArchiveLocation::Server(url),
                ..
            } => url.connections,
            _ => 1,
        }
    }
}

impl Inner {
    fn new(place: Place) -> Self {
        Self {
            place,
            holder: Uuid::new_v4().to_string(),
            ..Self::default()
        }
    }

    fn was_opened(&self) -> bool {
        self.was_opened.load(Ordering::Relaxed)
    }

    /// Ends the connection to a file that was replaced, and renames its log before anything
    /// opens the new file.
    fn close_replaced(&self, slot: &mut Slot) {
        let (Some(opened), Some(path)) = (&slot.archive, self.place.file()) else {
            return;
        };
        if opened.is_in_place() {
            slot.log = log_identity(path);
        } else if path.is_file() && !matches!(self.still_there(), Err(ArchiveError::Emptied { .. }))
        {
            // Of one that is remembered the new file decides what is said.
            if slot.memory.known.is_none() {
                self.warn_archive_removed();
            }
            slot.archive = None;
            slot.rename_old_log(path, unix_now());
        }
    }

    /// Opens the archive for writing; a damaged one is recovered, as [`Inner::recover`] says. An
    /// empty file has nothing: it is refused, unless a removed archive is made again.
    fn open(&self, slot: &mut Slot, where_gone: WhereRemoved) -> Result<Archive, ArchiveError> {
        let is_recovered = |error: &ArchiveError| match error {
            ArchiveError::Damaged { .. } => true,
            ArchiveError::Empty { .. } => matches!(where_gone, WhereRemoved::Reset),
            _ => false,
        };
        let archive = match &self.place {
            Place::Memory => Archive::in_memory()?,
            Place::Nowhere(why) => return Err(ArchiveError::Nowhere(why)),
            Place::At { place, .. } => match Archive::open_at(place, slot.lock_timeout()) {
                Err(error) if place.file().is_some() && is_recovered(&error) => {
                    match error {
                        ArchiveError::Empty { .. } => self.recover_on(slot, Basis::Readable)?,
                        _ => self.recover(slot)?,
                    };
                    Archive::open_at(place, slot.lock_timeout())?
                }
                opened => opened?,
            },
        };
        Ok(self.noted_as_open(slot, archive))
    }

    /// Opens the archive for reading; `None` if it is missing.
    fn open_existing(&self, slot: &mut Slot) -> Result<Option<Archive>, ArchiveError> {
        let (place, named) = match &self.place {
            Place::Memory => return Ok(None),
            Place::Nowhere(why) => return Err(ArchiveError::Nowhere(why)),
            Place::At { place, named } => (place, *named),
        };
        look_for_folder(place.file(), named)?;
        let archive = Archive::open_existing_at(place, slot.lock_timeout())?;
        Ok(archive.map(|archive| self.noted_as_open(slot, archive)))
    }

    fn noted_as_open(&self, slot: &mut Slot, archive: Archive) -> Archive {
        // Each connection has its own data versions.
        if let Ok(mut seen) = self.seen.lock() {
            seen.version = None;
        }
        self.was_opened.store(true, Ordering::Relaxed);
        slot.is_loss_said = false;
        self.prepared(archive)
    }

    /// An archive that watches and lists what this one does.
    fn prepared(&self, mut archive: Archive) -> Archive {
        archive.watch_also(self.configured.clone());
        archive.list_only(self.listed.clone());
        archive
    }

    fn warn_archive_removed(&self) {
        // A connection to a server that has ended is made again without a warning.
        if let (Some(path), Ok(mut warnings)) = (self.place.file(), self.warnings.lock()) {
            self.replacements.fetch_add(1, Ordering::Relaxed);
            warnings.push(format!(
                "archive {} was removed or replaced while driftline ran; earlier data is gone from it",
                crate::text::excerpt(&path.display().to_string(), 300)
            ));
        }
    }

    /// Runs `act` on the archive, which is created if it is missing.
    fn write<T>(
        &self,
        slot: &mut Slot,
        where_removed: WhereRemoved,
        act: impl FnMut(&mut Archive) -> Result<T, ArchiveError>,
    ) -> Result<T, Failure> {
        let there = self.keep_there(slot);
        let acted = self.act_on(slot, there, where_removed, act);
        let done = slot.noted(acted);
        if matches!(done, Err(ArchiveError::Damaged { .. })) {
            // This operation fails; the next one finds the recovered archive.
            slot.archive = None;
            self.recover(slot)?;
        }
        Ok(done?)
    }

    fn act_on<T>(
        &self,
        slot: &mut Slot,
        there: Result<(), ArchiveError>,
        where_removed: WhereRemoved,
        mut act: impl FnMut(&mut Archive) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        let is_there = match (there, where_removed) {
            (Err(lost), WhereRemoved::Refuse) => return Err(lost),
            (there, _) => there.is_ok(),
        };
        // An archive that was removed or replaced meanwhile is opened again: a write into
        // a file without a name is lost.
        let opened = match slot.archive.take() {
            Some(mut archive) if is_there && archive.is_in_place() => {
                archive.set_lock_timeout(slot.lock_timeout())?;
                archive.make_writable()?;
                archive
            }
            other => {
                if other.is_some() {
                    self.warn_archive_removed();
                }
                drop(other);
                self.open(slot, where_removed)?
            }
        };
        let done = match act(slot.archive.insert(opened)) {
            // Another process recovered it while this one waited for the lock.
            Err(ArchiveError::Moved) => {
                slot.archive = None;
                self.keep_there(slot)?;
                let opened = self.open(slot, where_removed)?;
                act(slot.archive.insert(opened))
            }
            done => done,
        };
        self.close_replaced(slot);
        if done.is_ok() {
            self.look_for_news(slot);
        }
        done
    }

    /// Reads an archive in a single transaction; `None` if it is missing: then it is not made,
    /// and `act` not called.
    fn read<T>(
        &self,
        slot: &mut Slot,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError>,
    ) -> Result<Option<T>, ArchiveError> {
        let mut act = Some(act);
        let mut read = |slot: &mut Slot| {
            self.keep_there(slot)?;
            if slot
                .archive
                .as_ref()
                .is_none_or(|archive| !archive.is_in_place())
            {
                slot.archive = self.open_existing(slot)?;
            }
            let timeout = slot.lock_timeout();
            let Some(archive) = &mut slot.archive else {
                return Ok(None);
            };
            archive.set_lock_timeout(timeout)?;
            let done = archive.reading(|archive| act.take().map(|act| act(archive)).transpose());
            let sees_writes = archive.sees_writes();
            if done.is_ok() {
                self.look_for_news(slot);
            }
            if !sees_writes {
                slot.archive = None;
            }
            done
        };
        let read_once = read(slot);
        let done = slot.noted(read_once);
        if matches!(done, Err(ArchiveError::Damaged { .. })) && slot.memory.known.is_some() {
            // This read fails; the next one finds the recovered archive.
            slot.archive = None;
            self.recover(slot)?;
        }
        match (done, act) {
            // It was not opened.
            (Err(failed), Some(act)) => self.read_remembered(slot, failed, act),
            (done, _) => done,
        }
    }
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
    /// The archive at a location that was `named` or is the usual one, not opened or
    /// created yet, with the deployments that the settings file lists: their alarms are
    /// judged as well. Of its own it lists the deployments of a service.
    pub(crate) fn for_watching(
        place: ArchiveLocation,
        named: bool,
        configured: Vec<Deployment>,
        listed: Listed,
    ) -> Self {
        let inner = Inner {
            configured,
            listed,
            ..Inner::new(Place::At { place, named })
        };
        Self::with(inner)
    }

    fn with(inner: Inner) -> Self {
        Self {
            pool: Arc::new(Pool::new(inner.place.connections())),
            inner: Arc::new(inner),
        }
    }

    /// An archive in memory, lost at the end of the program (the demo).
    pub(crate) fn in_memory() -> Self {
        Self::with(Inner::new(Place::Memory))
    }

    /// No archive, and why: every operation fails with this reason.
    pub(crate) fn nowhere(why: &'static str) -> Self {
        Self::with(Inner::new(Place::Nowhere(why)))
    }

    /// Runs `act` on the archive, which is created if it is missing, but not if it was
    /// removed while it was open.
    ///
    /// # Errors
    /// When the archive cannot be opened or written.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.submit(move |inner, slot| inner.write(slot, WhereRemoved::Refuse, act))
            .await
    }

    /// As [`Store::write`]; if the archive was removed, into a new archive.
    pub(crate) async fn write_anyway<T: Send + 'static>(
        &self,
        act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.submit(move |inner, slot| inner.write(slot, WhereRemoved::Reset, act))
            .await
    }

    /// Reads one state of the archive without creating it; `T`'s default if it is missing.
    ///
    /// # Errors
    /// When the archive cannot be opened or read.
    pub(crate) async fn read<T: Default + Send + 'static>(
        &self,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.submit(move |inner, slot| Ok(inner.read(slot, act)?.unwrap_or_default()))
            .await
    }

    /// The plant log, oldest entry first.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn plant_log(&self) -> Result<Vec<Entry>, Failure> {
        self.read(|archive| archive.plant_log(unix_now())).await
    }

    /// As [`Store::read`], for data of deployments: [`Store::changes`] returns what is
    /// stored after the first call.
    ///
    /// # Errors
    /// When the archive cannot be opened or read.
    pub(crate) async fn read_data<T: Default + Send + 'static>(
        &self,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        let inner = Arc::clone(&self.inner);
        self.read(move |archive| {
            let mut seen = inner.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.received.is_none() {
                seen.received = Some(archive.received_mark()?);
            }
            drop(seen);
            act(archive)
        })
        .await
    }

    /// Submits work for the thread of the archive, which is done even if the future is
    /// dropped.
    async fn submit<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Inner, &mut Slot) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (reply, outcome) = oneshot::channel();
        let inner = Arc::clone(&self.inner);
        let submitted = self.pool.submit(Box::new(move |slot| {
            let _ = reply.send(act(&inner, slot));
        }));
        submitted.map_err(|error| without_thread(&error))?;
        outcome.await.unwrap_or_else(|_| Err(broken()))
    }

    /// Messages to the user about the archive itself, such as that it was
    /// damaged, and its new path; each once.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.inner
            .warnings
            .lock()
            .map(|mut warnings| std::mem::take(&mut *warnings))
            .unwrap_or_default()
    }

    /// `true` if the archive was ever opened by this process.
    pub(crate) fn was_opened(&self) -> bool {
        self.inner.was_opened()
    }

    /// Renames a damaged archive and recovers its readable rows, whatever is lost; returns
    /// whether it was damaged. [`Store::loss`] has the details.
    ///
    /// # Errors
    /// When the file cannot be renamed, or the new one cannot be created.
    pub(crate) async fn recover(&self) -> Result<bool, Failure> {
        self.submit(|inner, slot| {
            slot.archive = None;
            Ok(inner.recover_on(slot, Basis::Readable)?)
        })
        .await
    }
}

fn without_thread(error: &std::io::Error) -> Failure {
    Failure::other(format!(
        "the thread of the archive cannot be started: {error}"
    ))
    .with_hint("Raise the limit on processes, or end other programs.")
}

fn broken() -> Failure {
    Failure::other("the archive is out of order after an internal fault")
        .with_hint("Restart driftline.")
}
