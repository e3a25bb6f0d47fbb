//! Changes that another program made in the archive.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::archive::{Archive, ArchiveError, ListState};
use crate::clock::unix_now;
use crate::plant::ledger::Entry;
use crate::track::{Deployment, FlagOverrides};

/// The state of the archive at the last check for changes.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The data version, if the archive was open.
    pub(super) version: Option<i64>,
    /// The data version when alarms were last read, if it was open.
    pub(super) alarms: Option<i64>,
    /// The data version at the last check.
    pub(super) looked: Option<i64>,
    entered: Option<Entered>,
    /// The watch list that is in `entered`.
    list: Option<ListState>,
}

/// The entries that a user made in the archive, read at one moment.
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
    /// The user's entries in an archive, if they differ from those seen last.
    /// `version` is its data version if it was open before: if that is the same, no
    /// other program has written, and nothing is read.
    pub(super) fn look(
        &mut self,
        archive: &Archive,
        version: Option<i64>,
        again: bool,
    ) -> Result<Option<Entered>, ArchiveError> {
        if !again && version.is_some() && version == self.version {
            return Ok(None);
        }
        // An unchanged list, which may be long, is not read again.
        let list = Some(archive.list_state()?);
        let known = self.entered.as_ref();
        let is_same = list == self.list;
        let watched = match known.filter(|_| is_same && !again) {
            Some(_) => None,
            None => Some(archive.watched()?),
        };
        let (overrides, ledger) = (archive.all_overrides()?, archive.ledger(unix_now())?);
        let is_news = again
            || known.is_none_or(|known| {
                watched.as_ref().is_some_and(|now| *now != known.watched)
                    || (&overrides, &ledger) != (&known.overrides, &known.ledger)
            });
        (self.version, self.list) = (version, list);
        if !is_news {
            return Ok(None);
        }
        let before = || known.map(|known| known.watched.clone());
        let entered = Entered {
            watched: watched.or_else(before).unwrap_or_default(),
            overrides,
            ledger,
        };
        self.entered = Some(entered.clone());
        Ok(Some(entered))
    }
}

/// The number up to which stored responses are known. It is read within transactions, and
/// not locked meanwhile: all connections of a pooler may be busy with such transactions.
#[derive(Debug, Default)]
pub(super) struct Received(Mutex<Option<i64>>);

impl Received {
    fn mark(&self) -> MutexGuard<'_, Option<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The deployments of which something was stored since the last call, or
    /// since [`Received::begin`].
    pub(super) fn news(&self, archive: &Archive) -> Result<Vec<(Uuid, f64)>, ArchiveError> {
        let mark = archive.received_mark()?;
        let before = *self.mark();
        let received = match before {
            // If the file was replaced, the numbers start again.
            Some(before) => archive.received_since(before.min(mark))?,
            None => Vec::new(),
        };
        *self.mark() = Some(mark);
        Ok(received)
    }

    /// Starts before the first data are read: what is stored later is not known.
    pub(super) fn begin(&self, archive: &Archive) -> Result<(), ArchiveError> {
        let is_known = self.mark().is_some();
        if !is_known {
            let first = archive.received_mark()?;
            let mut mark = self.mark();
            *mark = (*mark).or(Some(first));
        }
        Ok(())
    }
}
