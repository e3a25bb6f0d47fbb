//! Values of another type in an archive, as damage leaves them.

use std::path::Path;

/// Runs a change of a file, in which a column may have values of any type meanwhile.
pub(crate) fn change_untyped(path: &Path, change: &str) {
    let statements = format!(
        "CREATE TEMP TABLE typed AS SELECT rowid AS number, sql FROM main.sqlite_schema;
         PRAGMA writable_schema = ON;
         UPDATE main.sqlite_schema
             SET sql = replace(replace(sql, ') STRICT, ', ') '), ') STRICT', ')');
         PRAGMA writable_schema = RESET;
         {change};
         PRAGMA writable_schema = ON;
         UPDATE main.sqlite_schema
             SET sql = (SELECT t.sql FROM typed t WHERE t.number = sqlite_schema.rowid);
         PRAGMA writable_schema = RESET;"
    );
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch(&statements).unwrap();
}
