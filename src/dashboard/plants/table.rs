//! The table of the plants.

use ratatui::style::Style;

use super::PlantsTab;
use crate::dashboard::canvas::Canvas;
use crate::dashboard::keymap::Action;
use crate::dashboard::layout::Parts;
use crate::dashboard::progress::spinner;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::dashboard::tabs::RowsTab;
use crate::dashboard::tabs::times::Times;
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::table::{Cell, Column, chosen, explain};
use crate::plant::log::{Operation, Outcome};
use crate::plant::state::{Named, Plant, State};

/// A plant as a line of the table.
pub(super) struct Line {
    plant: Plant,
    state: State,
    is_marked: bool,
    /// The operations of its requests, oldest first: "create · delete".
    requests: String,
    /// The address that its state comes from, if there is more than one.
    address: String,
}

/// The columns, in their usual order.
pub(super) const COLUMNS: &[Column<Line, Times>] = &[
    Column {
        name: "state",
        cells: |visible| [visible.longest().max(11); 2],
        rank: 0,
        sort: Heading::Column("state"),
        cell: |line, look| {
            let (sign, style) = sign(line.state, look.theme);
            let marked = match line.is_marked {
                true => format!("{} ", mark(look.theme).0),
                // Its cells are there without it: a mark moves nothing.
                false => "  ".to_owned(),
            };
            let word: &str = line.state.into();
            Cell::new(marked, look.theme.accent()).then(format!("{sign} {word}"), style)
        },
        ..Column::LEFT
    },
    Column {
        name: "id",
        cells: |visible| [visible.longest().clamp(4, 20); 2],
        is_text: true,
        rank: 10,
        sort: Heading::Column("id"),
        cell: |line, look| Cell::new(&line.plant.id, look.theme.text()),
        ..Column::RIGHT
    },
    Column {
        name: "name",
        cells: |visible| [14, 32].map(|most| visible.longest().clamp(6, most)),
        is_text: true,
        rank: 20,
        long_rank: 62,
        fills: true,
        sort: Heading::Column("name"),
        cell: |line, look| {
            let name = line.plant.named().map(Named::label);
            Cell::new(name.unwrap_or_default(), look.theme.text())
        },
        ..Column::LEFT
    },
    Column {
        name: "tag",
        cells: |visible| [10, 24].map(|most| visible.longest().clamp(3, most)),
        is_text: true,
        rank: 30,
        long_rank: 64,
        sort: Heading::Column("tag"),
        cell: |line, look| {
            let named = line.plant.named();
            Cell::new(
                named.map_or("", |named| named.tag.as_str()),
                look.theme.text(),
            )
        },
        ..Column::LEFT
    },
    Column {
        name: "since",
        title: Some(|look| format!("since {}", look.model.zone_name())),
        cells: |_| [14, 19],
        rank: 40,
        long_rank: 61,
        sort: Heading::Column("since"),
        cell: |line, look| {
            let since = line.plant.since.floor();
            Cell::new(look.model.moment(since), look.theme.dim()).or(look.model.short_moment(since))
        },
        ..Column::LEFT
    },
    Column {
        name: "requests",
        cells: |visible| [15, visible.longest().min(40)],
        is_text: true,
        rank: 60,
        long_rank: 70,
        sort: Heading::Column("requests"),
        // The last ones say most.
        cut: crate::text::fit_ends,
        cell: |line, look| Cell::new(&line.requests, look.theme.dim()),
        ..Column::LEFT
    },
    Column {
        name: "address",
        cells: |visible| [28, 60].map(|most| visible.longest().min(most)),
        is_text: true,
        rank: 50,
        long_rank: 80,
        cut: crate::text::fit_ends,
        sort: Heading::Column("address"),
        cell: |line, look| Cell::new(&line.address, look.theme.dim()),
        ..Column::LEFT
    },
];

/// The sign of a state, and its style.
pub(super) fn sign(state: State, theme: Theme) -> (&'static str, Style) {
    match state {
        State::Exists => (theme.glyph("✓", "+"), theme.good()),
        State::Deleted => (theme.glyph("−", "-"), theme.dim()),
        State::Absent => (theme.glyph("∅", "o"), theme.dim()),
        State::Unknown => ("?", theme.warning()),
        State::Refused => (theme.glyph("✗", "x"), theme.bad()),
        State::Sending => (theme.glyph("…", "~"), theme.warning()),
    }
}

/// The sign of a marked plant, and its style.
pub(super) fn mark(theme: Theme) -> (&'static str, Style) {
    (theme.glyph("■", "*"), theme.accent())
}

impl PlantsTab {
    /// The operations of the requests of a plant, oldest first.
    pub(super) fn requests(&self, plant: &Plant) -> String {
        let requests = plant.requests(&self.log).map(|entry| {
            match (entry.operation.word(), entry.outcome()) {
                (word, Outcome::Refused) => format!("{word} refused"),
                (word, _) => word.to_owned(),
            }
        });
        requests.collect::<Vec<_>>().join(" · ")
    }

    fn line(&self, row: usize) -> Option<Line> {
        let plant = self.plants.get(row)?;
        let is_one = self
            .service
            .as_ref()
            .is_none_or(|service| service.has_one_address());
        Some(Line {
            state: self.state(plant),
            is_marked: self.marked.contains(&plant.id),
            requests: self.requests(plant),
            address: if is_one {
                String::new()
            } else {
                plant.address.clone()
            },
            plant: plant.clone(),
        })
    }
}

/// Draws the shown plants.
pub(super) fn draw(tab: &PlantsTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let (area, theme) = (canvas.layout.table, canvas.theme);
    let visible = tab.rows.visible(area);
    let lines: Vec<Line> = visible.filter_map(|row| tab.line(row)).collect();
    let columns = chosen(COLUMNS, shared.screen.columns.shown(TabId::Plants));
    tab.rows.draw(canvas, shared, columns, &lines);
    if lines.is_empty() {
        let words = instead_of_rows(tab, shared);
        let words = words.iter().map(|words| (words.as_str(), theme.text()));
        let below = area.split_top(1).1.split_left(1).1;
        explain(canvas.buffer, below, &words.collect::<Vec<_>>());
    }
    let message = match (tab.in_progress.first(), &tab.importing) {
        (Some(request), _) => {
            let operation = match request.operation {
                Operation::Create => "creating",
                Operation::Delete => "deleting",
                _ => "recording",
            };
            let more = match tab.series.left.len() {
                0 => String::new(),
                more => format!(", {more} more"),
            };
            format!("{operation} {}{more}", request.id)
        }
        (None, Some(import)) if import.is_stopped => {
            "the import ends after the plant that is being sent".to_owned()
        }
        (None, Some(_)) => format!("importing, {} stops it", shared.key_of(Action::Dismiss)),
        (None, None) => return,
    };
    let message = format!("{} {message}", spinner(shared.now, theme));
    let last = area.at(0, area.height.saturating_sub(1));
    put(canvas.buffer, last, &message, theme.text());
}

/// The words of an empty table.
fn instead_of_rows(tab: &PlantsTab, shared: &Shared) -> Vec<String> {
    let what = "A plant is a record of the service's store: id, name and tag.";
    if tab.service.is_none() {
        let why =
            "Plants need the service: they are records of the one that driftline was made for.";
        return vec![what.to_owned(), why.to_owned()];
    }
    if tab.len() > 0 {
        return vec!["No plant matches the filter; Esc clears it.".to_owned()];
    }
    let new = shared.key_of(Action::NewPlant);
    let delete = shared.key_of(Action::DeletePlant);
    let import = shared.key_of(Action::ImportPlants);
    let mut words = vec![
        what.to_owned(),
        "The service cannot list its plants: here are those created or deleted from here."
            .to_owned(),
        format!(
            "{new}: create one; {delete}: delete one by its identifier. {import}: create those of a file."
        ),
    ];
    if tab.elsewhere > 0 {
        let lines = crate::text::counted(tab.elsewhere, "line", "lines");
        words.push(format!("The plant log has {lines} of other services."));
    }
    words
}
