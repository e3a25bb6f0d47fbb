//! The fields of records as they are parsed: what is asked for, by the rules
//! that records have.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::text;
use crate::track::RecordFault;
use crate::track::field::{FieldRows, FieldTable, FieldValue, LONGEST_VALUE};

/// The fields of the records parsed so far.
#[derive(Debug, Default)]
pub(super) struct RecordFields {
    table: FieldTable,
    /// The row of the record begun.
    row: u32,
    /// The names that are kept; all where none are set.
    asked: Option<Vec<String>>,
}

impl RecordFields {
    /// Fields of which only these are kept: a service may send more than it is
    /// asked for.
    pub(super) fn asked(asked: Option<&[String]>) -> Self {
        Self {
            asked: asked.map(<[String]>::to_vec),
            ..Self::default()
        }
    }

    /// Begins the record that follows `records` usable ones.
    pub(super) fn begin(&mut self, records: usize) {
        self.row = u32::try_from(records).unwrap_or(u32::MAX);
        self.table.begin();
    }

    /// Takes the record begun back.
    pub(super) fn undo(&mut self) {
        self.table.undo();
    }

    /// Adds a field to the record begun.
    ///
    /// # Errors
    /// Where the record has it already.
    pub(super) fn add(&mut self, name: &str, value: FieldValue<'_>) -> Result<(), RecordFault> {
        let asked = self.asked.as_deref();
        let is_wanted = |name: &str| asked.is_none_or(|asked| asked.iter().any(|one| one == name));
        self.table
            .add(self.row, name, value, is_wanted)
            .map_err(|_| RecordFault::Other(format!("{} twice", text::excerpt(name, 40)).into()))
    }

    /// Adds a field with any JSON value to the record begun.
    ///
    /// # Errors
    /// As [`RecordFields::add`].
    pub(super) fn add_json(&mut self, name: &str, raw: &RawValue) -> Result<(), RecordFault> {
        let json = raw.get();
        let value = match json.as_bytes().first() {
            Some(b'n') => FieldValue::Null,
            Some(b't') => FieldValue::Truth(true),
            Some(b'f') => FieldValue::Truth(false),
            Some(b'"') => return self.add_string(name, json),
            Some(b'{' | b'[') => FieldValue::Text(json),
            _ => FieldValue::from_number(json),
        };
        self.add(name, value)
    }

    fn add_string(&mut self, name: &str, json: &str) -> Result<(), RecordFault> {
        // A longer string is cut while it downloads: its length alone is told.
        if json.len() > LONGEST_VALUE + 2 {
            return self.add(name, FieldValue::Text(json));
        }
        // A string with half a surrogate pair is no text: it is kept as it is.
        let text = serde_json::from_str::<String>(json).map_or(Cow::Borrowed(json), Cow::Owned);
        self.add(name, FieldValue::Text(&text))
    }

    /// The fields of all records.
    pub(super) fn finish(self) -> FieldRows {
        FieldRows::new(self.table)
    }
}
