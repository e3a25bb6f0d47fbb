//! What the last column of the watch list says of a deployment.

use ratatui::style::Style;

use crate::alarm::AlarmState;
use crate::app::Model;
use crate::app::state::deployment::DeploymentState;
use crate::track::State;
use crate::ui::alarm_words;
use crate::ui::connection::spinner;
use crate::ui::format;
use crate::ui::theme::Theme;

/// The state of the request: loading, why it failed, the numbers of an alarm, what
/// the last refresh added. `has_kind` is whether the row has the kind of an alarm.
pub(super) fn update(
    deployment: &DeploymentState,
    has_kind: bool,
    model: &Model,
    theme: Theme,
) -> (String, Style) {
    if let Some(loading) = deployment.track.loading {
        let bytes = match loading.bytes {
            0 => String::new(),
            bytes => format!(" {}", format::bytes_of(bytes, loading.total)),
        };
        return (
            format!("{} loading{bytes}", spinner(model, theme)),
            theme.accent(),
        );
    }
    if let Some((failure, _)) = &deployment.track.failure {
        return (format::why_failed(failure), theme.bad());
    }
    if let Some((alarm, AlarmState::Raised)) = deployment.alarm(model.now) {
        // The status has its kind, the detail beside the map the whole sentence.
        let numbers = alarm_words::numbers(alarm, model);
        let words = match has_kind {
            true => numbers,
            false => format!("{}: {numbers}", alarm.kind.word()),
        };
        return (words, theme.bad());
    }
    match deployment.delta {
        Some(delta) if delta.new > 0 => {
            let backfilled = if delta.backfilled > 0 {
                format!(", {} backfilled", format::count(delta.backfilled))
            } else {
                String::new()
            };
            (
                format!(
                    "+{} {}{backfilled}",
                    format::count(delta.new),
                    if delta.new == 1 { "fix" } else { "fixes" }
                ),
                theme.good(),
            )
        }
        _ if matches!(
            deployment.health(model.now).state,
            State::Overdue | State::Lost
        ) && let Some(limit) = alarm_words::allowed_age(deployment, model.now) =>
        {
            let limit = crate::track::time::duration(limit);
            (format!("within its max age {limit}"), theme.dim())
        }
        _ => {
            let words = format::next_request(model, deployment);
            (words.unwrap_or_default(), theme.dim())
        }
    }
}
