//! Draws the form of the first start.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use strum::VariantArray;

use super::{FirstRun, FirstRunField};
use crate::dashboard::dialogs::centred;
use crate::dashboard::glance;
use crate::dashboard::layout::SMALLEST;
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
        glance::too_small(buffer, screen, theme);
        return None;
    }
    let sheet = lines(form, file, 76.min(screen.width - 2), theme);
    let area = centred(screen, sheet.width(), sheet.height());
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
    for which in FirstRunField::VARIANTS {
        let (mark, style) = if form.focus == *which {
            (">", theme.accent())
        } else {
            (" ", theme.text())
        };
        let name: &str = which.into();
        let label = format!("{mark} {name:<12}");
        let (cursor, hint) = match which {
            FirstRunField::Address => (
                sheet.field(&label, style, &form.address, theme),
                "such as https://service.example/api; or demo, for simulated instruments",
            ),
            FirstRunField::Token => (
                sheet.secret(&label, style, &form.token, theme),
                "for the OS keyring; empty: enter it later with F3",
            ),
            FirstRunField::Deployment => (
                sheet.field(&label, style, &form.deployment, theme),
                "its UUID, or a URL that contains it; empty: add one later, with the key a",
            ),
        };
        if form.focus == *which {
            sheet.set_cursor(cursor);
            sheet.paragraph(LABELS, hint, theme.dim());
        }
    }
    sheet.blank();
    let stored = format!("The address is stored in {file}.");
    sheet.paragraph(0, &stored, theme.dim());
    let keys = "Enter: next field, then open; Tab: next; Ctrl-C: quit";
    sheet.paragraph(0, keys, theme.dim());
    sheet
}
