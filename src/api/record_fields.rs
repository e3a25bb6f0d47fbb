//! The fields of records as they are parsed: what is asked for, by the rules
//! that records have.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::text;
use crate::track::RecordFault;
use crate::track::field::{
    Decimal, FieldChoice, FieldPlace, FieldRows, FieldTable, FieldValue, LONGEST_VALUE, SecondValue,
};

/// The fields of the records parsed so far.
#[derive(Debug, Default)]
pub(super) struct RecordFields {
    table: FieldTable,
    /// The row of the record begun.
    row: u32,
    /// The fields that are kept; all where none are set.
    asked: Option<FieldChoice>,
}

impl RecordFields {
    /// Fields of which only these are kept: a service may send more than it is
    /// asked for.
    pub(super) fn asked(asked: Option<&FieldChoice>) -> Self {
        Self {
            asked: asked.cloned(),
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

    /// The field that is likely to be next, with its name as JSON has it.
    pub(super) fn expected(&self) -> Option<(FieldPlace, &str)> {
        self.table.expected()
    }

    /// The place of a field; none where it is not kept.
    pub(super) fn find(&mut self, name: &str) -> Option<FieldPlace> {
        let asked = self.asked.as_ref();
        self.table
            .find(name, |name| asked.is_none_or(|asked| asked.takes(name)))
    }

    /// Adds a value to the record begun.
    ///
    /// # Errors
    /// Where the record has the field already.
    pub(super) fn put(
        &mut self,
        place: FieldPlace,
        value: FieldValue<'_>,
    ) -> Result<(), SecondValue> {
        self.table.put(self.row, place, value)
    }

    /// Adds a number with few decimals as [`RecordFields::put`] does.
    ///
    /// # Errors
    /// As there.
    pub(super) fn put_decimal(
        &mut self,
        place: FieldPlace,
        decimal: Decimal,
    ) -> Result<(), SecondValue> {
        self.table.put_decimal(self.row, place, decimal)
    }

    /// Adds a field with any JSON value to the record begun.
    ///
    /// # Errors
    /// Where the record has it already.
    pub(super) fn add_json(&mut self, name: &str, raw: &RawValue) -> Result<(), RecordFault> {
        let Some(place) = self.find(name) else {
            return Ok(());
        };
        self.put_json(place, raw).map_err(|SecondValue| {
            RecordFault::Other(format!("{} twice", text::excerpt(name, 40)).into())
        })
    }

    /// Adds any JSON value as [`RecordFields::put`] does.
    ///
    /// # Errors
    /// As there.
    pub(super) fn put_json(
        &mut self,
        place: FieldPlace,
        raw: &RawValue,
    ) -> Result<(), SecondValue> {
        let json = raw.get();
        let value = match json.as_bytes().first() {
            Some(b'n') => FieldValue::Null,
            Some(b't') => FieldValue::Truth(true),
            Some(b'f') => FieldValue::Truth(false),
            Some(b'"') => return self.put_string(place, json),
            Some(b'{' | b'[') => FieldValue::Text(json),
            _ => FieldValue::from_number(json),
        };
        self.put(place, value)
    }

    fn put_string(&mut self, place: FieldPlace, json: &str) -> Result<(), SecondValue> {
        // A longer string is cut while it downloads: its length alone is told.
        if json.len() > LONGEST_VALUE + 2 {
            return self.put(place, FieldValue::Text(json));
        }
        // A string with half a surrogate pair is no text: it is kept as it is.
        let text = serde_json::from_str::<String>(json).map_or(Cow::Borrowed(json), Cow::Owned);
        self.put(place, FieldValue::Text(&text))
    }

    /// The fields of all records.
    pub(super) fn finish(self) -> FieldRows {
        FieldRows::new(self.table)
    }
}
