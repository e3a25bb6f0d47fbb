//! What another program changed in the archive.

use std::collections::HashMap;

use uuid::Uuid;

use super::{Place, Store, broken};
use crate::archive::{Archive, ArchiveError};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::plant::ledger::Entry;
use crate::track::{Deployment, FlagOverrides};

/// What was there when it was last looked for.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The data version, where the archive was open.
    pub(super) version: Option<i64>,
    /// The data version when alarms were read last, where it was open.
    pub(super) alarms: Option<i64>,
    entered: Option<Entered>,
}

/// What a person set in the archive, read at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Entered {
    /// The watch list.
    pub watched: Vec<Deployment>,
    /// The flags set by hand, of every deployment that has any.
    pub overrides: HashMap<Uuid, FlagOverrides>,
    /// The plant log, oldest entry first.
    pub ledger: Vec<Entry>,
}

impl Seen {
    /// What is set in an archive, where it is not what was seen last. `version`
    /// is its data version where it stays open: if that is the same, no other
    /// program has written, and nothing is read.
    pub(super) fn look(
        &mut self,
        archive: &Archive,
        version: Option<i64>,
        again: bool,
    ) -> Result<Option<Entered>, ArchiveError> {
        if !again && version.is_some() && version == self.version {
            return Ok(None);
        }
        let entered = Entered {
            watched: archive.watched()?,
            overrides: archive.all_overrides()?,
            ledger: archive.ledger(unix_now())?,
        };
        let is_news = again || self.entered.as_ref() != Some(&entered);
        self.version = version;
        self.entered = Some(entered.clone());
        Ok(is_news.then_some(entered))
    }
}

impl Store {
    /// What is set in the archive, where it is not what was there when this was
    /// last asked, or where `again` is set; none otherwise, and where there is no
    /// archive that another program could write.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn changed_by_another(&self, again: bool) -> Result<Option<Entered>, Failure> {
        self.blocking(move |inner| {
            let Place::At(place) = &inner.place else {
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
