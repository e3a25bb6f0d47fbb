//! What an alarm says, with its numbers in the units that are shown: for messages,
//! lists and panes alike. What is known now is said as it is now; any other value is
//! that of the fix that raised the alarm, and has its time.

use crate::alarm::{Alarm, Current, Kind, apart, spans};
use crate::app::state::Model;
use crate::app::state::deployment::DeploymentState;
use crate::geo::units::DistanceUnit;
use crate::geo::{Position, Units};
use crate::track::Flag;

/// What is true now of an alarm that stands; `None` where only its start is known.
pub(crate) fn current(alarm: &Alarm, model: &Model) -> Option<Current> {
    let deployment = alarm.deployment;
    let one = deployment.and_then(|uuid| model.deployments.get(uuid));
    let last = one.and_then(last_passed);
    let inside = one.and_then(|one| one.deployment.limits.inside.as_ref());
    alarm.current(last, inside, model.now)
}

/// Time (UNIX seconds) and position of the last fix that has not failed, also where failed
/// fixes are shown; `None` where it is not known.
fn last_passed(one: &DeploymentState) -> Option<(f64, Position)> {
    let found = match &one.track.value {
        Some(held) if !held.options.exclude_failed => {
            let mut backwards = held.track.track().included_fixes().rev();
            let fix = backwards.find(|fix| fix.flag != Flag::Fail)?;
            (fix.time_stamp, fix.position)
        }
        // What lists show was made with failed fixes.
        None if !one.choices.exclude_failed => return None,
        _ => {
            let fix = one.overview()?.latest?;
            (fix.time_stamp, fix.position)
        }
    };
    Some(found)
}

/// A value of an alarm with its limit, each with its unit; `None` where there is no
/// number, or its unit is not known.
pub(crate) fn pair(
    kind: Kind,
    value: Option<f64>,
    limit: Option<f64>,
    units: Units,
) -> Option<(String, String)> {
    let (value, limit) = (value?, limit?);
    Some(match kind {
        Kind::Overdue => spans(value, limit),
        Kind::Outside | Kind::Stationary => distances(value, limit, units),
        Kind::PickedUp => speeds(value, limit, units),
        Kind::Below | Kind::Above => (value.to_string(), limit.to_string()),
        Kind::Unreachable => return None,
    })
}

/// Two distances in metres, in print.
fn distances(value: f64, limit: f64, units: Units) -> (String, String) {
    let unit = units.distance_unit();
    let decimals = if unit == DistanceUnit::Metres { 0 } else { 3 };
    apart(value, limit, |metres, more| match more {
        0 => units.distance(metres),
        _ => format!("{:.*} {}", decimals + more, unit.of(metres), unit.symbol()),
    })
}

/// Two speeds in m/s, in print.
fn speeds(value: f64, limit: f64, units: Units) -> (String, String) {
    let unit = units.speed_unit();
    apart(value, limit, |speed, more| {
        format!("{:.*} {}", 2 + more, unit.of(speed), unit.symbol())
    })
}

/// What is true now: "outside its watch circle: now 3.2 km from the centre, limit 2 km".
pub(crate) fn present(current: &Current, units: Units) -> String {
    match current {
        Current::Silent { age_s, limit_s } => {
            let (age, limit) = spans(*age_s, *limit_s);
            format!("overdue: no fix for {age}, limit {limit}")
        }
        Current::OfCircle {
            from_centre_m,
            radius_m,
        } => {
            let (distance, limit) = distances(*from_centre_m, *radius_m, units);
            let place = match from_centre_m > radius_m {
                true => "outside its watch circle: now",
                // Not far enough within it, or not twice.
                false => "inside its watch circle again:",
            };
            format!("{place} {distance} from the centre, limit {limit}")
        }
        Current::OfArea { over_m, name } => {
            let (distance, _) = distances(over_m.abs(), 0.0, units);
            match *over_m > 0.0 {
                true => format!("outside its {name}: now {distance} beyond its edge"),
                false => format!("inside its {name} again: {distance} within its edge"),
            }
        }
    }
}

/// What happened, with the value of the fix that raised it: `at` is the time of that
/// fix in words, empty where it is said beside.
pub(crate) fn past(alarm: &Alarm, at: &str, units: Units) -> String {
    let at = match at.is_empty() {
        true => String::new(),
        false => format!(" at {at}"),
    };
    let pair = pair(alarm.kind, alarm.value, alarm.limit, units);
    match (alarm.kind, pair) {
        (Kind::Outside, Some((value, limit))) => match is_of_circle(alarm) {
            true => format!("outside its watch circle{at}: {value} from the centre, limit {limit}"),
            false => format!("outside its area{at}: {value} beyond its edge"),
        },
        (Kind::PickedUp, Some((value, limit))) => {
            format!("picked up{at}: straight on at {value}, limit {limit}")
        }
        (Kind::Stationary, Some((value, limit))) => {
            format!("stationary{at}: within {value} for 48 h, limit {limit}")
        }
        // Its end is not known, or its age beside.
        (Kind::Overdue, Some((_, limit))) => format!("overdue: no fix for longer than {limit}"),
        (Kind::Below | Kind::Above, Some(_)) if !at.is_empty() => {
            format!("{}: {}", at.trim_start(), alarm.text)
        }
        _ => alarm.text.clone(),
    }
}

/// Value and limit in few words, where the kind stands beside them; `at` is the time
/// of the fix that raised the alarm, in words.
pub(crate) fn numbers(alarm: &Alarm, at: &str, model: &Model) -> String {
    let units = model.units;
    let past = |value: &str, limit: &str| format!("was {value} at {at}, limit {limit}");
    // The column is narrow: one number for the value and its limit.
    let beyond = |over_m: f64, edge: &str| {
        let (distance, _) = distances(over_m.abs(), 0.0, units);
        match over_m > 0.0 {
            true => format!("{distance} beyond {edge}"),
            false => format!("inside again by {distance}"),
        }
    };
    match (current(alarm, model), alarm.kind) {
        (
            Some(Current::OfCircle {
                from_centre_m,
                radius_m,
            }),
            _,
        ) => beyond(from_centre_m - radius_m, "circle"),
        (Some(Current::OfArea { over_m, .. }), _) => beyond(over_m, "edge"),
        // Its age is in the row.
        (_, Kind::Overdue) => match pair(alarm.kind, alarm.value, alarm.limit, units) {
            Some((_, limit)) => format!("limit {limit}"),
            None => alarm.text.clone(),
        },
        (_, Kind::Below | Kind::Above) => format!("at {at}: {}", alarm.text),
        (_, kind) => match (kind, pair(kind, alarm.value, alarm.limit, units)) {
            (Kind::Outside, Some((value, limit))) => match is_of_circle(alarm) {
                true => past(&format!("{value} from the centre"), &limit),
                false => format!("was {value} beyond the edge at {at}"),
            },
            (_, Some((value, limit))) => past(&value, &limit),
            (_, None) => alarm.text.clone(),
        },
    }
}

/// What a message says of an alarm: how it is now, else how it was at its start, with
/// the time where that is some minutes ago.
pub(crate) fn announced(alarm: &Alarm, at: &str, model: &Model) -> String {
    /// So long a value is taken for that of now, seconds.
    const FRESH_S: f64 = 600.0;
    if let Some(current) = current(alarm, model) {
        return present(&current, model.units);
    }
    let is_fresh = alarm.fix_time.is_none_or(|fix| model.now - fix < FRESH_S);
    past(alarm, if is_fresh { "" } else { at }, model.units)
}

/// Whether it is about a watch circle and not an area, which has no centre.
fn is_of_circle(alarm: &Alarm) -> bool {
    alarm.limit.is_some_and(|limit| limit > 0.0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::*;
    use crate::app::state::deployment::Choices;
    use crate::chart::{LoadedTrack, PreparedTrack};
    use crate::testing::track::records;
    use crate::track::{Deployment, Platform, Track, TrackOptions};

    #[test]
    fn a_failed_fix_is_not_where_it_is_now_also_where_failed_fixes_are_shown() {
        const NOW: f64 = 1.8e9;
        let fixes = (0..8u32).map(|hour| {
            let latitude = if hour == 7 {
                70.0
            } else {
                60.0 + 0.001 * f64::from(hour)
            };
            (NOW - 3600.0 * f64::from(8 - hour), latitude, 5.0)
        });
        let fixes: Vec<_> = fixes.collect();
        let (good, failed) = (fixes[6].0, fixes[7].0);
        for exclude_failed in [true, false] {
            let options = TrackOptions {
                exclude_failed,
                ..TrackOptions::new(Platform::Drifter, NOW)
            };
            let track = Track::assemble(records(fixes.iter().copied()), &options);
            let choices = Choices {
                exclude_failed,
                ..Choices::default()
            };
            let deployment = Deployment::new(Uuid::nil());
            let mut one = DeploymentState::new(deployment, choices, 60.0);
            one.track.value = Some(LoadedTrack {
                track: Arc::new(PreparedTrack::new(Arc::new(track))),
                options: Box::new(options),
                fetched_at: NOW,
            });
            let shown = one.overview().unwrap().latest.unwrap().time_stamp;
            assert_eq!(shown, if exclude_failed { good } else { failed });
            assert_eq!(last_passed(&one).map(|(at, _)| at), Some(good));
            // Where the track is not held, nothing is known of the last good one.
            one.track.let_go();
            let known = last_passed(&one).map(|(at, _)| at);
            assert_eq!(known, exclude_failed.then_some(good));
        }
    }
}
