//! The last column of the watch list: the state of the request.

use super::deployment::DeploymentState;
use crate::alarm::{AlarmState, Length};
use crate::dashboard::alarms::words;
use crate::dashboard::connection::spinner;
use crate::dashboard::format;
use crate::dashboard::model::Model;
use crate::dashboard::widgets::table::{Cell, Look};
use crate::track::{State, time};

/// Why the last refresh of a deployment failed, or the numbers of its alarm.
fn trouble(deployment: &DeploymentState, model: &Model) -> Option<String> {
    if let Some((failure, _)) = &deployment.track.failure {
        return Some(format::why_failed(failure));
    }
    // The status has its kind, the detail beside the map the whole sentence.
    match deployment.alarm(model.now) {
        Some((alarm, AlarmState::Raised)) => Some(words::text(alarm, Length::Cell, model)),
        _ => None,
    }
}

/// The load in progress, its failure, the numbers of an alarm, the additions of the last
/// refresh, or the time of the next one.
pub(crate) fn update(deployment: &DeploymentState, look: &Look<'_>) -> Cell {
    let (model, theme) = (look.model, look.theme);
    if let Some(loading) = deployment.track.loading {
        let bytes = match loading.bytes {
            0 => String::new(),
            bytes => format!(" {}", format::bytes_of(bytes, loading.total)),
        };
        let words = format!("{} loading{bytes}", spinner(model, theme));
        return Cell::new(words, theme.accent());
    }
    if let Some(trouble) = trouble(deployment, model) {
        return match (&deployment.track.failure, deployment.alarm(model.now)) {
            (Some((failure, _)), _) => {
                Cell::new(trouble, theme.bad()).or(format::failed_shortly(failure))
            }
            // Without the word of the status the row does not have the kind.
            (None, Some((alarm, _))) if !super::table::has_word(look) => {
                Cell::new(format!("{}: {trouble}", alarm.kind.word()), theme.bad())
            }
            _ => Cell::new(trouble, theme.bad()),
        };
    }
    if let Some(delta) = deployment.delta.filter(|delta| delta.new > 0) {
        let backfilled = match delta.backfilled {
            0 => String::new(),
            count => format!(", {} backfilled", format::count(count)),
        };
        let new = crate::text::counted(delta.new, "fix", "fixes");
        return Cell::new(format!("+{new}{backfilled}"), theme.good());
    }
    let state = deployment.health(model.now).state;
    if matches!(state, State::Overdue | State::Lost)
        && let Some(limit) = words::allowed_age(deployment, model.now)
    {
        let words = format!("within its max age {}", time::duration(limit));
        return Cell::new(words, theme.dim());
    }
    let words = format::next_request(model, deployment);
    Cell::new(words.unwrap_or_default(), theme.dim())
}
