//! The fields that the timeline can show: speed, and those that vary.

use super::chooser::{Choice, Chooser, visible};
use super::{Component, Labels, Outcome};
use crate::dashboard::format;
use crate::dashboard::key::Key;
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::label::field_label;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::Step;
use crate::map::FieldCharts;
use crate::map::fields::VaryingField;
use crate::text;

/// Most cells of a name.
const NAME: usize = 40;
/// Cells between a name and its value.
const GAP: u16 = 2;

/// The list of the fields that the timeline can show.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldList {
    /// The search, and the cursor over the lines that it finds.
    pub chooser: Chooser,
}

impl FieldList {
    /// The fields of the open track with the cursor on the field that is shown.
    pub(in crate::dashboard) fn new(shell: &Shell) -> Self {
        let mut list = Self::default();
        let all = list.found(shell);
        let shown_field = shell.tabs.track.shown_field(&shell.shared);
        let shown = shown_field.as_ref().map(|shown| shown.field().name());
        let here = all
            .iter()
            .position(|line| line.map(VaryingField::name) == shown);
        let height = shell.shared.dialog_rows();
        list.chooser.table.go(here.unwrap_or(0), all.len(), height);
        list
    }

    /// Speed, which is no field, and the fields that vary, as far as the search finds them.
    fn found<'a>(&self, shell: &'a Shell) -> Vec<Option<&'a VaryingField>> {
        let search = self.chooser.search.text().trim().to_lowercase();
        let charts = shell.tabs.track.fields.charts.as_deref();
        let varying = charts.map(FieldCharts::varying).unwrap_or_default();
        let all = std::iter::once(None).chain(varying.iter().map(|field| Some(field.as_ref())));
        all.filter(|line| label(*line).to_lowercase().contains(&search))
            .collect()
    }
}

/// The name of a field on the screen.
fn label(field: Option<&VaryingField>) -> String {
    field.map_or_else(
        || "speed over ground".to_owned(),
        |field| field_label(field.name()),
    )
}

impl Component for FieldList {
    fn labels(&self) -> Labels {
        Labels::new(
            "Timeline",
            &[("Up Down", "choose"), ("Enter", "show"), ("Esc", "close")],
        )
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        let found = self.found(shell);
        let choice = self
            .chooser
            .key(key, found.len(), shell.shared.dialog_rows());
        match found.get(self.chooser.table.cursor) {
            Some(chosen) if choice == Choice::Chosen => {
                let name = chosen.map(|field| field.name().to_owned());
                shell.tabs.track.show_field(&mut shell.shared, name);
                Outcome::Close
            }
            _ => Outcome::Stay,
        }
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let cursor = sheet.field("search ", theme.dim(), &self.chooser.search, theme);
        sheet.set_cursor(cursor);
        let found = self.found(shell);
        let shown = visible(&found, self.chooser.table, shell.shared.dialog_rows());
        let rows: Vec<(String, String, bool)> = shown
            .map(|(line, is_chosen)| (text::fit(&label(*line), NAME), value(*line), is_chosen))
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
        let fields = shell.tabs.track.fields.charts.as_ref();
        // A field that is still being read may match.
        if shell.tabs.track.fields.is_reading {
            sheet.line(&[("reading the fields", theme.dim())]);
        } else if rows.is_empty() {
            sheet.line(&[("no such field", theme.dim())]);
        } else if fields.is_none_or(|fields| fields.varying().is_empty()) {
            let words = match shell.tabs.track.unvarying_fields() {
                names if names.is_empty() => "the records of this track have no fields".to_owned(),
                names => format!("no field of this track varies: {names}"),
            };
            sheet.paragraph(0, &words, theme.dim());
        }
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        let rows = self.found(shell).len();
        self.chooser
            .table
            .step(step, rows, shell.shared.dialog_rows());
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        self.chooser.paste(text);
    }
}

/// The latest value of a field with its unit, or the number of values of a
/// profile; empty for speed.
fn value(field: Option<&VaryingField>) -> String {
    let Some(field) = field else {
        return String::new();
    };
    let value = match field.last {
        Some(last) => format::number(last, field.decimals),
        None if field.is_profile() => format!("profile of {}", field.count()),
        None => String::new(),
    };
    let unit = format::unit_of_field(field.name());
    format!("{value} {unit}").trim().to_owned()
}
