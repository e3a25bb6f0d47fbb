//! The fields that the timeline can show: speed, and those that vary.

use super::chooser::{Choice, Chooser, visible};
use super::{Component, Labels, Outcome};
use crate::dashboard::format;
use crate::dashboard::key::Key;
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::fields::field_label;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::{Step, TableState};
use crate::map::FieldCharts;
use crate::text;

/// Most cells of a name.
const NAME: usize = 40;
/// Cells between a name and its value.
const GAP: u16 = 2;

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldLine {
    /// The name of the field; `None` for speed.
    pub name: Option<String>,
    /// Its name on the screen.
    pub label: String,
    /// The latest value and the decimals that it is shown with; `None` for speed
    /// and a profile.
    pub last: Option<(f64, usize)>,
    /// The number of values of a profile; 1 of any other field.
    pub count: usize,
}

/// The list of the fields that the timeline can show.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldList {
    /// The search, and the cursor over the lines that it finds.
    pub chooser: Chooser,
    /// The lines that do.
    pub lines: Vec<FieldLine>,
    all: Vec<FieldLine>,
}

impl FieldList {
    /// The fields of the open track with the cursor on the field that is shown.
    pub(in crate::dashboard) fn new(model: &Model) -> Self {
        let mut list = Self::default();
        list.follow(model);
        let shown = model.shown_field();
        let shown = shown.as_ref().map(|shown| shown.field().name());
        let here = list
            .all
            .iter()
            .position(|line| line.name.as_deref() == shown);
        let rows = list.all.len();
        let height = model.dialog_rows();
        list.chooser.table.go(here.unwrap_or(0), rows, height);
        list
    }

    /// Updates the lines to the search.
    fn search_changed(&mut self, height: usize) {
        let search = self.chooser.search.text().trim().to_lowercase();
        let all = self.all.iter();
        let found = all.filter(|line| line.label.to_lowercase().contains(&search));
        self.lines = found.cloned().collect();
        self.chooser.table = TableState::default();
        self.chooser.table.settle(self.lines.len(), height);
    }

    /// The line under the cursor.
    fn chosen(&self) -> Option<&FieldLine> {
        self.lines.get(self.chooser.table.cursor)
    }
}

impl Component for FieldList {
    fn labels(&self) -> Labels {
        Labels::new(
            "Timeline",
            &[("Up Down", "choose"), ("Enter", "show"), ("Esc", "close")],
        )
    }

    fn key(&mut self, key: Key, model: &mut Model) -> Outcome {
        let rows = self.lines.len();
        let height = model.dialog_rows();
        match self.chooser.key(key, rows, height) {
            Choice::Nothing => {}
            Choice::Searched => self.search_changed(height),
            Choice::Chosen => {
                if let Some(chosen) = self.chosen() {
                    model.show_field(chosen.name.clone());
                    return Outcome::Close;
                }
            }
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        let cursor = sheet.field("search ", theme.dim(), &self.chooser.search, theme);
        sheet.set_cursor(cursor);
        let shown = visible(&self.lines, self.chooser.table, model.dialog_rows());
        let rows: Vec<(String, String, bool)> = shown
            .map(|(line, is_chosen)| (text::fit(&line.label, NAME), value(line), is_chosen))
            .collect();
        let names = rows.iter().map(|(name, ..)| cells(name)).max().unwrap_or(0);
        let values = rows
            .iter()
            .map(|(_, value, _)| cells(value))
            .max()
            .unwrap_or(0);
        for (name, value, is_chosen) in &rows {
            sheet.line(&[(name, theme.text())]);
            // Values are aligned at the right.
            sheet.at(names + GAP + values - cells(value), value, theme.dim());
            if *is_chosen {
                sheet.choose();
            }
        }
        sheet.want(names + GAP + values);
        let fields = model.track.fields.charts.as_ref();
        // A field that is still being read may match.
        if model.track.fields.is_reading {
            sheet.line(&[("reading the fields", theme.dim())]);
        } else if rows.is_empty() {
            sheet.line(&[("no such field", theme.dim())]);
        } else if fields.is_none_or(|fields| fields.varying().is_empty()) {
            let words = match model.unvarying_fields() {
                names if names.is_empty() => "the records of this track have no fields".to_owned(),
                names => format!("no field of this track varies: {names}"),
            };
            sheet.paragraph(0, &words, theme.dim());
        }
    }

    fn step(&mut self, step: Step, model: &Model) {
        let rows = self.lines.len();
        let height = model.dialog_rows();
        self.chooser.table.step(step, rows, height);
    }

    fn paste(&mut self, text: &str, model: &mut Model) {
        self.chooser.search.paste(text);
        self.search_changed(model.dialog_rows());
    }

    /// Shows the fields that were read; the cursor stays on its line.
    fn follow(&mut self, model: &Model) {
        let height = model.dialog_rows();
        let chosen = self.chosen().cloned();
        let charts = model.track.fields.charts.as_deref();
        let varying = charts.map(FieldCharts::varying).unwrap_or_default();
        let speed = FieldLine {
            name: None,
            label: "speed over ground".to_owned(),
            last: None,
            count: 1,
        };
        let fields = varying.iter().map(|field| FieldLine {
            name: Some(field.name().to_owned()),
            label: field_label(field.name()),
            last: field.last.map(|last| (last, field.decimals)),
            count: field.count(),
        });
        self.all = std::iter::once(speed).chain(fields).collect();
        self.search_changed(height);
        let same = |line: &FieldLine| {
            chosen
                .as_ref()
                .is_some_and(|chosen| chosen.name == line.name)
        };
        if let Some(row) = self.lines.iter().position(same) {
            self.chooser.table.go(row, self.lines.len(), height);
        }
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
