//! What was once seen is kept: SQLite, its migrations, the watch list, transmissions and the ledger.
