//! The limits that a deployment has been given, in a few words.

use crate::app::Model;
use crate::app::state::deployment::DeploymentState;
use crate::geo::Inside;
use crate::track::FieldLimit;
use crate::track::time;

/// Whether a deployment has a limit of its own.
pub(super) fn has_any(one: &DeploymentState) -> bool {
    let limits = &one.deployment.limits;
    limits.inside.is_some()
        || limits.max_age_s.is_some()
        || limits.max_speed_m_s.is_some()
        || !limits.fields.is_empty()
}

/// The limits of a deployment with their values: `circle 300 m, age 6 h`; empty
/// where it has none.
pub(super) fn values(one: &DeploymentState, model: &Model) -> String {
    let limits = &one.deployment.limits;
    let inside = limits.inside.as_ref();
    let inside = inside.map(|inside| inside.short_text(model.units));
    let age = limits.max_age_s.map(time::duration);
    let age = age.map(|age| format!("age {age}"));
    let speed = limits.max_speed_m_s;
    let speed = speed.map(|limit| format!("speed {}", crate::geo::speed::text(limit)));
    let fields = limits.fields.iter().map(FieldLimit::text);
    let set = inside.into_iter().chain(age).chain(speed).chain(fields);
    set.collect::<Vec<_>>().join(", ")
}

/// The limits of a deployment without their values: `circle, age`; empty where it has
/// none.
pub(super) fn kinds(one: &DeploymentState) -> String {
    let limits = &one.deployment.limits;
    let inside = limits.inside.as_ref().map(|inside| match inside {
        Inside::Circle(_) => "circle",
        Inside::Area(_) => "area",
    });
    let age = limits.max_age_s.map(|_| "age");
    let speed = limits.max_speed_m_s.map(|_| "speed");
    let fields = limits.fields.first().map(|_| "fields");
    let set = [inside, age, speed, fields].into_iter().flatten();
    set.collect::<Vec<_>>().join(", ")
}
