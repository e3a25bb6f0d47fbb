//! Many rows at once; copies an archive whole into an empty one, where each may have either
//! engine.

use super::Archive;
use super::connection::Connection;
use super::sql::{Result, Value};
use super::tables::{TABLES, Table};

/// Most values of a statement: SQLite takes 32,766, PostgreSQL 65,535.
const MOST_VALUES: usize = 8000;
/// Most bytes of a statement, about.
const MOST_BYTES: usize = 4 << 20;

impl Table {
    /// Copies all rows.
    fn copy(&self, from: &Connection, to: &Connection) -> Result<()> {
        let name = self.name;
        let columns = self.column_list();
        let order = self.order;
        let width = self.width();
        let rows = format!("SELECT {columns} FROM {name} ORDER BY {order}");
        let mut values = Vec::new();
        let mut bytes = 0;
        from.each_row_by_pages(&rows, self.page(), &mut |row| {
            for column in 0..width {
                let value = row.value(column);
                if let Value::Text(content) | Value::Blob(content) = value {
                    bytes += content.len();
                }
                values.push(value.clone());
            }
            if values.len() + width > MOST_VALUES || bytes > MOST_BYTES {
                self.insert(to, std::mem::take(&mut values))?;
                bytes = 0;
            }
            Ok(())
        })?;
        self.insert(to, values)
    }

    /// How many rows are read at once: a body may have megabytes.
    fn page(&self) -> usize {
        match self.columns().last() {
            Some("body") => 16,
            _ => 1000,
        }
    }

    /// Inserts rows, given by their values one after the other.
    fn insert(&self, to: &Connection, values: Vec<Value>) -> Result<()> {
        match values.len() / self.width() {
            0 => Ok(()),
            rows => to.execute(&self.insertion(rows), values).map(drop),
        }
    }

    /// A statement that inserts so many rows.
    pub(super) fn insertion(&self, rows: usize) -> String {
        let into = format!("{} ({})", self.name, self.column_list());
        insertion(&into, self.width(), rows)
    }
}

fn insertion(into: &str, width: usize, rows: usize) -> String {
    let row = |number: usize| {
        let marks = (1..=width).map(|column| format!("?{}", number * width + column));
        format!("({})", marks.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("INSERT INTO {into} VALUES {}", rows.join(", "))
}

/// Inserts rows into a table, as many with each statement as it takes: a server is slow to
/// answer each.
pub(super) fn insert_all<const WIDTH: usize>(
    to: &Connection,
    table: &str,
    rows: impl Iterator<Item = [Value; WIDTH]>,
) -> Result<()> {
    let most = MOST_VALUES / WIDTH;
    let whole = insertion(table, WIDTH, most);
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let values: Vec<Value> = rows.by_ref().take(most).flatten().collect();
        match values.len() / WIDTH {
            count if count == most => to.execute(&whole, values)?,
            count => to.execute(&insertion(table, WIDTH, count), values)?,
        };
    }
    Ok(())
}

impl Archive {
    /// Copies all that is stored into `to`, which must be empty: all in a single
    /// transaction, and of the same state. Returns the numbers of the rows in that state;
    /// `None` if `to` was not empty.
    ///
    /// # Errors
    /// When this archive cannot be read, or the other cannot be written.
    pub(crate) fn copy_into(&self, to: &mut Self) -> Result<Option<[(&'static str, u64); 6]>> {
        self.reading(|from| {
            let counts = from.counts()?;
            let is_copied = to.writing(|transaction| {
                let count = "SELECT (SELECT count(*) FROM deployment)
                    + (SELECT count(*) FROM plant_log) + (SELECT count(*) FROM alarm)";
                if transaction.row(count, (), |row| row.get::<i64>(0))? > 0 {
                    return Ok(false);
                }
                for table in &TABLES {
                    table.copy(&from.connection, transaction)?;
                }
                transaction.reset_sequences()?;
                Ok(true)
            })?;
            Ok(is_copied.then_some(counts))
        })
    }
}
