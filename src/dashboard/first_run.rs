//! The form of the first start: the address of the service. It is shown where no service is
//! set; the dashboard itself asks for a token and for deployments.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::dialogs::centred;
use super::glance;
use super::key::{Key, KeyCode};
use super::layout::SMALLEST;
use super::theme::Theme;
use super::widgets::ascii;
use super::widgets::field::Field;
use super::widgets::sheet::Sheet;

/// The form.
#[derive(Debug, Clone, Default)]
pub(crate) struct FirstRun {
    /// The base URL of the service, or `demo`.
    pub address: Field,
}

/// The result of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FirstRunStep {
    /// The form stays.
    Stay,
    /// The user wants the embedded service.
    Demo,
    /// The user wants the service at this address.
    Done(String),
    /// The user leaves.
    Quit,
}

impl FirstRun {
    /// Handles a key. Every printable key is text; Esc does nothing.
    pub(crate) fn key(&mut self, key: Key) -> FirstRunStep {
        let address = self.address.text().trim();
        match key.code {
            KeyCode::Char('c') if key.ctrl => FirstRunStep::Quit,
            KeyCode::Enter if address.eq_ignore_ascii_case("demo") => FirstRunStep::Demo,
            KeyCode::Enter => FirstRunStep::Done(address.to_owned()),
            _ => {
                self.address.key(key);
                FirstRunStep::Stay
            }
        }
    }
}

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
    let mut sheet = Sheet::new(76.min(screen.width - 2));
    sheet.line(&[
        ("driftline  ", theme.heading()),
        ("first start", theme.dim()),
    ]);
    let question = "Which service holds the transmissions of your instruments?";
    sheet.paragraph(0, question, theme.text());
    sheet.blank();
    let cursor = sheet.field("address ", theme.accent(), &form.address, theme);
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
    fn demo_as_address_opens_the_demo_at_once() {
        let mut form = FirstRun::default();
        for letter in "Demo".chars() {
            form.key(Key::char(letter));
        }
        assert_eq!(form.key(Key::plain(KeyCode::Enter)), FirstRunStep::Demo);
    }

    #[test]
    fn every_printable_key_is_text_and_esc_keeps_the_form() {
        let mut form = FirstRun::default();
        for letter in "q?:/".chars() {
            assert_eq!(form.key(Key::char(letter)), FirstRunStep::Stay);
        }
        assert_eq!(form.key(Key::plain(KeyCode::Esc)), FirstRunStep::Stay);
        assert_eq!(form.address.text(), "q?:/");
        let done = FirstRunStep::Done("q?:/".to_owned());
        assert_eq!(form.key(Key::plain(KeyCode::Enter)), done);
        assert_eq!(form.key(Key::ctrl('c')), FirstRunStep::Quit);
    }
}
