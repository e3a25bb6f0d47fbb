//! The meanings of the signs of rows, maps and the timeline, for the help: one sign has
//! one meaning on every tab.

use super::alarms::words;
use super::map::{latest_sign, meeting_sign, other_sign, own_ship_sign, start_sign};
use super::shell::Shell;
use super::tabs::Meaning;
use super::theme::Theme;
use super::widgets::sheet::{Sheet, cells};
use crate::alarm::AlarmState;
use crate::track::{Flag, State};

/// Blanks between two signs with their words.
const APART: u16 = 2;
/// Cells of a line at most: no more than the keys above have.
const WIDEST: u16 = 60;

/// The signs of reporting statuses and alarms.
pub(super) fn of_deployments(theme: Theme) -> Vec<Meaning> {
    let states = [
        State::OnTime,
        State::Late,
        State::Overdue,
        State::Lost,
        State::Unknown,
        State::Recovered,
        State::DeclaredLost,
        State::Ended,
        State::Read,
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
    let alarms = alarms.map(|(state, word)| (words::sign(state, theme), word));
    let unjudged = (words::unjudged_sign(theme), "limit not judged");
    states.into_iter().chain(alarms).chain([unjudged]).collect()
}

/// The signs of a track: in its table, on its map and on the timeline.
pub(super) fn of_track(theme: Theme) -> Vec<Meaning> {
    vec![
        ((theme.glyph("◆", "#"), theme.cursor()), "cursor"),
        ((theme.glyph("◇", "M"), theme.measure()), "measuring point"),
        (start_sign(theme), "first fix"),
        (latest_sign(theme), "last fix"),
        (theme.flag(Flag::Fail), "failed"),
        (theme.flag(Flag::Suspect), "suspect"),
        (theme.flag(Flag::NotEvaluated), "not evaluated"),
        ((theme.glyph("»", ">"), theme.bad()), "jump"),
        ((theme.glyph("≡", "="), theme.dim()), "duplicates"),
        ((theme.glyph("░", ":"), theme.dim()), "data gap"),
        (
            (theme.glyph("↑", "^"), theme.warning()),
            "above the speed axis",
        ),
        (other_sign(theme), "other deployment"),
        (own_ship_sign(theme), "own ship"),
        (meeting_sign(theme), "where it meets"),
    ]
}

/// The signs in lines of at most `width` cells.
fn wrapped(signs: Vec<Meaning>, width: u16) -> Vec<Vec<Meaning>> {
    let mut lines: Vec<Vec<Meaning>> = Vec::new();
    let mut used = 0;
    for sign_and_word in signs {
        let ((sign, _), word) = sign_and_word;
        let needs = cells(sign) + 1 + cells(word);
        match lines.last_mut() {
            Some(line) if used + APART + needs <= width => {
                line.push(sign_and_word);
                used += APART + needs;
            }
            _ => {
                lines.push(vec![sign_and_word]);
                used = needs;
            }
        }
    }
    lines
}

/// Adds the signs of the shown tab with their meanings; on Track those of deployments only if
/// the sheet then has at most `most` lines.
pub(crate) fn lines(sheet: &mut Sheet, shell: &Shell, most: u16, theme: Theme) {
    let width = sheet.width().min(WIDEST);
    let parts = shell.tab().signs(theme).into_iter();
    for (index, part) in parts.map(|part| wrapped(part, width)).enumerate() {
        let end = usize::from(sheet.height()) + part.len();
        if index > 0 && end > usize::from(most) {
            break;
        }
        for line in part {
            sheet.blank();
            let mut x = 0;
            for ((sign, style), word) in line {
                x = sheet.at(x, sign, style);
                x = sheet.at(x + 1, word, theme.dim()) + APART;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::dashboard::theme::Capabilities;

    #[test]
    fn one_sign_has_one_meaning() {
        for unicode in [true, false] {
            let can = Capabilities {
                unicode,
                ..Capabilities::default()
            };
            let theme = Theme::new(can);
            let ended = (words::sign(AlarmState::Cleared, theme), "cleared");
            // What has failed has one sign: a fix in its tests, a refresh.
            assert_eq!(theme.refresh_failed().0, theme.flag(Flag::Fail).0);
            let all = of_deployments(theme).into_iter().chain(of_track(theme));
            let mut meanings = HashMap::new();
            for ((sign, _), word) in all.chain([ended]) {
                assert!(unicode || sign.is_ascii(), "{sign}");
                if let Some(other) = meanings.insert(sign, word) {
                    panic!("{sign} is {other} and {word}");
                }
            }
            assert_eq!(meanings.len(), 27);
        }
    }
}
