//! The status of a row: its letter on the map of several, and the signs of its status, of an
//! alarm and of a failed refresh.

use ratatui::style::Modifier;

use super::deployment::DeploymentState;
use super::table::has_room_for_word;
use crate::dashboard::alarms::words;
use crate::dashboard::widgets::table::{Cell, Look};
use crate::palette::track_letters;

/// The cells before the word of the status.
pub(super) fn sign_cells(look: &Look<'_>) -> u16 {
    let flag = u16::from(look.model.deployments.widest.has_alarm);
    1 + letter_cells(look) + flag + u16::from(has_unrefreshed(look))
}

/// The sign of the status, those of an alarm and of a failed refresh, and the word of
/// the status if it fits.
pub(super) fn status(deployment: &DeploymentState, look: &Look<'_>) -> Cell {
    let (theme, now) = (look.theme, look.model.now);
    let state = deployment.health(now).state;
    let (sign, style) = theme.state(state);
    let mut cell = Cell::default();
    if letter_cells(look) > 0 {
        let letter = deployment
            .mark
            .map_or_else(|| " ".to_owned(), track_letters);
        let style = deployment
            .mark
            .map_or(theme.text(), |mark| theme.track(mark));
        let style = style.add_modifier(Modifier::BOLD);
        cell = cell.then(letter, style).then(" ", theme.text());
    }
    cell = cell.then(sign, style);
    let mut missing =
        u16::from(look.model.deployments.widest.has_alarm) + u16::from(has_unrefreshed(look));
    if let Some((_, alarm)) = deployment.alarm(now) {
        let (flag, style) = words::sign(alarm, theme);
        cell = cell.then(flag, style);
        missing = missing.saturating_sub(1);
    }
    if is_unrefreshed(deployment) {
        let (failed, style) = theme.refresh_failed();
        cell = cell.then(failed, style);
        missing = missing.saturating_sub(1);
    }
    if has_room_for_word(look) {
        cell.then(" ".repeat(usize::from(missing) + 1) + state.word(), style)
    } else {
        cell
    }
}

/// The cells of the letters that marked rows have on the map of several, with a blank.
fn letter_cells(look: &Look<'_>) -> u16 {
    let mut list = look.model.deployments.list.iter();
    2 * u16::from(list.any(|deployment| deployment.mark.is_some()))
}

/// If any row has a sign for its last refresh.
pub(super) fn has_unrefreshed(look: &Look<'_>) -> bool {
    look.model.deployments.list.iter().any(is_unrefreshed)
}

/// If a row has a sign for its last refresh, which failed: of a deployment without data
/// the error itself is in the row.
fn is_unrefreshed(deployment: &DeploymentState) -> bool {
    deployment.track.failure.is_some() && deployment.track.has_data()
}
