//! Rows of a deployment that an archive in memory takes over from the user's archive, which
//! cannot be written: what is not stored is judged as if it was.

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

impl Archive {
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
