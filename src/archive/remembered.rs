//! The memory of an archive in a program that runs for long: all that persons and rules wrote
//! there. The responses are not part of it: the service has them. A lost archive is made again
//! from it.

use std::collections::HashMap;
use std::fmt;

use super::Archive;
use super::ListState;
use super::connection::Transaction;
use super::sql::{Result, Value};
use super::tables::{TABLES, Table};
use crate::text;

/// The tables whose rows do not come from responses.
const REMEMBERED: [&str; 8] = [
    "deployment",
    "origin",
    "override",
    "plant_log",
    "alarm",
    "alarm_event",
    "alarm_rule",
    "unreached",
];

/// The next response is requested without validators, from whichever service, and what was judged
/// by lost records is judged again.
pub(super) const JUDGE_AGAIN: [&str; 2] = [
    "UPDATE fetch SET source = NULL, etag = NULL, modified = NULL, asked = NULL",
    "UPDATE alarm_rule SET basis = ''",
];

/// The remembered rows of each table that is remembered.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Vec<(&'static Table, Vec<Vec<Value>>)>);

/// The rows that an archive has from the memory of a program, by table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Restored(HashMap<&'static str, usize>);

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |table| self.0.get(table).copied().unwrap_or_default();
        write!(
            f,
            "{}, {} and {} of the plant log from the memory of this program; fixes come with the next answers",
            text::counted(rows("deployment"), "deployment", "deployments"),
            text::counted(rows("alarm"), "alarm", "alarms"),
            text::counted(rows("plant_log"), "line", "lines")
        )
    }
}

impl Archive {
    /// The state of what persons write, without the rows: it changes with each of them.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn written_state(&self) -> Result<(ListState, [i64; 5])> {
        let state = self.connection.row(
            "SELECT (SELECT coalesce(max(sequence), 0) FROM plant_log),
                 (SELECT count(*) FROM plant_log WHERE outcome = 'sending'),
                 (SELECT count(*) FROM override),
                 (SELECT CAST(coalesce(sum(flag * time), 0) AS BIGINT) FROM override),
                 (SELECT coalesce(max(id), 0) FROM alarm_event)",
            (),
            |row| {
                let numbers = [
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                ];
                Ok(numbers)
            },
        )?;
        Ok((self.list_state()?, state))
    }

    /// Reads what is to be remembered.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn remember(&self) -> Result<Remembered> {
        self.reading(|archive| {
            let tables = TABLES.iter().filter(|it| REMEMBERED.contains(&it.name));
            let read = |table: &'static Table| {
                let Table { name, order, .. } = table;
                let select = format!(
                    "SELECT {} FROM {name} ORDER BY {order}",
                    table.column_list()
                );
                let rows = archive
                    .connection
                    .rows(&select, (), |row| Ok(row.0.clone()));
                Ok((table, rows?))
            };
            tables.map(read).collect::<Result<_>>().map(Remembered)
        })
    }

    /// Adds what is remembered and missing to an archive that was made again without a watch list,
    /// or of what could be read of a damaged one (`is_recovered`). `None` if no deployment was
    /// missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn restore(
        &mut self,
        remembered: &Remembered,
        is_recovered: bool,
    ) -> Result<Option<Restored>> {
        self.writing(|transaction| {
            // A list that is there is that of a person, or of a program that was faster.
            let has_list = "SELECT EXISTS (SELECT 1 FROM deployment WHERE list_position > 0)";
            if !is_recovered && transaction.row(has_list, (), |row| row.get::<bool>(0))? {
                return Ok(None);
            }
            let mut restored = Restored::default();
            let mut numbers = HashMap::new();
            for (table, rows) in &remembered.0 {
                let insert = format!("{} ON CONFLICT DO NOTHING", table.insertion(1));
                let deployment = table.columns().position(|name| name == "deployment");
                let mut count = 0;
                for mut row in rows.iter().cloned() {
                    if table.name == "deployment" {
                        count += add_deployment(transaction, &insert, row, &mut numbers)?;
                        continue;
                    }
                    if let Some(own) = deployment.and_then(|column| row.get_mut(column))
                        && let Value::Integer(id) = own
                    {
                        let Some(number) = numbers.get(id) else {
                            continue;
                        };
                        *own = Value::Integer(*number);
                    }
                    count += transaction.execute(&insert, row)?;
                }
                restored.0.insert(table.name, count);
            }
            for statement in JUDGE_AGAIN {
                transaction.execute(statement, ())?;
            }
            let has_more = restored.0.get("deployment") > Some(&0);
            Ok(has_more.then_some(restored))
        })
    }
}

/// Adds a deployment, unless it is there; returns how many, and notes its number there.
fn add_deployment(
    transaction: &Transaction<'_>,
    insert: &str,
    mut row: Vec<Value>,
    numbers: &mut HashMap<i64, i64>,
) -> Result<usize> {
    let (Some(Value::Integer(id)), Some(uuid)) = (row.first().cloned(), row.get(1).cloned()) else {
        return Ok(0);
    };
    let of_deployment = "SELECT id FROM deployment WHERE uuid = ?1";
    let number = || transaction.optional_row(of_deployment, [&uuid], |row| row.get(0));
    let mut count = 0;
    if number()?.is_none() {
        count = transaction.execute(insert, row.clone())?;
        if count == 0 {
            // Another deployment has its number.
            row[0] = Value::Null;
            count = transaction.execute(insert, row)?;
        }
    }
    numbers.extend(number()?.map(|number| (id, number)));
    Ok(count)
}
