//! The tables on a server.

use super::Connection;
use super::convert::statement;
use crate::archive::connection::Engine;
use crate::archive::error::ArchiveError;
use crate::archive::sql::{Result, Row, RowResult};
use crate::archive::tables::{ENTERED, INDEXES, TABLES, Table, VERSION};

/// SQL that a server needs besides the tables and indexes of both engines.
const OF_SERVER: &str = "
    CREATE INDEX fetch_of ON fetch (deployment, id);
    CREATE SEQUENCE fetch_number;
    CREATE INDEX alarm_standing ON alarm (raised_at) WHERE cleared_at IS NULL;
    CREATE TABLE lease (
        deployment TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        until DOUBLE PRECISION NOT NULL,
        due DOUBLE PRECISION NOT NULL
    );
    CREATE INDEX lease_of ON lease (holder) WHERE until > 0;
    CREATE FUNCTION driftline_edited() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN NEW.edits := OLD.edits + 1; RETURN NEW; END';
    CREATE TABLE driftline (version BIGINT NOT NULL);
";

/// The statements that make all tables in an empty database.
fn all() -> String {
    let tables = TABLES.each_ref().map(Table::on_server).concat();
    statement(&format!(
        "{tables}{INDEXES}{OF_SERVER}
         CREATE TRIGGER deployment_edited BEFORE UPDATE OF {ENTERED} ON deployment
             FOR EACH ROW EXECUTE FUNCTION driftline_edited();
         INSERT INTO driftline VALUES ({VERSION})"
    ))
}

/// `true` if the database is an archive, with the tables of this version; `false` if it is
/// empty. The table that has the version says so; the tables of an extension do not count.
///
/// # Errors
/// When it is a different database, or an archive of another version.
pub(super) fn is_archive(connection: &Connection) -> Result<bool> {
    let path = connection.name().to_owned();
    let select = |sql: &str| -> Result<(Option<bool>, Option<i64>)> {
        let mut found = (None, None);
        connection.each_row(sql, &[], &mut |row: &Row| -> RowResult<()> {
            found = (row.get(0)?, row.get(1)?);
            Ok(())
        })?;
        Ok(found)
    };
    let (is_archive, tables) = select(
        "SELECT to_regclass('driftline') IS NOT NULL, (
             SELECT count(*) FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
             AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
             AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
                 AND d.objid = c.oid AND d.deptype = 'e'))",
    )?;
    if is_archive != Some(true) && tables == Some(0) {
        return Ok(false);
    }
    let version = match is_archive {
        Some(true) => select("SELECT true, max(version) FROM driftline")?.1,
        _ => None,
    };
    match version {
        Some(found) => ArchiveError::of_version(path, found).map_or(Ok(true), Err),
        None => Err(ArchiveError::Foreign { path }),
    }
}

/// Makes the tables of an empty database, all in one transaction, under the lock of those that
/// write.
///
/// # Errors
/// As [`is_archive`], or when the tables cannot be made.
pub(super) fn make_ready(connection: &Connection) -> Result<()> {
    if is_archive(connection)? {
        return Ok(());
    }
    let made = || {
        connection.begin(None)?;
        // Another program may have made them while this one waited.
        if !is_archive(connection)? {
            connection.run(&all())?;
        }
        connection.commit()
    };
    made().inspect_err(|_| connection.roll_back())
}
