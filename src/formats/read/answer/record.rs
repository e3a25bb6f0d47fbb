//! A record of an answer, and its values.

use std::borrow::Cow;

use serde_json::Value;

use crate::formats::each_member;
use crate::formats::read::json::{Member as Cell, elements};
use crate::text;

/// A record: its members, and its JSON; of a row of cells there is none.
pub(super) struct Record<'a> {
    /// Its name, where records are the members of an object.
    pub(super) key: &'a str,
    pub(super) json: &'a str,
    pub(super) members: Vec<(Cow<'a, str>, Cell<'a>)>,
}

impl<'a> Record<'a> {
    /// A record without members.
    pub(super) fn new(json: &'a str) -> Self {
        let (key, members) = ("", Vec::new());
        Self { key, json, members }
    }

    /// The record that a JSON object is, or why it is none: which of two values is meant is
    /// not known.
    pub(super) fn of(json: &'a str) -> Result<Self, String> {
        let (mut record, mut twice) = (Self::new(json), None);
        let _ = each_member(json, |name, value| {
            if record.members.iter().any(|(known, _)| known == name) {
                twice = Some(format!("{} twice", text::excerpt(name, 40)));
            }
            let member = (Cow::Owned(name.to_owned()), Cell::of(value.get()));
            record.members.push(member);
        });
        twice.map_or(Ok(record), Err)
    }

    /// The value of a member, or at a pointer.
    pub(super) fn get(&self, path: &str) -> Option<Cell<'a>> {
        if path.starts_with('/') && !self.json.is_empty() {
            return pointed(self.json, path).map(Cell::of);
        }
        let mut members = self.members.iter();
        let (_, cell) = members.find(|(name, _)| name == path)?;
        Some(cell.clone())
    }
}

/// The JSON at a pointer (RFC 6901).
pub(super) fn pointed<'a>(json: &'a str, pointer: &str) -> Option<&'a str> {
    let mut here = json;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        here = match here.as_bytes().first()? {
            b'{' => {
                let mut found = None;
                each_member(here, |known, value| {
                    if known == name {
                        found = Some(value.get());
                    }
                })
                .ok()?;
                found?
            }
            b'[' => elements(here).ok()?.get(name.parse::<usize>().ok()?)?.get(),
            _ => return None,
        };
    }
    Some(here)
}

/// A value as text; null is empty.
pub(super) fn text_of(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Text(text) => text.trim().to_owned(),
        Cell::Number(number) => number.to_string(),
        Cell::Json("null") => String::new(),
        Cell::Json(json) => (*json).to_owned(),
    }
}

/// `true` if a value is that of a mapping.
pub(super) fn is_same(cell: &Cell<'_>, value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            cell.value().number() == number.as_f64() || text_of(cell) == number.to_string()
        }
        Value::String(text) => text_of(cell) == *text,
        Value::Bool(is) => text_of(cell) == is.to_string(),
        _ => false,
    }
}
