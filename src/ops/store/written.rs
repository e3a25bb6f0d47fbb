//! Reads the archive where another program has written to it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use uuid::Uuid;

use super::changes::{Entered, Mark};
use super::file_state::settled_states;
use super::{Place, Store, broken};
use crate::archive::{Archive, ArchiveError};
use crate::clock::unix_now;
use crate::failure::Failure;

impl Store {
    /// Whether another program may have written to the archive since this was last
    /// asked. One short look, so that a dashboard at rest stays at rest.
    pub(crate) async fn may_be_written(&self) -> bool {
        let looked = self.blocking(|inner| {
            let Place::At { place, .. } = &inner.place else {
                return Ok(false);
            };
            let slot = inner.slot()?;
            inner.still_there()?;
            let mark = match slot.as_ref().filter(|archive| archive.is_in_place()) {
                Some(archive) => Some(Mark::Version(archive.data_version()?)),
                None => place
                    .file()
                    .and_then(|path| settled_states(path, unix_now()).map(Mark::Files)),
            };
            let mut seen = inner.seen.lock().map_err(|_| broken())?;
            let is_same = mark.is_some() && seen.looked == mark;
            seen.looked = mark;
            Ok(!is_same)
        });
        looked.await.unwrap_or(true)
    }

    /// The deployments of which a response was stored or confirmed since this was
    /// last asked, or since the first one was read, with when it was received (UNIX
    /// seconds): by whichever program.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn received(&self) -> Result<Vec<(Uuid, f64)>, Failure> {
        let inner = Arc::clone(&self.inner);
        self.read(move |archive| inner.received.news(archive)).await
    }

    /// Makes the next look find a write: what was written could not be read.
    pub(crate) fn look_again(&self) {
        if let Ok(mut seen) = self.inner.seen.lock() {
            seen.looked = None;
        }
        self.inner.is_unread.store(true, Ordering::Relaxed);
    }

    /// What is set in the archive, where it is not what was there when this was
    /// last asked, or where `again` is set; none otherwise, and where there is no
    /// archive that another program could write.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn changed_by_another(&self, again: bool) -> Result<Option<Entered>, Failure> {
        self.blocking(move |inner| {
            let Place::At { place, .. } = &inner.place else {
                return Ok(None);
            };
            let mut slot = inner.slot()?;
            inner.still_there()?;
            let mut seen = inner.seen.lock().map_err(|_| broken())?;
            let done = match slot.as_mut().filter(|archive| archive.is_in_place()) {
                Some(archive) => archive
                    .set_patience(inner.patience())
                    .and_then(|()| seen.look(archive, Some(archive.data_version()?), again)),
                None => Archive::open_existing_at(place, inner.patience())
                    .and_then(|opened| opened.map_or(Ok(None), |one| seen.look(&one, None, again))),
            };
            Ok(inner.noted(done)?)
        })
        .await
    }

    /// Reads the archive as [`Store::read`] does; `None` where it is open and its
    /// data version is the one of the last such call, unless `again` is set.
    pub(super) async fn read_if_written<T: Default + Send + 'static>(
        &self,
        again: bool,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<Option<T>, Failure> {
        let is_new = self
            .blocking(move |inner| {
                let slot = inner.slot()?;
                let mut seen = inner.seen.lock().map_err(|_| broken())?;
                let version = match slot.as_ref().filter(|archive| archive.is_in_place()) {
                    Some(archive) => Some(archive.data_version()?),
                    None => None,
                };
                let is_new = again || version.is_none() || version != seen.alarms;
                seen.alarms = version;
                Ok(is_new)
            })
            .await?;
        match is_new {
            true => self.read(act).await.map(Some),
            false => Ok(None),
        }
    }
}
