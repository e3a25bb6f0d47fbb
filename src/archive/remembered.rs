//! The memory of an archive in a program that runs for long: all that persons and rules wrote
//! there. The responses are not part of it: the service has them. A lost archive is made again
//! from it.

use super::Archive;
use super::sql::{Result, Value};
use super::tables::{TABLES, Table};

/// The remembered rows of each table that is remembered.
#[derive(Debug, Default)]
pub(crate) struct Remembered(pub(super) Vec<(&'static Table, Vec<Vec<Value>>)>);

impl Table {
    /// `true` unless its rows come from responses.
    fn is_remembered(&self) -> bool {
        matches!(
            self.name,
            "deployment"
                | "origin"
                | "override"
                | "plant_log"
                | "alarm"
                | "alarm_event"
                | "alarm_rule"
                | "unreached"
        )
    }
}

impl Archive {
    /// Reads what is to be remembered.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn remember(&self) -> Result<Remembered> {
        self.reading(|archive| {
            let tables = TABLES.iter().filter(|table| table.is_remembered());
            let read = |table: &'static Table| {
                let columns = table.column_list();
                let width = table.width();
                let select = format!(
                    "SELECT {columns} FROM {} ORDER BY {}",
                    table.name, table.order
                );
                let rows = archive.connection.rows(&select, (), |row| {
                    Ok((0..width).map(|column| row.value(column).clone()).collect())
                });
                Ok((table, rows?))
            };
            tables.map(read).collect::<Result<_>>().map(Remembered)
        })
    }
}
