//! What an alarm says, with its numbers in the units that are shown: for messages,
//! lists and panes alike.

use crate::alarm::{Alarm, Kind};
use crate::geo::Units;
use crate::track::time;

/// A number of an alarm with its unit; none where it has none, or its unit is the
/// instrument's own.
pub(crate) fn number(kind: Kind, number: Option<f64>, units: Units) -> Option<String> {
    let number = number?;
    Some(match kind {
        Kind::Overdue => time::duration(number),
        Kind::Outside | Kind::Stationary => units.distance(number),
        Kind::PickedUp => units.speed(number).trim().to_owned(),
        Kind::Below | Kind::Above => format!("{number}"),
        Kind::Unreachable => return None,
    })
}

/// What happened, without the time of the value: the kind, then value and limit.
pub(crate) fn undated(alarm: &Alarm, units: Units) -> String {
    let value = number(alarm.kind, alarm.value, units);
    let limit = number(alarm.kind, alarm.limit, units);
    match (alarm.kind, value, limit) {
        // Of an area there is no centre.
        (Kind::Outside, Some(value), Some(limit)) if is_of_circle(alarm) => {
            format!("outside its watch circle: {value} from the centre, limit {limit}")
        }
        (Kind::PickedUp, Some(value), Some(limit)) => {
            format!("picked up: straight on at {value}, limit {limit}")
        }
        (Kind::Stationary, Some(value), Some(limit)) => {
            format!("stationary: within {value} for 48 h, limit {limit}")
        }
        // Its age grows: it is shown beside.
        (Kind::Overdue, _, Some(limit)) => format!("overdue: no fix for longer than {limit}"),
        _ => alarm.text.clone(),
    }
}

/// Value and limit in few words, where the kind stands beside them.
pub(crate) fn numbers(alarm: &Alarm, units: Units) -> String {
    let value = number(alarm.kind, alarm.value, units);
    let limit = number(alarm.kind, alarm.limit, units);
    match (alarm.kind, value, limit) {
        (Kind::Outside, Some(value), Some(limit)) if is_of_circle(alarm) => {
            format!("{value} off, limit {limit}")
        }
        (Kind::PickedUp | Kind::Stationary, Some(value), Some(limit)) => {
            format!("{value}, limit {limit}")
        }
        // Its age is in the row.
        (Kind::Overdue, _, Some(limit)) => format!("limit {limit}"),
        _ => match alarm.text.split_once(": ") {
            Some((_, numbers)) => numbers.to_owned(),
            None => alarm.text.clone(),
        },
    }
}

/// What happened, as a message says it at the time: of one that does not report
/// also for how long.
pub(crate) fn announced(alarm: &Alarm, units: Units) -> String {
    match alarm.kind {
        Kind::Overdue => alarm.text.clone(),
        _ => undated(alarm, units),
    }
}

/// Whether it is about a watch circle and not an area.
fn is_of_circle(alarm: &Alarm) -> bool {
    alarm.text.starts_with("outside its watch circle:")
}
