//! An alarm in fewer words than its sentence, for lines that show more than it.

use super::alarm_words;
use crate::alarm::{Alarm, Kind};
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
    let value = alarm_text::number(alarm.kind, alarm.value, model.units);
    // Beside a number of a field without its name and unit nobody knows what it is,
    // and the age of the last fix is shown beside.
    let value = value.filter(|_| {
        matches!(
            alarm.kind,
            Kind::Outside | Kind::PickedUp | Kind::Stationary
        )
    });
    match value {
        Some(value) => format!("{kind} {value}"),
        None => kind.to_owned(),
    }
}

/// The kind of an alarm with its value and limit.
pub(super) fn with_numbers(alarm: &Alarm, model: &Model) -> String {
    let (kind, numbers) = (alarm.kind.word(), alarm_text::numbers(alarm, model.units));
    match alarm.kind {
        // The name of the field is in the numbers.
        Kind::Below | Kind::Above => numbers,
        Kind::Overdue => format!("{kind}, {numbers}"),
        _ => format!("{kind} {numbers}"),
    }
}
