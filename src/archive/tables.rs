//! The tables with what is stored, for all that goes through each of them.

/// A table, its columns, and those that make up its order.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static str,
    pub(super) order: &'static str,
}

/// All tables, in the order in which rows refer to those of others.
pub(super) const TABLES: [Table; 15] = [
    Table {
        name: "deployment",
        columns: "id, uuid, label, platform, watched, added_at, notes, max_age, circle, max_speed, valid_from, valid_until, state, field_limits, group_name, unkept, revision, edits",
        order: "id",
    },
    Table {
        name: "origin",
        columns: "uuid, service, id",
        order: "uuid",
    },
    Table {
        name: "fetch",
        columns: "id, deployment, began, at, status, bytes, new, late, source, etag, modified, fetches, asked",
        order: "id",
    },
    Table {
        name: "transmission",
        columns: "deployment, time, latitude, longitude, first_seen, place, times",
        order: "deployment, time, latitude, longitude",
    },
    Table {
        name: "unusable",
        columns: "deployment, place, reason, excerpt",
        order: "deployment, place",
    },
    Table {
        name: "invalid_time",
        columns: "deployment, body",
        order: "deployment",
    },
    Table {
        name: "overruled",
        columns: "deployment, time, latitude, longitude, flag",
        order: "deployment, time, latitude, longitude",
    },
    Table {
        name: "unsent",
        columns: "deployment, time, latitude, longitude, since",
        order: "deployment, time, latitude, longitude",
    },
    Table {
        name: "ledger",
        columns: "sequence, at, operation, plant, name, tag, outcome, answered_name, answered_tag, words, process, run, service",
        order: "sequence",
    },
    Table {
        name: "field_batch",
        columns: "id, deployment, rows, body",
        order: "id",
    },
    Table {
        name: "overview",
        columns: "deployment, basis, until, body",
        order: "deployment",
    },
    Table {
        name: "alarm",
        columns: "id, deployment, service, label, kind, field, raised_at, seen_at, acknowledged_at, snoozed_until, cleared_at, fix_time, value, threshold, text, told_at, reminders",
        order: "id",
    },
    Table {
        name: "alarm_event",
        columns: "id, alarm, at, seen_at, event, to_tell, process, run, claimed_at, due, failures",
        order: "id",
    },
    Table {
        name: "alarm_rule",
        columns: "deployment, kind, field, rule, basis, since",
        order: "deployment, kind, field",
    },
    Table {
        name: "unreached",
        columns: "service, deployment, at, state",
        order: "service, deployment",
    },
];
