//! Damaged rows as they are copied: what the type of a column does not say of its values.

use rusqlite::types::{Value, ValueRef};

use crate::archive::fields::is_batch;
use crate::geo::Inside;
use crate::track::{DeclaredState, Platform, Transmission, field_limit};

/// A value as it was read, its text in UTF-8.
pub(super) fn value(read: ValueRef<'_>) -> Value {
    match read {
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// The value of a column; of an entry of the watch list the usual one, if it cannot be read.
pub(super) fn readable(table: &str, column: &str, value: Value) -> Value {
    let is_text = |read: fn(&str) -> bool| matches!(&value, Value::Text(text) if read(text));
    let is_read = match (table, column) {
        ("deployment", "platform") => is_text(|name| name.parse::<Platform>().is_ok()),
        ("deployment", "inside") => is_text(|typed| Inside::from_stored(typed).is_some()),
        ("deployment", "state") => is_text(|name| name.parse::<DeclaredState>().is_ok()),
        ("deployment", "field_limits") => is_text(|typed| field_limit::read(typed).is_some()),
        ("deployment", "max_age" | "max_speed" | "valid_from" | "valid_until") => {
            matches!(value, Value::Real(_))
        }
        _ => true,
    };
    match column {
        _ if is_read => value,
        "platform" => Value::Text(Platform::default().name().to_owned()),
        _ => Value::Null,
    }
}

/// `true` if a row is copied, if its values have the types of their columns.
pub(super) fn is_sound(table: &str, row: &[Value]) -> bool {
    use Value::{Blob, Real, Text};
    match (table, row) {
        ("deployment", [_, Text(uuid), ..]) => uuid::Uuid::parse_str(uuid).is_ok(),
        (
            "transmission" | "absent" | "override",
            [_, Real(time), Real(latitude), Real(longitude), ..],
        ) => Transmission::new(*time, *latitude, *longitude).is_ok(),
        ("field_batch", [.., Blob(body)]) => is_batch(body),
        _ => true,
    }
}
