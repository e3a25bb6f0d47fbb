//! Archive of all received data: the watch list, transmissions, alarms and the
//! plant log. The rules are here and in the files beside; an engine stores.

mod alarm_rows;
mod alarms;
mod connection;
mod copy;
mod corrected;
mod error;
#[cfg(feature = "object-store")]
mod exported;
mod fields;
mod fields_now;
mod imported;
mod ingest;
mod known_alarms;
mod last_answers;
mod lease;
mod ledger;
mod origins;
mod overrides;
mod overviews;
#[cfg(feature = "postgres")]
mod postgres;
mod process;
mod received;
mod sent;
mod services;
mod sql;
mod sqlite;
mod statement;
mod tables;
#[cfg(test)]
mod tests;
mod tracks;
mod unusable;
mod watch_list;

pub(crate) use alarms::{RENEW_S, ToTell};
pub(crate) use error::{ArchiveError, look_for_links};
#[cfg(feature = "object-store")]
pub(crate) use exported::{ArchivedDeployment, ArchivedRecord};
#[cfg(feature = "object-store")]
pub(crate) use fields::BatchTimes;
pub(crate) use known_alarms::{About, Finding, RuleLooked, Watched};
pub(crate) use origins::Listed;
pub(crate) use overviews::MadeOverview;
pub(crate) use sqlite::{BUSY, Recovered};
pub(crate) use watch_list::pages::ListState;

use std::path::{Path, PathBuf};
use std::time::Duration;

use uuid::Uuid;

use crate::location::ArchiveLocation;
use crate::track::Deployment;
use connection::{Connection, Transaction};
use error::explained;

/// An open archive. Every call blocks the thread.
#[derive(Debug)]
pub(crate) struct Archive {
    connection: Connection,
    /// The name of the archive in messages.
    path: PathBuf,
    /// Deployments that the settings file lists: they are watched as well.
    configured: Vec<Deployment>,
    /// The deployments that are listed.
    listed: Listed,
}

impl Archive {
    fn with(connection: sqlite::Connection) -> Self {
        Self {
            path: connection.path().to_owned(),
            connection: Connection::new(connection),
            configured: Vec::new(),
            listed: Listed::default(),
        }
    }

    /// As [`Archive::open_within`], with the usual patience.
    ///
    /// # Errors
    /// As [`Archive::open_within`].
    #[cfg(any(test, feature = "bench"))]
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::open_within(path, BUSY)
    }

    #[cfg(feature = "postgres")]
    fn on_server(connection: postgres::Connection) -> Self {
        Self {
            path: PathBuf::from(connection.name()),
            connection: Connection::new(connection),
            configured: Vec::new(),
            listed: Listed::default(),
        }
    }

    /// Opens an archive for reading and writing, wherever it is, and creates it if
    /// it is missing. Another program may hold it for `patience`.
    ///
    /// # Errors
    /// As [`Archive::open_within`], or when the server cannot be reached or
    /// refuses.
    pub(crate) fn open_at(
        place: &ArchiveLocation,
        patience: Duration,
    ) -> Result<Self, ArchiveError> {
        match place {
            ArchiveLocation::File(path) => Self::open_within(path, patience),
            #[cfg(feature = "postgres")]
            ArchiveLocation::Server(url) => {
                postgres::Connection::open(url, patience).map(Self::on_server)
            }
        }
    }

    /// Opens an existing archive, which is not changed before
    /// [`Archive::make_writable`]; `None` if there is none. Another program may hold it
    /// for `patience`.
    ///
    /// # Errors
    /// As [`Archive::open_at`].
    pub(crate) fn open_existing_at(
        place: &ArchiveLocation,
        patience: Duration,
    ) -> Result<Option<Self>, ArchiveError> {
        match place {
            ArchiveLocation::File(path) => {
                let opened = sqlite::Connection::open_existing(path, patience)?;
                Ok(opened.map(Self::with))
            }
            #[cfg(feature = "postgres")]
            ArchiveLocation::Server(url) => {
                let opened = postgres::Connection::open_existing(url, patience)?;
                Ok(opened.map(Self::on_server))
            }
        }
    }

    /// Opens the archive for reading and writing, and creates it if it is
    /// missing: mode 0600, in a folder of mode 0700. Another process may hold
    /// it for `patience`.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged, or was created by a newer
    /// driftline or another program.
    pub(crate) fn open_within(path: &Path, patience: Duration) -> Result<Self, ArchiveError> {
        sqlite::Connection::open_within(path, patience).map(Self::with)
    }

    /// Opens an existing archive file with the usual patience; `None` if there is none.
    ///
    /// # Errors
    /// As [`Archive::open_within`].
    #[cfg(test)]
    pub(crate) fn open_existing(path: &Path) -> Result<Option<Self>, ArchiveError> {
        Self::open_existing_at(&ArchiveLocation::File(path.to_owned()), BUSY)
    }

    /// Makes an archive that was opened for reading one that can be written.
    ///
    /// # Errors
    /// When another process has locked it.
    pub(crate) fn make_writable(&mut self) -> Result<(), ArchiveError> {
        self.connection.make_writable()
    }

    /// Opens an archive in memory, lost on drop.
    ///
    /// # Errors
    /// When memory runs out.
    pub(crate) fn in_memory() -> Result<Self, ArchiveError> {
        // The same tests run over every engine.
        #[cfg(all(test, feature = "postgres"))]
        if let Some(archive) = Self::of_chosen_engine() {
            return archive;
        }
        sqlite::Connection::in_memory().map(Self::with)
    }

    /// Sets the longest wait for another process that has locked it.
    ///
    /// # Errors
    /// When the engine rejects the value.
    pub(crate) fn set_patience(&mut self, patience: Duration) -> Result<(), ArchiveError> {
        let done = self.connection.set_lock_timeout(patience);
        done.map_err(|error| self.error(&error))
    }

    /// A number that differs from an earlier one where another connection has
    /// written to the archive in between.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn data_version(&self) -> Result<i64, ArchiveError> {
        let version = self.connection.data_version();
        version.map_err(|error| self.error(&error))
    }

    /// `true` if the opened file is still at its path: a write to a removed file
    /// is lost when the file is closed.
    pub(crate) fn is_in_place(&self) -> bool {
        self.connection.is_in_place()
    }

    /// `true` if it sees what others write while it is open: not in a folder that cannot be
    /// written, where SQLite has neither locks nor a log.
    pub(crate) fn sees_writes(&self) -> bool {
        self.connection.sees_writes()
    }

    /// Runs the engine's integrity check, and reads every row. Returns the problems found.
    ///
    /// # Errors
    /// When the check cannot run.
    pub(crate) fn check(&self) -> Result<Vec<String>, ArchiveError> {
        let found = self.connection.check();
        let mut found = found.map_err(|error| self.error(&error))?;
        if found.is_empty() {
            found = self.reading(|one| {
                let mut found = one.damaged_records()?;
                found.extend(one.damaged_entries()?);
                found.extend(one.damaged_lines()?);
                found.extend(one.damaged_alarms()?);
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
    pub(crate) fn vacuum(&self) -> Result<(), ArchiveError> {
        let done = self.connection.vacuum();
        done.map_err(|error| self.error(&error))
    }

    /// Runs `act`, which reads one state of the archive. It may be called within
    /// another.
    ///
    /// # Errors
    /// When `act` fails, or the archive cannot be read.
    pub(crate) fn reading<T>(
        &self,
        act: impl FnOnce(&Self) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        let begun = self.connection.begin_reading();
        let begun = begun.map_err(|error| self.error(&error))?;
        let done = act(self)?;
        let ended = begun.map_or(Ok(()), Transaction::commit);
        ended.map(|()| done).map_err(|error| self.error(&error))
    }

    /// Runs `act` in a transaction, which is undone where it fails.
    fn writing<T>(
        &mut self,
        act: impl FnOnce(&Transaction<'_>) -> sql::Result<T>,
    ) -> Result<T, ArchiveError> {
        self.writing_of(None, act)
    }

    /// As [`Archive::writing`], where `act` writes data of one deployment alone.
    fn writing_of<T>(
        &mut self,
        of: Option<&Uuid>,
        act: impl FnOnce(&Transaction<'_>) -> sql::Result<T>,
    ) -> Result<T, ArchiveError> {
        let begun = self.connection.begin(of);
        let begun = begun.map_err(|error| self.error(&error))?;
        let transaction = begun.ok_or(ArchiveError::Moved)?;
        act(&transaction)
            .and_then(|done| transaction.commit().map(|()| done))
            .map_err(|error| self.error(&error))
    }

    fn error(&self, error: &sql::Error) -> ArchiveError {
        explained(&self.path, error)
    }
}
