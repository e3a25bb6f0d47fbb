//! The ledger of plants: what was asked of the service, and what came of it.

use ratatui::buffer::Buffer;

use super::columns::{Fitted, column, flexible, put, tint};
use super::format;
use super::frame::spinner;
use super::theme::Theme;
use crate::app::Model;
use crate::app::layout::Area;
use crate::plant::ledger::{NO_SERVICE, Operation};

const STATE: usize = 0;
const ID: usize = 1;
const NAME: usize = 2;
const TAG: usize = 3;
const TIME: usize = 4;
const ASKED: usize = 5;
const SERVICE: usize = 6;
const WORDS: usize = 7;

/// The ledger, newest first.
pub(super) fn table(buffer: &mut Buffer, area: Area, rows: Area, model: &Model, theme: Theme) {
    let time = if model.shown_zone().is_some() {
        "asked, local"
    } else {
        "asked, UTC"
    };
    let columns = [
        column("state", 10, false, 0),
        column("id", 12, true, 1),
        flexible("name", 14, 2),
        column("tag", 14, false, 3),
        column(time, 19, false, 4),
        column("asked for", 9, false, 6),
        column("service", 24, false, 5),
        column("the service's words", 30, false, 7),
    ];
    let fitted = Fitted::new(&columns, area.width);
    fitted.heading(buffer, area, theme.heading(), None);
    let shown = model.plants.shown();
    if shown.is_empty() {
        let words = if model.plants.ledger.is_empty() {
            "No plant has been created or deleted from here yet."
        } else {
            "No plant matches the filter; Esc clears it."
        };
        put(buffer, rows, 2, 1, words, theme.text());
        put(
            buffer,
            rows,
            2,
            2,
            "n creates one, D deletes one by its identifier.",
            theme.dim(),
        );
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
        let asked = match entry.operation {
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
        cell(ASKED, asked, theme.dim());
        cell(
            SERVICE,
            entry.service.as_deref().unwrap_or(NO_SERVICE),
            theme.dim(),
        );
        cell(WORDS, entry.words.as_deref().unwrap_or_default(), style);
        if place == table.cursor {
            tint(buffer, rows, line, theme.chosen());
        }
    }
    if let Some(request) = model.plants.in_progress.first() {
        let asked = match request.operation {
            Operation::Create => "creating",
            Operation::Delete => "deleting",
        };
        let words = format!("{} {asked} {}", spinner(model, theme), request.id);
        put(
            buffer,
            area,
            0,
            area.height.saturating_sub(1),
            &words,
            theme.accent(),
        );
    }
}
