//! The tables of an archive file, and what tells such a file from others.

use rusqlite::{Connection, TransactionBehavior};

/// The version of the schema. A change of it needs a migration from each version that
/// was published before.
pub(super) const VERSION: i64 = 1;

/// SQLite application ID that marks an archive of driftline: "drfl".
pub(super) const APPLICATION: i64 = 0x6472_666c;

/// The application ID of archives of development versions: "drft".
const DEVELOPMENT: i64 = 0x6472_6674;

/// All tables but those of [`LATER`].
///
/// `deployment.revision` is higher after every change of the records that are stored,
/// and `deployment.edits` after every change of what a person entered, in SQL too.
const TABLES: &str = "
    CREATE TABLE deployment (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        label TEXT,
        platform TEXT NOT NULL DEFAULT 'generic',
        watched INTEGER NOT NULL DEFAULT 0,
        added_at REAL NOT NULL,
        notes TEXT,
        max_age REAL,
        circle TEXT,
        max_speed REAL,
        valid_from REAL,
        valid_until REAL,
        state TEXT,
        field_limits TEXT,
        group_name TEXT,
        unkept INTEGER NOT NULL DEFAULT 0,
        revision INTEGER NOT NULL DEFAULT 0,
        edits INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX deployment_watched ON deployment (watched, id) WHERE watched > 0;
    CREATE TRIGGER deployment_edited
        AFTER UPDATE OF uuid, label, platform, max_age, circle, notes, max_speed, valid_from,
            valid_until, state, field_limits, group_name ON deployment
        BEGIN UPDATE deployment SET edits = edits + 1 WHERE id = NEW.id; END;
    CREATE TABLE fetch (
        id INTEGER PRIMARY KEY,
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        began REAL NOT NULL DEFAULT 0,
        at REAL NOT NULL,
        status INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        new INTEGER NOT NULL,
        late INTEGER NOT NULL,
        source TEXT,
        etag TEXT,
        modified TEXT,
        fetches INTEGER NOT NULL DEFAULT 1,
        asked TEXT
    );
    CREATE INDEX fetch_of ON fetch (deployment, at);
    CREATE TABLE received (
        deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        process INTEGER,
        run TEXT
    );
    CREATE INDEX received_number ON received (number);
    CREATE TABLE transmission (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        time REAL NOT NULL,
        latitude REAL NOT NULL,
        longitude REAL NOT NULL,
        first_seen INTEGER NOT NULL,
        place INTEGER NOT NULL DEFAULT 0,
        times INTEGER NOT NULL DEFAULT 1,
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
    CREATE TABLE unsent (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        time REAL NOT NULL,
        latitude REAL NOT NULL,
        longitude REAL NOT NULL,
        since INTEGER NOT NULL,
        PRIMARY KEY (deployment, time, latitude, longitude)
    ) WITHOUT ROWID;
    CREATE TABLE field_batch (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        rows INTEGER NOT NULL,
        body BLOB NOT NULL
    );
    CREATE INDEX field_batch_of ON field_batch (deployment, id);
    CREATE TABLE overview (
        deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE,
        basis INTEGER NOT NULL,
        until REAL,
        body BLOB NOT NULL
    );
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
        process INTEGER NOT NULL,
        run TEXT,
        service TEXT
    );
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
        claimed_at REAL,
        due REAL,
        failures INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX alarm_event_of ON alarm_event (alarm);
    CREATE INDEX alarm_event_to_tell ON alarm_event (id) WHERE to_tell = 1;
    CREATE TABLE alarm_rule (
        deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        field TEXT NOT NULL DEFAULT '',
        rule TEXT NOT NULL,
        basis TEXT NOT NULL,
        since REAL NOT NULL,
        PRIMARY KEY (deployment, kind, field)
    ) WITHOUT ROWID;
    CREATE TABLE unreached (
        service TEXT NOT NULL,
        deployment TEXT NOT NULL,
        at REAL NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (service, deployment)
    ) WITHOUT ROWID;
";

/// What services of another shape call the deployments, and the times of the records that
/// cannot be used. An archive that was made before gets the tables when it is opened to be
/// written to.
pub(super) const LATER: &str = "
    CREATE TABLE IF NOT EXISTS origin (
        uuid TEXT PRIMARY KEY,
        service TEXT NOT NULL,
        id TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS invalid_time (
        deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE,
        body BLOB NOT NULL
    );
";

/// The kind of a database file.
pub(super) enum Recognised {
    /// It has no tables yet.
    Empty,
    /// An archive of this schema version.
    Archive(i64),
    /// An archive of a version of driftline that was never published.
    OfDevelopment,
    /// A database of another program.
    Foreign,
}

/// Recognises a file by its application ID. Archives of early development versions
/// have none, but the tables of driftline.
pub(super) fn recognise(connection: &Connection) -> rusqlite::Result<Recognised> {
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
            Ok(match (application, version) {
                (0, 0) if things == 0 => Recognised::Empty,
                (APPLICATION, 1..) => Recognised::Archive(version),
                (APPLICATION | DEVELOPMENT, _) => Recognised::OfDevelopment,
                _ if ours == 3 => Recognised::OfDevelopment,
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
        transaction.execute_batch(TABLES)?;
        transaction.execute_batch(LATER)?;
        transaction.execute_batch(&format!(
            "PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION};"
        ))?;
    }
    transaction.commit()
}
