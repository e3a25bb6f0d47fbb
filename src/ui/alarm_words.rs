//! How an alarm is written: its sign, its kind, its numbers in the units that are
//! shown.

use ratatui::style::Style;

use super::format;
use super::theme::Theme;
use crate::alarm::{Alarm, AlarmState, Kind};
use crate::app::Model;
use crate::app::alarm_text::undated;

/// The sign and the style of an alarm in a state: loud where nobody has said
/// anything of it, quiet else.
pub(super) fn sign(state: AlarmState, theme: Theme) -> (&'static str, Style) {
    match state {
        AlarmState::Raised => (theme.glyph("⚑", "A"), theme.bad()),
        AlarmState::Snoozed | AlarmState::Acknowledged => (theme.glyph("⚐", "a"), theme.warning()),
        AlarmState::Cleared => (theme.glyph("✓", "o"), theme.dim()),
    }
}

/// What happened, with value and limit in the units that are shown, and the time of
/// the value: later fixes may have others.
pub(super) fn text(alarm: &Alarm, model: &Model) -> String {
    let words = undated(alarm, model.units);
    match (alarm.kind, alarm.fix_time, alarm.value) {
        // What these say goes on.
        (Kind::Overdue | Kind::Unreachable, _, _) | (_, None, _) | (_, _, None) => words,
        (_, Some(at), Some(_)) => {
            let at = format::near_moment(model, at);
            match words.split_once(": ") {
                Some((kind, numbers)) => format!("{kind} at {at}: {numbers}"),
                None => format!("{words} at {at}"),
            }
        }
    }
}

/// What was said of an alarm, and when: "not acknowledged", "snoozed until …".
pub(super) fn said(alarm: &Alarm, model: &Model) -> String {
    let at = |moment: f64| {
        let words = format::moment(model, moment.floor());
        format!("{words} {}", format::zone(model))
    };
    match alarm.state(model.now) {
        AlarmState::Raised => "not acknowledged".to_owned(),
        AlarmState::Acknowledged => {
            format!(
                "acknowledged {}",
                alarm.acknowledged_at.map_or_else(String::new, at)
            )
        }
        AlarmState::Snoozed => {
            format!(
                "snoozed until {}",
                alarm.snoozed_until.map_or_else(String::new, at)
            )
        }
        AlarmState::Cleared => {
            format!("cleared {}", alarm.cleared_at.map_or_else(String::new, at))
        }
    }
}
