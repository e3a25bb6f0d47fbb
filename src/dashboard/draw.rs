//! A frame: the panes, and the dialog on top over them. Only visible rows are
//! formatted, and nothing changes the state.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::attention::Attention;
use super::canvas::Canvas;
pub(crate) use super::canvas::{Memory, Placed};
use super::dialogs::Dialog;
use super::footer::pane_keys;
use super::layout::Parts;
use super::shell::Shell;
use super::targets::Targets;
use super::theme::Theme;
use super::widgets::{ascii, paint};
use super::{Dashboard, frame, glance, header, message};
use crate::dashboard::shared::Shared;

/// Draws the whole screen on a blank buffer; returns the cell of the cursor, `None` if
/// it is hidden.
pub(crate) fn draw(
    buffer: &mut Buffer,
    dashboard: &Dashboard,
    theme: Theme,
    memory: &mut Memory,
) -> Option<Position> {
    let shell = &dashboard.shell;
    let dialog = dashboard.dialogs.last();
    let has_room = panes(buffer, shell, dialog, theme, memory);
    let mut cursor = None;
    for shown in dashboard.dialogs.iter().filter(|_| has_room) {
        let is_top = dialog.is_some_and(|top| std::ptr::eq(top, shown));
        if is_top || shown.is_beside_map() {
            cursor = shown.draw(buffer, shell, theme, &mut memory.targets);
        }
        // A card stands beside the map, and takes the mouse of both.
        if let Some(dialog) = memory.targets.dialog.filter(|_| !shown.is_beside_map()) {
            for placed in &mut memory.pictures {
                placed.cover(dialog);
            }
        }
    }
    if !theme.can.unicode {
        ascii::only_ascii(buffer);
    }
    cursor
}

/// Draws the panes on a blank buffer, with the footer of the dialog on top if there is one.
/// Returns `false` where the screen has room for a glance alone.
fn panes(
    buffer: &mut Buffer,
    shell: &Shell,
    dialog: Option<&Dialog>,
    theme: Theme,
    memory: &mut Memory,
) -> bool {
    memory.targets = Targets::default();
    memory.pictures.clear();
    let screen = buffer.area;
    let layout = shell.layout_at((screen.width, screen.height));
    if layout.too_small {
        glance::draw(buffer, layout.screen, shell, theme);
        return false;
    }
    memory.targets.sums = header::draw(buffer, layout.header, shell, theme);
    frame::tabs(buffer, &layout, &shell.shared, theme);
    super::panes::draw(buffer, &layout, shell, theme);
    let mut canvas = Canvas {
        buffer: &mut *buffer,
        layout: &layout,
        theme,
        memory,
    };
    shell.tab().draw(&mut canvas, &shell.shared);
    message::draw(buffer, &layout, shell, dialog, theme);
    let keys = dialog.map_or_else(|| pane_keys(shell), |dialog| dialog.footer(shell));
    memory.targets.footer = frame::footer(buffer, layout.footer, keys, theme);
    true
}

/// Draws the screen while settings and archive are read.
pub(crate) fn opening(buffer: &mut Buffer, theme: Theme) {
    let area = buffer.area;
    let end = paint::put(buffer, area.at(0, 0), "driftline", theme.heading());
    let message = "  reading settings and archive";
    paint::put(buffer, area.at(end, 0), message, theme.dim());
}

/// The title of the window: "driftline", and the troubles; an acknowledged alarm is not
/// counted.
pub(crate) fn title(shared: &Shared) -> String {
    let words: Vec<String> = Attention::new(shared).words().collect();
    if words.is_empty() {
        "driftline".to_owned()
    } else {
        format!("driftline: {}", words.join(", "))
    }
}
