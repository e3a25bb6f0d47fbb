//! The fields of all records of an answer, in columns made as they appear.

use std::collections::HashMap;

use super::FieldValue;
use super::column::FieldColumn;
use crate::text::{self, FreeNames};

/// The most fields that are stored.
pub(crate) const MOST_FIELDS: usize = 1024;

/// The longest value, and the longest name of a field, that is stored, bytes.
pub(crate) const LONGEST_VALUE: usize = 64 << 10;

/// The error for a record that has a field twice: it is unknown which value is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SecondValue;

/// The fields of all records of an answer. A row is a record; one without
/// fields takes no room.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldTable {
    /// In the order of first appearance.
    columns: Vec<FieldColumn>,
    /// The fields that are always stored.
    always: Vec<Box<str>>,
    indices: HashMap<Box<str>, usize>,
    /// The fields of the record that is being added, and how many columns there
    /// were before it.
    touched: Vec<usize>,
    known: usize,
    /// The index of the column that is expected next.
    next: usize,
    /// The number of values that were not stored: of fields beyond [`MOST_FIELDS`], or, as their
    /// names, beyond [`LONGEST_VALUE`].
    unstored: usize,
    /// The same before the record that is being added.
    known_unstored: usize,
}

impl FieldTable {
    /// A table with these columns and no row.
    pub(crate) fn with_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Self::default();
        for name in names {
            table.put(name);
        }
        table
    }

    /// The same table, which stores the fields with these names however many others there are:
    /// the limit of a user must not be ignored because its field comes late.
    #[must_use]
    pub(crate) fn keeping(mut self, always: &[String]) -> Self {
        self.always = always.iter().map(|name| name.as_str().into()).collect();
        self
    }

    /// `true` if the field with this name is always stored.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.always.iter().any(|always| **always == *name)
    }

    /// The columns, in the order of first appearance.
    pub(crate) fn columns(&self) -> &[FieldColumn] {
        &self.columns
    }

    /// The last row that has a value.
    pub(super) fn last_row(&self) -> Option<u32> {
        self.columns.iter().filter_map(FieldColumn::last_row).max()
    }

    /// The bytes of memory that the values take.
    pub(crate) fn bytes(&self) -> usize {
        self.columns.iter().map(FieldColumn::bytes).sum()
    }

    /// Begins the next record.
    pub(crate) fn begin(&mut self) {
        self.touched.clear();
        self.next = 0;
        self.known = self.columns.len();
        self.known_unstored = self.unstored;
    }

    /// Adds a field of the record begun, whose row is at or after that of the
    /// last one. A new field is stored if it `is_wanted` by its name.
    ///
    /// # Errors
    /// [`SecondValue`] if the record has the field already.
    pub(crate) fn add(
        &mut self,
        row: u32,
        name: &str,
        value: FieldValue<'_>,
        is_wanted: impl FnOnce(&str) -> bool,
    ) -> Result<(), SecondValue> {
        // Records mostly have the same fields in the same order.
        let expected = self.columns.get(self.next);
        let index = if expected.is_some_and(|column| column.name() == name) {
            self.next
        } else if let Some(index) = self.column(name, is_wanted) {
            index
        } else {
            return Ok(());
        };
        self.next = index + 1;
        let Some(column) = self.columns.get_mut(index) else {
            return Ok(());
        };
        if column.last_row() == Some(row) {
            return Err(SecondValue);
        }
        let length = match value {
            FieldValue::Digits(text) | FieldValue::Text(text) => text.len(),
            _ => 0,
        };
        if length > LONGEST_VALUE {
            self.unstored += 1;
            return Ok(());
        }
        column.push(row, value);
        self.touched.push(index);
        Ok(())
    }

    /// Adds a record after the last one, with the first value that each field has in
    /// the rows `from`.
    pub(super) fn append_merged(&mut self, row: u32, from: &[u32]) {
        for column in &mut self.columns {
            let first = from.iter().find(|row| column.value(**row).is_some());
            if let Some(first) = first {
                column.copy(*first, row);
            }
        }
    }

    /// Removes the record begun, which is invalid.
    pub(crate) fn undo(&mut self) {
        self.unstored = self.known_unstored;
        for index in self.touched.drain(..) {
            if let Some(column) = self.columns.get_mut(index) {
                column.pop();
            }
        }
        for gone in self.columns.drain(self.known.min(self.columns.len())..) {
            self.indices.remove(gone.name());
        }
    }

    /// Replaces the names and the texts for which `holds` is true by the result of `to`. If a
    /// new name is in use, it gets a number.
    pub(super) fn change(&mut self, holds: &impl Fn(&str) -> bool, to: &impl Fn(&str) -> String) {
        let columns = self.columns.iter_mut();
        for column in columns.filter(|column| holds(column.texts())) {
            column.remake(|changed, row, value| match value {
                FieldValue::Digits(text) | FieldValue::Text(text) if holds(text) => {
                    changed.push(row, FieldValue::Text(&to(text)));
                }
                value => changed.push(row, value),
            });
        }
        let named = self.columns.iter().enumerate();
        let changed: Vec<(usize, String)> = named
            .filter(|(_, column)| holds(column.name()))
            .map(|(index, column)| (index, to(column.name())))
            .collect();
        let mut names = FreeNames::default();
        for known in self.indices.keys() {
            names.take(known, " ");
        }
        for (index, name) in changed {
            let free = names.take(&name, " ");
            if let Some(column) = self.columns.get_mut(index) {
                self.indices.remove(column.name());
                column.rename(&free);
                self.indices.insert(free.into(), index);
            }
        }
    }

    /// Adds a column with the values of the one of this name under another name.
    pub(super) fn copy(&mut self, name: &str, other: &str) {
        let column = self
            .indices
            .get(name)
            .and_then(|index| self.columns.get(*index));
        if let Some(mut column) = column.cloned() {
            column.rename(other);
            self.indices.insert(other.into(), self.columns.len());
            self.columns.push(column);
        }
    }

    /// Reads texts as the numbers that they are.
    pub(crate) fn read_texts(&mut self, number: &impl Fn(&str) -> Option<f64>) {
        for column in &mut self.columns {
            column.remake(|read, row, value| {
                let number = match value {
                    FieldValue::Text(text) => number(text),
                    _ => None,
                };
                read.push(row, number.map_or(value, FieldValue::Number));
            });
        }
    }

    /// Counts the values that another table has not stored, too.
    pub(super) fn add_unstored(&mut self, other: &Self) {
        self.unstored += other.unstored;
    }

    /// A note for the user on the values that were not stored.
    pub(crate) fn note(&self) -> Option<String> {
        (self.unstored > 0).then(|| {
            format!(
                "{} not stored: beyond {MOST_FIELDS} fields, or with a text or a name longer than {}",
                text::counted(self.unstored, "value is", "values are"),
                text::bytes(LONGEST_VALUE as u64)
            )
        })
    }

    /// The index of a column, which is made if there is room and the field `is_wanted`.
    fn column(&mut self, name: &str, is_wanted: impl FnOnce(&str) -> bool) -> Option<usize> {
        if let Some(index) = self.indices.get(name) {
            return Some(*index);
        }
        if !is_wanted(name) {
            return None;
        }
        if name.len() > LONGEST_VALUE {
            self.unstored += 1;
            return None;
        }
        if self.columns.len() >= MOST_FIELDS && !self.keeps(name) {
            self.unstored += 1;
            return None;
        }
        Some(self.put(name))
    }

    /// The index of a column, which is made if there is none.
    fn put(&mut self, name: &str) -> usize {
        if let Some(index) = self.indices.get(name) {
            return *index;
        }
        let index = self.columns.len();
        self.columns.push(FieldColumn::new(name));
        self.indices.insert(name.into(), index);
        index
    }
}
