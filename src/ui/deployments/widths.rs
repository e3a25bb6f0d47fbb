//! How wide the columns of the watch list are.

use crate::alarm::AlarmState;
use crate::app::Model;
use crate::app::columns::ShownColumn;
use crate::app::state::deployment::DeploymentState;
use crate::text;
use crate::track::DeploymentSort;
use crate::ui::columns::{Column, Fitted, column, flexible, words};
use crate::ui::small_charts;
use crate::ui::{alarm_words, format, limit_words};

pub(super) const STATE: usize = 0;
pub(super) const NAME: usize = 1;
pub(super) const GROUP: usize = 2;
pub(super) const AGE: usize = 3;
pub(super) const POSITION: usize = 4;
pub(super) const VELOCITY: usize = 5;
pub(super) const INTERVAL: usize = 6;
pub(super) const REPORTS: usize = 7;
pub(super) const TREND: usize = 8;
pub(super) const LIMITS: usize = 9;
pub(super) const RETURN: usize = 10;
pub(super) const FIXES: usize = 11;
pub(super) const PLATFORM: usize = 12;
pub(super) const UPDATE: usize = 13;
/// Right of the name: which part of a row a filter or a search has found, where no
/// column shows it.
pub(super) const FOUND: usize = 14;

/// The widest words of that column, cells.
pub(super) const WIDEST_FOUND: usize = 20;

/// Cells of a course with the blank before it.
pub(super) const COURSE: u16 = 6;

/// Width from which ages have "ago" and the status its word.
pub(super) const WIDE: u16 = 112;

/// Cells of an age with its "ago".
pub(super) const WIDE_AGE: u16 = 15;

/// Cells of an update that is no error.
pub(super) const SHORT_UPDATE: u16 = 17;

/// The widest name that the other columns give way to, cells.
pub(super) const WIDEST_NAME: u16 = 36;

/// Whether a row has a sign for its last refresh, which failed: of one without data the
/// error itself is in the row.
pub(super) fn is_marked(one: &DeploymentState) -> bool {
    one.track.failure.is_some() && one.track.has_data()
}

/// The columns. A pair, latitude and longitude or speed and course, is one
/// column, so that a narrow screen never has half of it. `limits` and `update` are the
/// widths of these two columns.
pub(super) fn columns(
    model: &Model,
    width: u16,
    longest: Longest,
    (limits, update): (u16, u16),
) -> Vec<Column> {
    let cells = model.coordinates.width();
    let wide = width >= WIDE;
    let tab = &model.deployments;
    let status = if tab.has_recovered { 11 } else { 10 };
    let alarm = u16::try_from(tab.longest_alarm + 2).unwrap_or(status);
    // The sign of a failed refresh is behind that of the status. Its cell is taken from
    // that of the ages, which have a blank before them, and not from the names.
    let marked = longest.marks;
    let status = alarm.max(status) + marked;
    // Whoever sorts by it wants to see it.
    let group_rank = match tab.sort {
        DeploymentSort::Group => 1,
        _ => 7,
    };
    vec![
        match wide {
            true => column("status", status, false, 1),
            false => column("", 1 + marked, false, 1),
        },
        // What is left of the width is for the update; of a name as wide as this, too.
        match longest.name {
            ..=WIDEST_NAME => words("deployment", longest.name.max(10), 0),
            _ => flexible("deployment", WIDEST_NAME, 0),
        },
        // Its heading has an arrow behind it where it is sorted by.
        column("group", longest.group.clamp(6, 16), false, group_rank),
        column(
            "last fix",
            if wide { WIDE_AGE } else { 12 - marked },
            true,
            2,
        ),
        column("position", cells.0 + 1 + cells.1, false, 5),
        // SOG and COG end where their values do.
        column(
            "SOG   COG",
            format::speed_cells(model.units) + COURSE,
            true,
            3,
        ),
        column("interval", longest.interval.clamp(8, 11), true, 8),
        column("reports", small_charts::REPORTS, false, 4),
        column("SOG 7d to fix", 13, false, 10),
        words("limits", limits, 9),
        column("data return", 11, true, 11),
        column("fixes", 9, true, 12),
        column("platform", 8, false, 13),
        flexible("update", update, 6),
        column("found in", longest.found, false, 1),
    ]
}

/// The widest error that other columns give way to, cells.
const WIDEST_ERROR: u16 = 44;

/// The cells that the longest words of the visible rows need.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Longest {
    /// Names.
    pub name: u16,
    /// Names, where a UUID in place of a name is cut in its middle.
    pub name_cut: u16,
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
        let name = one.name();
        widen(&mut longest.name, &name);
        let is_named = one.deployment.label.is_some();
        let cut = if is_named { u16::MAX } else { CUT_UUID };
        longest.name_cut = cells(&name).min(cut).max(longest.name_cut);
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

/// Cells of a UUID that is cut in its middle.
const CUT_UUID: u16 = 20;

/// The columns that have room. A UUID in place of a name is cut where it hides the
/// positions of all others.
pub(super) fn fit(shown: &[ShownColumn], longest: Longest, model: &Model, width: u16) -> Fitted {
    let whole = fit_names(shown, longest, model, width);
    let hides = |fitted: &Fitted| {
        let is_chosen = shown.iter().any(|column| column.place == POSITION);
        is_chosen && fitted.width(POSITION).is_none()
    };
    if longest.name_cut == longest.name || !hides(&whole) {
        return whole;
    }
    let name = longest.name_cut;
    let cut = fit_names(shown, Longest { name, ..longest }, model, width);
    match hides(&cut) {
        true => whole,
        false => cut,
    }
}

/// The columns that have room beside names of one width: the limits with their values
/// where the update has room beside them, and an error is not cut for their sake; else
/// without.
fn fit_names(shown: &[ShownColumn], longest: Longest, model: &Model, width: u16) -> Fitted {
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
