//! The fields of a track's fixes: which row of the table belongs to which fix.

use std::collections::HashMap;
use std::sync::Arc;

use super::FieldValue;
use super::choice::FieldChoice;
use super::column::FieldColumn;
use super::table::FieldTable;
use crate::geo::Position;

/// The fields of records or fixes, which share their table. Clones are cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldRows {
    table: Arc<FieldTable>,
    /// The row of each fix; `None` if fix and row have the same number.
    rows: Option<Arc<Vec<u32>>>,
    /// The indices of the picked columns; `None` for all.
    picked: Option<Arc<Vec<usize>>>,
}

/// The row of a fix without fields.
const NO_ROW: u32 = u32::MAX;

impl FieldRows {
    /// The fields of records in the order of the rows.
    pub(crate) fn new(table: FieldTable) -> Self {
        Self {
            table: Arc::new(table),
            ..Self::default()
        }
    }

    /// Adds the fields of `count` more records, as an answer has them, after `first` ones.
    pub(crate) fn append(&mut self, more: &Self, first: usize, count: usize) {
        let table = Arc::make_mut(&mut self.table);
        table.add_unstored(&more.table);
        for record in 0..count {
            let Ok(row) = u32::try_from(first + record) else {
                return;
            };
            table.begin();
            for (name, value) in more.of_fix(record) {
                // A record has each field once.
                let _ = table.add(row, name, value, |_| true);
            }
        }
    }

    /// `true` if the field with this name is always stored.
    pub(crate) fn keeps(&self, name: &str) -> bool {
        self.table.keeps(name)
    }

    /// `true` if no record has a field.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.picked {
            None => self.table.columns().is_empty(),
            Some(picked) => picked.is_empty(),
        }
    }

    /// A note for the user on the values of the answer that were not stored.
    pub(crate) fn note(&self) -> Option<String> {
        self.table.note()
    }

    /// Replaces the names and the texts for which `holds` is true by the result of `to`.
    pub(crate) fn change(&mut self, holds: impl Fn(&str) -> bool, to: impl Fn(&str) -> String) {
        let is_concerned = |column: &FieldColumn| holds(column.name()) || holds(column.texts());
        if self.table.columns().iter().any(is_concerned) {
            Arc::make_mut(&mut self.table).change(&holds, &to);
        }
    }

    /// The columns, in the order of first appearance.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &FieldColumn> {
        let all = self.table.columns();
        let picked = self.picked.as_ref().map(|picked| picked.as_slice());
        let count = picked.map_or(all.len(), <[usize]>::len);
        (0..count).filter_map(move |at| match picked {
            None => all.get(at),
            Some(picked) => all.get(*picked.get(at)?),
        })
    }

    pub(crate) fn value<'a>(&self, column: &'a FieldColumn, fix: usize) -> Option<FieldValue<'a>> {
        column.value(self.row(fix)?)
    }

    /// The fields of a fix with their names, in the order of first appearance.
    pub(crate) fn of_fix(&self, fix: usize) -> impl Iterator<Item = (&str, FieldValue<'_>)> {
        self.columns()
            .filter_map(move |column| Some((column.name(), self.value(column, fix)?)))
    }

    /// `true` if a field has another value for one fix than for another; one that only one of them
    /// has does not differ.
    pub(crate) fn differ(&self, one: usize, other: usize) -> bool {
        self.columns().any(|column| {
            let values = self.value(column, one).zip(self.value(column, other));
            values.is_some_and(|(one, other)| one != other)
        })
    }

    /// The row of a fix in the columns; `None` if its record has no field.
    pub(crate) fn row(&self, fix: usize) -> Option<u32> {
        match &self.rows {
            None => u32::try_from(fix).ok(),
            Some(rows) => rows.get(fix).copied().filter(|row| *row != NO_ROW),
        }
    }

    /// Only the fields of these fixes, in this order.
    pub(crate) fn select(&self, fixes: impl IntoIterator<Item = usize>) -> Self {
        if self.is_empty() {
            return self.clone();
        }
        let rows = fixes.into_iter().map(|fix| self.row(fix).unwrap_or(NO_ROW));
        Self {
            rows: Some(Arc::new(rows.collect())),
            ..self.clone()
        }
    }

    /// As [`FieldRows::select`], with the columns alone that these fixes have values of, and
    /// without the one by which they are a part.
    pub(crate) fn part(&self, fixes: &[usize], without: &str) -> Self {
        let is_there = |column: &FieldColumn| {
            let mut values = fixes.iter().map(|fix| self.value(column, *fix));
            column.name() != without && values.any(|value| value.is_some())
        };
        let columns = self.table.columns().iter().enumerate();
        let picked = columns
            .filter(|(_, column)| is_there(column))
            .map(|(index, _)| index)
            .collect();
        Self {
            picked: Some(Arc::new(picked)),
            ..self.select(fixes.iter().copied())
        }
    }

    /// As [`FieldRows::select`]. `earlier` has earlier records of some of these fixes (the
    /// index in `fixes`, and the number of the record here), in the order in which they were
    /// sent: a field that the later record lacks has the value of the earlier record.
    pub(crate) fn select_merged(
        &self,
        fixes: Vec<usize>,
        mut earlier: Vec<(usize, usize)>,
    ) -> Self {
        let mut merged = self.select(fixes);
        let Some(rows) = merged.rows.as_mut().filter(|_| !earlier.is_empty()) else {
            return merged;
        };
        let rows = Arc::make_mut(rows);
        let is_row = |row: &u32| *row != NO_ROW;
        earlier.sort_by_key(|(index, _)| *index);
        // A record without fields has a row too, which must not be used for another.
        let beyond = |row: u32| row.saturating_add(1);
        let used = rows
            .iter()
            .copied()
            .filter(is_row)
            .chain(self.table.last_row())
            .chain(earlier.iter().filter_map(|(_, fix)| self.row(*fix)));
        let mut next = used.map(beyond).max().unwrap_or(0);
        for sent in earlier.chunk_by(|a, b| a.0 == b.0) {
            let Some(slot) = sent.first().and_then(|(index, _)| rows.get_mut(*index)) else {
                continue;
            };
            let before = sent.iter().rev().filter_map(|(_, fix)| self.row(*fix));
            let from: Vec<u32> = std::iter::once(*slot).chain(before).collect();
            let is_lacking = |column: &FieldColumn| {
                let has = |row: &u32| column.value(*row).is_some();
                !has(slot) && from.iter().any(has)
            };
            if self.table.columns().iter().any(is_lacking) {
                Arc::make_mut(&mut merged.table).append_merged(next, &from);
                *slot = next;
                next = beyond(next);
            }
        }
        merged
    }

    /// Adds a column with the values of the one of this name under another name.
    pub(crate) fn copy(&mut self, name: &str, other: &str) {
        Arc::make_mut(&mut self.table).copy(name, other);
    }

    /// Only the fields of a choice.
    pub(crate) fn pick(&self, choice: &FieldChoice) -> Self {
        let columns = self.table.columns().iter().enumerate();
        let picked = columns.filter(|(_, column)| choice.takes(column.name()));
        Self {
            picked: Some(Arc::new(picked.map(|(index, _)| index).collect())),
            ..self.clone()
        }
    }
}

impl PartialEq for FieldRows {
    /// `true` if both have the same columns with the same values.
    fn eq(&self, other: &Self) -> bool {
        let count = |rows: &Self| match &rows.rows {
            Some(rows) => rows.len(),
            None => rows.table.last_row().map_or(0, |row| row as usize + 1),
        };
        let names = self.columns().map(FieldColumn::name);
        names.eq(other.columns().map(FieldColumn::name))
            && (0..count(self).max(count(other))).all(|fix| self.of_fix(fix).eq(other.of_fix(fix)))
    }
}

/// The key of a stored transmission: time, latitude and longitude.
pub(crate) type FixKey = (u64, u64, u64);

/// The key of a transmission.
pub(crate) fn fix_key(time_stamp: f64, position: Position) -> FixKey {
    // Adding zero makes the two zeros the same key.
    let bits = |number: f64| (number + 0.0).to_bits();
    (
        bits(time_stamp),
        bits(position.latitude),
        bits(position.longitude),
    )
}

/// The fields of stored transmissions, found by time and position.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyedFields {
    table: Arc<FieldTable>,
    rows: HashMap<FixKey, u32>,
}

impl KeyedFields {
    /// The fields of transmissions with these keys, in the order of the rows.
    pub(crate) fn new(table: FieldTable, keys: impl IntoIterator<Item = FixKey>) -> Self {
        Self {
            table: Arc::new(table),
            rows: keys.into_iter().zip(0..).collect(),
        }
    }

    /// The names of the fields, in the order of first appearance.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.table.columns().iter().map(FieldColumn::name)
    }

    /// The fields of these transmissions, in this order.
    pub(crate) fn rows(&self, keys: impl Iterator<Item = FixKey>) -> FieldRows {
        if self.rows.is_empty() {
            return FieldRows::default();
        }
        let rows = keys.map(|key| self.rows.get(&key).copied().unwrap_or(NO_ROW));
        FieldRows {
            table: Arc::clone(&self.table),
            rows: Some(Arc::new(rows.collect())),
            picked: None,
        }
    }
}
