//! The parts of a form: a choice of values on a line, and the text while its request is
//! sent.

use ratatui::style::Style;

use super::Keys;
use crate::dashboard::progress::spinner;
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};

/// Adds a label and the values to choose from, each with whether it is chosen, on as
/// many lines as they need.
pub(super) fn choices(
    sheet: &mut Sheet,
    label: &str,
    values: impl Iterator<Item = (String, bool)>,
    theme: Theme,
) {
    sheet.line(&[(label, theme.dim())]);
    let from = cells(label);
    let mut at = from;
    for (value, is_chosen) in values {
        let value = format!(" {value} ");
        if at + cells(&value) > sheet.width() {
            sheet.blank();
            at = from;
        }
        let style = if is_chosen {
            theme.accent().patch(theme.chosen())
        } else {
            theme.dim()
        };
        at = sheet.at(at, &value, style);
    }
}

/// Adds keys, each with the word for its action.
pub(super) fn keys(sheet: &mut Sheet, keys: Keys, style: Style) {
    let keys = keys.iter().map(|(key, word)| format!("{key}: {word}"));
    sheet.paragraph(0, &keys.collect::<Vec<_>>().join("; "), style);
}

/// Adds the words for a request that has no reply yet.
pub(super) fn waiting(sheet: &mut Sheet, words: &str, shell: &Shell, theme: Theme) {
    let message = format!("{} {words}", spinner(shell.shared.now, theme));
    sheet.line(&[(&message, theme.text())]);
}
