//! Stored fields of transmissions, in packed batches of their own. A batch is
//! read only if fields are needed.

mod batch;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use uuid::Uuid;

use super::connection::Connection;
use super::rows::deployment_id;
use super::sql::{Result, params};
use super::{Archive, ArchiveError};
use crate::track::Records;
use crate::track::field::{
    FieldChoice, FieldColumn, FieldRows, FieldTable, FieldValue, FixKey, KeyedFields, MOST_FIELDS,
    fix_key,
};
use crate::track::quality::{MARKED_INVALID, is_of_quality};
use batch::{Batch, pack, unpack};

/// A batch with fewer records is written again together with later ones.
const SMALL: usize = 256;
/// Most records of a batch, and about the most bytes before it is packed.
const MOST_RECORDS: usize = 8192;
const MOST_BYTES: usize = 4 << 20;

/// The stored fields of a deployment, batch by batch. Of a record that is in
/// several batches, the later values count.
#[derive(Default)]
struct Stored {
    batches: Vec<Batch>,
    /// The row numbers of the batches in the archive.
    ids: Vec<i64>,
    /// All names, in the order of first appearance.
    names: Vec<String>,
    /// For each batch the column of each name.
    columns: Vec<Vec<Option<usize>>>,
    /// The batches and rows of each record, the latest batch last.
    rows: HashMap<FixKey, Vec<(usize, u32)>>,
    /// The records, in the order in which they were stored first.
    keys: Vec<FixKey>,
}

impl Stored {
    /// Reads all batches; `None` if they are not what was written.
    fn read(connection: &Connection, id: i64) -> Result<Option<Self>> {
        let mut stored = Some(Self::default());
        connection.each_row(
            "SELECT id, body FROM field_batch WHERE deployment = ?1 ORDER BY id",
            [id],
            |row| {
                let number = row.get(0)?;
                let body: Vec<u8> = row.get(1)?;
                match (unpack(&body), &mut stored) {
                    (Some(batch), Some(stored)) => stored.add(number, batch),
                    _ => stored = None,
                }
                Ok(())
            },
        )?;
        Ok(stored.map(Self::named))
    }

    fn add(&mut self, number: i64, batch: Batch) {
        let at = self.batches.len();
        for (row, key) in (0..).zip(&batch.keys) {
            let rows = self.rows.entry(*key).or_default();
            if rows.is_empty() {
                self.keys.push(*key);
            }
            rows.push((at, row));
        }
        self.ids.push(number);
        self.batches.push(batch);
    }

    /// The same with all names of its batches.
    fn named(mut self) -> Self {
        let mut known: HashMap<&str, usize> = HashMap::new();
        for batch in &self.batches {
            for column in batch.table.columns() {
                if !known.contains_key(column.name()) {
                    known.insert(column.name(), self.names.len());
                    self.names.push(column.name().to_owned());
                }
            }
        }
        let columns_of = |batch: &Batch| {
            let mut columns = vec![None; self.names.len()];
            for (index, column) in batch.table.columns().iter().enumerate() {
                let name = known.get(column.name()).copied();
                if let Some(slot) = name.and_then(|name| columns.get_mut(name)) {
                    *slot = Some(index);
                }
            }
            columns
        };
        let columns = self.batches.iter().map(columns_of).collect();
        self.columns = columns;
        self
    }

    /// The batches and rows of a record.
    fn rows(&self, key: &FixKey) -> &[(usize, u32)] {
        self.rows.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The value of a field of the record in these batches and rows, by the number
    /// of its name.
    fn value(&self, rows: &[(usize, u32)], name: usize) -> Option<FieldValue<'_>> {
        rows.iter().rev().find_map(|(at, row)| {
            let column = (*self.columns.get(*at)?.get(name)?)?;
            self.batches
                .get(*at)?
                .table
                .columns()
                .get(column)?
                .value(*row)
        })
    }

    /// All fields in one table.
    fn together(self) -> KeyedFields {
        let mut table = FieldTable::with_names(self.names.iter().map(String::as_str));
        for (row, key) in (0..).zip(&self.keys) {
            table.begin();
            let rows = self.rows(key);
            for (number, name) in self.names.iter().enumerate() {
                if let Some(value) = self.value(rows, number) {
                    // Each name occurs once.
                    let _ = table.add(row, name, value, |_| true);
                }
            }
        }
        KeyedFields::new(table, self.keys.iter().copied())
    }
}

/// The stored fields of records of a deployment; none if they are damaged.
pub(super) fn of_records(connection: &Connection, id: i64, records: &Records) -> Result<FieldRows> {
    let stored = Stored::read(connection, id)?.map(Stored::together);
    let keys = (records.transmissions.iter()).map(|fix| fix_key(fix.time_stamp, fix.position));
    Ok(stored.map_or_else(FieldRows::default, |stored| stored.rows(keys)))
}

/// The outcome of storing the fields of a response.
#[derive(Debug, Default)]
pub(super) struct StoredFields {
    /// The number of fields that are not stored for want of room.
    pub(super) unkept: usize,
    /// The records whose values differ from the stored values, or that had none.
    pub(super) changed: Vec<FixKey>,
    /// `true` if the answer lacks values of its records that are stored.
    pub(super) are_fewer: bool,
}

/// Stores the fields of a response to a request for the fields `asked`: of the records
/// whose stored values differ, or that have none. Stores nothing and returns `None` if the
/// stored fields are damaged.
pub(super) fn store(
    connection: &Connection,
    id: i64,
    records: &Records,
    asked: Option<&FieldChoice>,
) -> Result<Option<StoredFields>> {
    let fields = &records.fields;
    if fields.is_empty() {
        let stored = "SELECT EXISTS (SELECT 1 FROM field_batch WHERE deployment = ?1)";
        return Ok(Some(StoredFields {
            are_fewer: connection.row(stored, [id], |row| row.get(0))?,
            ..StoredFields::default()
        }));
    }
    let Some(mut stored) = Stored::read(connection, id)? else {
        return Ok(None);
    };
    let (sent, unkept) = sent_columns(&mut stored, fields);
    let Sent {
        latest,
        repeated,
        order,
    } = Sent::new(records);
    let found = |key: &FixKey| Found {
        rows: stored.rows(key),
        sent: latest.get(key).copied(),
    };
    let new_value = |found: &Found<'_>, number: usize| {
        let column = (*sent.get(number)?)?;
        std::iter::successors(found.sent, |index| repeated.get(index).copied())
            .find_map(|index| fields.value(column, index))
    };
    let differs = |key: &FixKey| {
        let found = found(key);
        (0..sent.len()).any(|number| {
            new_value(&found, number)
                .is_some_and(|new| stored.value(found.rows, number) != Some(new))
        })
    };
    let mut changed: Vec<FixKey> = order.into_iter().filter(|key| differs(key)).collect();
    let is_asked: Vec<bool> = (stored.names.iter())
        .map(|name| asked.is_none_or(|asked| asked.takes(name)) || name == MARKED_INVALID)
        .collect();
    let is_lacking = |key: &FixKey| {
        let found = found(key);
        let is_lacking = |number| {
            new_value(&found, number).is_none() && stored.value(found.rows, number).is_some()
        };
        let mut asked = (0..).zip(&is_asked).filter(|(_, is_asked)| **is_asked);
        asked.any(|(number, _)| is_lacking(number))
    };
    let stored_fields = StoredFields {
        unkept,
        are_fewer: latest.keys().any(is_lacking),
        changed: changed.clone(),
    };
    if changed.is_empty() {
        return Ok(Some(stored_fields));
    }
    let replaced = replaced(&stored, &mut changed);
    for number in replaced {
        connection.execute("DELETE FROM field_batch WHERE id = ?1", [number])?;
    }
    let value = |found: &Found<'_>, number: usize| {
        new_value(found, number).or_else(|| stored.value(found.rows, number))
    };
    let changed: Vec<(FixKey, Found<'_>)> =
        changed.into_iter().map(|key| (key, found(&key))).collect();
    let names: Vec<&str> = stored.names.iter().map(String::as_str).collect();
    write(connection, id, &names, &changed, value)?;
    Ok(Some(stored_fields))
}

/// The columns of a response in the order of the stored names, to which new ones are
/// added, and the number of fields that are not stored for want of room.
fn sent_columns<'a>(
    stored: &mut Stored,
    fields: &'a FieldRows,
) -> (Vec<Option<&'a FieldColumn>>, usize) {
    let mut numbers: HashMap<String, usize> = stored.names.iter().cloned().zip(0..).collect();
    let mut sent: Vec<Option<&FieldColumn>> = vec![None; stored.names.len()];
    let mut unkept = 0;
    for column in fields.columns() {
        let name = column.name();
        let is_full = stored.names.len() >= MOST_FIELDS && !fields.keeps(name);
        if is_full && !numbers.contains_key(name) {
            unkept += 1;
            continue;
        }
        let number = *numbers.entry(column.name().to_owned()).or_insert_with(|| {
            stored.names.push(column.name().to_owned());
            sent.push(None);
            sent.len() - 1
        });
        if let Some(slot) = sent.get_mut(number) {
            *slot = Some(column);
        }
    }
    (sent, unkept)
}

/// The records of a response, by their indices.
#[derive(Default)]
struct Sent {
    /// The last of each.
    latest: HashMap<FixKey, usize>,
    /// The previous record of each duplicate, which has the fields that the duplicate lacks.
    repeated: HashMap<usize, usize>,
    /// Each once, as sent.
    order: Vec<FixKey>,
}

impl Sent {
    fn new(records: &Records) -> Self {
        let mut sent = Self::default();
        for (index, fix) in records.transmissions.iter().enumerate() {
            let key = fix_key(fix.time_stamp, fix.position);
            match sent.latest.insert(key, index) {
                None => sent.order.push(key),
                Some(before) => {
                    sent.repeated.insert(index, before);
                }
            }
        }
        sent
    }
}

/// The numbers of the stored batches that are written again with the `changed` records, to
/// which their records are added, in the order of time.
fn replaced(stored: &Stored, changed: &mut Vec<FixKey>) -> Vec<i64> {
    let total: usize = stored.batches.iter().map(|batch| batch.keys.len()).sum();
    let mut replaced = Vec::new();
    if total + changed.len() > 3 * stored.keys.len().max(changed.len()) + MOST_RECORDS {
        // Values that change again and again do not fill the disk.
        replaced.clone_from(&stored.ids);
        changed.extend(&stored.keys);
    } else if let Some((number, last)) = stored.ids.last().zip(stored.batches.last())
        && last.keys.len() < SMALL
    {
        replaced.push(*number);
        changed.extend(&last.keys);
    }
    changed.sort_unstable_by(|a, b| {
        let time = |key: &FixKey| f64::from_bits(key.0);
        time(a).total_cmp(&time(b)).then(a.cmp(b))
    });
    changed.dedup();
    replaced
}

/// The values of a record: in stored batches, and in the response.
struct Found<'a> {
    rows: &'a [(usize, u32)],
    sent: Option<usize>,
}

/// Writes records in batches.
fn write<'a>(
    connection: &Connection,
    id: i64,
    names: &[&str],
    records: &[(FixKey, Found<'_>)],
    value: impl Fn(&Found<'_>, usize) -> Option<FieldValue<'a>>,
) -> Result<()> {
    let size = |found: &Found<'_>| -> usize {
        let of = |number| match value(found, number) {
            Some(FieldValue::Text(text) | FieldValue::Digits(text)) => text.len() + 8,
            Some(_) => 8,
            None => 1,
        };
        24 + (0..names.len()).map(of).sum::<usize>()
    };
    let mut rest = records;
    while !rest.is_empty() {
        let mut count = 0;
        let mut bytes = 0;
        while let Some((_, found)) = rest.get(count)
            && count < MOST_RECORDS
            && bytes < MOST_BYTES
        {
            bytes += size(found);
            count += 1;
        }
        let (batch, later) = rest.split_at(count);
        let keys: Vec<FixKey> = batch.iter().map(|(key, _)| *key).collect();
        let body = pack(names, &keys, |column, row| {
            value(&batch.get(row)?.1, column)
        })
        .map_err(|error| ArchiveError::Unwritable(error.to_string()))?;
        let rows = i64::try_from(count).unwrap_or(i64::MAX);
        connection.execute(
            "INSERT INTO field_batch (deployment, rows, body) VALUES (?1, ?2, ?3)",
            params![id, rows, body],
        )?;
        rest = later;
    }
    Ok(())
}

impl Archive {
    /// The stored fields of a deployment's transmissions.
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub(crate) fn fields(&self, uuid: Uuid) -> Result<KeyedFields> {
        // All batches are of the same state.
        self.reading(|archive| {
            let connection = &archive.connection;
            let Some(id) = deployment_id(connection, uuid)? else {
                return Ok(KeyedFields::default());
            };
            let stored = Stored::read(connection, id)?;
            let whole = stored.ok_or_else(|| connection.damaged(damage(uuid)))?;
            Ok(whole.together())
        })
    }

    /// `true` if fixes of a deployment may be flagged by stored fields. Each batch names all
    /// fields that were known when it was written: the last batch names every field.
    pub(super) fn has_fields_of_quality(&self, uuid: Uuid) -> Result<bool> {
        let select = "SELECT f.body FROM field_batch f JOIN deployment d ON d.id = f.deployment
             WHERE d.uuid = ?1 ORDER BY f.id DESC LIMIT 1";
        let body: Option<Vec<u8>> =
            (self.connection).optional_row(select, [uuid.to_string()], |row| row.get(0))?;
        Ok(body.and_then(|body| unpack(&body)).is_some_and(|batch| {
            let mut columns = batch.table.columns().iter();
            columns.any(|column| is_of_quality(column.name()))
        }))
    }
}

/// `true` if bytes are a batch of fields.
pub(super) fn is_batch(body: &[u8]) -> bool {
    unpack(body).is_some()
}

/// The reason of the error for damaged fields.
pub(super) fn damage(uuid: impl std::fmt::Display) -> String {
    format!("stored fields of {uuid} are damaged")
}
