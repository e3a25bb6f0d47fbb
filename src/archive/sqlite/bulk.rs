//! Many transmissions at once.

use rusqlite::params;

use super::Connection;
use crate::archive::connection::{Bulk, Sent};
use crate::archive::sql::Result;
use crate::watch::answer::Span;

/// The SQL condition that a row of `came` is that of a transmission.
const SAME: &str = "c.time = t.time AND c.latitude = t.latitude AND c.longitude = t.longitude";

impl Bulk for Connection {
    fn insert_new(&self, id: i64, ties: bool, sent: &[Sent<'_>]) -> Result<Vec<bool>> {
        let insert_new = || -> rusqlite::Result<Vec<bool>> {
            let mut insert = self.inner.prepare_cached(
                "INSERT OR IGNORE INTO transmission VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            let mut again = self.inner.prepare_cached(
                "UPDATE transmission SET record_index = ?5, times = ?6
                 WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
            )?;
            let mut is_new = Vec::with_capacity(sent.len());
            for Sent {
                fix,
                received,
                index,
                times,
            } in sent
            {
                let time = fix.time_stamp;
                let position = fix.position;
                let latitude = position.latitude;
                let longitude = position.longitude;
                let new = insert.execute(params![
                    id, time, latitude, longitude, received, index, times
                ])?;
                if new == 0 && (ties || *index != 0 || *times != 1) {
                    again.execute(params![id, time, latitude, longitude, index, times])?;
                }
                is_new.push(new > 0);
            }
            Ok(is_new)
        };
        insert_new().map_err(|error| self.error(error))
    }

    fn mark_absent(&self, id: i64, fetch: i64, sent: &[Sent<'_>], span: Span) -> Result<()> {
        let mark_absent = || -> rusqlite::Result<()> {
            self.inner.execute_batch(
                "CREATE TEMP TABLE IF NOT EXISTS came (time REAL, latitude REAL, longitude REAL,
                     PRIMARY KEY (time, latitude, longitude)) WITHOUT ROWID;
                 DELETE FROM came;",
            )?;
            {
                let mut insert = self
                    .inner
                    .prepare_cached("INSERT OR IGNORE INTO came VALUES (?1, ?2, ?3)")?;
                for Sent { fix, .. } in sent {
                    let position = fix.position;
                    insert.execute(params![
                        fix.time_stamp,
                        position.latitude,
                        position.longitude
                    ])?;
                }
            }
            self.inner.execute(
                &format!(
                    "DELETE FROM absent AS t
                     WHERE deployment = ?1 AND EXISTS (SELECT 1 FROM came c WHERE {SAME})"
                ),
                [id],
            )?;
            self.inner.execute(
                &format!(
                    "INSERT OR IGNORE INTO absent SELECT deployment, time, latitude, longitude, ?2
                     FROM transmission t WHERE deployment = ?1 AND time >= ?3 AND time <= ?4
                     AND NOT EXISTS (SELECT 1 FROM came c WHERE {SAME})"
                ),
                params![id, fetch, span.from, span.to],
            )?;
            self.inner.execute_batch("DELETE FROM came")
        };
        mark_absent().map_err(|error| self.error(error))
    }
}
