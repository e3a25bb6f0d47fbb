//! Changes that another program made in the archive.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use uuid::Uuid;

use super::pool::{LOOK_EVERY, Slot};
use super::{Inner, Place, Store, broken, without_thread};
use crate::archive::{Archive, ArchiveError, ListState};
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::plant::log::{Entry, Outcome};
use crate::text;
use crate::track::FlagOverrides;
use crate::watch::Deployment;

/// The time until the next look after one that has found something: while a program sends a
/// create or delete there is always news, since its end is no write to the archive, and until
/// it is seen the plant reads as being sent.
const LOOK_AFTER_NEWS: Duration = Duration::from_secs(1);

/// The state of the archive at the last check for changes.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The data version; `None` if it was not read, or is that of a closed connection.
    pub(super) version: Option<i64>,
    entered: Option<Entered>,
    /// The watch list that is in `entered`.
    list: Option<ListState>,
    /// Up to where stored responses are known; `None` before the first data are read.
    pub(super) received: Option<i64>,
}

/// The changes since the last check.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The user's entries, if they differ.
    pub entered: Option<Entered>,
    /// The deployments of which a response was stored or confirmed by any program, with
    /// when it was received (UNIX seconds).
    pub received: Vec<(Uuid, f64)>,
}

impl Store {
    /// The watch list.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn watched(&self) -> Result<Vec<Deployment>, Failure> {
        self.read(Archive::watched).await
    }

    /// The complete watch list entry of a deployment; `None` if it is not on the
    /// list.
    ///
    /// # Errors
    /// When the archive cannot be read, or the entry is damaged.
    pub(crate) async fn entry(&self, uuid: Uuid) -> Result<Option<Deployment>, Failure> {
        self.read(move |archive| archive.entry(uuid)).await
    }

    /// Edits the entry of a deployment, which is added to the watch list as
    /// `fallback` if it is not on it; returns whether it is new. Of two
    /// edits at once none is lost. The next response for an entry that was on the list may
    /// be of any service.
    ///
    /// # Errors
    /// When the archive cannot be written, or the entry is damaged.
    pub(crate) async fn amend(
        &self,
        fallback: Deployment,
        edit: impl Fn(&mut Deployment) + Send + 'static,
    ) -> Result<bool, Failure> {
        self.edit_list(move |archive| archive.amend(&fallback, &edit, unix_now()))
            .await
    }

    /// Edits the watch list. A warning counts the deployments that this moves from other services
    /// to that in use.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn edit_list<T: Send + 'static>(
        &self,
        mut edit: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        let edited = self.write(move |archive| {
            let before = archive.other_services()?;
            let done = edit(archive)?;
            Ok((done, before, archive.other_services()?))
        });
        let (done, before, after) = edited.await?;
        for (base, names) in before {
            let left = after.iter().find(|(other, _)| *other == base);
            let moved = names
                .len()
                .saturating_sub(left.map_or(0, |(_, left)| left.len()));
            if let (1.., Ok(mut warnings)) = (moved, self.inner.warnings.lock()) {
                warnings.push(format!(
                    "{} moved here from {}, whose list no longer has {}",
                    text::counted(moved, "deployment", "deployments"),
                    text::excerpt(&base, 200),
                    if moved == 1 { "it" } else { "them" }
                ));
            }
        }
        Ok(done)
    }

    /// Changes the fields of a watch list entry that differ between the two
    /// arguments; other fields keep what another process may have changed. Returns
    /// whether it was done: not if another process has changed one of these fields, or has
    /// removed the entry, which was on the list (`listed`).
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn change(
        &self,
        before: Option<Deployment>,
        after: Deployment,
        listed: bool,
    ) -> Result<bool, Failure> {
        self.edit_list(move |archive| archive.change(before.as_ref(), &after, listed, unix_now()))
            .await
    }

    /// Forgets the user's entries that were seen: the next call of [`Store::changes`] returns
    /// all of them.
    pub(crate) fn forget_entries(&self) {
        if let Ok(mut seen) = self.inner.seen.lock() {
            (seen.version, seen.entered) = (None, None);
        }
    }

    /// The changes since the last call; `None` if no other program has written since. Without
    /// a change it is cheap, so that an idle dashboard stays idle.
    ///
    /// # Errors
    /// When the archive cannot be read. The next call reads it then.
    pub(crate) async fn changes(&self) -> Result<Option<Changes>, Failure> {
        self.submit(move |inner, slot| {
            if matches!(inner.place, Place::Nowhere(_)) || inner.is_as_seen(slot)? {
                return Ok(None);
            }
            inner.seen.lock().map_err(|_| broken())?.version = None;
            let changes = inner.read(slot, |archive| {
                let version = archive.data_version()?;
                let mut seen = inner.seen.lock().unwrap_or_else(PoisonError::into_inner);
                let entered = seen.look(archive)?;
                let mark = archive.received_mark()?;
                let received = match seen.received {
                    // If the file was replaced, the numbers start again.
                    Some(before) => archive.received_since(before.min(mark))?,
                    None => Vec::new(),
                };
                seen.received = Some(mark);
                seen.version = Some(version);
                Ok(Changes { entered, received })
            });
            Ok(changes?)
        })
        .await
    }

    /// Calls `found` at intervals if another program has written to the archive since the last
    /// call of [`Store::changes`], or that failed; never if no other program can write.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn watch(&self, found: impl Fn() + Send + Sync + 'static) -> Result<(), Failure> {
        if !matches!(self.inner.place, Place::At { .. }) {
            return Ok(());
        }
        let inner = Arc::clone(&self.inner);
        let look = move |slot: &mut Slot| inner.look(slot, &found);
        let watched = self.pool.look(Box::new(look));
        watched.map_err(|error| without_thread(&error))
    }
}

impl Inner {
    /// `true` if the open archive is as the last call of [`Store::changes`] has read it.
    fn is_as_seen(&self, slot: &mut Slot) -> Result<bool, Failure> {
        self.keep_there(slot)?;
        let archive = slot.archive.as_ref();
        let opened = archive.filter(|archive| archive.is_in_place());
        let version = opened.map(Archive::data_version).transpose()?;
        let seen = self.seen.lock().map_err(|_| broken())?;
        // What a program sends becomes unknown when it ends, without a write to the archive.
        let is_sending = (seen.entered.iter())
            .flat_map(|entered| &entered.plant_log)
            .any(|line| line.outcome() == Outcome::Sending);
        Ok(version.is_some() && version == seen.version && !is_sending)
    }

    /// Calls `found` if there is news; returns the time until the next look.
    pub(super) fn look(&self, slot: &mut Slot, found: &dyn Fn()) -> Duration {
        self.look_for_damage_at_times(slot);
        if !self.has_news(slot) {
            return LOOK_EVERY;
        }
        found();
        LOOK_AFTER_NEWS
    }

    /// `true` if another program may have written to the archive since the last call of
    /// [`Store::changes`], or if that cannot be read; `false` for a file that is not there yet.
    pub(super) fn has_news(&self, slot: &mut Slot) -> bool {
        if matches!(self.is_as_seen(slot), Ok(true)) {
            return false;
        }
        let file = self.place.file();
        self.was_opened() || file.is_none_or(std::path::Path::exists)
    }
}

/// The entries that a user made in the archive, read at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Entered {
    /// The watch list.
    pub watched: Vec<Deployment>,
    /// The flags set by hand, of every deployment that has any.
    pub overrides: HashMap<Uuid, FlagOverrides>,
    /// The plant log, oldest entry first.
    pub plant_log: Vec<Entry>,
}

impl Seen {
    /// The user's entries in an archive, if they differ from those seen last.
    fn look(&mut self, archive: &Archive) -> Result<Option<Entered>, ArchiveError> {
        let list = Some(archive.list_state()?);
        let watched = match &self.entered {
            // An unchanged list, which may be long, is not read again.
            Some(known) if list == self.list => known.watched.clone(),
            _ => archive.watched()?,
        };
        let entered = Entered {
            watched,
            overrides: archive.all_overrides()?,
            plant_log: archive.plant_log(unix_now())?,
        };
        self.list = list;
        if self.entered.as_ref() == Some(&entered) {
            return Ok(None);
        }
        self.entered = Some(entered.clone());
        Ok(Some(entered))
    }
}
