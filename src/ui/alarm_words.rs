//! How an alarm is written: its sign, its kind, its numbers in the units that are
//! shown, of now where they are known.

use ratatui::style::Style;

use super::format;
use super::theme::Theme;
use crate::alarm::{Alarm, AlarmState, Current};
use crate::app::Model;
use crate::app::alarm_text;
use crate::app::state::deployment::DeploymentState;
use crate::track::State;

/// The sign and the style of an alarm in a state: loud where nobody has said
/// anything of it, quiet else.
pub(crate) fn sign(state: AlarmState, theme: Theme) -> (&'static str, Style) {
    match state {
        AlarmState::Raised => (theme.glyph("⚑", "A"), theme.bad()),
        AlarmState::Snoozed | AlarmState::Acknowledged => (theme.glyph("⚐", "a"), theme.warning()),
        AlarmState::Cleared => (theme.glyph("✓", "o"), theme.dim()),
    }
}

/// What is true now, with value and limit in the units that are shown; where no more
/// is known than at its start, what happened then with the time.
pub(super) fn text(alarm: &Alarm, model: &Model) -> String {
    match alarm_text::current(alarm, model) {
        Some(current) => alarm_text::present(&current, model.units),
        None => alarm_text::past(alarm, &raised_by(alarm, model), model.units),
    }
}

/// As [`text`], where the time of the fix that raised it is said beside.
pub(crate) fn undated(alarm: &Alarm, model: &Model) -> String {
    match alarm_text::current(alarm, model) {
        Some(current) => alarm_text::present(&current, model.units),
        None => alarm_text::past(alarm, "", model.units),
    }
}

/// Value and limit in few words, where the kind stands beside them.
pub(super) fn numbers(alarm: &Alarm, model: &Model) -> String {
    alarm_text::numbers(alarm, &raised_by(alarm, model), model)
}

/// Value and limit for two columns of numbers: of an alarm that stands as they are
/// now, else as they were at its start, with a word for that.
pub(crate) fn columns(alarm: &Alarm, model: &Model) -> Option<(String, String)> {
    let units = model.units;
    let now = match alarm_text::current(alarm, model) {
        Some(Current::Silent { age_s, limit_s }) => Some((age_s, limit_s)),
        Some(Current::OfCircle {
            from_centre_m,
            radius_m,
        }) => Some((from_centre_m, radius_m)),
        Some(Current::OfArea { over_m, .. }) => Some((over_m, 0.0)),
        None => None,
    };
    if let Some((value, limit)) = now {
        return alarm_text::pair(alarm.kind, Some(value), Some(limit), units);
    }
    let (value, limit) = alarm_text::pair(alarm.kind, alarm.value, alarm.limit, units)?;
    Some((format!("was {value}"), limit))
}

/// The time of the fix that raised an alarm, in few words.
fn raised_by(alarm: &Alarm, model: &Model) -> String {
    let fix = alarm.fix_time;
    fix.map_or_else(String::new, |fix| format::near_moment(model, fix))
}

/// What was said of an alarm, and when: "not acknowledged", "snoozed until …".
pub(crate) fn said(alarm: &Alarm, model: &Model) -> String {
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

/// The maximum age of a deployment that reports less often than usual and is within it,
/// seconds: by its interval it is late, overdue or lost, by the user's limit it is not.
pub(super) fn allowed_age(deployment: &DeploymentState, now: f64) -> Option<f64> {
    let limit = deployment.deployment.limits.max_age_s?;
    let health = deployment.health(now);
    let is_late = matches!(health.state, State::Late | State::Overdue | State::Lost);
    (is_late && health.age_s? <= limit).then_some(limit)
}
