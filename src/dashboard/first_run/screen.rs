//! Draws the form of the first start.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::{FirstRun, FirstRunField};
use crate::dashboard::glance;
use crate::dashboard::layout::{Area, SMALLEST};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::ascii;
use crate::dashboard::widgets::sheet::Sheet;

/// Width of the labels, cells.
const LABELS: u16 = 14;

/// Draws the form on a blank buffer; `file` is where the address will be stored. Returns
/// the cell of the cursor, `None` if it is hidden.
pub(crate) fn draw(
    buffer: &mut Buffer,
    form: &FirstRun,
    file: &str,
    theme: Theme,
) -> Option<Position> {
    let screen = buffer.area;
    if screen.width < SMALLEST.0 || screen.height < SMALLEST.1 {
        let screen = Area::new(0, 0, screen.width, screen.height);
        glance::too_small(buffer, screen, theme);
        return None;
    }
    let screen = Area::new(0, 0, screen.width, screen.height);
    let sheet = lines(form, file, 76.min(screen.width - 2), theme);
    let area = screen.centred(sheet.width(), sheet.height());
    let cursor = sheet.draw(buffer, area, theme);
    if !theme.can.unicode {
        ascii::only_ascii(buffer);
    }
    cursor
}

fn lines(form: &FirstRun, file: &str, width: u16, theme: Theme) -> Sheet {
    let mut sheet = Sheet::new(width);
    sheet.line(&[
        ("driftline  ", theme.heading()),
        ("first start", theme.dim()),
    ]);
    let question = "Which service holds the transmissions of your instruments?";
    sheet.paragraph(0, question, theme.text());
    sheet.blank();
    let label = |which, name: &str| {
        let (mark, style) = if form.focus == which {
            (">", theme.accent())
        } else {
            (" ", theme.text())
        };
        (format!("{mark} {name:<12}"), style)
    };
    for (which, name, hint) in [
        (
            FirstRunField::Address,
            "address",
            "such as https://service.example/api; or demo, for simulated instruments",
        ),
        (
            FirstRunField::Token,
            "token",
            "for the OS keyring; empty: enter it later with F3",
        ),
        (
            FirstRunField::Deployment,
            "deployment",
            "its UUID, or a URL that contains it; empty: add one later, with the key a",
        ),
    ] {
        let focused = form.focus == which;
        let (label, style) = label(which, name);
        let at = LABELS;
        match which {
            FirstRunField::Address | FirstRunField::Deployment => {
                let field = match which {
                    FirstRunField::Address => &form.address,
                    _ => &form.deployment,
                };
                let cursor = sheet.field(&label, style, field, theme);
                if focused {
                    sheet.set_cursor(cursor);
                }
            }
            FirstRunField::Token => {
                // Only the length of the token is shown.
                let room = usize::from(width.saturating_sub(at + 1));
                let dots = theme.glyph("•", "*").repeat(form.token.count().min(room));
                sheet.line(&[(&label, style), (&dots, theme.text())]);
                if focused {
                    sheet.cursor_after_last();
                }
                sheet.paragraph(at, &form.token_error, theme.bad());
            }
        }
        if focused {
            sheet.paragraph(at, hint, theme.dim());
        }
    }
    sheet.blank();
    let stored = format!("The address is stored in {file}.");
    sheet.paragraph(0, &stored, theme.dim());
    let keys = "Enter: next field, then open; Tab: next; Ctrl-C: quit";
    sheet.paragraph(0, keys, theme.dim());
    sheet
}
