//! A record of an answer, and its values.

use std::borrow::Cow;

use serde_json::Value;

use crate::formats::elements::message;
use crate::formats::read::json::Member as Cell;
use crate::formats::{each_element, each_member, json_kind};
use crate::text;
use crate::track::RecordFault;

/// Most members of a record that are held: a few bytes of JSON may have one.
const MOST_MEMBERS: usize = 65_536;

/// A record: its members, and its JSON; of a row of cells there is none.
pub(super) struct Record<'a> {
    /// Its name, where records are the members of an object.
    pub(super) key: &'a str,
    pub(super) json: &'a str,
    pub(super) members: Vec<(Cow<'a, str>, Cell<'a>)>,
    /// Why it cannot be used, whatever its values are.
    pub(super) fault: Option<RecordFault>,
}

impl<'a> Record<'a> {
    /// A record without members.
    pub(super) fn new(json: &'a str) -> Self {
        Self {
            key: "",
            json,
            members: Vec::new(),
            fault: None,
        }
    }

    /// The records that cannot be used for this reason.
    pub(super) fn unusable(why: String) -> Self {
        Self {
            fault: Some(RecordFault::Other(why.into())),
            ..Self::new("")
        }
    }

    /// The record that a JSON object is.
    pub(super) fn from_json(json: &'a str) -> Self {
        let mut record = Self::new(json);
        if !json.starts_with('{') {
            record.fault = Some(RecordFault::NotRecord(json_kind(json)));
            return record;
        }
        let mut has_more = false;
        let read = each_member(json, |name, value| {
            has_more = record.members.len() == MOST_MEMBERS;
            if !has_more {
                let member = (Cow::Owned(name.to_owned()), Cell::new(value.get()));
                record.members.push(member);
            }
        });
        let too_many = || format!("more than {} members", text::count(MOST_MEMBERS));
        let why = read
            .err()
            .map(|error| text::excerpt(&message(&error), 120))
            .or_else(|| has_more.then(too_many));
        record.fault = why.map(|why| RecordFault::Other(why.into()));
        record
    }

    /// The fault of a record that has a member on one of these paths twice.
    pub(super) fn twice(&self, paths: &[String]) -> Option<RecordFault> {
        let names = self.members.iter().map(|(name, _)| name);
        let is_read = |name: &&Cow<'_, str>| paths.iter().any(|path| goes_through(path, name));
        let mut known = Vec::new();
        let twice = names.filter(is_read).find(|name| {
            let is_known = known.contains(name);
            known.push(name);
            is_known
        });
        twice.map(|name| RecordFault::twice(name))
    }

    /// The value of a member, or at a pointer.
    pub(super) fn get(&self, path: &str) -> Option<Cell<'a>> {
        if path.starts_with('/') && !self.json.is_empty() {
            return pointed(self.json, path).map(Cell::new);
        }
        let mut members = self.members.iter();
        let (_, cell) = members.find(|(name, _)| name == path)?;
        Some(cell.clone())
    }
}

/// The JSON at a pointer (RFC 6901).
pub(super) fn pointed<'a>(json: &'a str, pointer: &str) -> Option<&'a str> {
    let mut here = json;
    for name in parts(pointer) {
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
            b'[' => {
                let index: usize = name.parse().ok()?;
                let (mut count, mut found) = (0, None);
                each_element(here, |element| {
                    if count == index {
                        found = Some(element.get());
                    }
                    count += 1;
                })
                .ok()?;
                found?
            }
            _ => return None,
        };
    }
    Some(here)
}

/// `true` if the value at a path is that of the member with this name, or within it.
pub(super) fn goes_through(path: &str, name: &str) -> bool {
    let mut parts = parts(path);
    path == name || path.starts_with('/') && parts.next().is_some_and(|first| first == name)
}

/// The names on the way of a pointer.
fn parts(pointer: &str) -> impl Iterator<Item = String> {
    let parts = pointer.split('/').skip(1);
    parts.map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// A value as text; null is empty.
pub(super) fn cell_text(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Text(text) => text.trim().to_owned(),
        Cell::Json("null") => String::new(),
        Cell::Json(json) => (*json).to_owned(),
    }
}

/// `true` if a value is that of a mapping.
pub(super) fn is_same(cell: &Cell<'_>, value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            cell.value().number() == number.as_f64() || cell_text(cell) == number.to_string()
        }
        Value::String(text) => cell_text(cell) == *text,
        Value::Bool(is) => cell_text(cell) == is.to_string(),
        _ => false,
    }
}
