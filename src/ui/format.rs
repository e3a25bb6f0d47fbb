//! Formats numbers for the table cells, in the chosen units.

use crate::app::Model;
use crate::app::keymap::Action;
use crate::app::state::deployment::DeploymentState;
use crate::exchange::Progress;
use crate::failure::{Failure, FailureKind};
use crate::geo::Units;
use crate::text;
use crate::track::agenda::{NextRequest, Why};
use crate::track::{State, time};

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

/// A time stamp in few words: `05:12` today, `11-20 05:12` on another day.
pub(super) fn near_moment(model: &Model, time_stamp: f64) -> String {
    let today = moment(model, model.now);
    let day = today.split_once(' ').map_or("", |(day, _)| day);
    let short = short_moment(model, time_stamp);
    // Without the seconds.
    let minutes = short.rsplit_once(':').map_or(short.as_str(), |(m, _)| m);
    let is_today = moment(model, time_stamp).starts_with(day);
    match minutes.split_once(' ').filter(|_| is_today) {
        Some((_, clock)) => clock.to_owned(),
        None => minutes.to_owned(),
    }
}

/// The name of the time zone that times are shown in.
pub(super) fn zone(model: &Model) -> String {
    match model.shown_zone() {
        None => "UTC".to_owned(),
        Some(zone) => time::zone_name(model.now, zone),
    }
}

/// A number with so many decimals, short also where it is very great or small.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let size = value.abs();
    if value != 0.0 && !(1e-4..1e9).contains(&size) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        // Rounded to 0.
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}

/// A value with its unit, without its decimals where they leave no room for the
/// unit: "2434 nm".
pub(super) fn in_cells(value: String, room: Option<u16>) -> String {
    let too_wide = room.is_some_and(|room| text::width(&value) > usize::from(room));
    match value.split_once('.') {
        Some((whole, decimals)) if too_wide => {
            let unit = decimals.trim_start_matches(|letter: char| letter.is_ascii_digit());
            format!("{whole}{unit}")
        }
        _ => value,
    }
}

/// Cells of a speed with its unit: two digits before the point, or what [`in_cells`]
/// leaves of more.
pub(super) fn speed_cells(units: Units) -> u16 {
    const NUMBER: u16 = 6;
    NUMBER + u16::try_from(units.speed_unit().symbol().len()).unwrap_or(0)
}

/// The unit of a field whose name tells it plainly; empty for any other.
pub(crate) fn unit_of_field(name: &str) -> &'static str {
    match name {
        "air_temp"
        | "air_temperature"
        | "sea_surface_temperature"
        | "sea_surface_temp"
        | "sst"
        | "water_temp"
        | "water_temperature"
        | "sea_water_temperature" => "\u{b0}C",
        "air_pressure" | "barometric_pressure" => "hPa",
        "battery_voltage" | "battery_volt" => "V",
        "relative_humidity" => "%",
        "sea_surface_salinity" => "1e-3",
        _ => "",
    }
}

/// The age of a time: `2 h 13 min ago`.
pub(super) fn age(model: &Model, time_stamp: f64) -> String {
    time::age(time_stamp, model.now)
}

/// Why a deployment could not be fetched, in a few words.
pub(super) fn why_failed(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Forbidden => "not readable with this token".to_owned(),
        _ => failure.reason.clone(),
    }
}

/// As [`why_failed`], for a few cells: of an error of the service its status and its
/// words alone, "500: the database is locked"; of one that was not reached the reason
/// before the host, "refused 127.0.0.1:80".
pub(super) fn failed_shortly(failure: &Failure) -> String {
    let error = failure.service.as_deref();
    let error = error.map(|error| (error.status, &error.message));
    match (failure.kind, error) {
        (FailureKind::Service, Some((status, Some(message)))) => format!("{status}: {message}"),
        (FailureKind::NotAuthenticated, Some((status, _))) => format!("{status}: token refused"),
        _ if failure.short.is_empty() => why_failed(failure),
        _ => failure.short.clone(),
    }
}

/// When a deployment that failed is fetched again: a time of day, since a
/// countdown would have to be redrawn each second.
pub(super) fn next_try(model: &Model, deployment: &DeploymentState) -> String {
    if deployment.track.loading.is_some() {
        return "loading".to_owned();
    }
    if model.paused {
        let pause = model.key_of(Action::Pause);
        return format!("paused: {pause} resumes");
    }
    if model.token.is_wanted() {
        return "enter a new token to retry".to_owned();
    }
    let due = next_of(model, deployment).map_or(model.now, |next| next.at);
    let moment = moment(model, due.ceil());
    let clock = moment
        .split_once(' ')
        .map_or(moment.as_str(), |(_, clock)| clock);
    format!("again at {clock} {}", zone(model))
}

/// The name of the time at which the next fix is expected.
pub(super) const NEXT_EXPECTED: &str = "next expected";

/// When the next fix of a deployment is expected whose last refresh failed: "in
/// 38 min", "12 min ago"; none where none is expected.
pub(super) fn expected_fix(model: &Model, deployment: &DeploymentState) -> Option<String> {
    deployment.track.failure.as_ref()?;
    let late = overdue_s(model, deployment)?;
    Some(match late > 0.0 {
        true => format!("{} ago", span(late)),
        false => format!("in {}", span(-late)),
    })
}

/// How long ago the next fix was expected, seconds, negative where it is still to come;
/// none where none is expected.
fn overdue_s(model: &Model, deployment: &DeploymentState) -> Option<f64> {
    let health = deployment.health(model.now);
    let is_expected = !matches!(
        health.state,
        State::Lost | State::Recovered | State::DeclaredLost | State::Ended
    );
    let (age, interval) = health.age_s.zip(health.interval_s)?;
    is_expected.then_some(age - interval)
}

/// When the next fix is expected and when it is asked for, with what that is
/// called: ("next expected", "in 38 min; driftline asks then"); none where the next
/// request has another reason.
pub(super) fn next_expected(
    model: &Model,
    deployment: &DeploymentState,
) -> Option<(&'static str, String)> {
    let next = next_of(model, deployment)?;
    if deployment.track.loading.is_some() {
        return None;
    }
    match next.why.filter(|_| !model.paused)? {
        Why::Expected if is_late(deployment, model) => {
            let wait = span(next.at - model.now);
            Some(("", format!("driftline asks in {wait}")))
        }
        Why::Expected => {
            let wait = span(next.at - model.now);
            Some((NEXT_EXPECTED, format!("in {wait}; driftline asks then")))
        }
        Why::Every(wait) => {
            let every = format!("driftline asks {}", time::every(wait));
            Some(match overdue_s(model, deployment) {
                Some(late) if late > 0.0 => (NEXT_EXPECTED, format!("{} ago; {every}", span(late))),
                Some(late) => (NEXT_EXPECTED, format!("in {}; {every}", span(-late))),
                None => ("", every),
            })
        }
        Why::Costly(_) => {
            let wait = span(next.at - model.now);
            Some((
                "",
                format!("driftline asks in {wait}: large answers bring nothing new"),
            ))
        }
        Why::Failed => None,
    }
}

/// The next request for a deployment.
fn next_of(model: &Model, deployment: &DeploymentState) -> Option<NextRequest> {
    model.deployments.agenda.next(deployment.deployment.uuid)
}

/// Whether a fix is late. The time of the next request follows from the latest fix
/// of the last answer, which may have been overridden to failed since.
fn is_late(deployment: &DeploymentState, model: &Model) -> bool {
    let state = deployment.health(model.now).state;
    matches!(state, State::Late | State::Overdue | State::Lost)
}

/// When the next request is made, in the few cells of a list: "next in 38 min";
/// none where the last one failed.
pub(super) fn next_request(model: &Model, deployment: &DeploymentState) -> Option<String> {
    let next = next_of(model, deployment)?;
    match next.why.filter(|_| !model.paused)? {
        Why::Expected => {
            let what = match is_late(deployment, model) {
                true => "asks",
                false => "next",
            };
            Some(format!("{what} in {}", span(next.at - model.now)))
        }
        Why::Costly(_) => Some(format!("asks in {}", span(next.at - model.now))),
        Why::Every(wait) => Some(format!("asks {}", time::every(wait))),
        Why::Failed => None,
    }
}

/// A span in minutes and more: a countdown of seconds would be redrawn each
/// second.
fn span(seconds: f64) -> String {
    if seconds < 60.0 {
        "less than 1 min".to_owned()
    } else {
        time::duration(seconds)
    }
}

/// Bytes that have come, of all where the service told how many: "1.2 of 5.4 MB".
pub(super) fn bytes_of(bytes: u64, total: Option<u64>) -> String {
    let came = text::bytes(bytes);
    let Some(total) = total.map(|total| text::bytes(total.max(bytes))) else {
        return came;
    };
    // One unit is enough.
    match (came.split_once(' '), total.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} of {total}"),
        _ => format!("{came} of {total}"),
    }
}

/// The progress of a transfer, `since` seconds after it began: "45.0 kB of 2.1 MB, 12.0
/// kB/s, 2 min left"; the total and the time left where the service told the
/// size.
pub(super) fn transfer(progress: &Progress, since: f64) -> String {
    if progress.bytes == 0 {
        return "no answer yet".to_owned();
    }
    let mut words = bytes_of(progress.bytes, progress.total);
    // Before that a rate says nothing.
    if since >= 1.0 {
        #[allow(clippy::cast_precision_loss)] // two digits are shown
        let rate = progress.bytes as f64 / since;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a rate of bytes
        let per_second = text::bytes(rate as u64);
        words.push_str(&format!(", {per_second}/s"));
        #[allow(clippy::cast_precision_loss)] // as above
        let left = progress
            .total
            .map(|total| total.saturating_sub(progress.bytes) as f64 / rate);
        if let Some(left) = left {
            words.push_str(&format!(", {} left", time::duration(left)));
        }
    }
    words
}

/// A count in groups of three digits: `42 906`.
pub(crate) fn count(number: usize) -> String {
    text::count(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_says_how_far_it_is_how_fast_and_what_is_left() {
        let at = |bytes, total, since| {
            let progress = Progress {
                bytes,
                total,
                ..Progress::default()
            };
            transfer(&progress, since)
        };
        assert_eq!(at(0, None, 3.0), "no answer yet");
        assert_eq!(at(4_500, None, 0.2), "4.5 kB");
        assert_eq!(at(120_000, None, 10.0), "120.0 kB, 12.0 kB/s");
        assert_eq!(
            at(120_000, Some(2_100_000), 10.0),
            "120.0 kB of 2.1 MB, 12.0 kB/s, 2 min left"
        );
        assert_eq!(at(10, Some(5), 1.0), "10 of 10 B, 10 B/s, 0 s left");
        assert_eq!(bytes_of(1_200_000, Some(5_400_000)), "1.2 of 5.4 MB");
    }

    #[test]
    fn counts_read_as_a_person_writes_them() {
        assert_eq!(count(7), "7");
        assert_eq!(count(42_906), "42 906");
        assert_eq!(count(1_000_000), "1 000 000");
    }

    #[test]
    fn a_great_value_keeps_its_unit_and_loses_its_decimals() {
        let short = |value: &str| in_cells(value.to_owned(), Some(9));
        assert_eq!(short("2434.41 nm"), "2434 nm");
        assert_eq!(short("10882.23 kn"), "10882 kn");
        assert_eq!(short("434.41 nm"), "434.41 nm");
        assert_eq!(in_cells("2434.41 nm".to_owned(), None), "2434.41 nm");
    }
}
