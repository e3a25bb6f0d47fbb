//! The pane below the table of a tab, at full size.

use ratatui::buffer::{Buffer, Cell};

use super::{Panes, RowsTab};
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::table_state::Step;

/// The most lines of a pane that is shown at full size: of a plant, some hundred requests.
const MOST_LINES: u16 = 400;

/// The pane below the table of a tab, however many lines it has, and their number.
fn whole_detail(tab: &dyn RowsTab, width: u16, shared: &Shared, theme: Theme) -> (Buffer, usize) {
    let area = Area::new(0, 0, width, MOST_LINES);
    let mut whole = Buffer::empty(area);
    let panes = Panes {
        table: Area::default(),
        detail: area,
    };
    tab.draw(&mut whole, panes, shared, theme);
    let is_blank = |cell: &Cell| cell.symbol() == " ";
    let mut lines = whole.content.chunks(usize::from(width.max(1)));
    let last = lines.rposition(|line| !line.iter().all(is_blank));
    (whole, last.map_or(0, |last| last + 1))
}

/// The lines of a pane of this height that show a text of so many lines: all but the last,
/// which says where they are, if it does not fit.
fn text_height(height: u16, lines: usize) -> usize {
    let height = usize::from(height);
    if lines > height {
        height.saturating_sub(1)
    } else {
        height
    }
}

/// Draws the part of the pane below the table that is scrolled to, at full size. Nothing is
/// drawn of the table.
pub(super) fn draw(
    tab: &dyn RowsTab,
    buffer: &mut Buffer,
    area: Area,
    shared: &Shared,
    theme: Theme,
) {
    let (whole, lines) = whole_detail(tab, area.width, shared, theme);
    let height = text_height(area.height, lines);
    let top = tab.rows().detail.top.min(lines.saturating_sub(height));
    let width = usize::from(area.width.max(1));
    let shown = whole.content.chunks(width).skip(top).take(height);
    for (y, line) in (area.y..).zip(shown) {
        for (x, cell) in (area.x..).zip(line) {
            if let Some(place) = buffer.cell_mut((x, y)) {
                place.clone_from(cell);
            }
        }
    }
    if height < lines && area.height > 0 {
        let place = format!("lines {}–{} of {lines}", top + 1, top + height);
        put(buffer, area.at(0, area.height - 1), &place, theme.dim());
    }
}

/// Scrolls the pane.
pub(super) fn scroll(tab: &mut dyn RowsTab, step: Step, area: Area, shared: &Shared) {
    // The lines are the same in any colours.
    let (_, lines) = whole_detail(tab, area.width, shared, Theme::default());
    let height = text_height(area.height, lines);
    let mut shown = tab.rows().detail;
    // The first line of the pane is the cursor.
    let bottom = lines.saturating_sub(height);
    shown.step(step, bottom + 1, height);
    shown.top = shown.cursor;
    tab.rows_mut().detail = shown;
}
