//! The tables, and the migration from every older version to the current one.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

/// The version of the schema.
pub(super) const VERSION: i64 = 7;

/// SQLite application ID that marks an archive of driftline: "drft".
pub(super) const APPLICATION: i64 = 0x6472_6674;

/// The migration from each version to the next; the first creates all tables.
const STEPS: [&str; 7] = [
    "
    CREATE TABLE deployment (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        label TEXT,
        platform TEXT NOT NULL DEFAULT 'generic',
        watched INTEGER NOT NULL DEFAULT 0,
        added_at REAL NOT NULL
    );
    CREATE TABLE fetch (
        id INTEGER PRIMARY KEY,
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        at REAL NOT NULL,
        status INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        new INTEGER NOT NULL,
        late INTEGER NOT NULL
    );
    CREATE INDEX fetch_of ON fetch (deployment, at);
    CREATE TABLE transmission (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        time REAL NOT NULL,
        latitude REAL NOT NULL,
        longitude REAL NOT NULL,
        first_seen INTEGER NOT NULL,
        PRIMARY KEY (deployment, time, latitude, longitude)
    ) WITHOUT ROWID;
    CREATE TABLE unusable (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        reason TEXT NOT NULL,
        excerpt TEXT NOT NULL
    );
    CREATE INDEX unusable_of ON unusable (deployment);
    CREATE TABLE overruled (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        time REAL NOT NULL,
        latitude REAL NOT NULL,
        longitude REAL NOT NULL,
        flag INTEGER NOT NULL,
        PRIMARY KEY (deployment, time, latitude, longitude)
    ) WITHOUT ROWID;
    CREATE TABLE ledger (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        at REAL NOT NULL,
        operation TEXT NOT NULL,
        plant TEXT NOT NULL,
        name TEXT,
        tag TEXT,
        outcome TEXT NOT NULL,
        answered_name TEXT,
        answered_tag TEXT,
        words TEXT,
        process INTEGER NOT NULL
    );
",
    // Alarm limits of a deployment; HTTP validators of a response and their
    // service; transmissions absent from the latest response.
    "
    ALTER TABLE deployment ADD COLUMN notes TEXT;
    ALTER TABLE deployment ADD COLUMN max_age REAL;
    ALTER TABLE deployment ADD COLUMN circle TEXT;
    ALTER TABLE deployment ADD COLUMN checksum INTEGER;
    ALTER TABLE fetch ADD COLUMN source TEXT;
    ALTER TABLE fetch ADD COLUMN etag TEXT;
    ALTER TABLE fetch ADD COLUMN modified TEXT;
    CREATE TABLE unsent (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        time REAL NOT NULL,
        latitude REAL NOT NULL,
        longitude REAL NOT NULL,
        since INTEGER NOT NULL,
        PRIMARY KEY (deployment, time, latitude, longitude)
    ) WITHOUT ROWID;
",
    // The service of a plant log entry; for positions of one time the order in
    // which they were sent, and the number of duplicates of each.
    "
    ALTER TABLE ledger ADD COLUMN service TEXT;
    ALTER TABLE transmission ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE transmission ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
",
    // A hash of what a person entered and of each line of the ledger, which an
    // edit by SQL takes off; which run of a process number wrote a line; of
    // fetches the last and one a day.
    "
    ALTER TABLE deployment ADD COLUMN row_hash INTEGER;
    ALTER TABLE ledger ADD COLUMN row_hash INTEGER;
    ALTER TABLE ledger ADD COLUMN run TEXT;
    ALTER TABLE fetch ADD COLUMN fetches INTEGER NOT NULL DEFAULT 1;
    CREATE TABLE daily (id INTEGER PRIMARY KEY, bytes, new, late, fetches);
    INSERT INTO daily
        SELECT max(id), sum(bytes), sum(new), sum(late), count(*) FROM fetch
        WHERE id NOT IN (SELECT max(id) FROM fetch GROUP BY deployment)
        GROUP BY deployment, CAST(at / 86400 AS INTEGER);
    DELETE FROM fetch WHERE id NOT IN (SELECT id FROM daily)
        AND id NOT IN (SELECT max(id) FROM fetch GROUP BY deployment);
    UPDATE fetch SET (bytes, new, late, fetches) =
        (SELECT bytes, new, late, fetches FROM daily WHERE daily.id = fetch.id)
        WHERE id IN (SELECT id FROM daily);
    DROP TABLE daily;
    CREATE TRIGGER deployment_edited
        AFTER UPDATE OF uuid, label, platform, max_age, circle, notes ON deployment
        BEGIN UPDATE deployment SET row_hash = NULL WHERE id = NEW.id; END;
    CREATE TRIGGER ledger_edited
        AFTER UPDATE OF at, operation, plant, name, tag, outcome, answered_name, answered_tag,
            words, service ON ledger
        BEGIN UPDATE ledger SET row_hash = NULL WHERE sequence = NEW.sequence; END;
",
    // The number of invalid records of the latest response that are counted
    // only; the speed limit of a deployment (m/s), the time in which its fixes
    // count (UNIX seconds), and what the user declares it to be.
    "
    ALTER TABLE deployment ADD COLUMN unkept INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE deployment ADD COLUMN max_speed REAL;
    ALTER TABLE deployment ADD COLUMN valid_from REAL;
    ALTER TABLE deployment ADD COLUMN valid_until REAL;
    ALTER TABLE deployment ADD COLUMN state TEXT;
    DROP TRIGGER deployment_edited;
    CREATE TRIGGER deployment_edited
        AFTER UPDATE OF uuid, label, platform, max_age, circle, notes, max_speed, valid_from,
            valid_until, state ON deployment
        BEGIN UPDATE deployment SET row_hash = NULL WHERE id = NEW.id; END;
",
    // The fields of transmissions in packed batches, with the sum of their
    // hashes; which fields a response was asked for. A response from before may
    // have had fields that were not stored: it is asked for as a whole once more.
    // Alarms, what happened to each and whether it is still to be told, and how
    // far the fixes of a deployment have been held to each of its rules. Limits of
    // fields; from here on the circle may be an area as GeoJSON. For which deployments a
    // service could not be reached since its last answer. The group of a deployment.
    // What lists show of each deployment: made by whoever needs it first.
    "
    CREATE TABLE field_batch (
        id INTEGER PRIMARY KEY,
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        rows INTEGER NOT NULL,
        hash INTEGER NOT NULL,
        body BLOB NOT NULL
    );
    CREATE INDEX field_batch_of ON field_batch (deployment, id);
    ALTER TABLE deployment ADD COLUMN field_checksum INTEGER;
    ALTER TABLE fetch ADD COLUMN asked TEXT;
    UPDATE fetch SET etag = NULL, modified = NULL;
    ALTER TABLE deployment ADD COLUMN field_limits TEXT;
    ALTER TABLE deployment ADD COLUMN group_name TEXT;
    CREATE INDEX deployment_watched ON deployment (watched, id) WHERE watched > 0;
    CREATE TABLE overview (
        deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE,
        basis INTEGER NOT NULL,
        until REAL,
        body BLOB NOT NULL
    );
    DROP TRIGGER deployment_edited;
    CREATE TRIGGER deployment_edited
        AFTER UPDATE OF uuid, label, platform, max_age, circle, notes, max_speed, valid_from,
            valid_until, state, field_limits, group_name ON deployment
        BEGIN UPDATE deployment SET row_hash = NULL WHERE id = NEW.id; END;
    CREATE TABLE alarm (
        id TEXT PRIMARY KEY,
        deployment INTEGER REFERENCES deployment(id) ON DELETE CASCADE,
        service TEXT,
        label TEXT,
        kind TEXT NOT NULL,
        field TEXT NOT NULL DEFAULT '',
        raised_at REAL NOT NULL,
        seen_at REAL NOT NULL,
        acknowledged_at REAL,
        snoozed_until REAL,
        cleared_at REAL,
        fix_time REAL,
        value REAL,
        threshold REAL,
        text TEXT NOT NULL,
        told_at REAL,
        reminders INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX alarm_of ON alarm (deployment, kind);
    CREATE TABLE alarm_event (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        alarm TEXT NOT NULL REFERENCES alarm(id) ON DELETE CASCADE,
        at REAL NOT NULL,
        seen_at REAL NOT NULL,
        event TEXT NOT NULL,
        to_tell INTEGER NOT NULL,
        process INTEGER,
        run TEXT,
        claimed_at REAL
    );
    CREATE TABLE unreached (
        service TEXT NOT NULL,
        deployment TEXT NOT NULL,
        at REAL NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (service, deployment)
    ) WITHOUT ROWID;
    CREATE INDEX alarm_event_to_tell ON alarm_event (id) WHERE to_tell = 1;
    CREATE TABLE alarm_progress (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        field TEXT NOT NULL DEFAULT '',
        rule TEXT NOT NULL,
        until REAL NOT NULL,
        PRIMARY KEY (deployment, kind, field)
    ) WITHOUT ROWID;
",
    // In which order responses were stored: the number of the last one of each
    // deployment, and the program that stored it. From when on an event of an alarm
    // is told, and how often that has failed.
    "
    CREATE TABLE received (
        deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        process INTEGER,
        run TEXT
    );
    CREATE INDEX received_number ON received (number);
    ALTER TABLE alarm_event ADD COLUMN due REAL;
    ALTER TABLE alarm_event ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX alarm_event_of ON alarm_event (alarm);
",
];

/// The schema version of the file, and whether it is an archive: an empty file
/// is; so is one with the application ID or, from before it was set, with the
/// tables of driftline.
pub(super) fn recognise(connection: &Connection) -> rusqlite::Result<(i64, bool)> {
    // A single statement reads one consistent state of the file.
    connection.query_row(
        "SELECT (SELECT user_version FROM pragma_user_version),
                (SELECT application_id FROM pragma_application_id),
                (SELECT count(*) FROM sqlite_schema),
                (SELECT count(*) FROM sqlite_schema
                 WHERE type = 'table' AND name IN ('deployment', 'transmission', 'ledger'))",
        [],
        |row| {
            let (version, application): (i64, i64) = (row.get(0)?, row.get(1)?);
            let (things, ours): (i64, i64) = (row.get(2)?, row.get(3)?);
            let empty = version == 0 && application == 0 && things == 0;
            Ok((version, empty || application == APPLICATION || ours == 3))
        },
    )
}

/// Migrates an older archive to the current version, or leaves it unchanged on
/// error.
pub(super) fn migrate(connection: &mut Connection, version: i64) -> rusqlite::Result<()> {
    if version >= VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it while this one waited.
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let done = usize::try_from(version).unwrap_or(0);
    for step in STEPS.iter().skip(done) {
        transaction.execute_batch(step)?;
    }
    transaction.execute_batch(&format!(
        "PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION};"
    ))?;
    transaction.commit()
}

/// Whether the file has the tables of a development version of driftline: a column
/// of its schema version is missing, or one of a later version is there already.
/// False also where it cannot be read.
pub(in crate::archive) fn is_of_development(path: &Path) -> bool {
    let differs = || -> rusqlite::Result<bool> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let file = Connection::open_with_flags(path, flags)?;
        let version: i64 = file.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let there = columns(&file)?;
        let steps = usize::try_from(version).unwrap_or(0);
        let released = Connection::open_in_memory()?;
        for step in STEPS.iter().take(steps) {
            released.execute_batch(step)?;
        }
        let expected = columns(&released)?;
        for step in STEPS.iter().skip(steps) {
            released.execute_batch(step)?;
        }
        let later = columns(&released)?;
        let is_early = |column| !expected.contains(column) && there.contains(column);
        Ok(version > 0 && (!expected.is_subset(&there) || later.iter().any(is_early)))
    };
    differs().unwrap_or(false)
}

/// Every column with its table.
fn columns(connection: &Connection) -> rusqlite::Result<HashSet<(String, String)>> {
    let mut names = connection.prepare(
        "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table'",
    )?;
    let names = names.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    names.collect()
}
