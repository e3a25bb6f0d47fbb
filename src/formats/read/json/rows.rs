//! Rows that are arrays below the names of their columns.

use serde_json::Value;

use super::Reader;
use crate::formats::each_element;
use crate::formats::elements::message;
use crate::formats::read::delimited::unlike;
use crate::formats::read::fault::ReadError;

/// The members with the names of the columns of rows, by the indices of their paths.
const COLUMNS: [(usize, &str); 2] = [(3, "\"columnNames\""), (4, "\"columns\"")];

/// The names before the rows of a table; `None` if the array at the path with this index is
/// none, and no names where the text `around` has none.
pub(super) fn columns(place: usize, around: &[u8]) -> Option<Vec<String>> {
    let (_, member) = COLUMNS.iter().find(|(rows, _)| *rows == place)?;
    let before = String::from_utf8_lossy(around);
    let names = before.split_once(member).map(|(_, rest)| rest.trim_start());
    let names = names.and_then(|rest| names_of_columns(rest.strip_prefix(':')?));
    Some(names.unwrap_or_default())
}

impl Reader<'_> {
    /// Reads a record, a row of values, or a name of a column in a first line of these.
    pub(super) fn item(&mut self, number: u64, json: &str) -> Result<(), ReadError> {
        match json.as_bytes().first() {
            Some(b'[') => self.row(number, json),
            Some(b'"') if self.array == Some(0) && self.tracks.is_empty() => {
                self.columns.push(json.to_owned());
                Ok(())
            }
            _ => self.record(number, json, None),
        }
    }

    /// Reads a row of values below the names of columns, which are the first one where there are
    /// none before.
    fn row(&mut self, number: u64, json: &str) -> Result<(), ReadError> {
        if self.columns.is_empty() {
            self.columns = names_of_columns(json).unwrap_or_default();
            if self.columns.is_empty() {
                let why = "its values have no names: a row of them before it is expected";
                self.tracks
                    .fault(number, why.to_owned(), || json.to_owned());
            }
            return Ok(());
        }
        let (mut record, mut count) = (String::from("{"), 0);
        each_element(json, |value| {
            if let Some(name) = self.columns.get(count) {
                let comma = if count > 0 { "," } else { "" };
                record += &format!("{comma}{name}:{}", value.get());
            }
            count += 1;
        })
        .map_err(|error| self.no_json(&message(&error)))?;
        record.push('}');
        if count != self.columns.len() {
            let why = unlike(count, self.columns.len());
            self.tracks.fault(number, why, || json.to_owned());
            return Ok(());
        }
        self.record(number, &record, None)
    }
}

/// The names in the array at the start of a text, in JSON; `None` if it has other values.
fn names_of_columns(text: &str) -> Option<Vec<String>> {
    let mut arrays = serde_json::Deserializer::from_str(text).into_iter::<Vec<String>>();
    let names = arrays.next()?.ok()?;
    let names = names
        .into_iter()
        .map(|name| Value::String(name).to_string());
    Some(names.collect())
}
