//! A prepared statement of either engine, and the rows of a query.

#[cfg(feature = "postgres")]
use super::postgres;
use super::sql::{Params, Result, Row, Value};
use super::sqlite;

/// A prepared statement.
pub(super) enum Statement<'c> {
    /// Of a file.
    Sqlite(sqlite::Statement<'c>),
    /// On a server: nothing is prepared there.
    #[cfg(feature = "postgres")]
    Postgres {
        connection: &'c postgres::Connection,
        sql: String,
    },
}

impl Statement<'_> {
    /// Runs a query.
    pub(super) fn query(&mut self, values: impl Params) -> Result<Rows<'_>> {
        let values: Vec<Value> = values.values();
        let inner = match self {
            Self::Sqlite(statement) => EngineRows::Sqlite(statement.query(&values)?),
            #[cfg(feature = "postgres")]
            Self::Postgres { connection, sql } => {
                EngineRows::Postgres(connection.query(sql, &values)?)
            }
        };
        Ok(Rows {
            inner,
            row: Row::default(),
        })
    }

    /// Runs a query, of whose rows each is read by `read`.
    pub(super) fn query_map<T, F: FnMut(&Row) -> Result<T>>(
        &mut self,
        values: impl Params,
        read: F,
    ) -> Result<MappedRows<'_, F>> {
        let rows = self.query(values)?;
        Ok(MappedRows { rows, read })
    }

    /// Runs a statement; returns the number of changed rows.
    pub(super) fn execute(&mut self, values: impl Params) -> Result<usize> {
        match self {
            Self::Sqlite(statement) => statement.execute(&values.values()),
            #[cfg(feature = "postgres")]
            Self::Postgres { connection, sql } => connection.execute(sql, &values.values()),
        }
    }
}

enum EngineRows<'s> {
    Sqlite(sqlite::Rows<'s>),
    #[cfg(feature = "postgres")]
    Postgres(postgres::Rows),
}

/// The rows of a query, read one by one.
pub(super) struct Rows<'s> {
    inner: EngineRows<'s>,
    row: Row,
}

impl Rows<'_> {
    /// The next row; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<&Row>> {
        let is_row = match &mut self.inner {
            EngineRows::Sqlite(rows) => rows.next(&mut self.row)?,
            #[cfg(feature = "postgres")]
            EngineRows::Postgres(rows) => rows.next(&mut self.row)?,
        };
        Ok(is_row.then_some(&self.row))
    }
}

/// The rows of a query, each as it is read.
pub(super) struct MappedRows<'s, F> {
    rows: Rows<'s>,
    read: F,
}

impl<T, F: FnMut(&Row) -> Result<T>> Iterator for MappedRows<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        match self.rows.next() {
            Ok(Some(row)) => Some((self.read)(row)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
