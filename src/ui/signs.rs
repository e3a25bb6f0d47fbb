//! What the signs of deployments and alarms mean, for the help: one sign has one
//! meaning in rows, on maps and in the header.

use ratatui::style::Style;

use super::alarm_words;
use super::sheet::{Sheet, cells};
use super::theme::Theme;
use crate::alarm::AlarmState;
use crate::track::State;

/// Blanks between two signs with their words.
const APART: u16 = 2;
/// Cells of a line at most: no more than the keys above have.
const WIDEST: u16 = 60;

/// Each sign with its meaning.
fn all(theme: Theme) -> Vec<((&'static str, Style), &'static str)> {
    let states = [
        State::OnTime,
        State::Late,
        State::Overdue,
        State::Lost,
        State::Unknown,
        State::Recovered,
        State::DeclaredLost,
    ];
    let states = states.map(|state| {
        let word = match state {
            // In a row the sign says who has declared it.
            State::DeclaredLost => "declared lost",
            state => state.word(),
        };
        (theme.state(state), word)
    });
    let alarms = [
        (AlarmState::Raised, "alarm"),
        (AlarmState::Acknowledged, "alarm acknowledged or snoozed"),
    ];
    let alarms = alarms.map(|(state, word)| (alarm_words::sign(state, theme), word));
    states.into_iter().chain(alarms).collect()
}

/// Adds a line with each sign and its meaning, on as many lines as they need.
pub(super) fn lines(sheet: &mut Sheet, theme: Theme) {
    sheet.blank();
    let mut x = 0;
    for ((sign, style), word) in all(theme) {
        if x > 0 && x + cells(sign) + 1 + cells(word) > sheet.width().min(WIDEST) {
            sheet.blank();
            x = 0;
        }
        x = sheet.at(x, sign, style);
        x = sheet.at(x + 1, word, theme.dim()) + APART;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::ui::theme::Capabilities;

    #[test]
    fn one_sign_has_one_meaning() {
        for unicode in [true, false] {
            let can = Capabilities {
                unicode,
                ..Capabilities::default()
            };
            let mut meanings = HashMap::new();
            for ((sign, _), word) in all(Theme::new(can)) {
                assert_eq!(sign.is_ascii(), !unicode, "{sign}");
                if let Some(other) = meanings.insert(sign, word) {
                    panic!("{sign} is {other} and {word}");
                }
            }
            assert_eq!(meanings.len(), 9);
        }
    }
}
