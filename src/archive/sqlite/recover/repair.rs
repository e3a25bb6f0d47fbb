//! Values of a damaged row as they are copied: a value of the wrong type would make the new
//! archive unreadable.

use rusqlite::types::{Value, ValueRef};

use crate::alarm::Kind;
use crate::archive::fields::is_batch;
use crate::archive::ledger::{operation_of, outcome_of};
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

/// The value of a column, or a valid one instead.
pub(super) fn repaired(table: &str, column: &str, value: Value) -> Value {
    match (table, column, value) {
        ("deployment", "platform", Value::Text(name)) if name.parse::<Platform>().is_ok() => {
            Value::Text(name)
        }
        ("deployment", "platform", _) => Value::Text(Platform::default().name().to_owned()),
        ("deployment", "circle", Value::Text(typed)) if Inside::from_stored(&typed).is_some() => {
            Value::Text(typed)
        }
        ("deployment", "field_limits", Value::Text(typed))
            if field_limit::read(&typed).is_some() =>
        {
            Value::Text(typed)
        }
        ("deployment", "state", Value::Text(name)) if name.parse::<DeclaredState>().is_ok() => {
            Value::Text(name)
        }
        (
            "deployment",
            "max_age" | "max_speed" | "valid_from" | "valid_until",
            value @ (Value::Real(_) | Value::Integer(_)),
        ) => value,
        (
            "deployment",
            "circle" | "max_age" | "max_speed" | "valid_from" | "valid_until" | "state"
            | "field_limits",
            _,
        ) => Value::Null,
        ("ledger", "operation", Value::Text(name)) => Value::Text(operation_of(&name).to_string()),
        ("ledger", "outcome", value) => {
            let outcome = match &value {
                Value::Text(name) => outcome_of(name),
                _ => outcome_of(""),
            };
            Value::Text(outcome.to_string())
        }
        ("alarm" | "alarm_rule", "field", value) => match value {
            Value::Text(_) => value,
            _ => Value::Text(String::new()),
        },
        (
            _,
            "label" | "notes" | "name" | "tag" | "answered_name" | "answered_tag" | "words" | "run",
            value,
        ) => match value {
            Value::Text(_) => value,
            _ => Value::Null,
        },
        // The next response is requested without validators, from whichever service.
        ("fetch", "source" | "etag" | "modified" | "asked", _) => Value::Null,
        ("transmission" | "fetch", "times" | "fetches", value) => match value {
            Value::Integer(1..) => value,
            _ => Value::Integer(1),
        },
        (_, "watched" | "unkept" | "revision" | "edits" | "place" | "failures", value) => {
            match value {
                Value::Integer(0..) => value,
                _ => Value::Integer(0),
            }
        }
        (_, _, value) => value,
    }
}

/// `true` if a row is copied: its values that cannot be repaired are of the right types.
pub(super) fn is_sound(table: &str, row: &[Value]) -> bool {
    use Value::{Blob, Integer, Real, Text};
    let is_kind = |kind: &str| kind.parse::<Kind>().is_ok();
    match (table, row) {
        ("deployment", [_, Text(uuid), ..]) => uuid::Uuid::parse_str(uuid).is_ok(),
        ("deployment", _) => false,
        ("fetch", row) => matches!(row, [Integer(_), Integer(_), Real(_), Real(_), ..]),
        (
            "transmission" | "unsent" | "overruled",
            [Integer(_), Real(time), Real(latitude), Real(longitude), ..],
        ) => Transmission::new(*time, *latitude, *longitude).is_ok(),
        ("transmission" | "unsent" | "overruled", _) => false,
        ("field_batch", [_, Integer(_), _, Blob(body)]) => is_batch(body),
        ("field_batch", _) => false,
        ("ledger", row) => matches!(row, [Integer(_), Real(_), Text(_), Text(_), ..]),
        ("alarm", [Text(id), _, _, _, Text(kind), _, Real(_), Real(_), ..]) => {
            !id.is_empty() && is_kind(kind)
        }
        ("alarm", _) => false,
        ("alarm_event", row) => {
            matches!(row, [Integer(_), Text(_), Real(_), Real(_), Text(_), ..])
        }
        ("alarm_rule", [Integer(_), Text(kind), Text(_), Text(_), Text(_), Real(_)]) => {
            is_kind(kind)
        }
        ("alarm_rule", _) => false,
        _ => true,
    }
}
