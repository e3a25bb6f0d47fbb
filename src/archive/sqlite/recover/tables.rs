//! What is taken over of a damaged archive: each table, in the order in which
//! its rows can be put into a new one.

use rusqlite::types::Value;

use crate::alarm::Kind;
use crate::archive::fields::batch_hash;
use crate::track::Transmission;

/// A table with its columns, the first of which make it up in order, and
/// whether its rows may be taken over as they are.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static str,
    pub(super) order: &'static str,
    pub(super) is_sound: fn(&[Value]) -> bool,
    /// For columns that came later: how they are put into rows that are there.
    pub(super) update: Option<&'static str>,
}

pub(super) const TABLES: [Table; 18] = [
    Table {
        name: "deployment",
        columns: "id, uuid, label, platform, watched, added_at",
        order: "id",
        is_sound: |row| matches!(row, [_, Value::Text(uuid), ..] if uuid::Uuid::parse_str(uuid).is_ok()),
        update: None,
    },
    Table {
        name: "deployment",
        columns: "id, notes, max_age, circle",
        order: "id",
        is_sound: |_| true,
        update: Some("UPDATE deployment SET notes = ?2, max_age = ?3, circle = ?4 WHERE id = ?1"),
    },
    Table {
        name: "deployment",
        columns: "id, max_speed, valid_from, valid_until, state",
        order: "id",
        is_sound: |_| true,
        update: Some(
            "UPDATE deployment SET max_speed = ?2, valid_from = ?3, valid_until = ?4, state = ?5
             WHERE id = ?1",
        ),
    },
    Table {
        name: "deployment",
        columns: "id, field_limits, group_name",
        order: "id",
        is_sound: |_| true,
        update: Some("UPDATE deployment SET field_limits = ?2, group_name = ?3 WHERE id = ?1"),
    },
    Table {
        name: "fetch",
        columns: "id, deployment, at, status, bytes, new, late",
        order: "id",
        is_sound: |_| true,
        update: None,
    },
    Table {
        name: "fetch",
        columns: "id, fetches",
        order: "id",
        is_sound: |row| matches!(row, [_, Value::Integer(1..)]),
        update: Some("UPDATE fetch SET fetches = ?2 WHERE id = ?1"),
    },
    Table {
        name: "transmission",
        columns: "deployment, time, latitude, longitude, first_seen",
        order: "deployment, time, latitude, longitude",
        is_sound: is_a_transmission,
        update: None,
    },
    Table {
        name: "transmission",
        columns: "deployment, time, latitude, longitude, place, times",
        order: "deployment, time, latitude, longitude",
        is_sound: |row| {
            is_a_transmission(row) && !matches!(row, [.., Value::Integer(0), Value::Integer(1)])
        },
        update: Some(
            "UPDATE transmission SET place = ?5, times = ?6
             WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
        ),
    },
    Table {
        name: "field_batch",
        columns: "id, deployment, rows, hash, body",
        order: "id",
        is_sound: |row| matches!(row, [_, Value::Integer(_), _, Value::Integer(hash), Value::Blob(body)] if batch_hash(body) == *hash),
        update: None,
    },
    Table {
        name: "unsent",
        columns: "deployment, time, latitude, longitude, since",
        order: "deployment, time, latitude, longitude",
        is_sound: is_a_transmission,
        update: None,
    },
    Table {
        name: "overruled",
        columns: "deployment, time, latitude, longitude, flag",
        order: "deployment, time, latitude, longitude",
        is_sound: is_a_transmission,
        update: None,
    },
    Table {
        name: "ledger",
        columns: "sequence, at, operation, plant, name, tag, outcome, answered_name, answered_tag, words, process",
        order: "sequence",
        is_sound: |row| {
            matches!(
                row,
                [
                    Value::Integer(_),
                    Value::Real(_),
                    Value::Text(_),
                    Value::Text(_),
                    ..
                ]
            )
        },
        update: None,
    },
    Table {
        name: "ledger",
        columns: "sequence, service",
        order: "sequence",
        is_sound: |row| matches!(row, [Value::Integer(_), Value::Text(_)]),
        update: Some("UPDATE ledger SET service = ?2 WHERE sequence = ?1"),
    },
    Table {
        name: "ledger",
        columns: "sequence, run",
        order: "sequence",
        is_sound: |row| matches!(row, [Value::Integer(_), Value::Text(_)]),
        update: Some("UPDATE ledger SET run = ?2 WHERE sequence = ?1"),
    },
    Table {
        name: "alarm",
        columns: "id, kind, raised_at, seen_at, deployment, service, label, acknowledged_at, snoozed_until, cleared_at, fix_time, value, threshold, text, told_at, reminders, field",
        order: "id",
        is_sound: |row| {
            matches!(row, [Value::Text(id), Value::Text(kind), Value::Real(_), Value::Real(_), ..]
                if !id.is_empty() && kind.parse::<Kind>().is_ok())
        },
        update: None,
    },
    Table {
        name: "alarm_event",
        columns: "id, alarm, at, seen_at, event, to_tell, process, run, claimed_at",
        order: "id",
        is_sound: |row| {
            matches!(
                row,
                [
                    Value::Integer(_),
                    Value::Text(_),
                    Value::Real(_),
                    Value::Real(_),
                    Value::Text(_),
                    ..
                ]
            )
        },
        update: None,
    },
    Table {
        name: "alarm_event",
        columns: "id, failures, due",
        order: "id",
        is_sound: |row| matches!(row, [_, Value::Integer(0..), ..]),
        update: Some("UPDATE alarm_event SET failures = ?2, due = ?3 WHERE id = ?1"),
    },
    Table {
        name: "alarm_progress",
        columns: "deployment, kind, field, rule, until",
        order: "deployment, kind, field",
        is_sound: |row| {
            matches!(row, [Value::Integer(_), Value::Text(kind), Value::Text(_), Value::Text(_), Value::Real(_)]
                if kind.parse::<Kind>().is_ok())
        },
        update: None,
    },
];

/// Whether a row could have come from a service: what damage makes of numbers
/// seldom could.
fn is_a_transmission(row: &[Value]) -> bool {
    let number = |value: &Value| match value {
        Value::Real(number) => Some(*number),
        _ => None,
    };
    let [Value::Integer(_), time, latitude, longitude, ..] = row else {
        return false;
    };
    match (number(time), number(latitude), number(longitude)) {
        (Some(time), Some(latitude), Some(longitude)) => {
            Transmission::new(time, latitude, longitude).is_ok()
        }
        _ => false,
    }
}
