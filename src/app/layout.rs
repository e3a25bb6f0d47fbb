//! The layout of the screen. The update of keys and mouse and the view that
//! draws share it.

use super::state::tab::{Pane, Tab};

/// Smallest terminal the dashboard works in.
pub(crate) const SMALLEST: (u16, u16) = (60, 16);

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// A rectangle.
    pub(crate) const fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// Whether a cell is in it.
    pub(crate) fn contains(self, column: u16, row: u16) -> bool {
        column >= self.x
            && column - self.x < self.width
            && row >= self.y
            && row - self.y < self.height
    }

    /// Whether it has no cells.
    pub(crate) fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Returns the upper `rows` rows and the rest.
    pub(crate) fn split_top(self, rows: u16) -> (Self, Self) {
        let rows = rows.min(self.height);
        (
            Self {
                height: rows,
                ..self
            },
            Self {
                y: self.y + rows,
                height: self.height - rows,
                ..self
            },
        )
    }

    /// Returns the rest and the lower `rows` rows.
    pub(crate) fn split_bottom(self, rows: u16) -> (Self, Self) {
        self.split_top(self.height.saturating_sub(rows))
    }

    /// Returns the left `columns` columns and the rest.
    pub(crate) fn split_left(self, columns: u16) -> (Self, Self) {
        let columns = columns.min(self.width);
        (
            Self {
                width: columns,
                ..self
            },
            Self {
                x: self.x + columns,
                width: self.width - columns,
                ..self
            },
        )
    }

    /// A rectangle of this size in its middle, cut to it.
    pub(crate) fn centred(self, width: u16, height: u16) -> Self {
        let (width, height) = (width.min(self.width), height.min(self.height));
        Self {
            x: self.x + (self.width - width) / 2,
            y: self.y + (self.height - height) / 2,
            width,
            height,
        }
    }
}

/// The parts of the screen. A part that is not shown is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Layout {
    /// The whole screen.
    pub screen: Area,
    /// Whether the screen is too small: then only a message is shown.
    pub too_small: bool,
    /// Profile, address, connection: the first line.
    pub header: Area,
    /// The tabs: the second line.
    pub tabs: Area,
    /// Everything between tabs and footer.
    pub body: Area,
    /// Message or main keys: the last line.
    pub footer: Area,
    /// The table of the tab that is shown, its heading line included.
    pub table: Area,
    /// The rows of that table, below the heading.
    pub rows: Area,
    /// The map.
    pub map: Area,
    /// The timeline.
    pub timeline: Area,
    /// The summary or detail pane.
    pub summary: Area,
    /// The line that separates table and the panes to its right.
    pub divider: Area,
}

impl Layout {
    /// The layout of a screen of this size with this tab shown; `full` gives
    /// one pane the whole body.
    pub(crate) fn new(width: u16, height: u16, tab: Tab, full: Option<Pane>) -> Self {
        let screen = Area::new(0, 0, width, height);
        let mut layout = Self {
            screen,
            ..Self::default()
        };
        if width < SMALLEST.0 || height < SMALLEST.1 {
            layout.too_small = true;
            return layout;
        }
        let (header, rest) = screen.split_top(1);
        let (tabs, rest) = rest.split_top(1);
        let (body, footer) = rest.split_bottom(1);
        (layout.header, layout.tabs, layout.body, layout.footer) = (header, tabs, body, footer);
        match (tab, full) {
            (Tab::Track, Some(Pane::Table)) | (Tab::Deployments, Some(Pane::Table)) => {
                layout.table = body
            }
            (Tab::Track | Tab::Deployments, Some(Pane::Map)) => layout.map = body,
            (Tab::Track, Some(Pane::Timeline)) => layout.timeline = body,
            (Tab::Track, Some(Pane::Summary)) => layout.summary = body,
            (Tab::Track, None) => layout.arrange_track(),
            (Tab::Deployments, _) => layout.arrange_deployments(),
            (Tab::Plants | Tab::Activity, _) => {
                let detail = if body.height >= 20 { 6 } else { 3 };
                (layout.table, layout.summary) = body.split_bottom(detail);
            }
        }
        layout.rows = layout.table.split_top(1).1;
        layout
    }

    /// Table left, map right; below them the timeline, if there is room, and
    /// the summary.
    fn arrange_track(&mut self) {
        let body = self.body;
        let (summary_rows, strip_rows) = match body.height {
            0..=15 => (2, 0),
            16..=29 => (3, 4),
            _ => (5, 6),
        };
        let (upper, summary) = body.split_bottom(summary_rows);
        let (upper, timeline) = upper.split_bottom(strip_rows);
        // Time and position need 36 columns; with legs and flags 88.
        let table = match body.width {
            0..=79 => 36,
            80..=99 => 46,
            100..=119 => 58,
            120..=149 => 72,
            150..=199 => 88,
            _ => 104,
        };
        let (table, right) = upper.split_left(table);
        let (divider, map) = right.split_left(1);
        (
            self.table,
            self.divider,
            self.map,
            self.timeline,
            self.summary,
        ) = (table, divider, map, timeline, summary);
    }

    /// The list with the world map below it or to its right, if there is room.
    fn arrange_deployments(&mut self) {
        let body = self.body;
        if body.height >= 24 {
            let list = (body.height * 2 / 5).max(9);
            (self.table, self.map) = body.split_top(list);
        } else if body.width >= 100 {
            let (table, right) = body.split_left(body.width * 3 / 5);
            (self.divider, self.map) = right.split_left(1);
            self.table = table;
        } else {
            self.table = body;
        }
    }

    /// The area of each tab's title on the line of tabs.
    pub(crate) fn tab_spans(&self) -> impl Iterator<Item = (Tab, Area)> {
        // A title has its number before it and a cell on either side.
        let mut x = self.tabs.x;
        let (y, end) = (self.tabs.y, self.tabs.x + self.tabs.width);
        Tab::ALL.into_iter().map(move |tab| {
            let width = u16::try_from(tab.title().len()).unwrap_or(0) + 4;
            let area = Area::new(x.min(end), y, width.min(end.saturating_sub(x)), 1);
            x = x.saturating_add(width + 1);
            (tab, area)
        })
    }

    /// The pane at a cell.
    pub(crate) fn pane_at(&self, column: u16, row: u16) -> Option<Pane> {
        [
            (Pane::Table, self.table),
            (Pane::Map, self.map),
            (Pane::Timeline, self.timeline),
            (Pane::Summary, self.summary),
        ]
        .into_iter()
        .find(|(_, area)| area.contains(column, row))
        .map(|(pane, _)| pane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_every_size_the_parts_lie_within_the_screen_and_apart() {
        for width in [0u16, 1, 59, 60, 79, 80, 100, 120, 160, 220] {
            for height in (0..=70u16).step_by(3) {
                for tab in Tab::ALL {
                    for full in [
                        None,
                        Some(Pane::Table),
                        Some(Pane::Map),
                        Some(Pane::Timeline),
                        Some(Pane::Summary),
                    ] {
                        let layout = Layout::new(width, height, tab, full);
                        let parts = [
                            layout.header,
                            layout.tabs,
                            layout.footer,
                            layout.table,
                            layout.map,
                            layout.timeline,
                            layout.summary,
                            layout.divider,
                        ];
                        let mut covered = vec![false; usize::from(width) * usize::from(height)];
                        for part in parts {
                            assert!(
                                part.is_empty()
                                    || part.x + part.width <= width
                                        && part.y + part.height <= height
                            );
                            for y in part.y..part.y + part.height {
                                for x in part.x..part.x + part.width {
                                    let cell = &mut covered
                                        [usize::from(y) * usize::from(width) + usize::from(x)];
                                    assert!(
                                        !std::mem::replace(cell, true),
                                        "{width}x{height} {tab:?} {full:?}: two parts share a cell"
                                    );
                                }
                            }
                        }
                        assert_eq!(layout.too_small, width < 60 || height < 16);
                    }
                }
            }
        }
    }
}
