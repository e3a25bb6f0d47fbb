//! The memory of an archive file in a program that runs for long, and the file made again from
//! it: a damaged, emptied or removed archive ends neither the watch nor its notifications.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{Inner, Place, Store};
use crate::archive::{Archive, ArchiveError, Basis, ListState, Remembered};
use crate::failure::Failure;
use crate::os::clock::unix_now;

/// Rows that change often are read at most this often. An edit of the watch list is read at once.
const READ_EVERY: Duration = Duration::from_secs(10);

/// The memory of an archive file; `None` in a program that does not remember.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<Option<State>>);

#[derive(Debug, Default)]
struct State {
    known: Option<Arc<Remembered>>,
    /// When it was read.
    read_at: Option<Instant>,
    /// The watch list in it.
    list: Option<ListState>,
}

impl Memory {
    /// The remembered rows; `None` before the archive was read.
    fn known(&self) -> Option<Arc<Remembered>> {
        self.0.lock().ok()?.as_ref()?.known.clone()
    }

    /// `true` if something is remembered.
    pub(super) fn is_known(&self) -> bool {
        self.known().is_some()
    }

    /// Looks for news after this program has read or written the archive.
    pub(super) fn look(&self, archive: &Archive) {
        if let Ok(mut state) = self.0.lock()
            && let Some(state) = state.as_mut()
        {
            // A fault is reported by those who need the data; what is remembered stays.
            let _ = state.look(archive);
        }
    }
}

impl State {
    fn look(&mut self, archive: &Archive) -> Result<(), ArchiveError> {
        let list = Some(archive.list_state()?);
        let is_recent = self.read_at.is_some_and(|at| at.elapsed() < READ_EVERY);
        if list != self.list || !is_recent {
            self.known = Some(Arc::new(archive.remember()?));
            (self.list, self.read_at) = (list, Some(Instant::now()));
        }
        Ok(())
    }
}

impl Inner {
    /// Checks that the file was not removed or emptied under this process. A program that
    /// remembers it makes it again: what was to be done with the old one fails, since it may be
    /// judged by fixes that are lost, and the next finds the new one.
    ///
    /// # Errors
    /// When it was gone.
    pub(super) fn keep_there(&self, slot: &mut Option<Archive>) -> Result<(), ArchiveError> {
        self.close_replaced(slot);
        let there = self.still_there();
        let (Err(lost), Some(path)) = (&there, self.place.file()) else {
            return there;
        };
        let Some(known) = self.memory.known() else {
            if self.loss.is_news() {
                self.say(format!("{lost}. {}.", lost.hint()));
            }
            return there;
        };
        *slot = None;
        if matches!(lost, ArchiveError::Removed { .. }) {
            self.log.rename_old(path, unix_now());
            match Archive::reset(path, &known)? {
                Some(restored) => self.replaced(format!(
                    "the archive was removed while driftline ran: the new one at {} has {restored}",
                    path.display()
                )),
                None => self.warn_archive_removed(),
            }
        } else {
            self.recover()?;
        }
        self.loss.seen();
        there
    }

    /// Renames a damaged archive and makes a new one of what can be read and what is
    /// remembered; returns whether it was damaged. Without a memory it stays where it is if the
    /// watch list and the plant log cannot be read whole.
    pub(super) fn recover(&self) -> Result<bool, ArchiveError> {
        match self.memory.known() {
            Some(known) => self.recover_on(Basis::Remembered(&known)),
            None => self.recover_on(Basis::Whole),
        }
    }

    pub(super) fn recover_on(&self, basis: Basis<'_>) -> Result<bool, ArchiveError> {
        let Some(path) = self.place.file() else {
            return Ok(false);
        };
        let timeout = self.lock_timeout();
        let recovered = Archive::recover_within(path, basis, unix_now(), timeout)?;
        if let Some(recovered) = &recovered {
            self.replaced(recovered.to_string());
        }
        Ok(recovered.is_some())
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
        if self.inner.place.file().is_some()
            && let Ok(mut state) = self.inner.memory.0.lock()
        {
            state.get_or_insert_default();
        }
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
    /// When it is damaged or empty, and stays so.
    pub(crate) async fn look_for_damage(&self) -> Result<(), Failure> {
        if self.inner.place.file().is_none() {
            return Ok(());
        }
        self.submit(|inner, slot| {
            let opened = inner.open_existing();
            let read = opened
                .and_then(|archive| archive.map_or(Ok(()), |archive| archive.watched().map(drop)));
            match read {
                Err(ArchiveError::Damaged { .. }) if inner.memory.is_known() => {
                    *slot = None;
                    inner.recover()?;
                    Ok(())
                }
                Err(ArchiveError::Empty { .. }) if inner.memory.is_known() => Ok(()),
                Err(error @ (ArchiveError::Damaged { .. } | ArchiveError::Empty { .. })) => {
                    Err(error.into())
                }
                _ => Ok(()),
            }
        })
        .await
    }

    /// The damaged archive that was set aside last, if one lies beside the archive.
    pub(crate) fn set_aside(&self) -> Option<PathBuf> {
        let Place::At { place, .. } = &self.inner.place else {
            return None;
        };
        let absolute = std::path::absolute(place.file()?).ok()?;
        let path = crate::os::files::end_of_links(&absolute);
        let start = format!("{}.damaged", path.file_name()?.to_str()?);
        let beside = std::fs::read_dir(path.parent()?).ok()?;
        let names = beside.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_aside = |name: &String| name.starts_with(&start) && !name.ends_with("-wal");
        // The name has the time.
        let last = names.filter(is_aside).max()?;
        Some(path.with_file_name(last))
    }
}
