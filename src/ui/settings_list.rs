//! The list of the settings in force.

use super::sheet::{Sheet, cells};
use super::theme::Theme;
use crate::app::Model;
use crate::app::state::dialog::settings::{Setting, SettingsList};
use crate::text;

/// Lines of the chosen value below the list, where the list cuts it.
const WHOLE: u16 = 2;

/// Adds the settings with their values and where each is from; below them the chosen
/// one whole.
pub(super) fn lines(sheet: &mut Sheet, list: &SettingsList, model: &Model, theme: Theme) {
    if model.settings.is_empty() {
        let words = "No settings file is read here: every value is the default.";
        sheet.paragraph(0, words, theme.dim());
        return;
    }
    let file = model.settings.iter().find(|one| one.name == "config");
    let file = file.map_or("", |one| one.value.as_str());
    let label = "file ";
    let room = usize::from(sheet.width_after(label));
    let file = match file {
        "" => "none".to_owned(),
        file => text::fit_ends(file, room),
    };
    sheet.line(&[(label, theme.dim()), (&file, theme.text())]);
    let widest = |part: fn(&Setting) -> &str| {
        let widths = model.settings.iter().map(|one| cells(part(one)));
        widths.max().unwrap_or(0)
    };
    let names = widest(|one| &one.name).min(sheet.width() * 2 / 5);
    let values = widest(|one| &one.value);
    let sources = widest(|one| &one.source);
    sheet.want(names + values + sources + 4);
    let left = sheet.width().saturating_sub(names + 4);
    // A source is long where it is a path, which the first line has.
    let sources = sources.min(left / 2);
    let values = values.min(left - sources);
    let shown = model.settings.iter().enumerate().skip(list.table.top);
    for (row, one) in shown.take(model.dialog_rows()) {
        let name = text::fit(&one.name, usize::from(names));
        sheet.line(&[(&name, theme.text())]);
        let value = text::fit_ends(&one.value, usize::from(values));
        sheet.at(names + 2, &value, theme.accent());
        let source = text::fit_ends(&one.source, usize::from(sources));
        sheet.at(names + values + 4, &source, theme.dim());
        if row == list.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    let height = sheet.height() + WHOLE;
    if let Some(one) = model.settings.get(list.table.cursor) {
        let whole = format!("{} = {} ({})", one.name, one.value, one.source);
        sheet.paragraph(0, &whole, theme.dim());
    }
    // The frame keeps its height from row to row.
    sheet.cut_or_fill(height);
}
