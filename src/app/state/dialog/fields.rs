//! What the timeline can show: speed, and the fields that vary.

use super::field::Field;
use crate::app::state::table::TableState;
use crate::chart::FieldCharts;
use crate::text;
use crate::track::field::label;

/// Most characters of the name of a field in a message or a list.
const LABEL: usize = 40;

/// What a field is called on the screen: its name, sanitized and cut, or that it
/// has none.
pub(crate) fn field_label(name: &str) -> String {
    text::excerpt(&label(name), LABEL)
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldLine {
    /// The name of the field; `None` for speed.
    pub name: Option<String>,
    /// What it is called on the screen.
    pub label: String,
    /// The latest value and the decimals that it is shown with; `None` for speed
    /// and a profile.
    pub last: Option<(f64, usize)>,
    /// The number of values of a profile; 1 of any other field.
    pub count: usize,
}

/// The list of what the timeline can show.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldList {
    /// What the lines must contain, in any case.
    pub search: Field,
    /// Cursor over the lines that do.
    pub table: TableState,
    /// The lines that do.
    pub lines: Vec<FieldLine>,
    all: Vec<FieldLine>,
}

impl FieldList {
    /// The list of a track's fields with the cursor on the field that is shown,
    /// `height` lines of it visible.
    pub(in crate::app) fn new(
        charts: Option<&FieldCharts>,
        shown: Option<&str>,
        height: usize,
    ) -> Self {
        let mut list = Self::default();
        list.set_fields(charts, height);
        let here = list
            .all
            .iter()
            .position(|line| line.name.as_deref() == shown);
        list.table.go(here.unwrap_or(0), list.all.len(), height);
        list
    }

    /// Replaces the fields; the cursor stays on its line.
    pub(in crate::app) fn set_fields(&mut self, charts: Option<&FieldCharts>, height: usize) {
        let chosen = self.chosen().cloned();
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
            last: field.last().map(|last| (last, field.decimals())),
            count: field.count(),
        });
        self.all = std::iter::once(speed).chain(fields).collect();
        self.search_changed(height);
        let same = |line: &FieldLine| chosen.as_ref().is_some_and(|one| one.name == line.name);
        if let Some(row) = self.lines.iter().position(same) {
            self.table.go(row, self.lines.len(), height);
        }
    }

    /// Updates the lines to the search.
    pub(in crate::app) fn search_changed(&mut self, height: usize) {
        let search = self.search.text().trim().to_lowercase();
        let all = self.all.iter();
        let found = all.filter(|line| line.label.to_lowercase().contains(&search));
        self.lines = found.cloned().collect();
        self.table = TableState::default();
        self.table.settle(self.lines.len(), height);
    }

    /// The line under the cursor.
    pub(in crate::app) fn chosen(&self) -> Option<&FieldLine> {
        self.lines.get(self.table.cursor)
    }
}
