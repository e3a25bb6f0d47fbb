//! The signs of the maps: of fixes, instruments and flags.

use ratatui::style::{Modifier, Style};

use crate::alarm::AlarmState;
use crate::dashboard::alarms::words;
use crate::dashboard::model::Model;
use crate::dashboard::tab::Tab;
use crate::dashboard::theme::Theme;
use crate::map::{Class, Kind};
use crate::track::{Flag, State};

/// The sign of a flagged fix.
pub(super) fn flag_mark(kind: Kind, theme: Theme) -> (&'static str, Style) {
    match kind {
        Kind::Failed => theme.flag(Flag::Fail),
        Kind::Suspect => theme.flag(Flag::Suspect),
        Kind::Jump => (theme.glyph("»", ">"), theme.bad()),
        Kind::Leg | Kind::Gap | Kind::Outside | Kind::Repeated => {
            (theme.glyph("≡", "="), theme.dim())
        }
    }
}

/// The place in the list of the deployment that is selected on the world map.
pub(super) fn selected_instrument(model: &Model) -> Option<usize> {
    let order = &model.deployments.order;
    (model.tab == Tab::Deployments)
        .then(|| order.get(model.deployments.table.cursor).copied())
        .flatten()
}

/// The symbol and style of a mark.
pub(super) fn symbol(
    class: Class,
    selected: Option<usize>,
    model: &Model,
    theme: Theme,
) -> (&'static str, Style) {
    match class {
        Class::First => start_sign(theme),
        Class::Latest => latest_sign(theme),
        Class::Cursor => (theme.glyph("◆", "#"), theme.cursor()),
        Class::Measure => (theme.glyph("◇", "M"), theme.measure()),
        Class::Instrument(index) if model.tab == Tab::Deployments => {
            let (symbol, style) = instrument(index, model, theme);
            match selected == Some(index) {
                true => (symbol, style.patch(selected_style(theme))),
                false => (symbol, style),
            }
        }
        _ => other_sign(theme),
    }
}

/// The sign of the first fix of a track.
pub(crate) fn start_sign(theme: Theme) -> (&'static str, Style) {
    (theme.glyph("▷", "S"), theme.text())
}

/// The sign of the last fix of a track.
pub(crate) fn latest_sign(theme: Theme) -> (&'static str, Style) {
    let style = theme.text().add_modifier(Modifier::BOLD);
    (theme.glyph("◉", "@"), style)
}

/// The sign of another deployment on the map of a track.
pub(crate) fn other_sign(theme: Theme) -> (&'static str, Style) {
    (theme.glyph("▪", "%"), theme.dim())
}

/// The style that the selected instrument and its name have on the map: that of its row.
pub(super) fn selected_style(theme: Theme) -> Style {
    match theme.row_ground() {
        Some(ground) => Style::new().bg(ground).add_modifier(Modifier::BOLD),
        None => theme.chosen(),
    }
}

/// The symbol and style of an instrument on the world map: its reporting status. An alarm
/// that nobody has acknowledged has its flag where the status is not the trouble.
pub(super) fn instrument(index: usize, model: &Model, theme: Theme) -> (&'static str, Style) {
    let Some(deployment) = model.deployments.list.get(index) else {
        return (other_sign(theme).0, theme.text());
    };
    let state = deployment.health(model.now).state;
    match deployment.has_raised(model.now) && !matches!(state, State::Overdue | State::Lost) {
        true => words::sign(AlarmState::Raised, theme),
        false => theme.state(state),
    }
}
