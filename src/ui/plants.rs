//! The ledger of plants: creates and deletes, with their outcomes.

use ratatui::buffer::Buffer;

use super::columns::{Fitted, column, flexible};
use super::connection::spinner;
use super::format;
use super::paint::{highlight_matches, put, set_row_style};
use super::summary::paragraph;
use super::theme::Theme;
use crate::app::Model;
use crate::app::keymap::Action;
use crate::app::layout::Area;
use crate::plant::ledger::{NO_SERVICE, Operation};

const STATE: usize = 0;
const ID: usize = 1;
const NAME: usize = 2;
const TAG: usize = 3;
const TIME: usize = 4;
const REQUEST: usize = 5;
const SERVICE: usize = 6;
const MESSAGE: usize = 7;

/// Draws the ledger, newest first.
pub(super) fn table(buffer: &mut Buffer, area: Area, rows: Area, model: &Model, theme: Theme) {
    let time = if model.shown_zone().is_some() {
        "time"
    } else {
        "time UTC"
    };
    let mut columns = [
        column("state", 10, false, 0),
        column("id", 12, true, 1),
        flexible("name", 14, 2),
        column("tag", 14, false, 3),
        column(time, 19, false, 4),
        column("request", 9, false, 6),
        column("service", 24, false, 5),
        column("message of the service", 30, false, 7),
    ];
    let fitted = Fitted::chosen(&mut columns, &model.columns.plants, area.width);
    fitted.heading(buffer, area, theme.heading(), None);
    fitted.zone_heading(buffer, area, (TIME, ""), model, theme.heading());
    let shown = model.plants.shown();
    if shown.is_empty() {
        let message = if model.plants.ledger.is_empty() {
            "No plant has been created or deleted from this computer yet."
        } else {
            "No plant matches the filter; Esc clears it."
        };
        let (_, beside) = rows.split_left(2);
        let line = paragraph(buffer, beside, 1, message, theme.text());
        let (create, delete) = (
            model.key_of(Action::NewPlant),
            model.key_of(Action::DeletePlant),
        );
        // While a search stands, the key of a new plant may go to its next match.
        let how = match model.search {
            None => format!("{create}: create one; {delete}: delete one by its identifier."),
            Some(_) => format!("Esc ends the search; {delete}: delete one by its identifier."),
        };
        paragraph(buffer, beside, line, &how, theme.dim());
    }
    let table = model.plants.table;
    for (line, (place, entry)) in (0u16..).zip(
        shown
            .into_iter()
            .enumerate()
            .skip(table.top)
            .take(usize::from(rows.height)),
    ) {
        let (mark, style) = theme.outcome(entry.outcome);
        let operation = match entry.operation {
            Operation::Create => "create",
            Operation::Delete => "delete",
        };
        let mut cell = |column: usize, content: &str, style| {
            fitted.cell(buffer, rows, line, column, content, style)
        };
        cell(STATE, &format!("{mark} {}", entry.word()), style);
        cell(ID, &entry.id, theme.text());
        cell(
            NAME,
            entry.name.as_deref().unwrap_or_default(),
            theme.text(),
        );
        cell(TAG, entry.tag.as_deref().unwrap_or_default(), theme.text());
        cell(TIME, &format::moment(model, entry.at.floor()), theme.dim());
        cell(REQUEST, operation, theme.dim());
        cell(
            SERVICE,
            entry.service.as_deref().unwrap_or(NO_SERVICE),
            theme.dim(),
        );
        cell(MESSAGE, entry.words.as_deref().unwrap_or_default(), style);
        if place == table.cursor {
            set_row_style(buffer, rows.at(0, line), theme.chosen());
        }
        if let Some(search) = &model.search {
            highlight_matches(buffer, rows.at(0, line), &search.text, theme.accent());
        }
    }
    if let Some(request) = model.plants.in_progress.first() {
        let operation = match request.operation {
            Operation::Create => "creating",
            Operation::Delete => "deleting",
        };
        let message = format!("{} {operation} {}", spinner(model, theme), request.id);
        put(
            buffer,
            area.at(0, area.height.saturating_sub(1)),
            &message,
            theme.accent(),
        );
    }
}
