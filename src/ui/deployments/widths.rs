//! How wide the columns of the watch list are.

use super::{LIMITS, SHORT_UPDATE, UPDATE, columns, is_marked};
use crate::alarm::AlarmState;
use crate::app::Model;
use crate::app::columns::ShownColumn;
use crate::app::state::deployment::DeploymentState;
use crate::text;
use crate::ui::columns::Fitted;
use crate::ui::{alarm_words, format, limit_words};

/// The widest error that other columns give way to, cells.
const WIDEST_ERROR: u16 = 44;

/// The cells that the longest words of the visible rows need.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Longest {
    /// Names.
    pub name: u16,
    /// Groups.
    pub group: u16,
    /// Reporting intervals.
    pub interval: u16,
    /// Limits with their values, then without.
    pub limits: [u16; 2],
    /// Why deployments could not be fetched, and the numbers of their alarms.
    pub error: u16,
    /// What a filter or a search has found.
    pub found: u16,
    /// The signs of deployments whose last refresh failed: 1, or 0 where there are none.
    pub marks: u16,
}

/// The cells that the longest words of these rows need.
pub(super) fn longest<'a>(
    rows: impl Iterator<Item = &'a DeploymentState>,
    model: &Model,
) -> Longest {
    let cells = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    let mut longest = Longest {
        marks: u16::from(model.deployments.list.iter().any(is_marked)),
        ..Longest::default()
    };
    let widen = |width: &mut u16, words: &str| *width = cells(words).max(*width);
    for one in rows {
        widen(&mut longest.name, &one.name());
        widen(
            &mut longest.group,
            one.deployment.group.as_deref().unwrap_or_default(),
        );
        if let Some(interval) = one.health(model.now).interval_s {
            widen(
                &mut longest.interval,
                &crate::track::time::interval(interval),
            );
        }
        let [values, kinds] = &mut longest.limits;
        widen(values, &limit_words::values(one, model));
        widen(kinds, &limit_words::kinds(one));
        if let Some((failure, _)) = &one.track.failure {
            widen(&mut longest.error, &format::why_failed(failure));
        }
        if let Some((alarm, AlarmState::Raised)) = one.alarm(model.now) {
            widen(&mut longest.error, &alarm_words::numbers(alarm, model));
        }
    }
    longest
}

/// The columns that have room: the limits with their values where the update has room
/// beside them, and an error is not cut for their sake; else without.
pub(super) fn fit(shown: &[ShownColumn], longest: Longest, model: &Model, width: u16) -> Fitted {
    let error = longest.error.clamp(SHORT_UPDATE, WIDEST_ERROR);
    let limits = longest.limits.map(|cells| cells.max(6));
    let fit = |limits, update| {
        let mut all = columns(model, width, longest, (limits, update));
        Fitted::chosen(&mut all, shown, width)
    };
    let is_whole = |fitted: &Fitted| {
        let mut both = shown.iter().map(|column| column.place);
        both.all(|place| !matches!(place, LIMITS | UPDATE) || fitted.width(place).is_some())
    };
    let [values, kinds] = limits;
    let usual = fit(values, error);
    let is_cut = |fitted: &Fitted| {
        let update = fitted.width(UPDATE);
        update.is_some_and(|cells| cells < longest.error)
    };
    if is_whole(&usual) && !is_cut(&usual) {
        return usual;
    }
    // Where the limits have no values, an error has the cells of these.
    let most = longest
        .error
        .clamp(error, error + values.saturating_sub(kinds));
    let updates = (SHORT_UPDATE..=most).rev();
    let found = updates.map(|update| fit(kinds, update)).find(is_whole);
    found.unwrap_or_else(|| fit(kinds, SHORT_UPDATE))
}
