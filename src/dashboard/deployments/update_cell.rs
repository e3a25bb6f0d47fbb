//! The last column of the watch list: the state of the request.

use super::deployment::DeploymentState;
use crate::alarm::{Kind, Length};
use crate::dashboard::alarms::words;
use crate::dashboard::connection::spinner;
use crate::dashboard::format;
use crate::dashboard::widgets::table::{Cell, Look};
use crate::track::{State, time};

/// The load in progress, its failure, the numbers of an alarm, the additions of the last
/// refresh, or the time of the next one.
pub(crate) fn update(deployment: &DeploymentState, look: &Look<'_>) -> Cell {
    let (model, theme) = (look.model, look.theme);
    if let Some(loading) = deployment.track.loading {
        let progress = loading.progress;
        let bytes = match progress.bytes {
            0 => String::new(),
            bytes => format!(" {}", format::bytes_of(bytes, progress.total)),
        };
        let words = format!("{} loading{bytes}", spinner(model, theme));
        return Cell::new(words, theme.text());
    }
    if let Some((failure, _)) = &deployment.track.failure {
        let why = format::why_failed(failure);
        return Cell::new(why, theme.bad()).or(format::failed_shortly(failure));
    }
    if let Some((alarm, state)) = deployment.alarm(model.now) {
        let (flag, style) = words::sign(state, theme);
        let numbers = words::text(alarm, Length::Cell, model);
        let kind = alarm.kind.word();
        // The status column already says that it does not report.
        return match alarm.kind {
            Kind::Overdue => Cell::new(format!("{flag} {numbers}"), style),
            _ => Cell::new(format!("{flag} {kind}: {numbers}"), style).or(format!("{flag} {kind}")),
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
        let words = format!("within its max age {}", time::whole_duration(limit));
        return Cell::new(words, theme.dim());
    }
    let words = format::next_request(model, deployment);
    Cell::new(words.unwrap_or_default(), theme.dim())
}
