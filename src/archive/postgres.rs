//! The engine on a server: PostgreSQL 13 and later. It uses no session state, so a
//! transaction-mode pooler works: no prepared statement, lock, setting or table outlives a
//! transaction.

mod connect;
mod convert;
mod password;
mod schema;
#[cfg(test)]
mod tests;
mod tls;

use std::cell::Cell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row as ServerRow};
use uuid::Uuid;

use super::connection::{Dialect, Engine, ReadRow};
use super::error::ArchiveError;
use super::sql::{Result, Row, Value};

/// Longest time for one statement of a reader: the server ends it then.
const READER: Duration = Duration::from_secs(30);
/// Longest time for one statement of a writer.
const WRITER: Duration = Duration::from_secs(120);
/// Longest wait for a response of the server, after which the connection is abandoned.
const ANSWER: Duration = Duration::from_secs(150);
/// Longest wait for the server to confirm that the connection is open.
const PROBE: Duration = Duration::from_secs(5);
/// After this long without a response a connection may have ended.
const IDLE: Duration = Duration::from_secs(1);
/// The lock of every transaction that writes: shared if it writes data of a single deployment,
/// else exclusive.
const WRITE_LOCK: i64 = 0x6472_6674_0001;
/// The lock of a transaction that also writes what is known of services: several deployments
/// share these rows.
const SERVICES_LOCK: i64 = 0x6472_6674_0002;

const DIALECT: Dialect = Dialect {
    data_version: "SELECT hashtextextended(CAST(pg_current_snapshot() AS TEXT), 0)",
    next_fetch: "SELECT nextval('fetch_number')",
    late_fetches: 1000,
    claim_time: "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)",
};

/// A connection to the server. Every call blocks the thread.
pub(super) struct Connection {
    client: Client,
    /// It also runs the connection while a call waits; always `Some` until drop.
    runtime: Option<Runtime>,
    /// Longest wait for another program's lock.
    lock_timeout: Duration,
    /// Longest wait for a response of the server.
    longest: Duration,
    /// When the server last responded.
    answered: Cell<Instant>,
    /// `true` if the server did not respond in time: no more requests are sent to it.
    is_abandoned: Cell<bool>,
    /// `true` if a transaction is open.
    in_transaction: Cell<bool>,
    /// The URL in messages, without the password.
    name: PathBuf,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.name.display())
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
    fn unreached(&self, reason: &str) -> ArchiveError {
        ArchiveError::Unreached {
            path: self.name.clone(),
            reason: reason.to_owned(),
        }
    }

    /// The error of the archive for an error of the server.
    fn error(&self, error: &tokio_postgres::Error) -> ArchiveError {
        explained(&self.name, error)
    }

    /// Waits for a response of the server.
    fn wait<T>(
        &self,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        self.wait_within(self.longest, answer)
    }

    /// Waits up to `longest` for a response of the server; without one the connection is
    /// abandoned.
    fn wait_within<T>(
        &self,
        longest: Duration,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let open = self.runtime.as_ref().filter(|_| !self.is_abandoned.get());
        let runtime = open.ok_or_else(|| self.unreached("the connection has ended"))?;
        let answer = runtime.block_on(async { tokio::time::timeout(longest, answer).await });
        let Ok(answer) = answer else {
            self.is_abandoned.set(true);
            return Err(self.unreached("the server did not answer"));
        };
        self.answered.set(Instant::now());
        answer.map_err(|error| self.error(&error))
    }

    /// Runs statements without parameters.
    pub(super) fn run(&self, sql: &str) -> Result<()> {
        self.wait(self.client.batch_execute(sql))
    }

    fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<ServerRow>> {
        let sql = convert::statement(sql);
        let values = convert::parameters(values);
        self.wait(self.client.query_typed(&sql, &convert::typed(&values)))
    }

    fn read(&self, rows: Vec<ServerRow>, read: &mut ReadRow<'_>) -> Result<()> {
        let mut row = Row::default();
        for found in rows {
            row.0.clear();
            for column in 0..found.len() {
                let value = convert::value(&found, column);
                row.0
                    .push(value.map_err(|error| error.into_archive_error(&self.name))?);
            }
            read(&row).map_err(|error| error.into_archive_error(&self.name))?;
        }
        Ok(())
    }
}

impl Engine for Connection {
    fn name(&self) -> &Path {
        &self.name
    }

    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize> {
        let sql = convert::statement(sql);
        let values = convert::parameters(values);
        let changed = self.wait(self.client.execute_typed(&sql, &convert::typed(&values)))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn each_row(&self, sql: &str, values: &[Value], read: &mut ReadRow<'_>) -> Result<()> {
        self.read(self.query(sql, values)?, read)
    }

    // The limit of time applies to each page.
    fn each_row_by_pages(&self, sql: &str, page: usize, read: &mut ReadRow<'_>) -> Result<()> {
        self.execute(&format!("DECLARE page NO SCROLL CURSOR FOR {sql}"), &[])?;
        loop {
            let rows = self.query(&format!("FETCH {page} FROM page"), &[])?;
            let is_last = rows.len() < page;
            self.read(rows, read)?;
            if is_last {
                return self.run("CLOSE page");
            }
        }
    }

    // In it the server waits for a lock for the lock timeout at most.
    fn begin(&self, of: Option<&Uuid>) -> Result<()> {
        let lock_timeout = self.lock_timeout.as_millis();
        let longest = WRITER.as_millis();
        let lock = match of {
            None => format!("SELECT pg_advisory_xact_lock({WRITE_LOCK})"),
            Some(uuid) => {
                let (high, low) = uuid.as_u64_pair();
                let own = (high ^ low).cast_signed();
                format!(
                    "SELECT pg_advisory_xact_lock_shared({WRITE_LOCK}), pg_advisory_xact_lock({own})"
                )
            }
        };
        self.in_transaction.set(true);
        self.run(&format!(
            "BEGIN; SET LOCAL lock_timeout = {lock_timeout}; SET LOCAL statement_timeout = {longest}; {lock}"
        ))
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn lock_services(&self) -> Result<()> {
        self.run(&format!("SELECT pg_advisory_xact_lock({SERVICES_LOCK})"))
    }

    fn begin_reading(&self) -> Result<()> {
        self.in_transaction.set(true);
        self.run(&format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {}",
            READER.as_millis()
        ))
    }

    fn is_in_transaction(&self) -> bool {
        self.in_transaction.get()
    }

    fn commit(&self) -> Result<()> {
        self.run("COMMIT")?;
        self.in_transaction.set(false);
        Ok(())
    }

    fn roll_back(&self) {
        self.in_transaction.set(false);
        if !self.client.is_closed() {
            let _ = self.run("ROLLBACK");
        }
    }

    fn set_lock_timeout(&mut self, timeout: Duration) -> Result<()> {
        self.lock_timeout = timeout;
        Ok(())
    }

    fn reset_sequences(&self) -> Result<()> {
        for (table, column) in [
            ("deployment", "id"),
            ("plant_log", "sequence"),
            ("field_batch", "id"),
            ("alarm_event", "id"),
        ] {
            self.run(&format!(
                "SELECT setval(pg_get_serial_sequence('{table}', '{column}'),
                     (SELECT coalesce(max({column}), 0) + 1 FROM {table}), false)"
            ))?;
        }
        self.run(
            "SELECT setval('fetch_number', (SELECT coalesce(max(id), 0) + 1 FROM \"fetch\"), false)",
        )
    }

    // After a while without a response the connection is tested: the server may have been
    // restarted.
    fn is_in_place(&self) -> bool {
        let probe = || self.wait_within(PROBE, self.client.check_connection());
        let is_open = || self.answered.get().elapsed() < IDLE || probe().is_ok();
        !self.is_abandoned.get() && !self.client.is_closed() && is_open()
    }

    fn vacuum(&self) -> Result<()> {
        // The duration depends on the size of the archive.
        self.wait_within(Duration::MAX, self.client.batch_execute("VACUUM (ANALYZE)"))
    }

    #[cfg(test)]
    fn execute_batch(&self, sql: &str) -> Result<()> {
        self.run(sql)
    }
}

/// The error of the archive with this name for an error of the server.
fn explained(name: &Path, error: &tokio_postgres::Error) -> ArchiveError {
    let path = name.to_owned();
    let Some(reply) = error.as_db_error() else {
        let source = std::error::Error::source(error);
        let words = source.map_or_else(|| error.to_string(), ToString::to_string);
        let reason = crate::text::excerpt(&words, 200);
        return ArchiveError::Unreached { path, reason };
    };
    let detail = reply.detail().map(|detail| format!(" ({detail})"));
    let words = format!("{}{}", reply.message(), detail.unwrap_or_default());
    let reason = crate::text::excerpt(&words, 200);
    let code = reply.code();
    match code.code().get(..2).unwrap_or_default() {
        // No more connections, or the server is going down.
        "08" | "57" if *code != SqlState::QUERY_CANCELED => {
            ArchiveError::Unreached { path, reason }
        }
        "53" if *code == SqlState::TOO_MANY_CONNECTIONS => ArchiveError::Unreached { path, reason },
        "53" if *code == SqlState::DISK_FULL => ArchiveError::ServerFull { path, reason },
        "57" => ArchiveError::Slow { path, reason },
        "28" => ArchiveError::Refused { path, reason },
        // The others of this class are faults of the server itself.
        _ if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) => {
            ArchiveError::Damaged { path, reason }
        }
        _ if [
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
        ]
        .contains(code) =>
        {
            ArchiveError::Busy
        }
        _ if [
            SqlState::INVALID_CATALOG_NAME,
            SqlState::INSUFFICIENT_PRIVILEGE,
        ]
        .contains(code) =>
        {
            ArchiveError::Refused { path, reason }
        }
        _ => ArchiveError::Unwritable(reason),
    }
}
