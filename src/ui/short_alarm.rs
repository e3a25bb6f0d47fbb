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

/// The kind of an alarm with its value.
pub(super) fn with_value(alarm: &Alarm, model: &Model) -> String {
    let kind = alarm.kind.word();
    let is_inside_again = match alarm_text::current(alarm, model) {
        Some(Current::OfCircle {
            from_centre_m,
            radius_m,
        }) => from_centre_m <= radius_m,
        Some(Current::OfArea { over_m, .. }) => over_m <= 0.0,
        Some(Current::Silent { .. }) | None => false,
    };
    let has_value = match alarm.kind {
        Kind::Outside => !is_inside_again,
        Kind::PickedUp | Kind::Stationary => true,
        // The age of the last fix is shown beside, and a number of a field says
        // nothing without its name and unit.
        Kind::Overdue | Kind::Below | Kind::Above | Kind::Unreachable => false,
    };
    match alarm_words::columns(alarm, model).filter(|_| has_value) {
        Some((value, _)) => format!("{kind}, {value}"),
        None => kind.to_owned(),
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
