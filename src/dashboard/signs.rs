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
    ]
    .map(|state| {
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
    ]
    .map(|(state, word)| (words::sign(state, theme), word));
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
        ((theme.glyph("░▒", ":"), theme.dim()), "data gap, silence"),
        (
            (theme.glyph("↑", "^"), theme.warning()),
            "above the speed axis",
        ),
        (other_sign(theme), "other deployment"),
        (own_ship_sign(theme), "own ship"),
        (meeting_sign(theme), "where it meets"),
    ]
}

/// Adds the signs of the shown tab with their meanings; on Track those of deployments only if
/// the sheet then has at most `most` lines.
pub(crate) fn lines(sheet: &mut Sheet, shell: &Shell, most: u16, theme: Theme) {
    let width = sheet.width().min(WIDEST);
    for (index, part) in shell.tab().signs(theme).into_iter().enumerate() {
        let above = sheet.height();
        let mut end = None;
        for ((sign, style), word) in part {
            let needs = APART + cells(sign) + 1 + cells(word);
            let before: Option<u16> = end.filter(|end| end + needs <= width);
            if before.is_none() {
                sheet.blank();
            }
            let from = before.map_or(0, |end| end + APART);
            let after = sheet.at(from, sign, style);
            end = Some(sheet.at(after + 1, word, theme.dim()));
        }
        if index > 0 && sheet.height() > most {
            return sheet.cut_or_fill(above);
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
