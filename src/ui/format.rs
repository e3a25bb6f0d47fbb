//! Formats numbers for the table cells, in the chosen units.

use crate::app::state::deployment::DeploymentState;
use crate::app::{Connection, Model};
use crate::track::time;

/// A time stamp in full: `2026-11-20 22:46:05`, in UTC or the local zone.
pub(super) fn moment(model: &Model, time_stamp: f64) -> String {
    time::table(time_stamp, model.shown_zone())
}

/// A time stamp without its year, for narrow tables: `11-20 22:46:05`.
pub(super) fn short_moment(model: &Model, time_stamp: f64) -> String {
    let full = moment(model, time_stamp);
    full.split_once('-')
        .map_or_else(|| full.clone(), |(_, rest)| rest.to_owned())
}

/// The name of the time zone that times are shown in.
pub(super) fn zone(model: &Model) -> String {
    match model.shown_zone() {
        None => "UTC".to_owned(),
        Some(zone) => time::zone_name(model.now, zone),
    }
}

/// The age of a time: `2 h 13 min ago`.
pub(super) fn age(model: &Model, time_stamp: f64) -> String {
    time::age(time_stamp, model.now)
}

/// When a deployment that failed is fetched again: a time of day, since a
/// countdown would have to be redrawn each second.
pub(super) fn next_try(model: &Model, deployment: &DeploymentState) -> String {
    if deployment.track.loading.is_some() {
        return "loading".to_owned();
    }
    if model.paused {
        return "paused: p resumes".to_owned();
    }
    if matches!(model.connection, Connection::Refused(_)) {
        return "enter a new token to retry".to_owned();
    }
    let moment = moment(model, deployment.schedule.due.ceil());
    let clock = moment
        .split_once(' ')
        .map_or(moment.as_str(), |(_, clock)| clock);
    format!("again at {clock} {}", zone(model))
}

/// A count in groups of three digits: `42 906`.
pub(super) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_a_person_writes_them() {
        assert_eq!(count(7), "7");
        assert_eq!(count(42_906), "42 906");
        assert_eq!(count(1_000_000), "1 000 000");
    }
}
