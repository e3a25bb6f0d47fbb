//! Reads what another program has written to the archive.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use uuid::Uuid;

use super::changes::Entered;
use super::{Place, Store, broken};
use crate::archive::{Archive, ArchiveError};
use crate::failure::Failure;

impl Store {
    /// `true` if another program may have written to the archive since the last call. It is
    /// cheap, so that an idle dashboard stays idle.
    pub(crate) async fn may_be_written(&self) -> bool {
        let looked = self.at_door(|inner, slot| {
            if !matches!(inner.place, Place::At { .. }) {
                return Ok(false);
            }
            inner.close_replaced(slot);
            inner.still_there()?;
            let version = version(slot)?;
            let mut seen = inner.seen.lock().map_err(|_| broken())?;
            let is_same = version.is_some() && seen.looked == version;
            seen.looked = version;
            Ok(!is_same)
        });
        looked.await.unwrap_or(true)
    }

    /// The deployments of which a response was stored or confirmed by any program since the
    /// last call, or since the first one was read, with when it was received (UNIX
    /// seconds).
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn received(&self) -> Result<Vec<(Uuid, f64)>, Failure> {
        let inner = Arc::clone(&self.inner);
        self.read(move |archive| inner.received.news(archive)).await
    }

    /// Makes the next check find a write, because this one could not be read.
    pub(crate) fn look_again(&self) {
        if let Ok(mut seen) = self.inner.seen.lock() {
            seen.looked = None;
        }
        self.inner.is_unread.store(true, Ordering::Relaxed);
    }

    /// The user's entries in the archive, if they differ from those of the last call,
    /// or if `again` is set; `None` otherwise, and for an archive that no other program can
    /// write.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn changed_by_another(&self, again: bool) -> Result<Option<Entered>, Failure> {
        self.at_door(move |inner, slot| {
            if !matches!(inner.place, Place::At { .. }) {
                return Ok(None);
            }
            let is_open = slot.is_some();
            let looked = inner.read(slot, |archive| {
                let version = is_open.then(|| archive.data_version()).transpose()?;
                let mut seen = inner.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.look(archive, version, again)
            })?;
            Ok(looked.flatten())
        })
        .await
    }

    /// Reads the archive as [`Store::read`] does; `None` if it is open and has
    /// the data version of the last such call, unless `again` is set.
    pub(super) async fn read_if_written<T: Default + Send + 'static>(
        &self,
        again: bool,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<Option<T>, Failure> {
        self.at_door(move |inner, slot| {
            inner.close_replaced(slot);
            let version = version(slot)?;
            let mut seen = inner.seen.lock().map_err(|_| broken())?;
            let is_new = again || version.is_none() || version != seen.alarms;
            seen.alarms = version;
            drop(seen);
            if is_new {
                Ok(Some(inner.read(slot, act)?.unwrap_or_default()))
            } else {
                Ok(None)
            }
        })
        .await
    }
}

/// The data version of the open archive, unless it was replaced.
fn version(slot: &Option<Archive>) -> Result<Option<i64>, Failure> {
    let version = slot.as_ref().filter(|archive| archive.is_in_place());
    Ok(version.map(Archive::data_version).transpose()?)
}
