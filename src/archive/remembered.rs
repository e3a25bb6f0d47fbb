//! The memory of an archive in a program that runs for long: all that persons and rules wrote
//! there. The responses are not part of it: the service has them. A lost archive is made again
//! from it.

use super::sql::{Result, Value};
use super::tables::{TABLES, Table};
use super::{Archive, sqlite};

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

/// The state of the events of alarms, without the alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AlarmState([i64; 2]);

impl Archive {
    /// An archive in memory with what is remembered of another.
    ///
    /// # Errors
    /// When memory runs out.
    pub(crate) fn of_remembered(remembered: &Remembered) -> Result<Self> {
        sqlite::Connection::remembering(remembered).map(Self::with)
    }

    /// The state of the events of alarms, in numbers that differ after each event and
    /// notification.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn alarm_state(&self) -> Result<AlarmState> {
        self.connection.row(
            "SELECT coalesce(max(id), 0), (SELECT count(*) FROM alarm_event WHERE to_notify = 1)
             FROM alarm_event",
            (),
            |row| Ok(AlarmState([row.get(0)?, row.get(1)?])),
        )
    }

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
