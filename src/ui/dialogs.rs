//! Draws the dialogs over the panes.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Position as Cell;
use ratatui::widgets::{Block, BorderType, Borders, Clear, Widget};

use super::columns::{put, rect, tint};
use super::frame::{footer, spinner};
use super::theme::Theme;
use super::wrap::wrap;
use crate::app::Model;
use crate::app::layout::Area;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::export::ExportForm;
use crate::app::state::dialog::field::Field;
use crate::app::state::dialog::menu::{Help, Palette};
use crate::app::state::dialog::plant::{DeletePlant, PlantForm, QuitDialog};
use crate::app::state::dialog::prompt::{Prompt, Purpose};
use crate::app::state::dialog::token::TokenForm;
use crate::text;

/// Draws the dialog on top; those below it are hidden.
pub(super) fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme) {
    let Some(dialog) = model.dialogs.last() else {
        return;
    };
    let screen = frame.area();
    let screen = Area::new(0, 0, screen.width, screen.height);
    if let Dialog::Prompt(prompt) = dialog
        && prompt.purpose == Purpose::Filter
    {
        // The filter is on the footer's line, so that the rows stay visible.
        let line = screen.split_bottom(1).1;
        Clear.render(rect(line), frame.buffer_mut());
        let (line, keys) = line.split_left(line.width.saturating_sub(24));
        footer(frame.buffer_mut(), keys, model, theme);
        let x = put(frame.buffer_mut(), line, 0, 0, "/", theme.accent());
        let cursor = field(frame.buffer_mut(), line, x, 0, &prompt.field, theme);
        frame.set_cursor_position(cursor);
        return;
    }
    let rows = u16::try_from(model.dialog_rows()).unwrap_or(24);
    let (width, height) = match dialog {
        Dialog::Help(_) | Dialog::Palette(_) => (64, rows + 3),
        Dialog::PlantForm(_) => (58, 11),
        Dialog::DeletePlant(_) => (58, 8),
        Dialog::Token(_) => (58, 10),
        Dialog::Prompt(prompt) if prompt.purpose.deployment().is_some() => (58, 8),
        Dialog::Prompt(_) => (58, 6),
        Dialog::Export(_) => (64, 10),
        Dialog::Quit(_) => (58, 7),
    };
    let area = screen.centred(width, height);
    let buffer = frame.buffer_mut();
    Clear.render(rect(area), buffer);
    let block = Block::new()
        .borders(Borders::ALL)
        .border_type(if theme.can.unicode {
            BorderType::Rounded
        } else {
            BorderType::Plain
        })
        .border_style(theme.accent())
        .title(format!(" {} ", dialog.title()));
    let inner = block.inner(rect(area));
    if theme.can.unicode {
        block.render(rect(area), buffer);
    } else {
        block.border_set(ASCII_BORDER).render(rect(area), buffer);
    }
    let inner = Area::new(
        inner.x + 1,
        inner.y,
        inner.width.saturating_sub(2),
        inner.height,
    );
    let cursor = match dialog {
        Dialog::Help(help) => Some(keys(buffer, inner, help, theme)),
        Dialog::Palette(palette) => Some(commands(buffer, inner, palette, theme)),
        Dialog::PlantForm(form) => plant_form(buffer, inner, form, model, theme),
        Dialog::DeletePlant(question) => delete_plant(buffer, inner, question, theme),
        Dialog::Token(form) => token(buffer, inner, form, model, theme),
        Dialog::Prompt(prompt) => Some(one_line(buffer, inner, prompt, model, theme)),
        Dialog::Export(form) => export(buffer, inner, form, model, theme),
        Dialog::Quit(leave) => leaving(buffer, inner, *leave, model, theme),
    };
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

const ASCII_BORDER: ratatui::symbols::border::Set<'static> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// Draws a field's text from column `x`, scrolled so that the cursor is
/// visible; returns the cursor's cell.
pub(super) fn field(
    buffer: &mut Buffer,
    area: Area,
    x: u16,
    line: u16,
    field: &Field,
    theme: Theme,
) -> Cell {
    let room = usize::from(area.width.saturating_sub(x + 1)).max(1);
    let before: String = field.text().chars().take(field.cursor()).collect();
    let before = text::clean(&before).into_owned();
    let cleaned = text::clean(field.text()).into_owned();
    // Characters are dropped from the left until the cursor fits.
    let mut skip = 0;
    let mut seen = before.as_str();
    while text::width(seen) > room {
        let Some(first) = seen.chars().next() else {
            break;
        };
        skip += first.len_utf8();
        seen = before.get(skip..).unwrap_or_default();
    }
    put(
        buffer,
        area,
        x,
        line,
        cleaned.get(skip..).unwrap_or_default(),
        theme.text(),
    );
    let offset = u16::try_from(text::width(seen)).unwrap_or(0);
    Cell::new(
        (area.x + x + offset).min(area.x + area.width.saturating_sub(1)),
        area.y + line,
    )
}

/// Writes an error over as many lines as it needs; returns the line below it.
pub(super) fn error_line(
    buffer: &mut Buffer,
    area: Area,
    line: u16,
    message: &str,
    theme: Theme,
) -> u16 {
    let mut at = line;
    for message in wrap(message, usize::from(area.width).max(1)) {
        put(buffer, area, 0, at, &message, theme.bad());
        at += 1;
    }
    at
}

fn keys(buffer: &mut Buffer, area: Area, help: &Help, theme: Theme) -> Cell {
    let x = put(buffer, area, 0, 0, "search ", theme.dim());
    let cursor = field(buffer, area, x, 0, &help.search, theme);
    let lines = help.lines();
    let (_, list) = area.split_top(1);
    let mut heading = "";
    for (line, binding) in (0u16..list.height).zip(lines.iter().skip(help.table.top)) {
        let keys: Vec<String> = binding.keys.iter().map(|key| key.name()).collect();
        let scope = binding.scope.heading();
        if scope != heading {
            put(buffer, list, 0, line, scope, theme.dim());
            heading = scope;
        }
        let x = put(buffer, list, 13, line, &keys.join(" "), theme.accent());
        put(
            buffer,
            list,
            (x + 1).max(26),
            line,
            binding.label,
            theme.text(),
        );
        if help.table.top + usize::from(line) == help.table.cursor {
            tint(buffer, list, line, theme.chosen());
        }
    }
    cursor
}

fn commands(buffer: &mut Buffer, area: Area, palette: &Palette, theme: Theme) -> Cell {
    let x = put(buffer, area, 0, 0, ": ", theme.accent());
    let cursor = field(buffer, area, x, 0, &palette.search, theme);
    let (_, list) = area.split_top(1);
    if palette.matches.is_empty() {
        put(buffer, list, 0, 0, "no such command", theme.dim());
    }
    for (line, binding) in (0u16..list.height).zip(palette.matches.iter().skip(palette.table.top)) {
        put(buffer, list, 0, line, binding.label, theme.text());
        let key = binding
            .keys
            .first()
            .map(|key| key.name())
            .unwrap_or_default();
        let x = list
            .width
            .saturating_sub(u16::try_from(text::width(&key)).unwrap_or(0));
        put(buffer, list, x, line, &key, theme.accent());
        if palette.table.top + usize::from(line) == palette.table.cursor {
            tint(buffer, list, line, theme.chosen());
        }
    }
    cursor
}

fn plant_form(
    buffer: &mut Buffer,
    area: Area,
    form: &PlantForm,
    model: &Model,
    theme: Theme,
) -> Option<Cell> {
    let mut cursor = None;
    for (place, (label, entry)) in PlantForm::LABELS.iter().zip(&form.fields).enumerate() {
        let line = u16::try_from(place).unwrap_or(0) * 2;
        let style = if place == form.focus {
            theme.accent()
        } else {
            theme.dim()
        };
        put(buffer, area, 0, line, label, style);
        let at = field(buffer, area, 6, line, entry, theme);
        if place == form.focus {
            cursor = Some(at);
        }
        let message = text::fit(&entry.error, usize::from(area.width.saturating_sub(6)));
        put(buffer, area, 6, line + 1, &message, theme.bad());
    }
    if form.sending.is_some() {
        let message = format!("{} creating", spinner(model, theme));
        put(buffer, area, 0, 7, &message, theme.accent());
        return None;
    }
    if form.failure.is_empty() {
        let service = text::fit(
            &format!("created at {}", model.plants.service),
            usize::from(area.width),
        );
        put(buffer, area, 0, 7, &service, theme.dim());
        put(
            buffer,
            area,
            0,
            8,
            "Tab: next field; Enter in last: create; Esc: cancel",
            theme.dim(),
        );
    } else {
        error_line(buffer, area, 6, &form.failure, theme);
    }
    cursor
}

fn delete_plant(
    buffer: &mut Buffer,
    area: Area,
    question: &DeletePlant,
    theme: Theme,
) -> Option<Cell> {
    let x = put(buffer, area, 0, 0, "Delete plant ", theme.text());
    put(
        buffer,
        area,
        x,
        0,
        &text::fit(&question.id, usize::from(area.width.saturating_sub(x))),
        theme.heading(),
    );
    if let Some(name) = &question.name {
        let x = put(buffer, area, 0, 1, "named ", theme.dim());
        put(
            buffer,
            area,
            x,
            1,
            &text::fit(name, usize::from(area.width.saturating_sub(x))),
            theme.text(),
        );
    }
    let service = if question.not_recorded {
        format!("at {} (its line does not say where)", question.service)
    } else {
        format!("at {}", question.service)
    };
    let service = text::fit(&service, usize::from(area.width));
    put(buffer, area, 0, 2, &service, theme.dim());
    error_line(buffer, area, 3, &question.error, theme);
    let (cancel, delete) = if question.on_delete {
        (theme.text(), theme.bad().patch(theme.chosen()))
    } else {
        (theme.chosen(), theme.bad())
    };
    let x = put(buffer, area, 0, 4, " Cancel ", cancel);
    put(buffer, area, x + 2, 4, " y  Delete ", delete);
    put(buffer, area, 0, 5, "Enter: cancel; y: delete", theme.dim());
    None
}

fn token(
    buffer: &mut Buffer,
    area: Area,
    form: &TokenForm,
    model: &Model,
    theme: Theme,
) -> Option<Cell> {
    let mut line = 0;
    for message in wrap(&form.why, usize::from(area.width).max(1))
        .into_iter()
        .take(3)
    {
        put(buffer, area, 0, line, &message, theme.warning());
        line += 1;
    }
    let x = put(buffer, area, 0, line, "token ", theme.accent());
    // Only the length of the token is shown.
    let room = usize::from(area.width.saturating_sub(x + 1));
    let dots = theme.glyph("•", "*").repeat(form.secret.count().min(room));
    let end = put(buffer, area, x, line, &dots, theme.text());
    let cursor = Cell::new(area.x + end, area.y + line);
    line = error_line(buffer, area, line + 1, &form.error, theme);
    if form.trying.is_some() {
        let message = format!("{} testing it on the service", spinner(model, theme));
        put(buffer, area, 0, line, &message, theme.accent());
        return None;
    }
    let last = area.height.saturating_sub(1);
    if line <= last {
        put(
            buffer,
            area,
            0,
            last,
            "Enter: test; saved only if the service accepts it",
            theme.dim(),
        );
    }
    Some(cursor)
}

fn one_line(buffer: &mut Buffer, area: Area, prompt: &Prompt, model: &Model, theme: Theme) -> Cell {
    let mut area = area;
    if let Some(uuid) = prompt.purpose.deployment() {
        let one = model.deployments.get(uuid);
        let name = one.map_or_else(|| uuid.to_string(), |one| one.name());
        let x = put(buffer, area, 0, 0, "of ", theme.dim());
        let room = usize::from(area.width.saturating_sub(x));
        put(buffer, area, x, 0, &text::fit(&name, room), theme.heading());
        let last = area.height.saturating_sub(1);
        let words = "Enter saves, Esc cancels; empty clears";
        put(buffer, area, 0, last, words, theme.dim());
        area = area.split_bottom(1).0.split_top(1).1;
    }
    put(buffer, area, 0, 0, prompt.purpose.question(), theme.dim());
    let cursor = field(buffer, area, 0, 1, &prompt.field, theme);
    error_line(buffer, area, 2, &prompt.field.error, theme);
    cursor
}

fn export(
    buffer: &mut Buffer,
    area: Area,
    form: &ExportForm,
    model: &Model,
    theme: Theme,
) -> Option<Cell> {
    let x = put(buffer, area, 0, 0, "format ", theme.dim());
    let mut at = x;
    let mut line = 0;
    for (name, chosen) in form.choices() {
        if at + u16::try_from(name.len()).unwrap_or(0) + 2 > area.width {
            at = x;
            line += 1;
        }
        let style = if chosen {
            theme.accent().patch(theme.chosen())
        } else {
            theme.dim()
        };
        at = put(buffer, area, at, line, &format!(" {name} "), style);
    }
    line += 2;
    let x = put(buffer, area, 0, line, "path   ", theme.accent());
    let cursor = field(buffer, area, x, line, &form.path, theme);
    let below = error_line(buffer, area, line + 1, &form.path.error, theme);
    if form.writing.is_some() {
        let message = format!("{} writing", spinner(model, theme));
        put(buffer, area, 0, below, &message, theme.accent());
        return None;
    }
    let message = if form.confirm_replace {
        "Enter again: replace file; Esc: cancel"
    } else {
        "Tab: next format; Enter: write; Esc: cancel"
    };
    put(
        buffer,
        area,
        0,
        area.height.saturating_sub(1),
        message,
        theme.dim(),
    );
    Some(cursor)
}

fn leaving(
    buffer: &mut Buffer,
    area: Area,
    leave: QuitDialog,
    model: &Model,
    theme: Theme,
) -> Option<Cell> {
    let message = "A create or delete was sent and has no response yet. If you quit now, the outcome stays unknown.";
    for (line, message) in (0u16..).zip(wrap(message, usize::from(area.width).max(1))) {
        put(buffer, area, 0, line, &message, theme.text());
    }
    let keys = if leave.waiting {
        format!("{} waiting, then quit; l: quit now", spinner(model, theme))
    } else {
        "w: wait, then quit; l: quit now; Esc: stay".to_owned()
    };
    put(
        buffer,
        area,
        0,
        area.height.saturating_sub(1),
        &keys,
        theme.accent(),
    );
    None
}
