//! Rows that are arrays below the names of their columns.

use serde_json::Value;

use super::Reader;
use crate::formats::each_element;
use crate::formats::elements::message;
use crate::formats::read::delimited::unlike;
use crate::formats::read::fault::ReadError;

impl Reader<'_> {
    /// Reads a record, or a row of values.
    pub(super) fn item(&mut self, number: u64, json: &str) -> Result<(), ReadError> {
        match json.as_bytes().first() {
            Some(b'[') => self.row(number, json),
            _ => self.record(number, json, None),
        }
    }

    /// Reads a row of values below the names of columns, which are the first one if there are
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
        let read = each_element(json, |value| {
            if let Some(name) = self.columns.get(count) {
                let comma = if count > 0 { "," } else { "" };
                record += &format!("{comma}{name}:{}", value.get());
            }
            count += 1;
        });
        record.push('}');
        let broken = read.map_err(|error| format!("it is no row: {}", message(&error)));
        let unlike = || unlike(count, self.columns.len());
        let is_unlike = count != self.columns.len();
        if let Some(why) = broken.err().or_else(|| is_unlike.then(unlike)) {
            self.tracks.fault(number, why, || json.to_owned());
            return Ok(());
        }
        self.record(number, &record, None)
    }
}

/// The names in an array, in JSON; `None` if it has other values, or none.
pub(super) fn names_of_columns(json: &str) -> Option<Vec<String>> {
    let written: Vec<String> = serde_json::from_str(json).ok()?;
    let names = written
        .into_iter()
        .map(|name| Value::String(name).to_string());
    Some(names.collect()).filter(|names: &Vec<String>| !names.is_empty())
}
