//! Many transmissions at once, by COPY and arrays.

use std::collections::HashMap;
use std::pin::pin;

use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::Connection;
use crate::archive::connection::{Bulk, Engine, Sent};
use crate::archive::rows::transmission;
use crate::archive::sql::{Result, Value};
use crate::track::Transmission;
use crate::track::field::{FixKey, fix_key};
use crate::watch::answer::Span;

fn key(fix: &Transmission) -> FixKey {
    fix_key(fix.time_stamp, fix.position)
}

/// Transmissions as columns.
#[derive(Default)]
struct Columns {
    times: Vec<f64>,
    latitudes: Vec<f64>,
    longitudes: Vec<f64>,
}

impl Columns {
    fn new<'a>(all: impl Iterator<Item = &'a Transmission>) -> Self {
        let mut columns = Self::default();
        for fix in all {
            columns.times.push(fix.time_stamp);
            columns.latitudes.push(fix.position.latitude);
            columns.longitudes.push(fix.position.longitude);
        }
        columns
    }

    fn parameters(&self) -> [(&(dyn ToSql + Sync), Type); 3] {
        [
            (&self.times, Type::FLOAT8_ARRAY),
            (&self.latitudes, Type::FLOAT8_ARRAY),
            (&self.longitudes, Type::FLOAT8_ARRAY),
        ]
    }
}

impl Bulk for Connection {
    fn reset_sequences(&self) -> Result<()> {
        for (table, column) in [
            ("deployment", "id"),
            ("plant_log", "sequence"),
            ("field_batch", "id"),
            ("alarm_event", "id"),
        ] {
            self.run(&format!(
                "SELECT setval(pg_get_serial_sequence('{table}', '{column}'),
                     (SELECT coalesce(max({column}), 0) + 1 FROM {table}), false)"
            ))?;
        }
        self.run(
            "SELECT setval('fetch_number', (SELECT coalesce(max(id), 0) + 1 FROM \"fetch\"), false)",
        )
    }

    fn insert_new(&self, id: i64, _ties: bool, sent: &[Sent<'_>]) -> Result<Vec<bool>> {
        let (Some(first), Some(last)) = (sent.first(), sent.last()) else {
            return Ok(Vec::new());
        };
        let stored = self.stored(id, first.fix.time_stamp, last.fix.time_stamp)?;
        let known: Vec<Option<&(i64, i64)>> =
            sent.iter().map(|sent| stored.get(&key(sent.fix))).collect();
        let pairs = || sent.iter().zip(&known);
        let new: Vec<&Sent<'_>> = pairs()
            .filter_map(|(sent, known)| known.is_none().then_some(sent))
            .collect();
        self.copy(id, &new)?;
        let moved: Vec<&Sent<'_>> = pairs()
            .filter(|(sent, known)| {
                known.is_some_and(|known| *known != (sent.index.into(), sent.times.into()))
            })
            .map(|(sent, _)| sent)
            .collect();
        if !moved.is_empty() {
            let columns = Columns::new(moved.iter().map(|sent| sent.fix));
            let indices: Vec<i64> = moved.iter().map(|sent| sent.index.into()).collect();
            let times: Vec<i64> = moved.iter().map(|sent| sent.times.into()).collect();
            let [a, b, c] = columns.parameters();
            let parameters = [
                (&id as &(dyn ToSql + Sync), Type::INT8),
                a,
                b,
                c,
                (&indices, Type::INT8_ARRAY),
                (&times, Type::INT8_ARRAY),
            ];
            self.wait(self.client.execute_typed(
                "UPDATE transmission t SET record_index = c.record_index, times = c.times
                 FROM unnest($2, $3, $4, $5, $6) c (time, latitude, longitude, record_index, times)
                 WHERE t.deployment = $1 AND t.time = c.time AND t.latitude = c.latitude
                 AND t.longitude = c.longitude",
                &parameters,
            ))?;
        }
        Ok(known.iter().map(Option::is_none).collect())
    }

    fn mark_absent(&self, id: i64, fetch: i64, sent: &[Sent<'_>], span: Span) -> Result<()> {
        let columns = Columns::new(sent.iter().map(|sent| sent.fix));
        let [a, b, c] = columns.parameters();
        let parameters = [(&id as &(dyn ToSql + Sync), Type::INT8), a, b, c];
        self.wait(self.client.execute_typed(
            "DELETE FROM absent t USING unnest($2, $3, $4) c (time, latitude, longitude)
             WHERE t.deployment = $1 AND t.time = c.time AND t.latitude = c.latitude
             AND t.longitude = c.longitude",
            &parameters,
        ))?;
        let [a, b, c, d] = parameters;
        let parameters = [
            a,
            b,
            c,
            d,
            (&fetch as &(dyn ToSql + Sync), Type::INT8),
            (&span.from, Type::FLOAT8),
            (&span.to, Type::FLOAT8),
        ];
        self.wait(self.client.execute_typed(
            "INSERT INTO absent SELECT t.deployment, t.time, t.latitude, t.longitude, $5
             FROM transmission t WHERE t.deployment = $1 AND t.time BETWEEN $6 AND $7
             AND NOT EXISTS (
                 SELECT 1 FROM unnest($2, $3, $4) c (time, latitude, longitude)
                 WHERE t.time = c.time AND t.latitude = c.latitude AND t.longitude = c.longitude)
             ON CONFLICT DO NOTHING",
            &parameters,
        ))?;
        Ok(())
    }
}

impl Connection {
    /// The stored transmissions of a deployment between two times, with the index and the
    /// count of each.
    fn stored(&self, id: i64, from: f64, until: f64) -> Result<HashMap<FixKey, (i64, i64)>> {
        let values = [Value::Integer(id), Value::Real(from), Value::Real(until)];
        let mut stored = HashMap::new();
        self.each_row(
            "SELECT time, latitude, longitude, record_index, times FROM transmission
             WHERE deployment = ?1 AND time >= ?2 AND time <= ?3",
            &values,
            &mut |row| {
                let fix = transmission(row)?;
                stored.insert(key(&fix), (row.get(3)?, row.get(4)?));
                Ok(())
            },
        )?;
        Ok(stored)
    }

    /// Writes new transmissions by a binary COPY.
    fn copy(&self, id: i64, new: &[&Sent<'_>]) -> Result<()> {
        const TYPES: [Type; 7] = [
            Type::INT8,
            Type::FLOAT8,
            Type::FLOAT8,
            Type::FLOAT8,
            Type::FLOAT8,
            Type::INT8,
            Type::INT8,
        ];
        if new.is_empty() {
            return Ok(());
        }
        self.wait(async {
            let into = "COPY transmission FROM STDIN (FORMAT binary)";
            let sink = self.client.copy_in(into).await?;
            let mut writer = pin!(BinaryCopyInWriter::new(sink, &TYPES));
            for Sent {
                fix,
                received,
                index,
                times,
            } in new
            {
                let position = fix.position;
                let index = i64::from(*index);
                let times = i64::from(*times);
                let row: [&(dyn ToSql + Sync); 7] = [
                    &id,
                    &fix.time_stamp,
                    &position.latitude,
                    &position.longitude,
                    received,
                    &index,
                    &times,
                ];
                writer.as_mut().write(&row).await?;
            }
            writer.finish().await
        })?;
        Ok(())
    }
}
