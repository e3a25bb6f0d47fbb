//! Copies an archive whole into an empty one; each may have either engine.

use super::connection::Connection;
use super::sql::{self, Params, Value, ValueRef};
use super::tables::{TABLES, Table};
use super::{Archive, ArchiveError};

/// Values of one statement, at most: SQLite takes 32,766, PostgreSQL 65,535.
const MOST_VALUES: usize = 8000;
/// Bytes of one statement, about.
const MOST_BYTES: usize = 4 << 20;

/// Values that are there already.
struct Ready(Vec<Value>);

impl Params for Ready {
    fn values(self) -> Vec<Value> {
        self.0
    }
}

impl Table {
    /// Copies all rows.
    fn copy(&self, from: &Connection, to: &Connection) -> sql::Result<()> {
        let (name, columns, order) = (self.name, self.columns, self.order);
        let width = columns.split(", ").count();
        let rows = format!("SELECT {columns} FROM {name} ORDER BY {order}");
        let (mut values, mut bytes) = (Vec::new(), 0);
        from.read_in_pages(&rows, self.page(), &mut |row| {
            for column in 0..width {
                values.push(match row.get_ref(column)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => Value::Integer(number),
                    ValueRef::Real(number) => Value::Real(number),
                    ValueRef::Text(text) => {
                        bytes += text.len();
                        Value::Text(text.to_vec())
                    }
                    ValueRef::Blob(blob) => {
                        bytes += blob.len();
                        Value::Blob(blob.to_vec())
                    }
                });
            }
            if values.len() + width > MOST_VALUES || bytes > MOST_BYTES {
                self.insert(to, std::mem::take(&mut values), width)?;
                bytes = 0;
            }
            Ok(())
        })?;
        self.insert(to, values, width)
    }

    /// How many rows are read at once: a body may have megabytes.
    fn page(&self) -> usize {
        if self.columns.ends_with("body") {
            16
        } else {
            1000
        }
    }

    fn insert(&self, to: &Connection, values: Vec<Value>, width: usize) -> sql::Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        let row = |number: usize| {
            let marks = (1..=width).map(|column| format!("?{}", number * width + column));
            format!("({})", marks.collect::<Vec<_>>().join(", "))
        };
        let rows: Vec<String> = (0..values.len() / width).map(row).collect();
        let statement = format!(
            "INSERT INTO {} ({}) VALUES {}",
            self.name,
            self.columns,
            rows.join(", ")
        );
        to.execute(&statement, Ready(values))?;
        Ok(())
    }
}

impl Archive {
    /// Copies all that is stored into `to`, which must be empty: all in one
    /// transaction, and of one state. Returns the numbers of the rows in that state;
    /// `None` if `to` was not empty.
    ///
    /// # Errors
    /// When this archive cannot be read, or the other cannot be written.
    pub(crate) fn copy_into(
        &self,
        to: &mut Self,
    ) -> Result<Option<[(&'static str, u64); 6]>, ArchiveError> {
        // Room is made in transactions of their own, which wait for every reader.
        for one in self.known()? {
            if let Some(stored) = self.stored(one.uuid)? {
                let room = to.connection.make_room(&stored.records.transmissions);
                room.map_err(|error| to.error(&error))?;
            }
        }
        self.reading(|from| {
            let counts = from.counts()?;
            let is_copied = to.writing(|transaction| {
                let count = "SELECT (SELECT count(*) FROM deployment)
                    + (SELECT count(*) FROM ledger) + (SELECT count(*) FROM alarm)";
                if transaction.query_row(count, [], |row| row.get::<i64>(0))? > 0 {
                    return Ok(false);
                }
                for table in &TABLES {
                    let from = &from.connection;
                    if from.query_row(from.has_table(), [table.name], |row| row.get(0))? {
                        table.copy(from, transaction)?;
                    }
                }
                transaction.reset_sequences()?;
                Ok(true)
            })?;
            Ok(is_copied.then_some(counts))
        })
    }
}
