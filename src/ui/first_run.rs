//! Draws the form of the first start.

use ratatui::Frame;
use ratatui::layout::Position as Cell;

use super::columns::put;
use super::dialogs::{error_line, field};
use super::theme::Theme;
use super::wrap::wrap;
use super::{ascii, too_small};
use crate::app::first_run::{FirstRun, FirstRunField};
use crate::app::layout::{Area, SMALLEST};

/// Width of the column of labels, cells.
const LABELS: u16 = 14;

/// Draws the form; `file` is where the address is stored.
pub(crate) fn draw(frame: &mut Frame<'_>, form: &FirstRun, file: &str, theme: Theme) {
    let screen = frame.area();
    if screen.width < SMALLEST.0 || screen.height < SMALLEST.1 {
        too_small(frame, theme);
        return;
    }
    let screen = Area::new(0, 0, screen.width, screen.height);
    let height = if screen.height >= 24 { 18 } else { 15 };
    let area = screen.centred(76.min(screen.width - 2), height);
    let buffer = frame.buffer_mut();
    put(buffer, area, 0, 0, "driftline", theme.accent());
    put(buffer, area, 11, 0, "first start", theme.dim());
    put(
        buffer,
        area,
        0,
        1,
        "Which service holds the transmissions of your instruments?",
        theme.text(),
    );
    let mut cursor = Cell::new(area.x, area.y);
    let mut line = 3;
    for (which, label, hint, error) in [
        (
            FirstRunField::Address,
            "address",
            "such as https://service.example/api; or demo, for simulated instruments",
            form.address.error.as_str(),
        ),
        (
            FirstRunField::Token,
            "token",
            "for the OS keyring; empty: enter it later with Ctrl-L",
            form.token_error.as_str(),
        ),
        (
            FirstRunField::Deployment,
            "deployment",
            "its UUID, or a URL that contains it; empty: press a later",
            form.deployment.error.as_str(),
        ),
    ] {
        let focused = form.focus == which;
        let style = if focused {
            theme.accent()
        } else {
            theme.text()
        };
        let mark = if focused { "> " } else { "  " };
        put(buffer, area, 0, line, mark, style);
        put(buffer, area, 2, line, label, style);
        let at = match which {
            FirstRunField::Address => field(buffer, area, LABELS, line, &form.address, theme),
            FirstRunField::Deployment => field(buffer, area, LABELS, line, &form.deployment, theme),
            FirstRunField::Token => {
                // Only the length of the token is shown.
                let room = usize::from(area.width.saturating_sub(LABELS + 1));
                let dots = theme.glyph("•", "*").repeat(form.token.count().min(room));
                let end = put(buffer, area, LABELS, line, &dots, theme.text());
                Cell::new(area.x + end, area.y + line)
            }
        };
        if focused {
            cursor = at;
        }
        let below = Area::new(
            area.x + LABELS,
            area.y + line + 1,
            area.width - LABELS,
            area.height.saturating_sub(line + 1),
        );
        let mut used = error_line(buffer, below, 0, error, theme);
        if error.is_empty() && focused {
            for message in wrap(hint, usize::from(below.width)) {
                put(buffer, below, 0, used, &message, theme.dim());
                used += 1;
            }
        }
        line += 1 + used.max(1);
    }
    let stored = format!("The address is stored in {file}.");
    for message in wrap(&stored, usize::from(area.width)).into_iter().take(2) {
        line += 1;
        put(buffer, area, 0, line, &message, theme.dim());
    }
    put(
        buffer,
        area,
        0,
        area.height - 1,
        "Enter: next field, then open   Tab: next   Ctrl-C: quit",
        theme.dim(),
    );
    frame.set_cursor_position(cursor);
    if !theme.can.unicode {
        ascii::only_ascii(frame.buffer_mut());
    }
}
