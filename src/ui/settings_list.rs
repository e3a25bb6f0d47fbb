//! The list of the settings: those in force, with the value of now.

use super::message;
use super::sheet::{Sheet, cells};
use super::theme::Theme;
use crate::app::Model;
use crate::app::state::dialog::settings::{Setting, SettingsList};
use crate::text;

/// Lines of the chosen value below the list, where the list cuts it, and of what it can
/// be.
const WHOLE: u16 = 3;
/// Where a value is from that was chosen since the start, by a key or here.
const SESSION: &str = "this session";

/// Adds the settings with their values and where each is from; below them the chosen
/// one whole, with what it can be.
pub(super) fn lines(sheet: &mut Sheet, list: &SettingsList, model: &Model, theme: Theme) {
    let file = model.settings.iter().find(|one| one.name == "config");
    let file = file.map_or("", |one| one.value.as_str());
    let label = "file ";
    let room = usize::from(sheet.width_after(label));
    let file = match file {
        "" => "none".to_owned(),
        file => text::fit_ends(file, room),
    };
    sheet.line(&[(label, theme.dim()), (&file, theme.text())]);
    let rows: Vec<Row<'_>> = model
        .settings
        .iter()
        .map(|one| Row::of(one, model))
        .collect();
    let widest = |part: for<'a> fn(&'a Row<'_>) -> &'a str| {
        let widths = rows.iter().map(|row| cells(part(row)));
        widths.max().unwrap_or(0)
    };
    let names = widest(|row| row.name).min(sheet.width() * 2 / 5);
    // The frame keeps its width whatever is chosen.
    let options = model.settings.iter().flat_map(|one| &one.options);
    let options = options.map(|one| cells(one)).max().unwrap_or(0);
    let values = widest(|row| &row.value).max(options);
    let sources = widest(|row| row.source).max(cells(SESSION));
    sheet.want(names + values + sources + 4);
    let left = sheet.width().saturating_sub(names + 4);
    // A source is long where it is a path, which the first line has.
    let sources = sources.min(left.saturating_sub(values).max(left / 2));
    let values = values.min(left - sources);
    let shown = rows.iter().enumerate().skip(list.table.top);
    for (place, row) in shown.take(model.dialog_rows()) {
        let name = text::fit(row.name, usize::from(names));
        sheet.line(&[(&name, theme.text())]);
        let value = text::fit_ends(&row.value, usize::from(values));
        let style = match row.can_change {
            true => theme.accent(),
            false => theme.dim(),
        };
        sheet.at(names + 2, &value, style);
        let source = text::fit_ends(row.source, usize::from(sources));
        sheet.at(names + values + 4, &source, theme.dim());
        if place == list.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    let height = sheet.height() + WHOLE;
    if let Some(one) = model.settings.get(list.table.cursor) {
        let row = Row::of(one, model);
        let whole = format!("{} = {} ({})", row.name, row.value, row.source);
        sheet.paragraph(0, &whole, theme.text());
        // The dialog covers the place of messages.
        match &model.notice {
            Some(notice) => sheet.paragraph(0, &notice.text, message::style(notice, theme)),
            None if row.can_change => {
                let options = format!("one of {}", one.options.join(", "));
                sheet.paragraph(0, &options, theme.dim());
            }
            None => sheet.paragraph(0, "cannot be changed here", theme.dim()),
        }
    }
    // The frame keeps its height from row to row.
    sheet.cut_or_fill(height);
}

/// A row of the list.
struct Row<'a> {
    name: &'a str,
    value: String,
    source: &'a str,
    can_change: bool,
}

impl<'a> Row<'a> {
    fn of(setting: &'a Setting, model: &Model) -> Self {
        let value = model.present_value(setting);
        Self {
            name: &setting.name,
            source: match value == setting.value {
                true => &setting.source,
                false => SESSION,
            },
            value,
            can_change: !setting.options.is_empty(),
        }
    }
}
