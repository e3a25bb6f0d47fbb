//! A frame: the panes, and the dialog on top over them. Only visible rows are
//! formatted, and nothing changes the state.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::canvas::Canvas;
pub(crate) use super::canvas::{Memory, Placed};
use super::dialogs::Dialog;
use super::footer::pane_keys;
use super::layout::Parts;
use super::shell::Shell;
use super::targets::Targets;
use super::theme::Theme;
use super::widgets::{ascii, paint};
use super::{Dashboard, footer, glance, header, message};

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
    let layout = shell.layout_at((buffer.area.width, buffer.area.height));
    memory.targets = Targets::default();
    memory.pictures.clear();
    let mut canvas = Canvas {
        buffer,
        layout: &layout,
        theme,
        memory,
    };
    let mut cursor = None;
    if layout.too_small {
        glance::draw(canvas.buffer, layout.screen, shell, theme);
    } else {
        panes(&mut canvas, shell, dialog);
        for shown in &dashboard.dialogs {
            let is_top = dialog.is_some_and(|top| std::ptr::eq(top, shown));
            if is_top || shown.is_beside_map() {
                cursor = shown.draw(&mut canvas, shell);
            }
            // A card is next to the map, and takes the mouse of both.
            let dialog = canvas.memory.targets.dialog;
            if let Some(dialog) = dialog.filter(|_| !shown.is_beside_map()) {
                for placed in &mut canvas.memory.pictures {
                    placed.cover(dialog);
                }
            }
        }
    }
    if !theme.can.unicode {
        ascii::only_ascii(canvas.buffer);
    }
    cursor
}

/// Draws the panes on a blank buffer, with the footer of the dialog on top if there is one.
fn panes(canvas: &mut Canvas<'_>, shell: &Shell, dialog: Option<&Dialog>) {
    let Canvas { layout, theme, .. } = *canvas;
    canvas.memory.targets.sums = header::draw(canvas.buffer, layout.header, shell, theme);
    message::tabs(canvas.buffer, layout, &shell.shared, theme);
    super::panes::draw(canvas.buffer, layout, shell, theme);
    shell.tab().draw(canvas, &shell.shared);
    message::draw(canvas, shell, dialog);
    let keys = dialog.map_or_else(|| pane_keys(shell), |dialog| dialog.footer(shell));
    canvas.memory.targets.footer = footer::draw(canvas.buffer, layout.footer, keys, theme);
}

/// Draws the screen while settings and archive are read.
pub(crate) fn opening(buffer: &mut Buffer, theme: Theme) {
    let area = buffer.area;
    let end = paint::put(buffer, area.at(0, 0), "driftline", theme.heading());
    let message = "  reading settings and archive";
    paint::put(buffer, area.at(end, 0), message, theme.dim());
}
