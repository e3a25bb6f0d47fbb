//! The plant log: creates and deletes, with their outcomes.

use ratatui::buffer::Buffer;

use crate::dashboard::format;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::model::Model;
use crate::dashboard::progress::spinner;
use crate::dashboard::tab::TabId;
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::table::{Cell, Column, Look, Table, Wider, chosen, explain};
use crate::plant::log::{Entry, Operation};

/// The columns of the log, in their usual order.
pub(crate) const COLUMNS: &[Column<Entry, Model>] = &[
    Column {
        name: "state",
        width: |_| 10,
        rank: 0,
        cell: |entry, look| {
            let (mark, style) = look.theme.outcome(entry.outcome());
            Cell::new(format!("{mark} {}", entry.word()), style)
        },
        ..Column::LEFT
    },
    Column {
        name: "id",
        width: |_| 12,
        rank: 10,
        cell: |entry, look| Cell::new(&entry.id, look.theme.text()),
        ..Column::RIGHT
    },
    Column {
        name: "name",
        width: |_| 14,
        wider: &[Wider::REST],
        is_text: true,
        rank: 20,
        cell: |entry, look| Cell::new(entry.name.as_deref().unwrap_or_default(), look.theme.text()),
        ..Column::LEFT
    },
    Column {
        name: "tag",
        width: |_| 14,
        rank: 30,
        cell: |entry, look| Cell::new(entry.tag.as_deref().unwrap_or_default(), look.theme.text()),
        ..Column::LEFT
    },
    Column {
        name: "time",
        title: Some(|look| format::time_title(look.model)),
        width: |_| 19,
        rank: 40,
        cell: |entry, look| {
            Cell::new(
                format::moment(look.model, entry.at.floor()),
                look.theme.dim(),
            )
        },
        ..Column::LEFT
    },
    Column {
        name: "request",
        width: |_| 9,
        rank: 60,
        cell: |entry, look| Cell::new(entry.operation.word(), look.theme.dim()),
        ..Column::LEFT
    },
    Column {
        name: "service",
        width: |_| 24,
        rank: 50,
        cell: |entry, look| Cell::new(&entry.address, look.theme.dim()),
        ..Column::LEFT
    },
    Column {
        name: "message",
        heading: Some("message of the service"),
        width: |_| 30,
        rank: 70,
        cell: |entry, look| {
            let (_, style) = look.theme.outcome(entry.outcome());
            Cell::new(said(entry), style)
        },
        ..Column::LEFT
    },
];

/// The meaning of a plant, for the title and for the empty log.
pub(crate) const RECORDS: &str = "records of the service's store";
pub(crate) const RECORDS_IN_FULL: &str =
    "records of the service's store that these requests create and delete";

/// What the service said, else the note of the log.
pub(crate) fn said(entry: &Entry) -> &str {
    let said = entry
        .reply
        .message
        .as_deref()
        .or(entry.reply.note.as_deref());
    said.unwrap_or_default()
}

/// Draws the log, newest first; returns the orders of its headings.
pub(crate) fn draw(
    buffer: &mut Buffer,
    area: Area,
    model: &Model,
    theme: Theme,
) -> Vec<(Area, Heading)> {
    let (heading, rows) = area.split_top(1);
    let state = model.plants.table;
    let shown = model.plants.shown();
    let visible = shown.iter().copied().skip(state.top);
    let table = Table {
        columns: chosen(COLUMNS, model.columns.of(TabId::Plants)),
        rows: visible.take(usize::from(rows.height)).collect(),
        cursor: state.cursor.checked_sub(state.top),
        sorted: None,
    };
    table
        .laid(&Look::new(model, theme, area.width).searched(model.searched()))
        .draw(buffer, area);
    if !model.has_plants() {
        let why =
            "Plants need the service: they are records of the one that driftline was made for.";
        explain(buffer, rows.split_left(1).1, &[(why, theme.text())]);
    } else if shown.is_empty() {
        let why = if model.plants.log.is_empty() {
            "No plant has been created or deleted from this computer yet."
        } else {
            "No plant matches the filter; Esc clears it."
        };
        let delete = model.key_of(Action::DeletePlant);
        // During a search, the key of a new plant may go to the next match.
        let first = match model.search {
            None => format!("{}: create one", model.key_of(Action::NewPlant)),
            Some(_) => "Esc ends the search".to_owned(),
        };
        let how = format!("{first}; {delete}: delete one by its identifier.");
        let what = format!("Plants are {RECORDS_IN_FULL}.");
        let lines = [
            (what.as_str(), theme.text()),
            (why, theme.text()),
            (how.as_str(), theme.dim()),
        ];
        explain(buffer, rows.split_left(1).1, &lines);
    }
    if let Some(request) = model.plants.in_progress.first() {
        let operation = match request.operation {
            Operation::Create => "creating",
            _ => "deleting",
        };
        let message = format!("{} {operation} {}", spinner(model.now, theme), request.id);
        let last = area.at(0, area.height.saturating_sub(1));
        put(buffer, last, &message, theme.text());
    }
    vec![(heading, Heading::Plants)]
}
