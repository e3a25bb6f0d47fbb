//! The layout of the screen. The update of keys and mouse and the view that
//! draws share it.

use super::tab::{Pane, Tab};

/// Smallest terminal that shows the panes. A smaller one shows the state of one
/// deployment.
pub(crate) const SMALLEST: (u16, u16) = (60, 16);
/// Smallest terminal whose panes have frames. A smaller one has lines with
/// titles instead, so that few rows of data are lost.
const FRAMED: (u16, u16) = (100, 30);
/// Columns of the numbers of the speed axis of the timeline.
const SPEED_AXIS: u16 = 6;
/// Columns of a fix's flag and of its time without the year, with the blanks
/// behind them.
const FLAG_AND_TIME: u16 = 2 + 15;
/// Columns of the seconds of a time.
const SECONDS: u16 = 3;
/// The narrowest map beside the table of fixes, columns.
const NARROWEST_MAP: u16 = 20;

/// The cells that a fix needs in its table besides flag and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FixCells {
    /// Those of its position.
    pub position: u16,
    /// Those of speed and course over ground, with the blank before them.
    pub motion: u16,
}

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

    /// `true` if a cell is in it.
    pub(crate) fn contains(self, column: u16, row: u16) -> bool {
        column >= self.x
            && column - self.x < self.width
            && row >= self.y
            && row - self.y < self.height
    }

    /// `true` if it has no cells.
    pub(crate) fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// The cells of a line from a column on; none where they are outside.
    pub(crate) fn at(self, x: u16, line: u16) -> Self {
        let is_inside = x < self.width && line < self.height;
        Self {
            x: self.x.saturating_add(x),
            y: self.y.saturating_add(line),
            width: if is_inside { self.width - x } else { 0 },
            height: u16::from(is_inside),
        }
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

    /// Returns it without the cells of a frame around it.
    fn within_frame(self) -> Self {
        Self {
            x: self.x + self.width.min(1),
            y: self.y + self.height.min(1),
            width: self.width.saturating_sub(2),
            height: self.height.saturating_sub(2),
        }
    }

    /// Returns it without its first and its last column.
    fn within_margins(self) -> Self {
        Self {
            x: self.x + self.width.min(1),
            width: self.width.saturating_sub(2),
            ..self
        }
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
    /// The map.
    pub map: Area,
    /// The timeline.
    pub timeline: Area,
    /// The summary or detail pane.
    pub summary: Area,
    /// The line that separates table and the panes to its right, where they
    /// have no frames.
    pub divider: Area,
    /// The line that separates the world map and the details to its right, where they
    /// have no frames.
    pub detail_divider: Area,
    /// Table, map, timeline and summary with their frames or title lines.
    frames: [Area; 4],
}

impl Layout {
    /// The layout of a screen of this size with this tab shown; `full` gives
    /// one pane the whole body, `fix` is the number of cells of a fix in the table, and
    /// `measures` whether the summary has a line more.
    pub(crate) fn new(
        width: u16,
        height: u16,
        tab: Tab,
        full: Option<Pane>,
        fix: FixCells,
        measures: bool,
    ) -> Self {
        let screen = Area::new(0, 0, width, height);
        let mut layout = Self {
            screen,
            ..Self::default()
        };
        if width < SMALLEST.0 || height < SMALLEST.1 {
            layout.too_small = true;
            return layout;
        }
        layout.framed = width >= FRAMED.0 && height >= FRAMED.1;
        let (header, rest) = screen.split_top(1);
        let (tabs, rest) = rest.split_top(1);
        let (body, footer) = rest.split_bottom(1);
        (layout.header, layout.tabs, layout.body, layout.footer) = (header, tabs, body, footer);
        match (tab, full) {
            (Tab::Track, Some(pane)) => *layout.frame_mut(pane) = body,
            (Tab::Deployments, Some(pane @ (Pane::Table | Pane::Map))) => {
                *layout.frame_mut(pane) = body;
            }
            (Tab::Track, None) => layout.arrange_track(fix, measures),
            (Tab::Deployments, _) => layout.arrange_deployments(),
            (Tab::Plants | Tab::Activity, _) => {
                // Lines of the detail below its title.
                let detail = match body.height {
                    0..=15 => 2,
                    16..=24 => 4,
                    _ => 6,
                };
                let (table, summary) = body.split_bottom(detail + layout.edges());
                *layout.frame_mut(Pane::Table) = table;
                *layout.frame_mut(Pane::Summary) = summary;
            }
        }
        layout.table = layout.content(Pane::Table);
        if layout.framed && tab != Tab::Track {
            // On Track the first column, the flag's, is mostly blank.
            layout.table = layout.table.within_margins();
        }
        layout.map = layout.content(Pane::Map);
        layout.timeline = layout.content(Pane::Timeline);
        layout.summary = layout.content(Pane::Summary);
        if layout.framed {
            layout.summary = layout.summary.within_margins();
        }
        if !layout.detail_divider.is_empty() {
            layout.summary = layout.summary.split_left(1).1;
        }
        layout.rows = layout.table.split_top(1).1;
        layout
    }

    /// The columns of the timeline that have a time: all beside its speed axis.
    pub(crate) fn time_axis(&self) -> Area {
        self.timeline.split_left(SPEED_AXIS).1
    }

    /// A pane with its frame or its title line.
    pub(crate) fn frame(&self, pane: Pane) -> Area {
        let [table, map, timeline, summary] = self.frames;
        match pane {
            Pane::Table => table,
            Pane::Map => map,
            Pane::Timeline => timeline,
            Pane::Summary => summary,
        }
    }

    fn frame_mut(&mut self, pane: Pane) -> &mut Area {
        let [table, map, timeline, summary] = &mut self.frames;
        match pane {
            Pane::Table => table,
            Pane::Map => map,
            Pane::Timeline => timeline,
            Pane::Summary => summary,
        }
    }

    /// Rows that the frame or title line of a pane takes.
    fn edges(&self) -> u16 {
        if self.framed { 2 } else { 1 }
    }

    /// A pane without its frame or title line.
    fn content(&self, pane: Pane) -> Area {
        let frame = self.frame(pane);
        if self.framed {
            frame.within_frame()
        } else {
            frame.split_top(1).1
        }
    }

    /// Table left, map right; below them the timeline, if there is room, and
    /// the summary. On a screen that is higher than wide the map is below the
    /// table.
    fn arrange_track(&mut self, fix: FixCells, measures: bool) {
        let body = self.body;
        let edges = self.edges();
        let (summary_lines, strip_lines) = match body.height {
            0..=15 => (1, 0),
            16..=29 => (2, 4),
            // On a screen that is higher than wide the lines are short.
            _ if body.width < 70 => (9, 6),
            _ if body.width < 100 => (8, 6),
            _ => (4, 6),
        };
        // A measurement has a line of its own.
        let summary_lines = summary_lines + u16::from(measures);
        let (upper, summary) = body.split_bottom(summary_lines + edges);
        let strip_rows = if strip_lines > 0 {
            strip_lines + edges
        } else {
            0
        };
        let (upper, timeline) = upper.split_bottom(strip_rows);
        *self.frame_mut(Pane::Summary) = summary;
        *self.frame_mut(Pane::Timeline) = timeline;
        let (table, map) = if body.width < 100 && body.height >= 32 {
            upper.split_top(upper.height / 2)
        } else {
            // With legs and reasons time and position need 88 columns.
            let most = body.width.saturating_sub(1 + NARROWEST_MAP);
            let table = match body.width {
                // Speed and course are in the table at its full size, and the map here.
                0..=79 if most < FLAG_AND_TIME - SECONDS + fix.position + fix.motion => {
                    FLAG_AND_TIME + fix.position
                }
                0..=99 => (FLAG_AND_TIME + fix.position + fix.motion).min(most),
                100..=119 => 60,
                120..=149 => 74,
                150..=199 => 90,
                _ => 106,
            };
            self.side_by_side(upper, table)
        };
        *self.frame_mut(Pane::Table) = table;
        *self.frame_mut(Pane::Map) = map;
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

    /// The list with the world map below it or to its right, if there is room,
    /// and the detail of the selected deployment beside the map.
    fn arrange_deployments(&mut self) {
        let body = self.body;
        let (table, map) = if body.height >= 20 {
            let list = (body.height * 2 / 5).max(8 + 1 + self.edges());
            body.split_top(list)
        } else if body.width >= 100 {
            self.side_by_side(body, body.width * 3 / 5)
        } else {
            (body, Area::default())
        };
        let (map, mut detail) = match body.width {
            _ if map.width < 80 => (map, Area::default()),
            0..=99 => map.split_left(map.width - 26),
            // A position has one line beside its label.
            100..=139 => map.split_left(map.width - 38),
            _ => map.split_left(map.width - 50),
        };
        if !self.framed && !detail.is_empty() {
            (self.detail_divider, detail) = detail.split_left(1);
        }
        *self.frame_mut(Pane::Table) = table;
        *self.frame_mut(Pane::Map) = map;
        *self.frame_mut(Pane::Summary) = detail;
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

    /// Cells of a position in degrees, minutes and seconds, and of a speed in knots with
    /// its course.
    const FIX: FixCells = FixCells {
        position: 26,
        motion: 15,
    };

    #[test]
    fn the_smallest_screen_loses_at_most_one_row_to_the_titles() {
        let rows = |tab| Layout::new(60, 16, tab, None, FIX, false).rows.height;
        // Without titles there were 12, 10, 9 and 9.
        assert_eq!(Tab::ALL.map(rows), [11, 9, 8, 8]);
    }

    #[test]
    fn panes_have_frames_from_100x30_up() {
        let framed =
            |width, height| Layout::new(width, height, Tab::Track, None, FIX, false).framed;
        assert!(framed(100, 30) && framed(160, 48));
        assert!(!framed(99, 30) && !framed(100, 29) && !framed(80, 24));
    }

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
                        let layout = Layout::new(width, height, tab, full, FIX, false);
                        let panes = [
                            (Pane::Table, layout.table),
                            (Pane::Map, layout.map),
                            (Pane::Timeline, layout.timeline),
                            (Pane::Summary, layout.summary),
                        ];
                        for (pane, content) in panes {
                            let frame = layout.frame(pane);
                            assert!(
                                content.is_empty()
                                    || content.x >= frame.x
                                        && content.y > frame.y
                                        && content.x + content.width <= frame.x + frame.width
                                        && content.y + content.height <= frame.y + frame.height,
                                "{width}x{height} {tab:?} {full:?}: {pane:?} leaves its frame"
                            );
                        }
                        let parts = [
                            layout.header,
                            layout.tabs,
                            layout.footer,
                            layout.frame(Pane::Table),
                            layout.frame(Pane::Map),
                            layout.frame(Pane::Timeline),
                            layout.frame(Pane::Summary),
                            layout.divider,
                            layout.detail_divider,
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
