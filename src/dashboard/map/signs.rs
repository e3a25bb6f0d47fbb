//! The signs of the maps: of fixes, instruments and flags.

use ratatui::style::{Modifier, Style};

use super::content::{Content, Drawn};
use crate::alarm::AlarmState;
use crate::dashboard::alarms::words;
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::map::{Class, Kind};
use crate::palette::track_letters;
use crate::track::{Flag, State};

/// The age of a fix from which on it is pale at a moment of the past, seconds.
const PALE_S: f64 = 86_400.0;

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

/// The content of a map and how it is shown.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub content: &'a Content<'a>,
    pub theme: Theme,
}

impl Shown<'_> {
    /// Style of a track among several on the map.
    pub(super) fn track(&self, track: usize) -> Option<Style> {
        let mark = self.content.drawn().get(track)?.mark?;
        Some(self.theme.track(mark))
    }
}

/// The sign of the latest fix of a track: on a map of several its letter, or a cross if
/// its reports are missing.
fn latest(track: usize, shown: &Shown<'_>) -> (String, Style) {
    let drawn = shown.content.drawn().get(track);
    match drawn.zip(shown.track(track)) {
        Some((drawn, style)) => {
            let cross = shown.theme.glyph("✕", "x");
            let sign = match drawn.mark {
                Some(mark) if !is_silent(drawn, shown.content.shared) => track_letters(mark),
                _ => cross.to_owned(),
            };
            (sign, style.add_modifier(Modifier::BOLD))
        }
        None => {
            let (sign, style) = latest_sign(shown.theme);
            (sign.to_owned(), style)
        }
    }
}

/// `true` for a deployment whose reports are missing.
pub(super) fn is_silent(drawn: &Drawn<'_>, shared: &Shared) -> bool {
    let state = drawn.deployment.health(shared.now).state;
    matches!(state, State::Overdue | State::Lost)
}

/// The symbol and style of a mark.
pub(super) fn symbol(class: Class, selected: Option<usize>, shown: &Shown<'_>) -> (String, Style) {
    let Shown { content, theme } = *shown;
    let (symbol, style) = match class {
        Class::Latest(track) => return latest(track, shown),
        Class::First(track) => {
            let (symbol, style) = start_sign(theme);
            (symbol, shown.track(track).unwrap_or(style))
        }
        Class::Moment(track) => {
            let style = shown.track(track).unwrap_or(theme.text());
            (theme.glyph("◆", "#"), style.add_modifier(Modifier::BOLD))
        }
        Class::Cursor => (theme.glyph("◆", "#"), theme.cursor()),
        Class::Measure => (theme.glyph("◇", "M"), theme.measure()),
        Class::Place => (theme.glyph("▫", "'"), theme.ring()),
        Class::Ship => (theme.glyph("◈", "V"), theme.ring()),
        Class::OwnShip => own_ship_sign(theme),
        Class::Meeting => meeting_sign(theme),
        Class::Instrument(index) if content.track().is_none() => {
            let (symbol, style) = instrument(index, content.shared, theme);
            if selected == Some(index) {
                (symbol, style.patch(selected_style(theme)))
            } else {
                (symbol, style)
            }
        }
        _ => other_sign(theme),
    };
    (symbol.to_owned(), style)
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

pub(crate) fn own_ship_sign(theme: Theme) -> (&'static str, Style) {
    (theme.glyph("◈", "V"), theme.heading())
}

/// The sign of the place where the own ship meets what is looked for.
pub(crate) fn meeting_sign(theme: Theme) -> (&'static str, Style) {
    (theme.glyph("✚", "&"), theme.good())
}

/// The sign of the other deployments on the map of a track.
pub(crate) fn other_sign(theme: Theme) -> (&'static str, Style) {
    (theme.glyph("▪", "%"), theme.dim())
}

/// The style that the selected instrument and its name have on the map: that of its row.
pub(super) fn selected_style(theme: Theme) -> Style {
    match theme.row_background() {
        Some(background) => Style::new().bg(background).add_modifier(Modifier::BOLD),
        None => theme.chosen(),
    }
}

/// The symbol and style of an instrument on the world map: its reporting status, or the
/// flag of an unacknowledged alarm if the status is not the trouble.
pub(super) fn instrument(index: usize, shared: &Shared, theme: Theme) -> (&'static str, Style) {
    let Some(deployment) = shared.deployments.list.get(index) else {
        return (other_sign(theme).0, theme.text());
    };
    let health = deployment.health(shared.now);
    let is_told = matches!(health.state, State::Overdue | State::Lost);
    let (sign, style) = if deployment.has_raised(shared.now) && !is_told {
        words::sign(AlarmState::Raised, theme)
    } else {
        theme.state(health.state)
    };
    // At a moment of the past a fix is paler the older it was.
    let is_old = |age: f64| shared.deployments.moment.is_some() && age > PALE_S;
    if health.age_s.is_some_and(is_old) {
        (sign, style.add_modifier(Modifier::DIM))
    } else {
        (sign, style)
    }
}
