//! The list of what the timeline can show: speed, and each field that varies
//! with its latest value and unit.

use super::format;
use super::sheet::{Sheet, cells};
use super::theme::Theme;
use crate::app::Model;
use crate::app::state::dialog::fields::{FieldLine, FieldList};
use crate::text;

/// Most cells of a name.
const NAME: usize = 40;
/// Cells between a name and its value.
const GAP: u16 = 2;

/// Adds the lines of the list.
pub(super) fn lines(sheet: &mut Sheet, list: &FieldList, model: &Model, theme: Theme) {
    let cursor = sheet.field("search ", theme.dim(), &list.search, theme);
    sheet.set_cursor(cursor);
    let height = model.dialog_rows();
    let shown = list.lines.iter().enumerate().skip(list.table.top);
    let rows: Vec<(usize, String, String)> = shown
        .take(height)
        .map(|(row, line)| (row, text::fit(&line.label, NAME), value(line)))
        .collect();
    let widest = |words: fn(&(usize, String, String)) -> &String| {
        rows.iter().map(|row| cells(words(row))).max().unwrap_or(0)
    };
    let (names, values) = (widest(|row| &row.1), widest(|row| &row.2));
    for (row, name, value) in &rows {
        sheet.line(&[(name, theme.text())]);
        // Values are aligned at the right.
        sheet.at(names + GAP + values - cells(value), value, theme.dim());
        if *row == list.table.cursor {
            sheet.choose(theme.chosen());
        }
    }
    sheet.want(names + GAP + values);
    let fields = model.track.fields.charts.as_ref();
    // What is still being read may have the field.
    if model.track.fields.is_reading {
        sheet.line(&[("reading the fields", theme.dim())]);
    } else if rows.is_empty() {
        sheet.line(&[("no such field", theme.dim())]);
    } else if fields.is_none_or(|fields| fields.varying().is_empty()) {
        sheet.line(&[("no field of this track varies", theme.dim())]);
    }
}

/// The latest value of a field with its unit, or the number of values of a
/// profile.
fn value(line: &FieldLine) -> String {
    let unit = line.name.as_deref().map_or("", format::unit_of_field);
    let value = match line.last {
        Some((last, decimals)) => format::number(last, decimals),
        None if line.count > 1 => format!("profile of {}", line.count),
        None => String::new(),
    };
    format!("{value} {unit}").trim().to_owned()
}
