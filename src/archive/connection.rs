//! A connection to the archive, of either engine: the statements that the
//! rules of the archive are made of, and the few operations that each engine
//! does in its own way.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use uuid::Uuid;

use super::error::ArchiveError;
use super::sent::Sent;
use super::sql::{Error, ErrorKind, Params, Result, Row, Value};
use super::sqlite::NEXT_NUMBER;
use super::statement::{Prepared, Statement};
use crate::track::Transmission;
use crate::track::answer::Span;

/// An engine of the archive. A method that only one engine needs has a default. SQL is
/// what both understand, with parameters `?1`, `?2` and so on.
pub(super) trait Engine: Bulk + Leases + Debug + Send {
    /// Makes an archive that was opened for reading one that can be written.
    fn make_writable(&mut self) -> std::result::Result<(), ArchiveError> {
        Ok(())
    }

    /// Runs a statement; returns the number of changed rows.
    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize>;

    /// Prepares a statement.
    fn prepare(&self, sql: &str) -> Result<Box<dyn Prepared + '_>>;

    /// Reads all rows of a query without parameters, of which a server sends `page`
    /// at once: within a transaction.
    fn read_in_pages(
        &self,
        sql: &str,
        page: usize,
        read: &mut dyn FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        let _ = page;
        let (mut statement, mut row) = (self.prepare(sql)?, Row::default());
        let mut rows = statement.query(&[])?;
        while rows.next(&mut row)? {
            read(&row)?;
        }
        Ok(())
    }

    /// Begins a transaction that writes data of one deployment, or anything; a file has
    /// one lock for all. Returns whether what was opened is still the archive of this
    /// name.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] where another program writes for too long.
    fn begin(&self, of: Option<&Uuid>) -> Result<bool>;

    /// Begins a transaction that reads one state of the archive.
    fn begin_reading(&self) -> Result<()>;

    /// `true` if a transaction is open.
    fn is_in_transaction(&self) -> bool;

    /// Ends the transaction, with what was written in it.
    ///
    /// # Errors
    /// When it cannot be written; the transaction is open then.
    fn commit(&self) -> Result<()>;

    /// Ends the transaction without what was written in it.
    fn roll_back(&self);

    /// Sets the longest wait for another program that has locked it.
    fn set_lock_timeout(&mut self, timeout: Duration) -> Result<()>;

    /// A number that differs from an earlier one where another connection has
    /// written in between.
    fn data_version(&self) -> Result<i64>;

    /// `true` if what was opened is still the archive of this name: a write to a removed
    /// file is lost when the file is closed.
    fn is_in_place(&self) -> bool;

    /// `true` if it sees what others write while it is open.
    fn sees_writes(&self) -> bool {
        true
    }

    /// `true` if programs on other computers may write to it.
    fn is_shared(&self) -> bool {
        false
    }

    /// The engine's own check of its structure; returns the problems found.
    fn check(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Reclaims unused disk space.
    fn vacuum(&self) -> Result<()>;

    /// Keeps others from writing what is known of services until the transaction
    /// ends.
    fn lock_services(&self) -> Result<()> {
        Ok(())
    }

    /// SQL of the number that a deployment gets whose response is stored: later than
    /// those of all transactions that have ended.
    fn next_number(&self) -> &'static str {
        NEXT_NUMBER
    }

    /// SQL of the least number that is not seen yet.
    fn least_number(&self) -> &'static str {
        NEXT_NUMBER
    }

    /// SQL of a number above all that are seen.
    fn number_bound(&self) -> &'static str {
        NEXT_NUMBER
    }

    /// SQL that tells if there is the table `?1`: an archive of before has some only when it
    /// was written to.
    fn has_table(&self) -> &'static str {
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)"
    }

    /// SQL of the time by which alarms are claimed, UNIX seconds: of a file the
    /// parameter `?1`, on a server the server's time, as the clocks of the programs
    /// that share it may differ.
    fn claim_time(&self) -> &'static str {
        "?1"
    }

    /// Runs several statements without parameters.
    #[cfg(test)]
    fn execute_batch(&self, sql: &str) -> Result<()>;
}

/// Many transmissions at once.
pub(super) trait Bulk {
    /// The number of the next fetch.
    fn next_fetch(&self) -> Result<i64>;

    /// Stores the transmissions of a deployment that are not there, as first seen
    /// by a fetch; returns of each whether it is new. Of the others it stores the
    /// order and number, where these are not the usual ones or `ties` says that
    /// stored ones are not.
    fn insert_new(
        &self,
        deployment: i64,
        fetch: i64,
        ties: bool,
        sent: &[Sent<'_>],
    ) -> Result<Vec<bool>>;

    /// Marks the stored transmissions of a deployment that are absent from a
    /// response that speaks of this span, with the fetch since which they are absent, and
    /// unmarks those that are present again.
    fn mark_absent(&self, deployment: i64, fetch: i64, sent: &[Sent<'_>], span: Span)
    -> Result<()>;

    /// Makes room for the transmissions of a response, before the transaction that
    /// stores them.
    fn make_room(&self, all: &[Transmission]) -> Result<()> {
        let _ = all;
        Ok(())
    }

    /// Sets the next numbers of rows to those after the copied ones.
    fn reset_sequences(&self) -> Result<()> {
        Ok(())
    }
}

/// Leases of deployments among programs that share an archive; a file has none.
pub(super) trait Leases {
    /// As [`super::Archive::lease`].
    fn lease(&self, uuid: Uuid, holder: &str) -> Result<Option<f64>> {
        let _ = (uuid, holder);
        Ok(None)
    }

    /// As [`super::Archive::waits_after`].
    fn waits_after(&self, after: Uuid) -> Result<Vec<(Uuid, f64)>> {
        let _ = after;
        Ok(Vec::new())
    }

    /// As [`super::Archive::end_lease`].
    fn end_lease(&self, uuid: Uuid, holder: &str, due_s: f64) -> Result<()> {
        let _ = (uuid, holder, due_s);
        Ok(())
    }

    /// As [`super::Archive::renew_leases`].
    fn renew_leases(&self, holder: &str) -> Result<()> {
        let _ = holder;
        Ok(())
    }

    /// As [`super::Archive::end_leases`].
    fn end_leases(&self, holder: &str) -> Result<()> {
        let _ = holder;
        Ok(())
    }
}

/// An open archive of one of the engines.
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

    /// Reads the first row of a query.
    pub(super) fn query_row<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.query(values)?;
        match rows.next()? {
            Some(row) => read(row),
            None => Err(Error::new(ErrorKind::NoRow, "the query selects no row")),
        }
    }

    /// Prepares a statement.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        self.0.prepare(sql).map(Statement::new)
    }

    /// Begins a transaction that writes data of one deployment, or anything; none where
    /// what was opened is no longer the archive of this name.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] where another program writes for too long.
    pub(super) fn begin(&self, of: Option<&Uuid>) -> Result<Option<Transaction<'_>>> {
        let transaction = Transaction {
            connection: self,
            is_open: true,
        };
        Ok(self.0.begin(of)?.then_some(transaction))
    }

    /// Begins a transaction that reads one state of the archive; none within another
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
