//! Rows of a deployment that an archive in memory takes over from the user's archive, which
//! cannot be written: what is not stored is judged as if it was. And its alarms, which that archive
//! takes back when it can be written.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::Archive;
use super::rows::{add_deployment, deployment_id};
use super::sql::{Result, Value, params};
use super::tables::{TABLES, Table};
use crate::track::Records;
use crate::watch::Answer;
use crate::watch::DeploymentId;

/// The tables whose rows are taken over as they are.
const AS_THEY_ARE: [&str; 3] = ["override", "alarm", "alarm_rule"];

/// The stored rows of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct TakenOver {
    added_at: f64,
    /// When its last response was received, UNIX seconds, and its records.
    records: Option<(f64, Records)>,
    rows: Vec<(&'static Table, Vec<Value>)>,
}

/// An alarm of an archive in memory with its events, as their rows.
#[derive(Debug, Clone)]
pub(crate) struct HeldAlarm {
    alarm: Vec<Value>,
    events: Vec<Vec<Value>>,
}

/// The columns of an event that the archive takes back.
const EVENT: &str = "alarm, at, seen_at, event, to_notify, due, failures, message";

impl Archive {
    /// The alarms of a deployment with their events.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn held_alarms(&self, uuid: Uuid) -> Result<Vec<HeldAlarm>> {
        let all = TABLES.iter().find(|table| table.name == "alarm");
        let columns = all.map_or_else(String::new, Table::column_list);
        let of_deployment = format!(
            "SELECT {columns} FROM alarm
             WHERE deployment = (SELECT id FROM deployment WHERE uuid = ?1) ORDER BY raised_at"
        );
        let alarms =
            (self.connection).rows(&of_deployment, [uuid.to_string()], |row| Ok(row.0.clone()))?;
        let events = format!("SELECT {EVENT} FROM alarm_event WHERE alarm = ?1 ORDER BY id");
        let with_events = alarms.into_iter().map(|alarm| {
            let id = alarm.first().cloned().unwrap_or(Value::Null);
            let events = self
                .connection
                .rows(&events, [id], |row| Ok(row.0.clone()))?;
            Ok(HeldAlarm { alarm, events })
        });
        with_events.collect()
    }

    /// Takes back the alarms of a deployment that were raised or ended in memory, with what is still
    /// to be notified of them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn take_back(&mut self, uuid: Uuid, held: &[HeldAlarm]) -> Result<()> {
        let Some(table) = TABLES.iter().find(|table| table.name == "alarm") else {
            return Ok(());
        };
        self.writing_of(Some(&uuid), |transaction| {
            let Some(deployment) = deployment_id(transaction, uuid)? else {
                return Ok(());
            };
            for HeldAlarm { alarm, events } in held {
                let row: HashMap<&str, Value> = table.columns().zip(alarm.clone()).collect();
                let value = |name: &str| row.get(name).cloned().unwrap_or(Value::Null);
                let [id, cleared_at] = ["id", "cleared_at"].map(value);
                let known = "SELECT cleared_at IS NULL FROM alarm WHERE id = ?1";
                let is_active: Option<bool> =
                    transaction.optional_row(known, [id.clone()], |row| row.get(0))?;
                let is_news = match is_active {
                    Some(is_active) => is_active && cleared_at != Value::Null,
                    // The same silence or limit, that another program has found.
                    None if cleared_at == Value::Null => transaction.row(
                        "SELECT NOT EXISTS (SELECT 1 FROM alarm WHERE deployment = ?1
                             AND kind = ?2 AND field = ?3 AND cleared_at IS NULL)",
                        params![deployment, value("kind"), value("field")],
                        |row| row.get(0),
                    )?,
                    None => true,
                };
                if !is_news {
                    continue;
                }
                if is_active.is_some() {
                    let end = "UPDATE alarm SET cleared_at = ?2, ended = ?3 WHERE id = ?1";
                    transaction.execute(end, params![id, cleared_at, value("ended")])?;
                } else {
                    let own = table.columns().map(|name| match name {
                        "deployment" => Value::Integer(deployment),
                        _ => value(name),
                    });
                    transaction.execute(&table.insertion(1), own.collect::<Vec<_>>())?;
                }
                let insert = format!(
                    "INSERT INTO alarm_event ({EVENT}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
                );
                for event in events {
                    transaction.execute(&insert, event.clone())?;
                }
            }
            Ok(())
        })
    }

    /// The stored rows of a deployment; `None` if it is not known.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn to_take_over(&self, uuid: Uuid) -> Result<Option<TakenOver>> {
        self.reading(|archive| {
            let Some(id) = deployment_id(&archive.connection, uuid)? else {
                return Ok(None);
            };
            let stored = archive.stored_with_fields(uuid)?;
            let mut rows = Vec::new();
            for table in TABLES.iter().filter(|it| AS_THEY_ARE.contains(&it.name)) {
                let own = format!(
                    "SELECT {} FROM {} WHERE deployment = ?1",
                    table.column_list(),
                    table.name
                );
                // Without a table that is lost the fixes are judged all the same.
                let _ = archive.connection.each_row(&own, [id], |row| {
                    rows.push((table, row.0.clone()));
                    Ok(())
                });
            }
            Ok(Some(TakenOver {
                added_at: archive.added_at(uuid)?.unwrap_or_default(),
                records: stored.map(|stored| (stored.fetched_at, stored.records)),
                rows,
            }))
        })
    }

    /// Takes over what another archive has of a deployment of the service `source`.
    ///
    /// # Errors
    /// When memory runs out.
    pub(crate) fn take_over(
        &mut self,
        deployment: &DeploymentId,
        stored: TakenOver,
        source: &str,
    ) -> Result<()> {
        let uuid = deployment.uuid;
        let last = stored.records.as_ref();
        let fixes = last.map(|(_, records)| records.transmissions.iter());
        let times = fixes.into_iter().flatten().map(|fix| fix.time_stamp);
        let until = times.filter(|time| last.is_none_or(|(at, _)| time <= at));
        if let Some(until) = until.max_by(f64::total_cmp) {
            self.taken_over.insert(uuid, until);
        }
        if let Some((at, records)) = stored.records {
            let answer = Answer {
                records: Arc::new(records),
                ..Answer::new(200, source, at)
            };
            self.ingest_with(deployment, &answer, None)?;
        }
        self.writing_of(Some(&uuid), |transaction| {
            let id = add_deployment(transaction, deployment, stored.added_at)?;
            let added = "UPDATE deployment SET added_at = ?2 WHERE id = ?1";
            transaction.execute(added, params![id, stored.added_at])?;
            for (table, mut values) in stored.rows {
                if let Some(column) = table.columns().position(|name| name == "deployment")
                    && let Some(value) = values.get_mut(column)
                {
                    *value = Value::Integer(id);
                }
                let insert = format!("{} ON CONFLICT DO NOTHING", table.insertion(1));
                transaction.execute(&insert, values)?;
            }
            Ok(())
        })
    }
}
