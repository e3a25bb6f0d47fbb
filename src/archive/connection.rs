//! A connection to the archive, of either engine: the statements that the
//! rules of the archive are made of, and the few operations that each engine
//! does in its own way.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::time::Duration;

use uuid::Uuid;

use super::error::ArchiveError;
use super::sql::{Params, Result, Row, RowResult, Value};
use crate::plant::log::Claim;

/// SQL that each engine writes in its own way.
pub(super) struct Dialect {
    /// A query of a number that differs from an earlier one if another connection has
    /// written in between.
    pub data_version: &'static str,
    /// A query of the number of the next fetch.
    pub next_fetch: &'static str,
    /// So many numbers before the last fetch may be seen after it: on a server transactions do not
    /// end in the order in which they took a number.
    pub late_fetches: i64,
    /// The time by which alarms are claimed and deployments leased, UNIX seconds: of a file,
    /// which has no leases, the parameter `?1`, on a server the server's time, as the clocks of
    /// the programs that share it may differ.
    pub claim_time: &'static str,
}

/// Reads a row of a query.
pub(super) type ReadRow<'r> = dyn FnMut(&Row) -> RowResult<()> + 'r;

/// An engine of the archive. A method that only one engine needs has a default. SQL is
/// what both understand, with parameters `?1`, `?2` and so on.
pub(super) trait Engine: Debug + Send {
    /// The name of the archive in messages: a path, or a URL without its password.
    fn name(&self) -> &Path;

    /// Makes an archive writable that was opened for reading.
    fn make_writable(&mut self) -> Result<()> {
        Ok(())
    }

    /// Runs a statement; returns the number of changed rows.
    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize>;

    /// Runs a query; calls `read` with each row.
    fn each_row(&self, sql: &str, values: &[Value], read: &mut ReadRow<'_>) -> Result<()>;

    /// Runs a query without parameters within a transaction; a server sends `page` rows
    /// at once.
    fn each_row_by_pages(&self, sql: &str, _page: usize, read: &mut ReadRow<'_>) -> Result<()> {
        self.each_row(sql, &[], read)
    }

    /// Begins a transaction that writes data of a single deployment, or anything; a file has
    /// a single lock.
    ///
    /// # Errors
    /// [`ArchiveError::Busy`] if another program writes for too long,
    /// [`ArchiveError::Moved`] if what was opened no longer is the archive of this name.
    fn begin(&self, of: Option<&Uuid>) -> Result<()>;

    /// Begins a transaction that reads one state of the archive.
    fn begin_reading(&self) -> Result<()>;

    /// `true` if a transaction is open.
    fn is_in_transaction(&self) -> bool;

    /// Ends the transaction, with what was written in it.
    ///
    /// # Errors
    /// When it cannot be written; the transaction is still open then.
    fn commit(&self) -> Result<()>;

    /// Ends the transaction without what was written in it.
    fn roll_back(&self);

    /// Sets the longest wait for another program that has locked it.
    fn set_lock_timeout(&mut self, timeout: Duration) -> Result<()>;

    /// `true` if what was opened still is the archive of this name: a write to a removed
    /// file is lost when the file is closed.
    fn is_in_place(&self) -> bool;

    /// `true` if it sees what other programs write while it is open.
    fn sees_writes(&self) -> bool {
        true
    }

    /// The engine's own check of its structure; returns the problems found.
    fn check(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Writes without a change what shows that the archive can be written: a disk may be full.
    ///
    /// # Errors
    /// When it cannot be written.
    fn try_write(&self) -> Result<()> {
        Ok(())
    }

    /// Reclaims unused disk space.
    fn vacuum(&self) -> Result<()>;

    /// Locks what is known of services for other programs until the transaction ends.
    fn lock_services(&self) -> Result<()> {
        Ok(())
    }

    /// Its SQL.
    fn dialect(&self) -> &'static Dialect;

    /// Takes what shows other programs, while it lives, that a request of the plant log is
    /// being sent; `None` where the line itself says until when.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn claim(&self, _sender: &Uuid) -> Result<Option<Claim>> {
        Ok(None)
    }

    /// `true` if what [`Engine::claim`] took is held by a program that lives; `None` where the
    /// line says so.
    fn is_claim_held(&self, _sender: &Uuid) -> Option<bool> {
        None
    }

    /// Removes what a program has left of a claim that it no longer holds.
    fn end_claim(&self, _sender: &Uuid) {}

    /// Sets the next numbers of rows to those after the copied ones.
    fn reset_sequences(&self) -> Result<()> {
        Ok(())
    }

    /// Runs several statements without parameters.
    #[cfg(test)]
    fn execute_batch(&self, sql: &str) -> Result<()>;
}

/// An open archive of any engine.
#[derive(Debug)]
pub(super) struct Connection(Box<dyn Engine>);

impl Connection {
    pub(super) fn new(engine: impl Engine + 'static) -> Self {
        Self(Box::new(engine))
    }

    /// Runs a statement; returns the number of changed rows.
    pub(super) fn execute(&self, sql: &str, values: impl Params) -> Result<usize> {
        self.0.execute(sql, &values.values())
    }

    /// Runs a query; calls `read` with each row.
    pub(super) fn each_row(
        &self,
        sql: &str,
        values: impl Params,
        mut read: impl FnMut(&Row) -> RowResult<()>,
    ) -> Result<()> {
        self.0.each_row(sql, &values.values(), &mut read)
    }

    /// The rows of a query, each as `read` returns it.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        values: impl Params,
        mut read: impl FnMut(&Row) -> RowResult<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.each_row(sql, values, |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The last row of a query that selects one row or none.
    pub(super) fn optional_row<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row) -> RowResult<T>,
    ) -> Result<Option<T>> {
        Ok(self.rows(sql, values, read)?.pop())
    }

    /// The row of a query that selects one row.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row) -> RowResult<T>,
    ) -> Result<T> {
        let row = self.optional_row(sql, values, read)?;
        row.ok_or_else(|| ArchiveError::Unwritable("the query selects no row".to_owned()))
    }

    /// The number of the next fetch.
    pub(super) fn next_fetch(&self) -> Result<i64> {
        self.row(self.dialect().next_fetch, (), |row| row.get(0))
    }

    /// The error of data that are not what was written.
    pub(super) fn damaged(&self, reason: String) -> ArchiveError {
        let path = self.name().to_owned();
        ArchiveError::Damaged { path, reason }
    }

    /// Begins a transaction that writes data of a single deployment, or anything.
    ///
    /// # Errors
    /// As [`Engine::begin`].
    pub(super) fn begin(&self, of: Option<&Uuid>) -> Result<Transaction<'_>> {
        let transaction = Transaction {
            connection: self,
            is_open: true,
        };
        self.0.begin(of)?;
        Ok(transaction)
    }

    /// Begins a transaction that reads one state of the archive; `None` within another
    /// transaction, which does so.
    pub(super) fn begin_reading(&self) -> Result<Option<Transaction<'_>>> {
        if self.is_in_transaction() {
            return Ok(None);
        }
        let transaction = Transaction {
            connection: self,
            is_open: true,
        };
        self.0.begin_reading()?;
        Ok(Some(transaction))
    }
}

impl Deref for Connection {
    type Target = dyn Engine;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

/// A transaction, undone on drop unless it is committed.
pub(super) struct Transaction<'c> {
    connection: &'c Connection,
    is_open: bool,
}

impl Transaction<'_> {
    /// Ends it, with what was written in it.
    pub(super) fn commit(mut self) -> Result<()> {
        self.connection.0.commit()?;
        self.is_open = false;
        Ok(())
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.connection.roll_back();
        }
    }
}
