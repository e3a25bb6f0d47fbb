//! The limits that a deployment has been given, in a few words.

use super::deployment::DeploymentState;
use crate::dashboard::widgets::sheet::cells;
use crate::geo::{Inside, Units};
use crate::track::time;
use crate::watch::Limits;

/// The limits of a deployment with their values: `circle 300 m, age 6 h`; empty without
/// limits.
pub(crate) fn values(deployment: &DeploymentState, units: Units) -> String {
    joined(typed(deployment, units))
}

/// Limits with their names, as wide as in the units that need most cells.
pub(super) fn widest(deployment: &DeploymentState) -> String {
    joined(limits(deployment, |_| "0.162 nm".to_owned()))
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
