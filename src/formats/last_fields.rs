//! The fields of the last fix of a deployment, as the files have them: a track with all
//! its fields need not be held for them.

use std::borrow::Cow;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::fields::{Json, as_text};
use crate::text::json::JsonWriter;
use crate::track::Track;
use crate::track::field::{FieldChoice, FieldValue};

/// A field of a track with its value in the last fix.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LastField {
    name: String,
    /// Its value as JSON; none where the last fix does not have it.
    json: Option<String>,
    /// Its value in a cell; none for null.
    cell: Option<String>,
    /// `true` if the cell is a text of the instrument.
    is_text: bool,
}

/// The fields of the last included fix of a track.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LastFields(Vec<LastField>);

impl LastFields {
    /// The fields of a track that a choice takes; without a choice all.
    pub(crate) fn of(track: &Track, choice: Option<&FieldChoice>) -> Self {
        let Some(last) = track.latest() else {
            return Self::default();
        };
        let columns = track.fields().columns();
        let columns =
            columns.filter(|column| choice.is_none_or(|choice| choice.takes(column.name())));
        let fields = columns.map(|column| {
            let value = track.fields().value(column, last.index);
            LastField {
                name: column.name().to_owned(),
                json: value.and_then(json),
                cell: value.and_then(as_text).map(Cow::into_owned),
                is_text: matches!(value, Some(FieldValue::Text(_))),
            }
        });
        Self(fields.collect())
    }

    /// `true` if the last fix has none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|field| field.json.is_none())
    }

    /// The names of those that any fix has.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|field| field.name.as_str())
    }

    /// The cell of a field and whether it is a text of the instrument; empty where it
    /// has no value.
    pub(super) fn cell(&self, name: &str) -> (&str, bool) {
        let field = self.0.iter().find(|field| field.name == name);
        let cell = field.and_then(|field| Some((field.cell.as_deref()?, field.is_text)));
        cell.unwrap_or_default()
    }
}

impl Serialize for LastFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for field in &self.0 {
            if let Some(json) = &field.json {
                let value: &RawValue = serde_json::from_str(json).map_err(S::Error::custom)?;
                map.serialize_entry(&field.name, value)?;
            }
        }
        map.end()
    }
}

fn json(value: FieldValue<'_>) -> Option<String> {
    let mut json = Vec::new();
    serde_json::to_writer(JsonWriter::new(&mut json), &Json(value)).ok()?;
    String::from_utf8(json).ok()
}
