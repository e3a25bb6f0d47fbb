//! The archive for the use cases: opened at its first use, on a blocking
//! thread.

mod alarms;
mod care;
mod changes;
mod entries;
mod file_state;
mod file_watch;
mod held_alarms;
mod leases;
mod ledger;
mod loss;
mod replaced;
#[cfg(test)]
mod tests;
mod tracks;
mod undo;
mod written;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::blocking::{given_back, start};
use crate::archive::{Archive, ArchiveError, BUSY, Recovered};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::location::ArchiveLocation;
use crate::track::Deployment;
use changes::{Received, Seen};
use held_alarms::HeldAlarms;
use loss::{Loss, WhereRemoved, look_for_folder};
use replaced::OpenFiles;

/// The user's archive, or one in memory. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    place: Place,
    /// One for a file, which has one lock; for a server as many as it may have
    /// connections.
    open: Vec<Mutex<Option<Archive>>>,
    /// Messages to the user about the archive itself.
    warnings: Mutex<Vec<String>>,
    /// When another process was last waited for in vain.
    held: Mutex<Option<Instant>>,
    /// What tells this program from the others that take leases.
    holder: String,
    /// Deployments that the settings file lists.
    configured: Vec<Deployment>,
    /// What was there when another's changes were last looked for.
    seen: Mutex<Seen>,
    /// Up to where what was stored is known.
    received: Received,
    /// Whether what another has written could not be read.
    is_unread: AtomicBool,
    /// Alarms of deployments whose responses no archive takes.
    held_alarms: Mutex<HeldAlarms>,
    /// Whether the file was removed under this process.
    loss: Loss,
    /// The files while the archive is open.
    files: OpenFiles,
}

/// The place of an archive.
#[derive(Debug)]
enum Place {
    /// This file, or this database. Where it was `named`, reading a file fails if
    /// its folder is missing: a typing error, or a volume that is not there.
    At { place: ArchiveLocation, named: bool },
    /// It is gone with the program.
    Memory,
    /// There is none, for this reason.
    Nowhere(&'static str),
}

/// After it was waited for in vain, the next calls within this time do not wait
/// as long again: a command makes several.
const HELD: Duration = Duration::from_secs(10);
/// How long they wait.
const SHORT_PATIENCE: Duration = Duration::from_millis(100);

impl Place {
    /// The file; `None` where there is none.
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
            } => url.connections(),
            _ => 1,
        }
    }
}

impl Inner {
    fn new(place: Place) -> Self {
        Self {
            open: (0..place.connections()).map(|_| Mutex::new(None)).collect(),
            place,
            warnings: Mutex::default(),
            held: Mutex::default(),
            holder: Uuid::new_v4().to_string(),
            configured: Vec::new(),
            seen: Mutex::default(),
            received: Received::default(),
            is_unread: AtomicBool::default(),
            held_alarms: Mutex::default(),
            loss: Loss::default(),
            files: OpenFiles::default(),
        }
    }

    /// An open archive that no other thread uses, or the place for one.
    fn slot(&self) -> Result<MutexGuard<'_, Option<Archive>>, Failure> {
        let mut slot = self.free_slot()?;
        if let Some(path) = self.place.file() {
            self.let_go_of_replaced(&mut slot, path);
        }
        Ok(slot)
    }

    /// Ends the connection to a file in whose place another one is, and sets its log
    /// aside before anything opens the other file.
    fn let_go_of_replaced(&self, slot: &mut Option<Archive>, path: &std::path::Path) {
        let Some(archive) = slot.as_ref() else {
            return;
        };
        if archive.is_in_place() {
            self.files.note(path);
        } else if path.exists() {
            self.tell_that_it_is_gone();
            *slot = None;
            self.files.set_old_log_aside(path, unix_now());
        }
    }

    fn free_slot(&self) -> Result<MutexGuard<'_, Option<Archive>>, Failure> {
        for slot in &self.open {
            match slot.try_lock() {
                Ok(slot) => return Ok(slot),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Poisoned(_)) => return Err(broken()),
            }
        }
        let first = self.open.first().ok_or_else(broken)?;
        first.lock().map_err(|_| broken())
    }

    /// Longest wait now for another process that has locked the archive.
    fn patience(&self) -> Duration {
        let held = self.held.lock().ok().and_then(|held| *held);
        match held {
            Some(since) if since.elapsed() < HELD => SHORT_PATIENCE,
            _ => BUSY,
        }
    }

    /// Notes whether the wait for another process was in vain.
    fn noted<T>(&self, done: Result<T, ArchiveError>) -> Result<T, ArchiveError> {
        if let Ok(mut held) = self.held.lock() {
            match done {
                Err(ArchiveError::Busy) => *held = Some(Instant::now()),
                _ => *held = None,
            }
        }
        done
    }

    /// Opens the archive; a damaged one is renamed and its readable rows are
    /// recovered.
    fn open_anew(&self) -> Result<Archive, ArchiveError> {
        let mut archive = self.open_file()?;
        self.loss.seen();
        archive.watch_also(self.configured.clone());
        Ok(archive)
    }

    fn open_file(&self) -> Result<Archive, ArchiveError> {
        // The version of another connection says nothing of this one.
        if let Ok(mut seen) = self.seen.lock() {
            (seen.version, seen.alarms, seen.looked) = (None, None, None);
        }
        let place = match &self.place {
            Place::At { place, .. } => place,
            Place::Memory => return Archive::in_memory(),
            Place::Nowhere(why) => return Err(ArchiveError::Nowhere(why)),
        };
        match Archive::open_at(place, self.patience()) {
            Err(ArchiveError::Damaged { .. }) if place.file().is_some() => {
                self.recover()?;
                Archive::open_at(place, self.patience())
            }
            other => other,
        }
    }

    fn tell_that_it_is_gone(&self) {
        // A connection to a server that has ended is made again without a word.
        if let (Some(path), Ok(mut warnings)) = (self.place.file(), self.warnings.lock()) {
            warnings.push(format!(
                "archive {} was removed or replaced while driftline ran; earlier data is gone from it",
                crate::text::excerpt(&path.display().to_string(), 300)
            ));
        }
    }

    /// Checks that the file was not removed under this process.
    fn still_there(&self) -> Result<(), ArchiveError> {
        self.place
            .file()
            .map_or(Ok(()), |path| self.loss.check(path))
    }

    fn recover(&self) -> Result<Option<Recovered>, ArchiveError> {
        let Some(path) = self.place.file() else {
            return Ok(None);
        };
        let recovered = Archive::recover_within(path, unix_now(), self.patience())?;
        if let (Some(recovered), Ok(mut warnings)) = (&recovered, self.warnings.lock()) {
            warnings.push(recovered.to_string());
        }
        Ok(recovered)
    }

    /// Does something with an archive, which is opened where it is not.
    fn change(
        &self,
        where_removed: WhereRemoved,
        act: &mut dyn FnMut(&mut Archive) -> Result<(), ArchiveError>,
    ) -> Result<(), Failure> {
        let mut slot = self.slot()?;
        let done = self.noted(self.act_on(&mut slot, where_removed, act));
        if matches!(done, Err(ArchiveError::Damaged { .. })) {
            // This operation fails; the next one finds the recovered archive.
            *slot = None;
            self.recover()?;
        }
        Ok(done?)
    }

    fn act_on(
        &self,
        slot: &mut Option<Archive>,
        where_removed: WhereRemoved,
        act: &mut dyn FnMut(&mut Archive) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        match (self.still_there(), where_removed) {
            (Err(lost), WhereRemoved::Refuse) => return Err(lost),
            (Err(_), WhereRemoved::MakeAnew) => {
                if slot.take().is_some() {
                    self.tell_that_it_is_gone();
                }
            }
            (Ok(()), _) => {}
        }
        // One that was removed or replaced meanwhile is opened anew: what
        // is written into a file without a name is lost.
        let archive = match slot.take() {
            Some(archive) if archive.is_in_place() => archive,
            gone => {
                if gone.is_some() {
                    self.tell_that_it_is_gone();
                }
                self.open_anew()?
            }
        };
        let archive = slot.insert(archive);
        archive.set_patience(self.patience())?;
        let done = match act(archive) {
            // Another process mended it while this one waited for its turn.
            Err(ArchiveError::Moved) => act(slot.insert(self.open_anew()?)),
            done => done,
        };
        if let Some(path) = self.place.file() {
            self.let_go_of_replaced(slot, path);
        }
        done
    }

    /// Reads an archive in one transaction; one that is missing is not made, and
    /// `act` not called.
    fn read(
        &self,
        act: &mut dyn FnMut(&Archive) -> Result<(), ArchiveError>,
    ) -> Result<(), Failure> {
        let mut slot = self.slot()?;
        self.still_there()?;
        let open = slot.as_mut().filter(|archive| archive.is_in_place());
        let done = match (open, &self.place) {
            (Some(archive), _) => archive
                .set_patience(self.patience())
                .and_then(|()| archive.reading(act)),
            (None, Place::Memory) => Ok(()),
            (None, Place::Nowhere(why)) => Err(ArchiveError::Nowhere(why)),
            (None, Place::At { place, named }) => look_for_folder(place.file(), *named)
                .and_then(|()| Archive::open_existing_at(place, self.patience()))
                .and_then(|opened| {
                    let Some(mut one) = opened else {
                        return Ok(());
                    };
                    self.loss.seen();
                    let done = one.reading(act);
                    if place.file().is_none() {
                        // Another connection takes longer than another file.
                        one.watch_also(self.configured.clone());
                        *slot = Some(one);
                    }
                    done
                }),
        };
        Ok(self.noted(done)?)
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
    /// The archive at a path, not opened or created yet.
    #[cfg(test)]
    pub(crate) fn at(path: std::path::PathBuf) -> Self {
        Self::for_watching(ArchiveLocation::File(path), false, Vec::new())
    }

    /// The archive at a place that was `named` or is the usual one, not opened or
    /// created yet, with the deployments that the settings file lists: alarms are
    /// judged of them as well.
    pub(crate) fn for_watching(
        place: ArchiveLocation,
        named: bool,
        configured: Vec<Deployment>,
    ) -> Self {
        let inner = Inner {
            configured,
            ..Inner::new(Place::At { place, named })
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// An archive in memory, lost at the end of the program (the demo).
    pub(crate) fn in_memory() -> Self {
        Self {
            inner: Arc::new(Inner::new(Place::Memory)),
        }
    }

    /// No archive, and why: whatever is asked of it fails with that.
    pub(crate) fn nowhere(why: &'static str) -> Self {
        Self {
            inner: Arc::new(Inner::new(Place::Nowhere(why))),
        }
    }

    /// Runs `act` on the archive, which is created if it is missing; one that was
    /// removed while it was open is not.
    fn with<T: Send + 'static>(
        &self,
        act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> impl Future<Output = Result<T, Failure>> + Send {
        self.with_or(WhereRemoved::Refuse, act)
    }

    fn with_or<T: Send + 'static>(
        &self,
        where_removed: WhereRemoved,
        mut act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> impl Future<Output = Result<T, Failure>> + Send {
        self.blocking(move |inner| {
            let mut made = None;
            inner.change(where_removed, &mut |archive| {
                made = Some(act(archive)?);
                Ok(())
            })?;
            made.ok_or_else(broken)
        })
    }

    /// Reads the archive without creating it; `T`'s default if it is missing.
    fn read<T: Default + Send + 'static>(
        &self,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> impl Future<Output = Result<T, Failure>> + Send {
        self.blocking(move |inner| {
            let (mut act, mut read) = (Some(act), None);
            inner.read(&mut |archive| {
                read = act.take().map(|act| act(archive)).transpose()?;
                Ok(())
            })?;
            Ok(read.unwrap_or_default())
        })
    }

    async fn blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Inner) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let inner = Arc::clone(&self.inner);
        let work = start(Box::new(move || Box::new(act(&inner))));
        work.await
            .ok()
            .and_then(given_back)
            .unwrap_or_else(|| Err(broken()))
    }

    /// Whether a deployment is on the watch list.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn is_watched(&self, uuid: Uuid) -> Result<bool, Failure> {
        self.read(move |archive| archive.is_watched(uuid)).await
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

    /// Whether the archive was ever opened by this process.
    pub(crate) fn was_opened(&self) -> bool {
        self.inner.loss.was_seen()
    }

    /// That the archive was removed under this process; once.
    pub(crate) fn loss(&self) -> Option<String> {
        self.inner.loss.take()
    }

    /// Renames a damaged archive and recovers its readable rows; returns
    /// whether it was damaged. [`Store::warnings`] has the details.
    ///
    /// # Errors
    /// When the file cannot be renamed, or the new one cannot be created.
    pub(crate) async fn recover(&self) -> Result<bool, Failure> {
        self.blocking(|inner| {
            let mut slot = inner.slot()?;
            *slot = None;
            Ok(inner.recover()?.is_some())
        })
        .await
    }
}

fn broken() -> Failure {
    Failure::new(
        FailureKind::Other,
        "the archive is out of order after an internal fault",
        "Restart driftline.",
    )
}
