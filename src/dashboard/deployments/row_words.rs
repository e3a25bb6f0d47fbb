//! The limits that a deployment has been given, in a few words, and the widest texts of all rows
//! of the watch list: its columns do not move while the list scrolls.

use super::deployment::DeploymentState;
use crate::alarm::{AlarmState, Kind};
use crate::dashboard::widgets::sheet::cells;
use crate::geo::{Inside, Units};
use crate::track::time;
use crate::watch::Limits;

/// The limits of a deployment with their values: `circle 300 m, age 6 h`; empty without
/// limits.
pub(crate) fn values(deployment: &DeploymentState, units: Units) -> String {
    joined(typed(deployment, units))
}

/// Limits with their names, in a line.
fn joined(limits: Vec<(&'static str, String)>) -> String {
    let named = limits.into_iter().map(|(name, value)| match name {
        "" => value,
        name => format!("{name} {value}"),
    });
    named.collect::<Vec<_>>().join(", ")
}

/// The values of the limits of a deployment, where they need more cells than these the first
/// one with the number of the others. Empty without limits.
pub(super) fn shortly(deployment: &DeploymentState, units: Units, room: u16) -> String {
    let limits = typed(deployment, units);
    let values: Vec<String> = limits.into_iter().map(|(_, value)| value).collect();
    let all = values.join(", ");
    match values.as_slice() {
        [first, _, ..] if cells(&all) > room => format!("{first} +{}", values.len() - 1),
        _ => all,
    }
}

/// The limits of a deployment with the radius of a circle as it is typed.
fn typed(deployment: &DeploymentState, units: Units) -> Vec<(&'static str, String)> {
    limits(deployment, |metres| units.typed_radius(metres))
}

/// Each limit of a deployment: its name, which is empty where the value has it, and the
/// value, with the radius of a circle as `distance` writes it.
fn limits(
    deployment: &DeploymentState,
    distance: impl Fn(f64) -> String,
) -> Vec<(&'static str, String)> {
    // Without `..`, so that a new limit is shown.
    let Limits {
        max_age_s,
        inside,
        max_speed_m_s,
        fields,
    } = &deployment.deployment.limits;
    let inside = inside.as_ref().map(|inside| match inside {
        Inside::Circle(circle) => ("circle", distance(circle.radius_m)),
        Inside::Area(_) => ("", inside.name()),
    });
    let age = max_age_s.map(|age| ("age", time::whole_duration(age)));
    let speed = max_speed_m_s.map(|limit| ("speed", crate::geo::speed::text(limit)));
    let fields = fields.iter().map(|limit| ("", limit.text()));
    inside
        .into_iter()
        .chain(age)
        .chain(speed)
        .chain(fields)
        .collect()
}

/// Cells of a UUID that is cut in its middle.
const CUT_UUID: u16 = 20;

/// The widest texts of all rows, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Widest {
    pub status: u16,
    /// Status, or the kind of an alarm of one that reports on time.
    pub words: u16,
    /// Status with the kind of an alarm that it does not imply.
    pub both: u16,
    /// Label, or UUID.
    pub name: u16,
    /// Label, or the cells that a UUID is cut to.
    pub label: u16,
    /// Group; 0 if no row has one.
    pub group: u16,
    /// Reporting interval.
    pub interval: u16,
    /// Limits with their names; 0 if no row has any.
    pub limits: u16,
    /// If any has an alarm or a limit whose words no other column shows.
    pub has_numbers: bool,
}

impl Widest {
    /// Takes a row in, at `now` (UNIX seconds).
    pub(super) fn add(&mut self, row: &DeploymentState, now: f64) {
        let entry = &row.deployment;
        let health = row.health(now);
        let alarm = row.alarm(now);
        let longer = |widest: &mut u16, words: &str| *widest = (*widest).max(cells(words));
        longer(&mut self.status, &row.status(now));
        let words = row.status_or_trouble(now);
        let trouble = row.trouble(now).filter(|trouble| *trouble != words);
        longer(&mut self.words, &words);
        let both = cells(&words) + trouble.map_or(0, |trouble| 1 + cells(&trouble));
        self.both = self.both.max(both);
        let is_unjudged = !row.unjudged.is_empty();
        longer(&mut self.name, &row.name());
        let label = entry.label.as_deref().map_or(CUT_UUID, cells);
        self.label = self.label.max(label);
        longer(&mut self.group, entry.group.as_deref().unwrap_or_default());
        if let Some(interval) = health.interval_s {
            longer(&mut self.interval, &time::interval(interval));
        }
        // In the units that need most cells.
        longer(
            &mut self.limits,
            &joined(limits(row, |_| "0.162 nm".to_owned())),
        );
        self.has_numbers |= alarm.map_or(is_unjudged, |(alarm, state)| {
            state == AlarmState::Raised && alarm.kind != Kind::Overdue
        });
    }
}
