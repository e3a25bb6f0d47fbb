//! Makes the tables of an archive file, and recognises such a file.

use rusqlite::{Connection, TransactionBehavior};

use crate::archive::tables::{ENTERED, INDEXES, TABLES, Table, VERSION};

/// SQLite application ID that marks an archive of driftline: "drfl".
pub(super) const APPLICATION: i64 = 0x6472_666c;

/// The kind of a database file.
pub(super) enum Recognised {
    /// It has no tables yet.
    Empty,
    /// An archive of this schema version.
    Archive(i64),
    /// A different database.
    Foreign,
}

/// Recognises a file by its application ID.
pub(super) fn recognise(connection: &Connection) -> rusqlite::Result<Recognised> {
    // A single statement reads one consistent state of the file.
    connection.query_row(
        "SELECT (SELECT user_version FROM pragma_user_version),
                (SELECT application_id FROM pragma_application_id),
                (SELECT count(*) FROM sqlite_schema)",
        [],
        |row| {
            let version: i64 = row.get(0)?;
            let application: i64 = row.get(1)?;
            let tables: i64 = row.get(2)?;
            Ok(match (application, version) {
                (0, 0) if tables == 0 => Recognised::Empty,
                (APPLICATION, 1..) => Recognised::Archive(version),
                _ => Recognised::Foreign,
            })
        },
    )
}

/// Makes all tables in a file that has none.
pub(super) fn make(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have made them while this one waited.
    if let Recognised::Empty = recognise(&transaction)? {
        transaction.execute_batch(&TABLES.each_ref().map(Table::in_file).concat())?;
        transaction.execute_batch(INDEXES)?;
        transaction.execute_batch(&format!(
            "CREATE INDEX fetch_of ON fetch (deployment, at);
             CREATE TRIGGER deployment_edited AFTER UPDATE OF {ENTERED} ON deployment
                 BEGIN UPDATE deployment SET edits = edits + 1 WHERE id = NEW.id; END;
             PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION};"
        ))?;
    }
    transaction.commit()
}
