//! Archive of all received data: the watch list, transmissions, alarms and the
//! plant log. The rules are in this folder; the engines are in `sqlite` and `postgres`.

mod alarm_rows;
mod alarms;
mod connection;
mod copy;
mod error;
mod fields;
mod imported;
mod ingest;
mod invalid;
mod known_alarms;
mod last_answers;
mod last_values;
mod leases;
pub(crate) mod location;
mod notifications;
mod origins;
mod overrides;
mod overviews;
mod plant_log;
#[cfg(feature = "postgres")]
mod postgres;
mod received;
mod remembered;
mod rows;
mod services;
mod sql;
mod sqlite;
mod tables;
mod taken_over;
#[cfg(test)]
mod tests;
mod tracks;

mod watch_list;

pub(crate) use alarm_rows::About;
pub(crate) use error::{ArchiveError, look_for_links};
pub(crate) use known_alarms::{Finding, RuleResult, Watched};
pub(crate) use notifications::Transition;
pub(crate) use origins::Listed;
pub(crate) use overviews::MadeOverview;
pub(crate) use plant_log::{BeginIf, RENEW_CLAIM_S};
pub(crate) use remembered::{Remembered, Restored};
pub(crate) use sqlite::{BUSY, Basis};
pub(crate) use tracks::StoredRecords;
pub(crate) use watch_list::{ListState, ReadEntry};

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use uuid::Uuid;

use crate::archive::location::ArchiveLocation;
use crate::watch::Deployment;
use connection::{Connection, Engine, Transaction};
use sql::Result;

/// Why an archive that the settings file names wrongly is not opened.
const UNUSABLE: &str = "the settings file names one that cannot be used";

/// An open archive. Every call blocks the thread.
#[derive(Debug)]
pub(crate) struct Archive {
    connection: Connection,
    /// Deployments that the settings file lists: they are watched as well.
    configured: Vec<Deployment>,
    /// The service whose deployments are listed.
    listed: Listed,
    /// The deployments that were taken over from another archive, with the time of the last fix
    /// that it has (UNIX seconds).
    taken_over: HashMap<Uuid, f64>,
}

impl Archive {
    fn with(engine: impl Engine + 'static) -> Self {
        Self {
            connection: Connection::new(engine),
            configured: Vec::new(),
            listed: Listed::default(),
            taken_over: HashMap::new(),
        }
    }

    /// As [`Archive::open_within`], with the usual lock timeout.
    ///
    /// # Errors
    /// As [`Archive::open_within`].
    #[cfg(any(test, feature = "bench"))]
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::open_within(path, BUSY)
    }

    /// Opens an archive for reading and writing, and creates it if it is missing. Waits up
    /// to `lock_timeout` for another program that has locked it.
    ///
    /// # Errors
    /// As [`Archive::open_within`], or when the server cannot be reached or
    /// refuses.
    pub(crate) fn open_at(location: &ArchiveLocation, lock_timeout: Duration) -> Result<Self> {
        match location {
            ArchiveLocation::File(path) => Self::open_within(path, lock_timeout),
            #[cfg(feature = "postgres")]
            ArchiveLocation::Server(url) => {
                postgres::Connection::open(url, lock_timeout).map(Self::with)
            }
            ArchiveLocation::Unusable(_) => Err(ArchiveError::Nowhere(UNUSABLE)),
        }
    }

    /// Opens an existing archive, which is not changed before
    /// [`Archive::make_writable`]; `None` if there is none. Waits up to `lock_timeout` for
    /// another program that has locked it.
    ///
    /// # Errors
    /// As [`Archive::open_at`].
    pub(crate) fn open_existing_at(
        location: &ArchiveLocation,
        lock_timeout: Duration,
    ) -> Result<Option<Self>> {
        match location {
            ArchiveLocation::File(path) => {
                Ok(sqlite::Connection::open_existing(path, lock_timeout)?.map(Self::with))
            }
            #[cfg(feature = "postgres")]
            ArchiveLocation::Server(url) => {
                Ok(postgres::Connection::open_existing(url, lock_timeout)?.map(Self::with))
            }
            ArchiveLocation::Unusable(_) => Err(ArchiveError::Nowhere(UNUSABLE)),
        }
    }

    /// Opens the archive for reading and writing, and creates it if it is
    /// missing: mode 0600, in a folder of mode 0700. Waits up to `lock_timeout` for
    /// another process that has locked it.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged, or was created by another
    /// version of driftline or another program.
    pub(crate) fn open_within(path: &Path, lock_timeout: Duration) -> Result<Self> {
        sqlite::Connection::open_within(path, lock_timeout).map(Self::with)
    }

    /// Makes an archive writable that was opened for reading.
    ///
    /// # Errors
    /// When another process has locked it.
    pub(crate) fn make_writable(&mut self) -> Result<()> {
        self.connection.make_writable()
    }

    /// Opens an archive in memory, lost on drop.
    ///
    /// # Errors
    /// When memory runs out.
    pub(crate) fn in_memory() -> Result<Self> {
        // The same tests run over every engine.
        #[cfg(all(test, feature = "postgres"))]
        if let Some(archive) = Self::of_chosen_engine() {
            return archive;
        }
        sqlite::Connection::in_memory().map(Self::with)
    }

    /// Checks that it can be written, without a change.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn try_write(&mut self) -> Result<()> {
        self.writing(|transaction| transaction.try_write())
    }

    /// Sets the longest wait for another process that has locked it.
    ///
    /// # Errors
    /// When the engine rejects the value.
    pub(crate) fn set_lock_timeout(&mut self, timeout: Duration) -> Result<()> {
        self.connection.set_lock_timeout(timeout)
    }

    /// A number that differs from an earlier one if another connection has
    /// written to the archive in between.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn data_version(&self) -> Result<i64> {
        let version = self.connection.dialect().data_version;
        self.connection.row(version, (), |row| row.get(0))
    }

    /// `true` if the opened file is still at its path: a write to a removed file
    /// is lost when the file is closed.
    pub(crate) fn is_in_place(&self) -> bool {
        self.connection.is_in_place()
    }

    /// `true` if it sees what other programs write while it is open: not in a read-only
    /// folder, in which SQLite has neither locks nor a log.
    pub(crate) fn sees_writes(&self) -> bool {
        self.connection.sees_writes()
    }

    /// Runs the engine's integrity check, and reads all records and the watch list. Returns the
    /// problems found.
    ///
    /// # Errors
    /// When the check cannot run.
    pub(crate) fn check(&self) -> Result<Vec<String>> {
        let mut found = self.connection.check()?;
        if found.is_empty() {
            found = self.reading(|archive| {
                let mut found = archive.damaged_records()?;
                found.extend(archive.damaged_entries()?);
                Ok(found)
            })?;
        }
        Ok(found)
    }

    /// Rewrites the file to reclaim unused disk space.
    ///
    /// # Errors
    /// When there is no room for the copy, or another process has locked the
    /// archive.
    pub(crate) fn vacuum(&self) -> Result<()> {
        self.connection.vacuum()
    }

    /// Runs `act`, which reads one state of the archive. It may be called within itself.
    ///
    /// # Errors
    /// When `act` fails, or the archive cannot be read.
    pub(crate) fn reading<T>(&self, act: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        let begun = self.connection.begin_reading()?;
        let done = act(self)?;
        begun.map_or(Ok(()), Transaction::commit)?;
        Ok(done)
    }

    /// Runs `act` in a transaction, which is undone if it fails.
    fn writing<T>(&mut self, act: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.writing_of(None, act)
    }

    /// As [`Archive::writing`], for an `act` that writes only data of a deployment.
    fn writing_of<T>(
        &mut self,
        of: Option<&Uuid>,
        act: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let transaction = self.connection.begin(of)?;
        let done = act(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}
