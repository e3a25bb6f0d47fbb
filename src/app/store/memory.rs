//! The memory of an archive file in a program that runs for long, and the file made again from
//! it: a damaged, emptied or removed archive, or a new one without its list in its place, ends
//! neither the watch nor its notifications.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::pool::Slot;
use super::{Inner, Store};
use crate::archive::location::ArchiveLocation;
use crate::archive::{Archive, ArchiveError, Basis, ListState, Remembered, Restored};
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::os::files::identity;

/// Rows that change often are read at most this often. What a person writes is read at once.
const READ_EVERY: Duration = Duration::from_secs(10);

/// A program that has the archive open looks this often for damage on the disk.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// The identity of a file; `None` if there is none, or the system reports none.
type FileId = Option<(u64, u64)>;

fn file_at(path: &Path) -> FileId {
    identity(&std::fs::metadata(path).ok()?)
}

/// The memory of an archive file; empty in a program that does not remember.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The remembered rows; `None` before the archive was read.
    pub(super) known: Option<Arc<Remembered>>,
    /// The file that they were read from, or that was made of them.
    file: FileId,
    /// When they were read.
    read_at: Option<Instant>,
    /// When the file was last looked at for damage.
    looked_at: Option<Instant>,
    /// What persons had written by then.
    written: Option<(ListState, [i64; 5])>,
    /// An archive in memory that has it, once it was needed.
    stand_in: Option<Archive>,
}

impl Memory {
    fn look(&mut self, archive: &Archive, path: &Path) -> Result<(), ArchiveError> {
        let file = file_at(path);
        // Another file is followed once it is known to have the list.
        if !archive.is_in_place() || self.known.is_some() && self.file != file {
            return Ok(());
        }
        self.file = file;
        let written = Some(archive.written_state()?);
        let is_recent = self.read_at.is_some_and(|at| at.elapsed() < READ_EVERY);
        if written != self.written || !is_recent {
            self.known = Some(Arc::new(archive.remember()?));
            self.stand_in = None;
            (self.written, self.read_at) = (written, Some(Instant::now()));
        }
        Ok(())
    }

    /// What is remembered as an archive; `None` if nothing is.
    fn as_archive(&mut self, prepared: impl FnOnce(Archive) -> Archive) -> Option<&Archive> {
        let known = self.known.as_ref()?;
        if self.stand_in.is_none() {
            let mut stand_in = Archive::in_memory().ok()?;
            stand_in.restore(known, true).ok()?;
            self.stand_in = Some(prepared(stand_in));
        }
        self.stand_in.as_ref()
    }
}

impl Inner {
    /// Looks for news after this program has read or written the archive.
    pub(super) fn look_for_news(&self, slot: &mut Slot) {
        if let (Some(archive), Some(path), true) = (
            &slot.archive,
            self.place.file(),
            self.remembers.load(Ordering::Relaxed),
        ) {
            // A fault is reported by those who need the data; what is remembered stays.
            let _ = slot.memory.look(archive, path);
        }
    }

    /// Checks that the file was not removed or emptied under this process. A program that
    /// remembers it makes it again: what was to be done with the old one fails, since it may be
    /// judged by fixes that are lost, and the next finds the new one. To a file in its place that
    /// another program made without its watch list, it adds what it remembers.
    ///
    /// # Errors
    /// When it was gone.
    pub(super) fn keep_there(&self, slot: &mut Slot) -> Result<(), ArchiveError> {
        self.close_replaced(slot);
        let there = self.still_there();
        let Some(path) = self.place.file() else {
            return there;
        };
        let Some(known) = slot.memory.known.clone() else {
            if let Err(lost) = &there
                && slot.is_loss_news()
            {
                self.say(format!("{lost}. {}.", lost.hint()));
            }
            return there;
        };
        if there.is_ok() && file_at(path) == slot.memory.file {
            return there;
        }
        slot.archive = None;
        if matches!(there, Err(ArchiveError::Emptied { .. })) {
            self.recover(slot)?;
        } else {
            // What is in the way of a file leaves it its log.
            if there.is_err() || path.is_file() {
                slot.rename_old_log(path, unix_now());
            }
            // The recovery by another program leaves the file next to the new one.
            let is_set_aside = (self.set_aside()).is_some_and(|aside| {
                let aside = file_at(&aside);
                aside.is_some() && aside == slot.memory.file
            });
            let what = match there {
                Ok(()) => "replaced by one without its whole watch list",
                Err(_) => "removed while driftline ran",
            };
            let timeout = slot.lock_timeout();
            match reset(path, &known, is_set_aside, timeout)? {
                Some(restored) => self.replaced(format!(
                    "the archive was {what}: the new one at {} has {restored}",
                    path.display()
                )),
                None => self.warn_archive_removed(),
            }
            slot.memory.file = file_at(path);
        }
        slot.is_loss_said = false;
        there
    }

    /// Reads what is remembered of an archive that cannot be opened, which is said once: the watch
    /// goes on without it.
    ///
    /// # Errors
    /// Why it cannot be opened, if nothing is remembered, or it may be opened soon.
    pub(super) fn read_remembered<T>(
        &self,
        slot: &mut Slot,
        failed: ArchiveError,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError>,
    ) -> Result<Option<T>, ArchiveError> {
        use ArchiveError::{Busy, Damaged, Emptied, Removed};
        if matches!(
            failed,
            Busy | Damaged { .. } | Emptied { .. } | Removed { .. }
        ) {
            return Err(failed);
        }
        let stand_in = slot.memory.as_archive(|archive| self.prepared(archive));
        let Some(stand_in) = stand_in else {
            return Err(failed);
        };
        let done = stand_in.reading(act);
        if slot.is_loss_news() {
            self.say(format!(
                "{failed}. {}. driftline goes on with the watch list that it knows, and stores nothing",
                failed.hint()
            ));
        }
        done.map(Some)
    }

    /// As [`Store::look_for_damage`], in a program that remembers, at most every
    /// [`LOOK_EVERY`].
    pub(super) fn look_for_damage_at_times(&self, slot: &mut Slot) {
        let looked_at = slot.memory.looked_at;
        let is_recent = looked_at.is_some_and(|at| at.elapsed() < LOOK_EVERY);
        if slot.memory.known.is_some() && !is_recent {
            slot.memory.looked_at = Some(Instant::now());
            // Other faults are reported by those who need the data.
            let _ = self.look_for_damage(slot);
        }
    }

    fn look_for_damage(&self, slot: &mut Slot) -> Result<(), ArchiveError> {
        let read = match self.place.file() {
            None => self.read(slot, |_| Ok(())).map(drop),
            Some(_) => self
                .open_existing(slot)
                .and_then(|archive| archive.map_or(Ok(()), |archive| archive.watched().map(drop))),
        };
        match read {
            Err(ArchiveError::Damaged { .. }) if slot.memory.known.is_some() => {
                slot.archive = None;
                self.recover(slot).map(drop)
            }
            Err(error) if error.stays() && slot.memory.known.is_none() => Err(error),
            _ => Ok(()),
        }
    }

    /// Renames a damaged archive and makes a new one of what can be read and what is
    /// remembered; returns whether it was damaged. Without a memory it stays where it is if the
    /// watch list and the plant log cannot be read whole.
    pub(super) fn recover(&self, slot: &mut Slot) -> Result<bool, ArchiveError> {
        match slot.memory.known.clone() {
            Some(known) => self.recover_on(slot, Basis::Remembered(&known)),
            None => self.recover_on(slot, Basis::Whole),
        }
    }

    pub(super) fn recover_on(
        &self,
        slot: &mut Slot,
        basis: Basis<'_>,
    ) -> Result<bool, ArchiveError> {
        let Some(path) = self.place.file() else {
            return Ok(false);
        };
        let recovered = Archive::recover_within(path, basis, unix_now(), slot.lock_timeout())?;
        if let Some(recovered) = &recovered {
            slot.memory.file = file_at(path);
            self.replaced(recovered.to_string());
        }
        Ok(recovered.is_some())
    }

    /// The damaged archive that was renamed last, if one lies next to the archive.
    fn set_aside(&self) -> Option<PathBuf> {
        let absolute = std::path::absolute(self.place.file()?).ok()?;
        let path = crate::os::files::end_of_links(&absolute);
        let start = format!("{}.damaged", path.file_name()?.to_str()?);
        let beside = std::fs::read_dir(path.parent()?).ok()?;
        let names = beside.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_aside = |name: &String| name.starts_with(&start) && !name.ends_with("-wal");
        // The name has the time.
        let last = names.filter(is_aside).max()?;
        Some(path.with_file_name(last))
    }

    /// Notes that this program has made the archive again.
    fn replaced(&self, words: String) {
        self.replacements.fetch_add(1, Ordering::Relaxed);
        self.say(words);
    }

    /// Adds a warning that is to stay.
    fn say(&self, words: String) {
        if let Ok(mut lasting) = self.lasting.lock() {
            lasting.push(words);
        }
    }
}

impl Store {
    /// Remembers what persons and rules write in the archive file while this program runs: if
    /// the file is damaged, emptied or removed, it is made again from that.
    pub(crate) fn remember(&self) {
        self.inner.remembers.store(true, Ordering::Relaxed);
    }

    /// The warning that the archive was lost or damaged under this process, with what became of
    /// it; once.
    pub(crate) fn loss(&self) -> Option<String> {
        let words = std::mem::take(&mut *self.inner.lasting.lock().ok()?);
        (!words.is_empty()).then(|| words.join(". "))
    }

    /// Checks that the watch list can be read from the file as it is on the disk: an open
    /// connection may go on for long with the pages that it has in memory. A program that
    /// remembers the list makes a damaged file again. Other faults may pass by themselves.
    ///
    /// # Errors
    /// When it is damaged, empty, refused by its server, or of another version or program, and
    /// stays so.
    pub(crate) async fn look_for_damage(&self) -> Result<(), Failure> {
        self.submit(|inner, slot| Ok(inner.look_for_damage(slot)?))
            .await
    }

    /// The damaged archive that was renamed last, if one lies next to the archive.
    pub(crate) fn set_aside(&self) -> Option<PathBuf> {
        self.inner.set_aside()
    }
}

/// Makes a missing archive from what is remembered, or adds that to one that was made again, as
/// [`Archive::restore`] says.
fn reset(
    path: &Path,
    known: &Remembered,
    is_recovered: bool,
    lock_timeout: Duration,
) -> Result<Option<Restored>, ArchiveError> {
    let location = ArchiveLocation::File(path.to_owned());
    // One that has a list may be read only.
    let found = Archive::open_existing_at(&location, lock_timeout)?.filter(|_| !is_recovered);
    if let Some(archive) = found
        && archive.list_state()?.has_entries()
    {
        return Ok(None);
    }
    Archive::open_within(path, lock_timeout)?.restore(known, is_recovered)
}
