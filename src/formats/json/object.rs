//! JSON objects of the columns' values, each made in one reused buffer: names need no
//! escaping, and an object is written at once. serde takes three times as long.

use std::io;

use serde::Serialize;

use crate::formats::columns::{Column, Row, Value, columns, rows};
use crate::formats::fields::{FieldsObject, ValueText};
use crate::text::json;
use crate::track::{Fix, Track};

/// The member that has the fields of the record.
const FIELDS: &str = "fields";

/// Writes an object member by member.
#[derive(Default)]
pub(in crate::formats) struct ObjectWriter {
    values: ValueText,
    object: Vec<u8>,
}

impl ObjectWriter {
    /// The object of the values of columns and of the fields of a record, which come last,
    /// without a line end.
    pub(in crate::formats) fn object<'v>(
        &mut self,
        members: impl Iterator<Item = (&'static str, Value<'v>)>,
        fields: Option<&FieldsObject<'_>>,
    ) -> io::Result<&[u8]> {
        self.object.clear();
        self.object.push(b'{');
        for (name, value) in members {
            self.member(name, &value)?;
        }
        if let Some(fields) = fields.filter(|fields| !fields.is_empty()) {
            self.name(FIELDS);
            self.json(fields)?;
            self.object.push(b',');
        }
        // There is a member at least.
        self.object.pop();
        self.object.push(b'}');
        Ok(&self.object)
    }

    fn member(&mut self, name: &str, value: &Value<'_>) -> io::Result<()> {
        self.name(name);
        match value {
            Value::Text(text) if text.is_empty() => self.object.extend_from_slice(b"\"\""),
            Value::Text(text) => self.json(text)?,
            Value::Time(_) => {
                self.object.push(b'"');
                self.object
                    .extend_from_slice(self.values.format(value).as_bytes());
                self.object.push(b'"');
            }
            Value::Number(number) if !number.is_finite() => {
                self.object.extend_from_slice(b"null");
            }
            Value::Missing => self.object.extend_from_slice(b"null"),
            other => self
                .object
                .extend_from_slice(self.values.format(other).as_bytes()),
        }
        self.object.push(b',');
        Ok(())
    }

    fn name(&mut self, name: &str) {
        self.object.push(b'"');
        self.object.extend_from_slice(name.as_bytes());
        self.object.extend_from_slice(b"\":");
    }

    fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        Ok(json::write(&mut self.object, value)?)
    }
}

/// Makes the objects of a track's fixes.
pub(in crate::formats) struct Objects<'a> {
    track: &'a Track,
    columns: Vec<&'static Column>,
    writer: ObjectWriter,
}

impl<'a> Objects<'a> {
    pub(in crate::formats) fn new(track: &'a Track) -> Self {
        Self {
            track,
            columns: columns(rows(track)),
            writer: ObjectWriter::default(),
        }
    }

    /// The object of a fix, without a line end.
    pub(in crate::formats) fn object(&mut self, fix: Fix) -> io::Result<&[u8]> {
        let row = Row::new(self.track, fix);
        let fields = FieldsObject {
            track: self.track,
            fix: fix.index,
            choice: None,
        };
        let columns = self.columns.iter();
        let members = columns.map(|column| (column.name, (column.value)(&row)));
        self.writer.object(members, Some(&fields))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value as Json;
    use serde_json::value::RawValue;

    use super::*;
    use crate::formats::tests::track;
    use crate::track::{Platform, TrackOptions};

    #[test]
    fn an_object_is_what_serde_makes_of_its_values() {
        let tracks = [
            track(&[
                (-2_147_483_647.793, -0.1, -179.999_999_999),
                (0.0, -0.0, 1e-7),
                (86_400.123_456_7, 1e-300, 180.0),
                (90_000.0, 76.382_598_876_953_12, 22.868_707_656_860_35),
                (90_001.0, 1.0, 22.868_707_656_860_35),
                (1.5e9, 5e-324, 0.1),
            ]),
            Track::new(
                &crate::testing::fields::ice_buoy(0.0, 30, 4),
                &TrackOptions::new(Platform::Generic, 2e9),
            ),
        ];
        for track in tracks {
            let mut made = Objects::new(&track);
            for row in rows(&track) {
                let object = made.object(row.fix).unwrap();
                let members: BTreeMap<&str, &RawValue> = serde_json::from_slice(object).unwrap();
                for column in columns(rows(&track)) {
                    let written = members[column.name].get();
                    let expected = match (column.value)(&row) {
                        // To the last bit, without an exponent or with one.
                        Value::Number(number) => {
                            let read: f64 = written.parse().unwrap();
                            assert_eq!(read.to_bits(), number.to_bits(), "{written}");
                            continue;
                        }
                        Value::Missing => Json::Null.to_string(),
                        Value::Time(time) => format!("\"{}\"", crate::track::time::rfc3339(time)),
                        Value::Flag(flag) => flag.code().to_string(),
                        Value::Truth(is) => is.to_string(),
                        Value::Text(text) => Json::from(text).to_string(),
                    };
                    assert_eq!(written, expected, "{}", column.name);
                }
                let fields = track.fields().of_fix(row.fix.index).count();
                assert_eq!(members.contains_key(FIELDS), fields > 0);
            }
        }
    }
}
