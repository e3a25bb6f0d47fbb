//! The layout of the screen. The update of keys and mouse and the view that
//! draws share it.

use ratatui::layout::Margin;
use strum::VariantArray;

use super::tab::{Pane, SIDE_BY_SIDE, TabId};

/// Smallest terminal that shows the panes. A smaller one shows the state of a single
/// deployment.
pub(crate) const SMALLEST: (u16, u16) = (60, 16);
/// Smallest terminal whose panes have frames. A smaller one has lines with
/// titles instead, so that few rows of data are lost.
const FRAMED: (u16, u16) = (100, 30);
/// The narrowest screen whose tabs have their long names, columns.
const LONG_TABS: u16 = 100;
/// Columns of the numbers of the speed axis of the timeline.
const SPEED_AXIS: u16 = 6;
/// Columns of a fix's flag, and of its time without the year, with the blanks behind them.
const FLAG: u16 = 2;
const TIME: u16 = 15;
/// The lowest body on a screen that is higher than wide, rows.
const STACKED: u16 = 32;
/// The smallest map with an axis below it.
const WITH_AXIS: (u16, u16) = (24, 7);
/// The narrowest map next to the table of fixes, columns.
const NARROWEST_MAP: u16 = 20;

/// The cells that a fix needs in its table besides its flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FixCells {
    /// The cells of its time and its position in their shortest form.
    pub shortest: u16,
    /// The cells of its position with all decimals.
    pub position: u16,
    /// The cells of speed and course over ground, or of a field instead, with the blank before.
    pub motion: u16,
}

/// The panes of a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// A table over the details of its chosen row.
    Rows,
    /// This many deployments, over the world map and the details of the chosen one.
    List {
        /// The deployments.
        rows: u16,
    },
    Track {
        /// The number of cells of a fix in the table.
        fix: FixCells,
        /// Further lines of the summary.
        summary: u16,
        /// `true` if the table has more of the width than the map.
        is_table_wide: bool,
    },
    /// A map with the card of a search next to it; on a narrow screen this pane alone.
    Picture { shown: Pane },
}

impl Arrangement {
    /// The pane that has the focus, of the one that the user has chosen, perhaps at full size.
    pub(crate) fn focused(self, chosen: Pane, full: Option<Pane>) -> Pane {
        match self {
            Self::Track { .. } => chosen,
            Self::Picture { shown } => shown,
            Self::List { .. } => full.unwrap_or(Pane::Table),
            Self::Rows => full.map_or(Pane::Table, |_| Pane::Summary),
        }
    }
}

/// The parts of the screen. A part that is not shown is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Layout {
    /// The whole screen.
    pub screen: Area,
    /// `true` if the screen is too small for the panes.
    pub too_small: bool,
    /// `true` if each pane has a frame, and not only a line with its title.
    pub framed: bool,
    /// Profile, address, connection: the first line.
    pub header: Area,
    /// The tabs: the second line.
    pub tabs: Area,
    /// Everything between tabs and footer.
    pub body: Area,
    /// Main keys: the last line.
    pub footer: Area,
    /// The table of the tab that is shown, its heading line included.
    pub table: Area,
    /// The rows of that table, below the heading.
    pub rows: Area,
    pub map: Area,
    /// The line below the map for degrees of longitude and the scale: that of its frame,
    /// or one of its own.
    pub map_axis: Area,
    pub timeline: Area,
    /// The summary or detail pane.
    pub summary: Area,
    /// The line that separates table and the panes to its right, where they
    /// have no frames.
    pub divider: Area,
    /// The line that separates the world map and the details to its right, where they
    /// have no frames.
    pub detail_divider: Area,
    /// The panes with their frames or title lines, in the order of [`Pane`].
    frames: [Area; Pane::VARIANTS.len()],
}

impl Layout {
    /// The layout of a screen of so many columns and rows with these panes, of which one has the
    /// focus, and perhaps the whole body.
    pub(crate) fn new(
        size: (u16, u16),
        arrangement: Arrangement,
        focus: Pane,
        full: Option<Pane>,
    ) -> Self {
        let (width, height) = size;
        let is_track = !matches!(arrangement, Arrangement::List { .. } | Arrangement::Rows);
        let screen = Area::new(0, 0, width, height);
        let mut layout = Self {
            screen,
            ..Self::default()
        };
        if width < SMALLEST.0 || height < SMALLEST.1 {
            layout.too_small = true;
            return layout;
        }
        // On Track rules part the panes: frames would take rows of the pictures.
        layout.framed = width >= FRAMED.0 && height >= FRAMED.1 && !is_track;
        let (header, rest) = screen.split_top(1);
        let (tabs, rest) = rest.split_top(1);
        let (body, footer) = rest.split_bottom(1);
        (layout.header, layout.tabs, layout.body, layout.footer) = (header, tabs, body, footer);
        match (arrangement, full) {
            (Arrangement::Picture { shown }, _) => layout.arrange_picture(shown),
            (Arrangement::Track { .. }, Some(pane)) => layout.frames[pane as usize] = body,
            (Arrangement::List { .. }, Some(pane @ (Pane::Table | Pane::Map))) => {
                layout.frames[pane as usize] = body;
            }
            (
                Arrangement::Track {
                    fix,
                    summary,
                    is_table_wide,
                },
                None,
            ) => layout.arrange_track(focus, fix, summary, is_table_wide),
            (Arrangement::List { rows }, _) => layout.arrange_deployments(rows),
            (Arrangement::Rows, Some(_)) => layout.frames[Pane::Summary as usize] = body,
            (Arrangement::Rows, None) => {
                // Lines of the detail below its title.
                let detail = match body.height {
                    0..=15 => 2,
                    16..=24 => 4,
                    _ => 6,
                };
                let (table, summary) = body.split_bottom(detail + layout.edges());
                layout.frames[Pane::Table as usize] = table;
                layout.frames[Pane::Summary as usize] = summary;
            }
        }
        layout.table = layout.content(Pane::Table);
        if layout.framed && !is_track {
            // On Track the first column, the flag's, is mostly blank.
            layout.table = layout.table.inner(Margin::new(1, 0));
        }
        if !layout.framed && width >= FRAMED.0 && height >= FRAMED.1 {
            // The last column is for the bar that shows which rows are visible.
            let columns = layout.table.width.saturating_sub(1);
            layout.table = layout.table.split_left(columns).0;
        }
        let map = layout.content(Pane::Map);
        (layout.map, layout.map_axis) = if layout.framed {
            (map, Area::new(map.x, map.y + map.height, map.width, 1))
        } else if map.width >= WITH_AXIS.0 && map.height >= WITH_AXIS.1 {
            map.split_bottom(1)
        } else {
            (map, Area::default())
        };
        layout.timeline = layout.content(Pane::Timeline);
        layout.summary = layout.content(Pane::Summary);
        if layout.framed {
            layout.summary = layout.summary.inner(Margin::new(1, 0));
        }
        if !layout.detail_divider.is_empty() {
            layout.summary = layout.summary.split_left(1).1;
        }
        layout.rows = layout.table.split_top(1).1;
        layout
    }

    /// The columns of the timeline that have a time: all but those of the speed axis.
    pub(crate) fn time_axis(&self) -> Area {
        self.timeline.split_left(SPEED_AXIS).1
    }

    /// A pane with its frame or its title line.
    pub(crate) fn frame(&self, pane: Pane) -> Area {
        self.frames[pane as usize]
    }

    /// Rows that the frame or title line of a pane takes.
    fn edges(&self) -> u16 {
        if self.framed { 2 } else { 1 }
    }

    /// A pane without its frame or title line.
    fn content(&self, pane: Pane) -> Area {
        let frame = self.frame(pane);
        if self.framed {
            frame.inner(Margin::new(1, 1))
        } else {
            frame.split_top(1).1
        }
    }

    /// Map left, the table right, either of them wider; below them the timeline and
    /// the summary over the whole width. On a screen that is higher than wide the map is
    /// below the table. Below [`SIDE_BY_SIDE`] columns one pane at a time, over a line
    /// of the summary.
    fn arrange_track(&mut self, focus: Pane, fix: FixCells, summary: u16, is_table_wide: bool) {
        let body = self.body;
        let edges = self.edges();
        let (summary_lines, strip_lines) = match body.height {
            0..=15 => (1, 0),
            16..=24 => (2, 6),
            // On a screen that is higher than wide the lines are short.
            _ if body.width < 70 => (9, 8),
            _ if body.width < 100 => (8, 8),
            25..=36 => (3, 8),
            _ => (4, body.height / 4),
        };
        let is_alone = body.width < SIDE_BY_SIDE && body.height < STACKED;
        if is_alone && focus == Pane::Summary {
            self.frames[Pane::Summary as usize] = body;
            return;
        }
        let summary_lines = summary_lines + summary;
        let (upper, summary) = body.split_bottom(summary_lines + edges);
        self.frames[Pane::Summary as usize] = summary;
        if is_alone {
            self.frames[focus as usize] = upper;
            return;
        }
        let strip_rows = if strip_lines > 0 {
            strip_lines + edges
        } else {
            0
        };
        let (upper, timeline) = upper.split_bottom(strip_rows);
        self.frames[Pane::Timeline as usize] = timeline;
        let (map, table) = if body.width < 100 && body.height >= STACKED {
            let (table, map) = upper.split_top(upper.height / 2);
            (map, table)
        } else {
            let table = match (is_table_wide, body.width) {
                // With legs and reasons time and position need 88 columns.
                (true, 0..=99) => {
                    let most = body.width.saturating_sub(1 + NARROWEST_MAP);
                    (FLAG + TIME + fix.position + fix.motion).min(most)
                }
                (true, 100..=119) => 60,
                (true, 120..=149) => 74,
                (true, 150..=199) => 90,
                (true, _) => 106,
                // Time and position; with speed and course, or a field, if there is room.
                (false, 0..=99) => FLAG + fix.shortest,
                (false, 100..=149) => FLAG + fix.shortest + fix.motion + 1,
                (false, _) => FLAG + TIME + fix.position + fix.motion + 8,
            };
            self.side_by_side(upper, upper.width.saturating_sub(table + 1))
        };
        self.frames[Pane::Table as usize] = table;
        self.frames[Pane::Map as usize] = map;
    }

    /// The map, and the card right of it.
    fn arrange_picture(&mut self, shown: Pane) {
        let body = self.body;
        if body.width < SIDE_BY_SIDE {
            self.frames[shown as usize] = body;
            return;
        }
        // A position, a time with its zone, and two radii fit behind their labels.
        let card = match body.width {
            0..=119 => 44,
            120..=149 => 60,
            _ => 68,
        };
        let (map, card) = self.side_by_side(body, body.width - card - 1);
        self.frames[Pane::Map as usize] = map;
        self.frames[Pane::Summary as usize] = card;
    }

    /// The table with the left `columns` columns, and the rest; the line
    /// between them is set where they have no frames.
    fn side_by_side(&mut self, area: Area, columns: u16) -> (Area, Area) {
        let (left, right) = area.split_left(columns);
        if self.framed {
            return (left, right);
        }
        let (divider, right) = right.split_left(1);
        self.divider = divider;
        (left, right)
    }

    /// The list with the world map below it or to its right, if there is room, and the
    /// details of the selected deployment next to the map.
    fn arrange_deployments(&mut self, rows: u16) {
        let body = self.body;
        let (table, map) = if body.height >= 20 {
            // The text of an empty list needs some lines; the map gets the rest.
            let least = 5 + 1 + self.edges();
            let wanted = rows.saturating_add(1 + self.edges());
            body.split_top(wanted.clamp(least, (body.height * 3 / 5).max(least)))
        } else if body.width >= 100 {
            self.side_by_side(body, body.width * 3 / 5)
        } else {
            (body, Area::default())
        };
        let (map, mut detail) = match body.width {
            _ if map.width < 80 => (map, Area::default()),
            0..=99 => map.split_left(map.width - 26),
            // A position fits on one line after its label.
            100..=139 => map.split_left(map.width - 38),
            _ => map.split_left(map.width - 50),
        };
        if !self.framed && !detail.is_empty() {
            (self.detail_divider, detail) = detail.split_left(1);
        }
        self.frames[Pane::Table as usize] = table;
        self.frames[Pane::Map as usize] = map;
        self.frames[Pane::Summary as usize] = detail;
    }

    /// Each tab with its title and its area on the line of tabs, a blank apart. Long titles have
    /// a blank on either side; messages need the room next to short ones.
    pub(crate) fn tab_spans(&self) -> impl Iterator<Item = (TabId, String, Area)> {
        let line = self.tabs;
        let is_long = line.width >= LONG_TABS;
        let mut x = u16::from(!is_long);
        TabId::ALL
            .iter()
            .copied()
            .zip(1..)
            .map(move |(tab, number)| {
                let title = if is_long {
                    format!(" {number} {} ", tab.title())
                } else {
                    format!("{number} {}", tab.short_title())
                };
                let (_, rest) = line.split_left(x);
                let width = u16::try_from(title.len()).unwrap_or(rest.width);
                x += width + 1;
                (tab, title, rest.split_left(width).0)
            })
    }

    /// The line of tabs right of their titles.
    pub(crate) fn after_tabs(&self) -> Area {
        let last = self.tab_spans().last();
        let end = last.map_or(0, |(_, _, last)| last.x + last.width);
        self.tabs.split_left(end.saturating_add(1)).1
    }

    /// The pane at a cell.
    pub(crate) fn pane_at(&self, column: u16, row: u16) -> Option<Pane> {
        let area = |pane: Pane| match pane {
            Pane::Table => self.table,
            Pane::Map => self.map,
            Pane::Timeline => self.timeline,
            Pane::Summary => self.summary,
        };
        let mut panes = Pane::VARIANTS.iter().copied();
        panes.find(|pane| area(*pane).contains((column, row).into()))
    }
}

/// A rectangle of cells.
pub(crate) use ratatui::layout::Rect as Area;

/// The parts of an area.
pub(crate) trait Parts: Sized {
    /// The cells of a line from a column on; empty outside the area.
    fn at(self, x: u16, line: u16) -> Self;

    /// The upper `rows` rows and the rest.
    fn split_top(self, rows: u16) -> (Self, Self);

    /// The rest and the lower `rows` rows.
    fn split_bottom(self, rows: u16) -> (Self, Self);

    /// The left `columns` columns and the rest.
    fn split_left(self, columns: u16) -> (Self, Self);
}

impl Parts for Area {
    fn at(self, x: u16, line: u16) -> Self {
        let is_inside = x < self.width && line < self.height;
        let width = if is_inside { self.width - x } else { 0 };
        let y = self.y.saturating_add(line);
        Self::new(self.x.saturating_add(x), y, width, u16::from(is_inside))
    }

    fn split_top(self, rows: u16) -> (Self, Self) {
        let rows = rows.min(self.height);
        (
            Self::new(self.x, self.y, self.width, rows),
            Self::new(self.x, self.y + rows, self.width, self.height - rows),
        )
    }

    fn split_bottom(self, rows: u16) -> (Self, Self) {
        self.split_top(self.height.saturating_sub(rows))
    }

    fn split_left(self, columns: u16) -> (Self, Self) {
        let columns = columns.min(self.width);
        (
            Self::new(self.x, self.y, columns, self.height),
            Self::new(self.x + columns, self.y, self.width - columns, self.height),
        )
    }
}

#[cfg(test)]
mod tests;
