//! Draws the dialogs over the panes. A dialog is as wide as its words.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Borders, Clear, Widget};

use super::alarm_list;
use super::connection::spinner;
use super::details;
use super::field_list;
use super::format;
use super::frame::footer;
use super::message;
use super::paint::{put, rect};
use super::platform_list;
use super::settings_list;
use super::sheet::{Sheet, cells};
use super::signs;
use super::theme::Theme;
use crate::app::Model;
use crate::app::columns::names;
use crate::app::keymap::Action;
use crate::app::layout::Area;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::columns::ColumnsForm;
use crate::app::state::dialog::export::ExportForm;
use crate::app::state::dialog::menu::Help;
use crate::app::state::dialog::palette::Palette;
use crate::app::state::dialog::plant::{DeletePlant, PlantForm, QuitDialog};
use crate::app::state::dialog::prompt::{Prompt, Purpose};
use crate::app::state::dialog::removal::RemoveDeployment;
use crate::app::state::dialog::token::TokenForm;
use crate::app::targets::Targets;
use crate::text;

/// The narrowest dialog, columns.
const NARROWEST: u16 = 40;
/// Width of a screen that a dialog never fills.
const WIDE: u16 = 110;
/// Columns of a dialog's frame and of the margins within it.
const EDGES: u16 = 4;

/// Draws the dialog on top; those below it are hidden. Where it is, is told to
/// `targets`. Returns where its cursor is.
pub(super) fn draw(
    buffer: &mut Buffer,
    model: &Model,
    theme: Theme,
    targets: &mut Targets,
) -> Option<Position> {
    let dialog = model.dialogs.last()?;
    let screen = buffer.area;
    let screen = Area::new(0, 0, screen.width, screen.height);
    if let Dialog::Prompt(prompt) = dialog
        && let Purpose::Filter | Purpose::Find = prompt.purpose
    {
        // Both are on the footer's line, so that the rows stay visible.
        let line = screen.split_bottom(1).1;
        Clear.render(rect(line), buffer);
        let (line, keys) = line.split_left(line.width.saturating_sub(24));
        targets.footer = footer(buffer, keys, model, theme);
        let mut sheet = Sheet::new(line.width);
        let sign = match prompt.purpose {
            Purpose::Find => "/",
            _ => "&",
        };
        let cursor = sheet.field(sign, theme.accent(), &prompt.field, theme);
        sheet.set_cursor(cursor);
        let text = prompt.field.text();
        if text.is_empty() {
            let hint = model.searched_in(prompt.purpose);
            let hint = text::fit(&hint, usize::from(line.width.saturating_sub(2)));
            put(buffer, line.at(2, 0), &hint, theme.dim());
        } else {
            // There is no line below for what is wrong with it.
            let error = prompt.field.error.as_str();
            put(buffer, line.at(cells(text) + 3, 0), error, theme.bad());
        }
        return sheet.draw(buffer, line);
    }
    // At the greatest width the lines show how much of it they need.
    let beside = match dialog {
        // A list with columns takes the whole of a narrow screen.
        Dialog::Alarms(_) if screen.width < WIDE => EDGES,
        _ => 2 * EDGES,
    };
    let most = screen.width.saturating_sub(beside).max(1);
    let needed = lines(dialog, most, model, theme).natural_width();
    let width = needed.clamp(NARROWEST.saturating_sub(EDGES).min(most), most);
    let sheet = lines(dialog, width, model, theme);
    let area = screen.centred(width + EDGES, sheet.height() + 2);
    targets.dialog = Some(area);
    Clear.render(rect(area), buffer);
    let block = Block::new()
        .borders(Borders::ALL)
        .border_type(BorderType::Thick)
        .border_style(theme.accent())
        .title(format!(" {} ", dialog.title()));
    let position = match dialog {
        Dialog::Alarms(list) => alarm_list::position(list, model),
        _ => String::new(),
    };
    let block = block.title_top(Line::from(position).right_aligned());
    let inner = block.inner(rect(area));
    block.render(rect(area), buffer);
    let inner = Area::new(
        inner.x + 1,
        inner.y,
        inner.width.saturating_sub(2),
        inner.height,
    );
    sheet.draw(buffer, inner)
}

/// The lines of a dialog at a width.
fn lines(dialog: &Dialog, width: u16, model: &Model, theme: Theme) -> Sheet {
    let mut sheet = Sheet::new(width);
    match dialog {
        Dialog::Help(help) => keys(&mut sheet, help, model, theme),
        Dialog::Palette(palette) => commands(&mut sheet, palette, model, theme),
        Dialog::Alarms(list) => alarm_list::lines(&mut sheet, list, model, theme),
        Dialog::Fields(list) => field_list::lines(&mut sheet, list, model, theme),
        Dialog::Details(details) => details::lines(&mut sheet, *details, model, theme),
        Dialog::Message(words) => sheet.paragraph(0, words, theme.text()),
        Dialog::PlantForm(form) => plant_form(&mut sheet, form, model, theme),
        Dialog::DeletePlant(question) => delete_plant(&mut sheet, question, theme),
        Dialog::RemoveDeployment(question) => removal(&mut sheet, question, model, theme),
        Dialog::Token(form) => token(&mut sheet, form, model, theme),
        Dialog::Prompt(prompt) => one_line(&mut sheet, prompt, model, theme),
        Dialog::Export(form) => export(&mut sheet, form, model, theme),
        Dialog::Platform(list) => platform_list::lines(&mut sheet, list, model, theme),
        Dialog::Columns(form) => columns(&mut sheet, form, model, theme),
        Dialog::Settings(list) => settings_list::lines(&mut sheet, list, model, theme),
        Dialog::Quit(leave) => leaving(&mut sheet, *leave, model, theme),
    }
    sheet
}

fn keys(sheet: &mut Sheet, help: &Help, model: &Model, theme: Theme) {
    /// Columns of the headings, where there is room for them.
    const HEADINGS: u16 = 13;
    /// Columns of the keys.
    const KEYS: u16 = 14;
    let cursor = sheet.field("search ", theme.dim(), &help.search, theme);
    sheet.set_cursor(cursor);
    let lines = help.lines();
    // The width of all lines, so that it does not change while one scrolls.
    let longest = lines.iter().map(|binding| cells(binding.label)).max();
    let longest = longest.unwrap_or(0);
    let at = match sheet.width() >= HEADINGS + KEYS + longest {
        true => HEADINGS,
        false => 0,
    };
    sheet.want(HEADINGS + KEYS + longest);
    if at == 0
        && let Some(chosen) = lines.get(help.table.cursor)
    {
        let scope = chosen.scope.heading();
        let x = sheet.width().saturating_sub(cells(scope));
        sheet.at(x, scope, theme.dim());
    }
    let mut heading = "";
    let shown = lines.iter().enumerate().skip(help.table.top);
    for (row, binding) in shown.take(model.dialog_rows()) {
        let keys: Vec<String> = binding.keys.iter().map(|key| key.name()).collect();
        let scope = binding.scope.heading();
        sheet.blank();
        if at > 0 && scope != heading {
            sheet.at(0, scope, theme.dim());
            heading = scope;
        }
        let x = sheet.at(at, &keys.join(" "), theme.accent());
        let narrow = sheet.width().saturating_sub(cells(binding.label));
        let label = (at + KEYS).min(narrow);
        sheet.at((x + 1).max(label), binding.label, theme.text());
        if row == help.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    // Without the lines of the frame and of the footer.
    let most = model.height.saturating_sub(3);
    signs::lines(sheet, help.tab, most, theme);
}

fn commands(sheet: &mut Sheet, palette: &Palette, model: &Model, theme: Theme) {
    let cursor = sheet.field(": ", theme.accent(), &palette.search, theme);
    sheet.set_cursor(cursor);
    if palette.matches.is_empty() {
        sheet.line(&[(
            "no such command, deployment, projection or format",
            theme.dim(),
        )]);
    }
    let all = model.keymap.bindings().iter();
    let longest = all.map(|binding| cells(binding.label)).max().unwrap_or(0);
    let lit = theme
        .accent()
        .add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    let shown = palette.matches.iter().enumerate().skip(palette.table.top);
    for (row, line) in shown.take(model.dialog_rows()) {
        sheet.blank();
        let mut x = 0;
        for (place, letter) in (0u32..).zip(line.label.chars()) {
            let style = match line.lit.binary_search(&place) {
                Ok(_) => lit,
                Err(_) => theme.text(),
            };
            x = sheet.at(x, letter.encode_utf8(&mut [0; 4]), style);
        }
        sheet.at(longest.max(x) + 2, &line.key, theme.accent());
        if row == palette.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    // As wide as the longest command, whatever was found.
    sheet.want(longest + 12);
}

fn columns(sheet: &mut Sheet, form: &ColumnsForm, model: &Model, theme: Theme) {
    let shown = form.rows.iter().enumerate().skip(form.table.top);
    for (row, line) in shown.take(model.dialog_rows()) {
        let name = names(form.tab).get(line.column.place).copied();
        let (mark, style) = match line.is_shown {
            true => ("[x] ", theme.text()),
            false => ("[ ] ", theme.dim()),
        };
        sheet.line(&[(mark, style), (name.unwrap_or_default(), style)]);
        if row == form.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    if !form.error.is_empty() {
        sheet.paragraph(0, form.error, theme.bad());
        return;
    }
    // The dialog may cover the place of messages.
    if let Some(notice) = &model.notice {
        sheet.paragraph(0, &notice.text, message::style(notice, theme));
        return;
    }
    let kept = "For this session; w writes them into the settings file, y copies their line.";
    sheet.paragraph(0, kept, theme.dim());
}

fn plant_form(sheet: &mut Sheet, form: &PlantForm, model: &Model, theme: Theme) {
    for (place, (label, entry)) in PlantForm::LABELS.iter().zip(&form.fields).enumerate() {
        let is_focused = place == form.focus;
        let style = if is_focused {
            theme.accent()
        } else {
            theme.dim()
        };
        let cursor = sheet.field(&format!("{label:<5} "), style, entry, theme);
        if is_focused && form.sending.is_none() {
            sheet.set_cursor(cursor);
        }
        if entry.error.is_empty() {
            sheet.blank();
        }
    }
    if form.sending.is_some() {
        let message = format!("{} creating", spinner(model, theme));
        sheet.line(&[(&message, theme.accent())]);
    } else if form.failure.is_empty() {
        let service = format!("The create goes to {}", model.plants.service);
        sheet.paragraph(0, &service, theme.dim());
    } else {
        sheet.paragraph(0, &form.failure, theme.bad());
    }
}

fn delete_plant(sheet: &mut Sheet, question: &DeletePlant, theme: Theme) {
    sheet.line(&[
        ("Delete plant ", theme.text()),
        (&question.id, theme.heading()),
    ]);
    if let Some(name) = &question.name {
        sheet.paragraph(0, &format!("named {name}"), theme.text());
    }
    let address = format!("The delete goes to {}", question.address);
    sheet.paragraph(0, &address, theme.dim());
    if question.not_recorded {
        let unknown = "Its line does not say where it was created.";
        sheet.paragraph(0, unknown, theme.warning());
    }
    sheet.paragraph(0, &question.error, theme.bad());
    cancel_or(sheet, "Delete", question.on_delete, theme);
}

/// Adds the two choices of a question, and their keys: Cancel and what is asked;
/// `is_chosen` is whether that has the focus.
fn cancel_or(sheet: &mut Sheet, action: &str, is_chosen: bool, theme: Theme) {
    sheet.blank();
    let (cancel, other) = if is_chosen {
        (theme.text(), theme.bad().patch(theme.chosen()))
    } else {
        (theme.chosen(), theme.bad())
    };
    sheet.line(&[
        (" Cancel ", cancel),
        ("  ", theme.text()),
        (&format!(" y  {action} "), other),
    ]);
    let keys = format!("Enter: cancel; y: {}", action.to_lowercase());
    sheet.line(&[(&keys, theme.dim())]);
}

fn removal(sheet: &mut Sheet, question: &RemoveDeployment, model: &Model, theme: Theme) {
    sheet.line(&[("Remove ", theme.text()), (&question.name, theme.heading())]);
    let undo = model.key_of(Action::Undo);
    let kept = format!("from the list. Its stored fixes stay; {undo} restores it.");
    sheet.paragraph(0, &kept, theme.text());
    cancel_or(sheet, "Remove", question.on_remove, theme);
}

fn token(sheet: &mut Sheet, form: &TokenForm, model: &Model, theme: Theme) {
    sheet.paragraph(0, &form.why, theme.warning());
    // Only the length of the token is shown.
    const LABEL: &str = "token ";
    let room = usize::from(sheet.width_after(LABEL));
    let dots = theme
        .glyph("•", "*")
        .repeat(form.secret.count().min(room.saturating_sub(1)));
    sheet.line(&[(LABEL, theme.accent()), (&dots, theme.text())]);
    if form.trying.is_none() {
        sheet.cursor_after_last();
    }
    sheet.paragraph(0, &form.error, theme.bad());
    sheet.blank();
    if form.trying.is_some() {
        let message = format!("{} testing it on the service", spinner(model, theme));
        sheet.line(&[(&message, theme.accent())]);
    } else {
        let message = "Enter: test; saved only if the service accepts it";
        sheet.paragraph(0, message, theme.dim());
    }
}

fn one_line(sheet: &mut Sheet, prompt: &Prompt, model: &Model, theme: Theme) {
    let deployment = prompt.purpose.deployment();
    if prompt.purpose == Purpose::Snooze
        && let Some(alarm) = model.alarm_in_question()
    {
        let name = format!("{}: {}", model.name_of_alarm(alarm), alarm.kind.word());
        sheet.line(&[("of ", theme.dim()), (&name, theme.heading())]);
    }
    if let Some(uuid) = deployment {
        let one = model.deployments.get(uuid);
        let name = one.map_or_else(|| uuid.to_string(), |one| one.name());
        sheet.line(&[("of ", theme.dim()), (&name, theme.heading())]);
    }
    sheet.paragraph(0, prompt.purpose.question(), theme.dim());
    let cursor = sheet.field("", theme.text(), &prompt.field, theme);
    sheet.set_cursor(cursor);
    if let Some((proposed, of)) = &prompt.proposal {
        sheet.paragraph(0, &format!("Tab: {proposed} ({of})"), theme.dim());
    }
    if deployment.is_some() {
        sheet.blank();
        let keys = "Enter saves, Esc cancels; empty clears";
        sheet.paragraph(0, keys, theme.dim());
    } else if prompt.field.error.is_empty() {
        sheet.blank();
    }
}

fn export(sheet: &mut Sheet, form: &ExportForm, model: &Model, theme: Theme) {
    sheet.line(&[("format ", theme.dim())]);
    const FROM: u16 = 7;
    let mut at = FROM;
    for (name, chosen) in form.choices() {
        let name = format!(" {name} ");
        if at + cells(&name) > sheet.width() {
            sheet.blank();
            at = FROM;
        }
        let style = if chosen {
            theme.accent().patch(theme.chosen())
        } else {
            theme.dim()
        };
        at = sheet.at(at, &name, style);
    }
    sheet.line(&[("fixes  ", theme.dim())]);
    let mut at = FROM;
    for (index, scope) in form.scopes.iter().enumerate() {
        let words = format!(" {}: {} ", scope.name, format::count(scope.fixes));
        if at + cells(&words) > sheet.width() {
            sheet.blank();
            at = FROM;
        }
        let style = if index == form.scope {
            theme.accent().patch(theme.chosen())
        } else {
            theme.dim()
        };
        at = sheet.at(at, &words, style);
    }
    sheet.blank();
    let cursor = sheet.field("path   ", theme.accent(), &form.path, theme);
    if let Some(folder) = form.folder() {
        sheet.paragraph(FROM, &format!("in {folder}"), theme.dim());
    }
    sheet.blank();
    if form.writing.is_some() {
        let message = format!("{} writing", spinner(model, theme));
        sheet.line(&[(&message, theme.accent())]);
        return;
    }
    sheet.set_cursor(cursor);
    let message = if form.confirm_replace {
        "Enter again: replace file; Esc: cancel"
    } else if form.scopes.len() > 1 {
        "Tab: next format; Down: which fixes; Enter: write"
    } else {
        "Tab: next format; Enter: write; Esc: cancel"
    };
    sheet.line(&[(message, theme.dim())]);
}

fn leaving(sheet: &mut Sheet, leave: QuitDialog, model: &Model, theme: Theme) {
    let message = "A create or delete was sent and has no response yet. If you quit now, the outcome stays unknown.";
    sheet.paragraph(0, message, theme.text());
    sheet.blank();
    let keys = if leave.waiting {
        format!("{} waiting, then quit; l: quit now", spinner(model, theme))
    } else {
        "w: wait, then quit; l: quit now; Esc: stay".to_owned()
    };
    sheet.paragraph(0, &keys, theme.accent());
}
