//! What another program changed in the archive.

use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

use uuid::Uuid;

use crate::archive::{Archive, ArchiveError};
use crate::clock::unix_now;
use crate::plant::ledger::Entry;
use crate::track::{Deployment, FlagOverrides};

/// What was there when it was last looked for.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The data version, where the archive was open.
    pub(super) version: Option<i64>,
    /// The data version when alarms were read last, where it was open.
    pub(super) alarms: Option<i64>,
    /// The state of the archive at the last look.
    pub(super) looked: Option<Mark>,
    entered: Option<Entered>,
}

/// A state of the archive, cheap to read, which differs after a write of another
/// program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mark {
    /// The data version of the open archive.
    Version(i64),
    /// Length and time of change of the file that is not open, and of its log;
    /// none where there is no such file.
    Files([Option<(u64, Option<SystemTime>)>; 2]),
}

impl Mark {
    /// The state of a file and its log.
    pub(super) fn of_file(path: &Path) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let state = |path: &Path| {
            let there = std::fs::metadata(path).ok()?;
            Some((there.len(), there.modified().ok()))
        };
        Self::Files([state(path), state(Path::new(&log))])
    }
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
