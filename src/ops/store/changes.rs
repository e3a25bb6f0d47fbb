//! What another program changed in the archive.

use std::collections::HashMap;

use uuid::Uuid;

use super::{Inner, Place, Store, broken};
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

impl Inner {
    /// What is set in an archive, where it is not what was seen last. `version`
    /// is its data version where it stays open: if that is the same, no other
    /// program has written, and nothing is read.
    fn look(
        &self,
        archive: &Archive,
        version: Option<i64>,
        again: bool,
    ) -> Result<Option<Entered>, ArchiveError> {
        let Ok(mut seen) = self.seen.lock() else {
            return Ok(None);
        };
        if !again && version.is_some() && version == seen.version {
            return Ok(None);
        }
        let entered = Entered {
            watched: archive.watched()?,
            overrides: archive.all_overrides()?,
            ledger: archive.ledger(unix_now())?,
        };
        let is_news = again || seen.entered.as_ref() != Some(&entered);
        *seen = Seen {
            version,
            entered: Some(entered.clone()),
        };
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
            let Place::File(path) = &inner.place else {
                return Ok(None);
            };
            let mut slot = inner.open.lock().map_err(|_| broken())?;
            let done = match slot.as_mut().filter(|archive| archive.is_in_place()) {
                Some(archive) => archive
                    .set_patience(inner.patience())
                    .and_then(|()| inner.look(archive, Some(archive.data_version()?), again)),
                None => Archive::open_read_only_within(path, inner.patience()).and_then(|opened| {
                    opened.map_or(Ok(None), |one| inner.look(&one, None, again))
                }),
            };
            Ok(inner.noted(done)?)
        })
        .await
    }
}
