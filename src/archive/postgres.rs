//! The engine on a server: PostgreSQL 13 and later. Nothing of a session is
//! counted on, so that a pooler in transaction mode may stand between: no prepared
//! statement, lock, setting or table outlives a transaction.

mod bulk;
mod connect;
mod convert;
mod leases;
mod password;
mod schema;
#[cfg(test)]
mod tests;
mod tls;

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row as ServerRow};
use uuid::Uuid;

use super::connection::Engine;
use super::sql::{Error, ErrorKind, Result, Row, Value};
use super::statement::{EngineRows, Prepared};
use crate::hash::hash64;

/// Longest time for one statement of a reader: the server ends it then.
const READER: Duration = Duration::from_secs(30);
/// Longest time for one statement of a writer.
const WRITER: Duration = Duration::from_secs(120);
/// Longest wait for an answer of the server: after this long without one the
/// connection is given up.
const ANSWER: Duration = Duration::from_secs(150);
/// Longest wait for the answer to the question whether the connection is open.
const PROBE: Duration = Duration::from_secs(5);
/// After this long without an answer a connection may have ended.
const IDLE: Duration = Duration::from_secs(1);
/// The lock that every writing transaction takes: shared where it writes data of
/// one deployment, else alone.
const WRITE_LOCK: i64 = 0x6472_6674_0001;
/// The lock of a transaction that writes what is known of services, besides data
/// of one deployment: the rows are the same for several of them.
const SERVICES_LOCK: i64 = 0x6472_6674_0002;

/// SQL of the number of a response: that of the transaction that stores it.
pub(super) const NEXT_NUMBER: &str = "CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)";
/// SQL of the least number of a transaction that has not ended.
pub(super) const LEAST_NUMBER: &str =
    "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)";
/// SQL of the number of the next transaction. Above it are the numbers of an archive
/// that was restored from another server.
pub(super) const NUMBER_BOUND: &str =
    "CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)";

/// SQL of the time of the server, UNIX seconds.
pub(super) const NOW: &str = "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)";

/// The data that a transaction writes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Writes<'a> {
    /// Anything: no other program writes at the same time.
    Everything,
    /// Data of the deployment with this UUID: those of others may be written at
    /// the same time.
    Deployment(&'a Uuid),
}

/// A connection to the server. Every call blocks the thread.
pub(super) struct Connection {
    client: Client,
    /// It runs the connection as well, while a call waits; always there until
    /// drop.
    runtime: Option<Runtime>,
    /// How long another program may hold a lock.
    patience: Duration,
    /// Longest wait for an answer of the server.
    longest: Duration,
    /// When the server last answered.
    answered: Cell<Instant>,
    /// `true` if the server did not answer in time: nothing more is asked of it.
    is_given_up: Cell<bool>,
    /// `true` if a transaction is open.
    in_transaction: Cell<bool>,
    /// The URL in messages, without the password.
    name: String,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.name)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Usual dropping waits, which a thread of asynchronous tasks may not.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Connection {
    /// The URL, without the password.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Waits for an answer of the server.
    fn wait<T>(
        &self,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        self.wait_within(self.longest, answer)
    }

    /// Waits so long for an answer of the server; without one the connection is
    /// given up.
    fn wait_within<T>(
        &self,
        longest: Duration,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let ended = || Error::new(ErrorKind::Unreached, "the connection has ended");
        let runtime = self.runtime.as_ref().filter(|_| !self.is_given_up.get());
        let runtime = runtime.ok_or_else(ended)?;
        let answer = runtime.block_on(async { tokio::time::timeout(longest, answer).await });
        match answer {
            Ok(answer) => {
                self.answered.set(Instant::now());
                Ok(answer?)
            }
            Err(_) => {
                self.is_given_up.set(true);
                Err(Error::new(
                    ErrorKind::Unreached,
                    "the server did not answer",
                ))
            }
        }
    }

    /// Runs statements without parameters.
    pub(super) fn execute_batch(&self, sql: &str) -> Result<()> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Runs a query.
    pub(super) fn query(&self, sql: &str, values: &[Value]) -> Result<Rows> {
        let (sql, values) = (convert::statement(sql), convert::parameters(values));
        let rows = self.wait(self.client.query_typed(&sql, &convert::typed(&values)))?;
        Ok(Rows {
            inner: rows.into_iter(),
        })
    }

    /// Begins a transaction that writes. In it the server waits no longer for a
    /// lock than the patience.
    fn begin_to_write(&self, writes: Writes<'_>) -> Result<()> {
        let (patience, longest) = (self.patience.as_millis(), WRITER.as_millis());
        let lock = match writes {
            Writes::Everything => format!("SELECT pg_advisory_xact_lock({WRITE_LOCK})"),
            Writes::Deployment(uuid) => {
                let (high, low) = uuid.as_u64_pair();
                let own = (high ^ low).cast_signed();
                format!(
                    "SELECT pg_advisory_xact_lock_shared({WRITE_LOCK}), pg_advisory_xact_lock({own})"
                )
            }
        };
        self.in_transaction.set(true);
        self.execute_batch(&format!(
            "BEGIN; SET LOCAL lock_timeout = {patience}; SET LOCAL statement_timeout = {longest}; {lock}"
        ))
    }
}

impl Engine for Connection {
    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize> {
        let (sql, values) = (convert::statement(sql), convert::parameters(values));
        let changed = self.wait(self.client.execute_typed(&sql, &convert::typed(&values)))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn prepare(&self, sql: &str) -> Result<Box<dyn Prepared + '_>> {
        Ok(Box::new(Statement {
            connection: self,
            sql: sql.to_owned(),
        }))
    }

    // The limit of time holds for each page.
    fn read_in_pages(
        &self,
        sql: &str,
        page: usize,
        read: &mut dyn FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        self.execute(&format!("DECLARE page NO SCROLL CURSOR FOR {sql}"), &[])?;
        loop {
            let mut rows = self.query(&format!("FETCH {page} FROM page"), &[])?;
            let (is_last, mut row) = (rows.inner.len() < page, Row::default());
            while rows.next(&mut row)? {
                read(&row)?;
            }
            if is_last {
                return self.execute_batch("CLOSE page");
            }
        }
    }

    fn begin(&self, of: Option<&Uuid>) -> Result<bool> {
        self.begin_to_write(of.map_or(Writes::Everything, Writes::Deployment))?;
        Ok(true)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn has_table(&self) -> &'static str {
        "SELECT to_regclass(?1) IS NOT NULL"
    }

    fn next_number(&self) -> &'static str {
        NEXT_NUMBER
    }

    fn least_number(&self) -> &'static str {
        LEAST_NUMBER
    }

    fn number_bound(&self) -> &'static str {
        NUMBER_BOUND
    }

    fn claim_time(&self) -> &'static str {
        NOW
    }

    fn lock_services(&self) -> Result<()> {
        self.execute_batch(&format!("SELECT pg_advisory_xact_lock({SERVICES_LOCK})"))
    }

    fn begin_reading(&self) -> Result<()> {
        self.in_transaction.set(true);
        self.execute_batch(&format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {}",
            READER.as_millis()
        ))
    }

    fn is_in_transaction(&self) -> bool {
        self.in_transaction.get()
    }

    fn commit(&self) -> Result<()> {
        self.execute_batch("COMMIT")?;
        self.in_transaction.set(false);
        Ok(())
    }

    fn roll_back(&self) {
        self.in_transaction.set(false);
        if !self.client.is_closed() {
            let _ = self.execute_batch("ROLLBACK");
        }
    }

    fn set_lock_timeout(&mut self, timeout: Duration) -> Result<()> {
        self.patience = timeout;
        Ok(())
    }

    fn data_version(&self) -> Result<i64> {
        let query = "SELECT CAST(pg_current_snapshot() AS TEXT)";
        let mut row = Row::default();
        self.query(query, &[])?.next(&mut row)?;
        Ok(hash64(row.get::<String>(0)?.into_bytes()).cast_signed())
    }

    // After a while without an answer the server is asked: it may have been started anew.
    fn is_in_place(&self) -> bool {
        let probe = || self.wait_within(PROBE, self.client.check_connection());
        let is_open = || self.answered.get().elapsed() < IDLE || probe().is_ok();
        !self.is_given_up.get() && !self.client.is_closed() && is_open()
    }

    fn vacuum(&self) -> Result<()> {
        // It takes as long as the archive is large.
        self.wait_within(Duration::MAX, self.client.batch_execute("VACUUM (ANALYZE)"))
    }

    #[cfg(test)]
    fn execute_batch(&self, sql: &str) -> Result<()> {
        self.execute_batch(sql)
    }
}

/// A statement: nothing is prepared on the server.
struct Statement<'c> {
    connection: &'c Connection,
    sql: String,
}

impl Prepared for Statement<'_> {
    fn query(&mut self, values: &[Value]) -> Result<Box<dyn EngineRows + '_>> {
        Ok(Box::new(self.connection.query(&self.sql, values)?))
    }

    fn execute(&mut self, values: &[Value]) -> Result<usize> {
        self.connection.execute(&self.sql, values)
    }
}

/// The rows of a query.
pub(super) struct Rows {
    inner: std::vec::IntoIter<ServerRow>,
}

impl EngineRows for Rows {
    fn next(&mut self, row: &mut Row) -> Result<bool> {
        row.clear();
        let Some(read) = self.inner.next() else {
            return Ok(false);
        };
        for column in 0..read.len() {
            row.push(convert::value(&read, column)?);
        }
        Ok(true)
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(said) = error.as_db_error() else {
            let source = std::error::Error::source(&error);
            let reason = source.map_or_else(|| error.to_string(), ToString::to_string);
            return Self::new(ErrorKind::Unreached, reason);
        };
        let code = said.code();
        let class = code.code().get(..2).unwrap_or_default();
        let kind = match class {
            // No more connections, or the server is going down.
            "08" | "57" if *code != SqlState::QUERY_CANCELED => ErrorKind::Unreached,
            "53" if *code == SqlState::TOO_MANY_CONNECTIONS => ErrorKind::Unreached,
            "53" if *code == SqlState::DISK_FULL => ErrorKind::ServerFull,
            "57" => ErrorKind::Slow,
            "28" => ErrorKind::Refused,
            // The others of this class are faults of the server itself.
            _ if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) => {
                ErrorKind::Damaged
            }
            _ if [
                SqlState::LOCK_NOT_AVAILABLE,
                SqlState::T_R_DEADLOCK_DETECTED,
                SqlState::T_R_SERIALIZATION_FAILURE,
            ]
            .contains(code) =>
            {
                ErrorKind::Busy
            }
            _ if [
                SqlState::INVALID_CATALOG_NAME,
                SqlState::INSUFFICIENT_PRIVILEGE,
            ]
            .contains(code) =>
            {
                ErrorKind::Refused
            }
            _ => ErrorKind::Other,
        };
        let detail = said.detail().map(|detail| format!(" ({detail})"));
        Self::new(
            kind,
            format!("{}{}", said.message(), detail.unwrap_or_default()),
        )
    }
}
