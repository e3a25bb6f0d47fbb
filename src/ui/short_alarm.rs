//! An alarm in fewer words than its sentence, for lines that show more than it.

use super::alarm_words;
use crate::alarm::{Alarm, Current, Kind};
use crate::app::Model;
use crate::app::alarm_text;

/// What an alarm says, the longest first: its sentence, its kind with value and
/// limit, its kind with the value, and its kind alone.
pub(super) fn forms(alarm: &Alarm, model: &Model) -> [String; 4] {
    [
        alarm_words::text(alarm, model),
        with_numbers(alarm, model),
        with_value(alarm, model),
        alarm.kind.word().to_owned(),
    ]
}

/// The kind of an alarm with one number: how far it is beyond its circle or area now,
/// or the value that raised it.
pub(super) fn with_value(alarm: &Alarm, model: &Model) -> String {
    let distance = |over_m: f64| model.units.distance(over_m);
    let beyond = |over_m: f64| match over_m > 0.0 {
        true => format!("outside by {}", distance(over_m)),
        false => "inside again".to_owned(),
    };
    let kind = alarm.kind.word();
    match (alarm_text::current(alarm, model), alarm.kind) {
        (
            Some(Current::OfCircle {
                from_centre_m,
                radius_m,
            }),
            _,
        ) => beyond(from_centre_m - radius_m),
        (Some(Current::OfArea { over_m, .. }), _) => beyond(over_m),
        // The limit of an area is 0.
        (_, Kind::Outside) => match alarm.value.zip(alarm.limit) {
            Some((value, limit)) => format!("was outside by {}", distance(value - limit)),
            None => kind.to_owned(),
        },
        (_, Kind::PickedUp | Kind::Stationary) => match alarm_words::columns(alarm, model) {
            Some((value, _)) => format!("{kind}, {value}"),
            None => kind.to_owned(),
        },
        // The age of the last fix is shown beside, and a number of a field says
        // nothing without its name and unit.
        (_, Kind::Overdue | Kind::Below | Kind::Above | Kind::Unreachable) => kind.to_owned(),
    }
}

/// The kind of an alarm with its value and limit.
pub(super) fn with_numbers(alarm: &Alarm, model: &Model) -> String {
    let numbers = alarm_words::numbers(alarm, model);
    match alarm.kind {
        // The name of the field is in the numbers.
        Kind::Below | Kind::Above => numbers,
        kind => format!("{}: {numbers}", kind.word()),
    }
}
