//! The pane below the table of a tab; at full size it is scrolled.

use super::RowsTab;
use crate::dashboard::canvas::Canvas;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::Sheet;
use crate::dashboard::widgets::table_state::Step;

/// All lines of the pane, and how many of them it shows: all but the last, which says where they
/// are, if they do not fit at full size.
fn laid(tab: &dyn RowsTab, area: Area, shared: &Shared, theme: Theme) -> (Sheet, u16) {
    let mut sheet = Sheet::new(area.width);
    tab.detail(&mut sheet, area.height, shared, theme);
    let is_cut = shared.screen.full && sheet.height() > area.height;
    (sheet, area.height.saturating_sub(u16::from(is_cut)))
}

/// Draws the part of the pane that is scrolled to.
pub(super) fn draw(tab: &dyn RowsTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let area = canvas.layout.summary;
    let theme = canvas.theme;
    let (mut sheet, height) = laid(tab, area, shared, theme);
    let lines = sheet.height();
    if height < area.height {
        let scrolled = u16::try_from(tab.rows().detail.top).unwrap_or(lines);
        let top = scrolled.min(lines.saturating_sub(height));
        sheet.skip(top);
        let place = format!("lines {}–{} of {lines}", top + 1, top + height);
        put(canvas.buffer, area.at(0, height), &place, theme.dim());
    }
    sheet.draw(canvas.buffer, area.split_top(height).0, theme);
}

/// Scrolls the pane.
pub(super) fn scroll(tab: &mut dyn RowsTab, step: Step, area: Area, shared: &Shared) {
    // The lines are the same in any colours.
    let (sheet, height) = laid(tab, area, shared, Theme::default());
    let mut shown = tab.rows().detail;
    // The first line of the pane is the cursor.
    let bottom = usize::from(sheet.height().saturating_sub(height));
    shown.step(step, bottom + 1, height.into());
    shown.top = shown.cursor;
    tab.rows_mut().detail = shown;
}
