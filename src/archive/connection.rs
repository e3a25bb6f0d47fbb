//! A connection to the archive, of either engine: the statements that the
//! rules of the archive are made of, and the few operations that each engine
//! does in its own way.

use std::ops::Deref;
use std::time::Duration;

use uuid::Uuid;

#[cfg(feature = "postgres")]
use super::postgres::{self, Writes};
use super::sent::Sent;
use super::sql::{Error, ErrorKind, Params, Result, Row};
use super::sqlite;
use super::statement::Statement;
use crate::track::Transmission;

/// An open archive of one of the engines. SQL is what both understand, with
/// parameters `?1`, `?2` and so on.
#[derive(Debug)]
pub(super) enum Connection {
    /// A file.
    Sqlite(sqlite::Connection),
    /// A database on a server.
    #[cfg(feature = "postgres")]
    Postgres(postgres::Connection),
}

impl Connection {
    /// Runs a statement; returns the number of changed rows.
    pub(super) fn execute(&self, sql: &str, values: impl Params) -> Result<usize> {
        match self {
            Self::Sqlite(engine) => engine.execute(sql, &values.values()),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.execute(sql, &values.values()),
        }
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

    /// Reads all rows of a query without parameters, of which a server sends `page`
    /// at once: within a transaction.
    pub(super) fn read_in_pages(
        &self,
        sql: &str,
        page: usize,
        mut read: impl FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(_) => {
                let _ = page;
                let mut statement = self.prepare(sql)?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    read(row)?;
                }
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.read_in_pages(sql, page, read),
        }
    }

    /// Prepares a statement.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        match self {
            Self::Sqlite(engine) => engine.prepare(sql).map(Statement::Sqlite),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => Ok(Statement::Postgres {
                connection: engine,
                sql: sql.to_owned(),
            }),
        }
    }

    /// The number of the next fetch.
    pub(super) fn next_fetch(&self) -> Result<i64> {
        match self {
            Self::Sqlite(engine) => engine.next_fetch(),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.next_fetch(),
        }
    }

    /// Stores the transmissions of a deployment that are not there, as first seen
    /// by a fetch; returns of each whether it is new. Of the others it stores the
    /// order and number, where these are not the usual ones or `ties` says that
    /// stored ones are not.
    pub(super) fn insert_new(
        &self,
        of: (i64, i64),
        ties: bool,
        sent: &[Sent<'_>],
    ) -> Result<Vec<bool>> {
        match self {
            Self::Sqlite(engine) => engine.insert_new(of, ties, sent),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.insert_new(of, sent),
        }
    }

    /// Marks the stored transmissions of a deployment that are absent from a
    /// response, with the fetch since which they are absent, and unmarks those
    /// that are present again.
    pub(super) fn mark_absent(&self, of: (i64, i64), sent: &[Sent<'_>]) -> Result<()> {
        match self {
            Self::Sqlite(engine) => engine.mark_absent(of, sent),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.mark_absent(of, sent),
        }
    }

    /// Makes room for the transmissions of a response, before the transaction that
    /// stores them.
    pub(super) fn make_room(&self, all: &[Transmission]) -> Result<()> {
        match self {
            Self::Sqlite(_) => {
                let _ = all;
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.make_months(all),
        }
    }

    /// SQL of the number that a deployment gets whose response is stored: later than
    /// those of all transactions that have ended.
    pub(super) fn next_number(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite::NEXT_NUMBER,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => postgres::NEXT_NUMBER,
        }
    }

    /// SQL of the least number that is not seen yet.
    pub(super) fn least_number(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite::NEXT_NUMBER,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => postgres::LEAST_NUMBER,
        }
    }

    /// SQL of a number above all that are seen.
    pub(super) fn number_bound(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite::NEXT_NUMBER,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => postgres::NUMBER_BOUND,
        }
    }

    /// SQL of the time by which alarms are claimed, UNIX seconds: of a file the
    /// parameter `?1`, on a server the server's time, as the clocks of the programs
    /// that share it may differ.
    pub(super) fn claim_time(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "?1",
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => postgres::NOW,
        }
    }

    /// Keeps others from writing what is known of services until the transaction
    /// ends.
    pub(super) fn lock_services(&self) -> Result<()> {
        match self {
            // A file has one lock for all.
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.lock_services(),
        }
    }

    /// Takes the lease of a deployment; returns in how many seconds to try again
    /// where it cannot be had.
    pub(super) fn lease(&self, uuid: Uuid, holder: &str) -> Result<Option<f64>> {
        match self {
            Self::Sqlite(_) => {
                let _ = (uuid, holder);
                Ok(None)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.lease(uuid, holder),
        }
    }

    /// Some deployments that are leased or not due, after a UUID, and in how many
    /// seconds to try each.
    pub(super) fn waits_after(&self, after: Uuid) -> Result<Vec<(Uuid, f64)>> {
        match self {
            Self::Sqlite(_) => {
                let _ = after;
                Ok(Vec::new())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.waits_after(after),
        }
    }

    /// Ends the lease of a deployment, which is due again after this many seconds.
    pub(super) fn end_lease(&self, uuid: Uuid, holder: &str, due_s: f64) -> Result<()> {
        match self {
            Self::Sqlite(_) => {
                let _ = (uuid, holder, due_s);
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.end_lease(uuid, holder, due_s),
        }
    }

    /// Renews all leases of a holder, or ends them.
    pub(super) fn renew_leases(&self, holder: &str, end: bool) -> Result<()> {
        match self {
            Self::Sqlite(_) => {
                let _ = (holder, end);
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.renew_leases(holder, end),
        }
    }

    /// After a copy: the next numbers are those after the copied ones.
    pub(super) fn count_on(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.count_on(),
        }
    }

    /// Whether programs on other computers may write to it.
    pub(super) fn is_shared(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// Begins a transaction that writes data of one deployment, or anything.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] where another program writes for too long.
    pub(super) fn begin(&self, of: Option<&Uuid>) -> Result<Option<Transaction<'_>>> {
        let transaction = Transaction {
            connection: self,
            is_open: true,
        };
        let in_place = match self {
            // A file has one lock for all.
            Self::Sqlite(engine) => engine.begin()?,
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => {
                engine.begin(of.map_or(Writes::Everything, Writes::Deployment))?;
                true
            }
        };
        #[cfg(not(feature = "postgres"))]
        let _ = of;
        Ok(in_place.then_some(transaction))
    }

    /// Begins a transaction that reads one state of the archive; none within another
    /// transaction, which does so.
    pub(super) fn begin_reading(&self) -> Result<Option<Transaction<'_>>> {
        let is_within = match self {
            Self::Sqlite(engine) => engine.is_in_transaction(),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.is_in_transaction(),
        };
        if is_within {
            return Ok(None);
        }
        let transaction = Transaction {
            connection: self,
            is_open: true,
        };
        match self {
            Self::Sqlite(engine) => engine.begin_reading()?,
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.begin_reading()?,
        }
        Ok(Some(transaction))
    }

    fn roll_back(&self) {
        match self {
            Self::Sqlite(engine) => engine.roll_back(),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.roll_back(),
        }
    }

    /// Sets the longest wait for another program that has locked it.
    pub(super) fn set_patience(&mut self, patience: Duration) -> Result<()> {
        match self {
            Self::Sqlite(engine) => engine.set_patience(patience),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => {
                engine.set_patience(patience);
                Ok(())
            }
        }
    }

    /// A number that differs from an earlier one where another connection has
    /// written in between.
    pub(super) fn data_version(&self) -> Result<i64> {
        match self {
            Self::Sqlite(engine) => engine.data_version(),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.data_version(),
        }
    }

    /// Whether what was opened is still the archive of this name.
    pub(super) fn is_in_place(&self) -> bool {
        match self {
            Self::Sqlite(engine) => engine.is_in_place(),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.is_in_place(),
        }
    }

    /// Whether it sees what others write while it is open.
    pub(super) fn sees_writes(&self) -> bool {
        match self {
            Self::Sqlite(engine) => engine.sees_writes(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// The engine's own check of its structure; returns the problems found.
    pub(super) fn check(&self) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.check(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// Reclaims unused disk space.
    pub(super) fn vacuum(&self) -> Result<()> {
        match self {
            Self::Sqlite(engine) => engine.vacuum(),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.vacuum(),
        }
    }

    /// Runs several statements without parameters.
    #[cfg(test)]
    pub(super) fn execute_batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(engine) => engine.execute_batch(sql),
            #[cfg(feature = "postgres")]
            Self::Postgres(engine) => engine.execute_batch(sql),
        }
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
        match self.connection {
            Connection::Sqlite(engine) => engine.commit()?,
            #[cfg(feature = "postgres")]
            Connection::Postgres(engine) => engine.commit()?,
        }
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
