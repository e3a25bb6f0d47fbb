//! The form of the first start: the address of the service. It is shown where no service is
//! set; the dashboard itself asks for a token and for deployments.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::dialogs::centred;
use super::theme::Theme;
use super::widgets::ascii;
pub(crate) use super::widgets::field::Field;
use super::widgets::sheet::Sheet;

/// Draws the form on a blank buffer; `file` is where the address will be stored. Returns
/// the cell of the cursor, `None` if it is hidden.
pub(crate) fn draw(
    buffer: &mut Buffer,
    address: &Field,
    file: &str,
    theme: Theme,
) -> Option<Position> {
    let screen = buffer.area;
    let mut sheet = Sheet::new(76.min(screen.width.saturating_sub(2)));
    sheet.line(&[
        ("driftline  ", theme.heading()),
        ("first start", theme.dim()),
    ]);
    let question = "Which service holds the transmissions of your instruments?";
    sheet.paragraph(0, question, theme.text());
    sheet.blank();
    let cursor = sheet.field("address ", theme.accent(), address, theme);
    sheet.set_cursor(cursor);
    let hint = "such as https://service.example/api; or demo, for simulated instruments";
    sheet.paragraph(0, hint, theme.dim());
    sheet.blank();
    let stored = format!("The address is stored in {file}.");
    sheet.paragraph(0, &stored, theme.dim());
    let keys = "Enter: open; then F3 takes a token, and a adds a deployment. Ctrl-C: quit";
    sheet.paragraph(0, keys, theme.dim());
    let area = centred(screen, sheet.width(), sheet.height());
    let cursor = sheet.draw(buffer, area, theme);
    if !theme.can.unicode {
        ascii::only_ascii(buffer);
    }
    cursor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_drawn_as_far_as_there_is_room() {
        for width in 0..80 {
            for height in 0..24 {
                let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, width, height));
                let address = Field::new("https://service.example/api");
                draw(
                    &mut buffer,
                    &address,
                    "/home/user/config.toml",
                    Theme::default(),
                );
            }
        }
    }
}
