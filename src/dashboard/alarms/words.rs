//! How an alarm is shown: its sign, its text with the time of the fix that raised it,
//! and the user's reply.

use ratatui::style::Style;

use crate::alarm::{Alarm, AlarmState, Length, Words};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::format;
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::track::State;

/// The sign and the style of an alarm: bold without a reply, dim with one.
pub(crate) fn sign(state: AlarmState, theme: Theme) -> (&'static str, Style) {
    match state {
        AlarmState::Raised => (theme.glyph("⚑", "A"), theme.bad()),
        AlarmState::Snoozed | AlarmState::Acknowledged => (theme.glyph("⚐", "a"), theme.dim()),
        AlarmState::Cleared => (theme.glyph("✓", "o"), theme.dim()),
    }
}

/// The sign of a limit that cannot be judged: an alarm may be missing.
pub(crate) fn unjudged_sign(theme: Theme) -> (&'static str, Style) {
    (theme.glyph("⊘", "j"), theme.warning())
}

/// The text of an alarm, with the time of a value that is not current.
pub(crate) fn words<'a>(alarm: &'a Alarm, shared: &Shared) -> Words<'a> {
    let fix = alarm.fix_time;
    let at = fix.map_or_else(String::new, |fix| format::near_moment(shared, fix));
    shared.words_of(alarm).at(at)
}

/// An alarm at a length, in the units that are shown.
pub(crate) fn text(alarm: &Alarm, length: Length, shared: &Shared) -> String {
    words(alarm, shared).write(length, shared.settings.units)
}

/// The reply to an alarm, and its time: "not acknowledged", "snoozed until …".
pub(crate) fn reply(alarm: &Alarm, shared: &Shared) -> String {
    let (reply, at) = match alarm.state(shared.now) {
        AlarmState::Raised => return "not acknowledged".to_owned(),
        AlarmState::Acknowledged => ("acknowledged", alarm.acknowledged_at),
        AlarmState::Snoozed => ("snoozed until", alarm.snoozed_until),
        AlarmState::Cleared => ("cleared", alarm.cleared_at),
    };
    let at = at.map(|at| shared.times().moment_in_zone(at.floor()));
    let ended = alarm.ended.as_ref();
    let why = ended.map_or_else(String::new, |why| format!(": {why}"));
    format!("{reply} {}{why}", at.unwrap_or_default())
}

/// The maximum age of a deployment that reports less often than usual and is within it,
/// seconds: by its interval it is late, overdue or lost, by the user's limit it is not.
pub(crate) fn allowed_age(deployment: &DeploymentState, now: f64) -> Option<f64> {
    let limit = deployment.deployment.limits.max_age_s?;
    let health = deployment.health(now);
    let is_late = matches!(health.state, State::Late | State::Overdue | State::Lost);
    (is_late && health.age_s? <= limit).then_some(limit)
}
