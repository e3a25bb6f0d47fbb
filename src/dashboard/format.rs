//! Formats numbers for the table cells, in the chosen units.

use std::borrow::Cow;

use ratatui::style::Style;

use super::deployments::deployment::DeploymentState;
use super::keymap::Action;
use super::theme::Theme;
use super::widgets::table::Cell;
use super::widgets::text::Text;
use crate::dashboard::shared::Shared;
use crate::failure::{Failure, FailureKind};
use crate::geo::{Position, Units};

use crate::track::{DeclaredState, Fix, Flag, Reason, State, Track, time};
use crate::watch::agenda::{NextRequest, Why};

/// A time stamp in few words: `05:12` today, `11-20 05:12` on another day.
pub(crate) fn near_moment(shared: &Shared, time_stamp: f64) -> String {
    let day = |time_stamp| time::written(time_stamp, shared.shown_zone(), "%Y-%m-%d");
    if day(time_stamp) == day(shared.now) {
        time::written(time_stamp, shared.shown_zone(), "%H:%M")
    } else {
        shared.times().minute(time_stamp)
    }
}

/// A position as it is shown, without padding.
pub(crate) fn position(shared: &Shared, position: Position) -> String {
    let (latitude, longitude) = shared.settings.coordinates.pair(position);
    format!("{} {}", latitude.trim(), longitude.trim())
}

/// A number with this many decimals, or in short form if it is very large or small.
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

/// The cell of a value with its unit, without its decimals where they leave no room for
/// the unit: "2434 nm".
pub(crate) fn number_cell(value: String, style: Style) -> Cell {
    let short = value.split_once('.').map(|(whole, decimals)| {
        let unit = decimals.trim_start_matches(|letter: char| letter.is_ascii_digit());
        format!("{whole}{unit}")
    });
    let cell = Cell::new(value, style);
    match short {
        Some(short) => cell.or(short),
        None => cell,
    }
}

/// Cells of a course.
pub(crate) const COURSE_CELLS: u16 = 5;

/// Cells of a speed with its unit: two digits before the point; a longer one is cut by
/// [`number_cell`].
pub(crate) fn speed_cells(units: Units) -> u16 {
    const NUMBER: u16 = 6;
    NUMBER + u16::try_from(units.speed_unit().symbol().len()).unwrap_or(0)
}

/// The profile of a thermistor string through sea ice (SIMBA).
const THERMISTORS: &str = "dtc_values";

/// The quantity of a profile with a well-known name, and where it was measured.
pub(crate) fn quantity_of_profile(name: &str) -> Option<&'static str> {
    (name == THERMISTORS).then_some("temperature through air, snow, ice, water")
}

/// The unit of a field with a well-known name; empty for any other.
pub(crate) fn unit_of_field(name: &str) -> &'static str {
    match name {
        "air_temp"
        | "air_temperature"
        | "sea_surface_temperature"
        | "sea_surface_temp"
        | "sst"
        | "water_temp"
        | "water_temperature"
        | "sea_water_temperature"
        | THERMISTORS => "\u{b0}C",
        "air_pressure" | "barometric_pressure" => "hPa",
        "battery_voltage" | "battery_volt" => "V",
        "relative_humidity" => "%",
        "sea_surface_salinity" => "1e-3",
        _ => "",
    }
}

/// The age of a time: `2 h 13 min ago`.
pub(crate) fn age(shared: &Shared, time_stamp: f64) -> String {
    time::age(time_stamp, shared.now)
}

/// Why a deployment could not be fetched, in a few words.
pub(crate) fn why_failed(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Forbidden => "not readable with this token".to_owned(),
        // The header says why, with the key.
        FailureKind::NotAuthenticated => "not readable".to_owned(),
        _ => failure.reason.clone(),
    }
}

/// As [`why_failed`], for few cells: for an error of the service its status and message,
/// "500: the database is locked"; for an unreachable one the reason before the host,
/// "no answer from 127.0.0.1:80".
pub(crate) fn failed_shortly(failure: &Failure) -> String {
    let service = failure.service.as_deref();
    let error = service.map(|error| (error.status, &error.message));
    match (failure.kind, error) {
        (FailureKind::Service, Some((status, Some(message)))) => format!("{status}: {message}"),
        (FailureKind::NotAuthenticated, _) => why_failed(failure),
        _ if failure.short.is_empty() => why_failed(failure),
        _ => failure.short.clone(),
    }
}

/// The reason of the flag of a fix.
pub(crate) fn reason<'t>(track: &'t Track, fix: &Fix, units: Units) -> Cow<'t, str> {
    match (fix.reason, fix.flag) {
        (Reason::Overridden, Flag::Fail) => Cow::Borrowed("excluded by hand"),
        (Reason::Overridden, _) => Cow::Borrowed("included by hand"),
        _ => track.reason_in(fix.index, units),
    }
}

/// The style of such words: of a token that was refused the header is red, and no row.
pub(crate) fn failed_style(failure: &Failure, theme: Theme) -> Style {
    match failure.kind {
        FailureKind::NotAuthenticated => theme.text(),
        _ => theme.bad(),
    }
}

/// When a deployment that failed is fetched again: a time of day, since a
/// countdown would have to be redrawn each second.
pub(crate) fn next_try(shared: &Shared, deployment: &DeploymentState) -> String {
    if deployment.track.loading.is_some() {
        return "loading".to_owned();
    }
    if shared.deployments.paused {
        let pause = shared.key_of(Action::Pause);
        return format!("paused: {pause} resumes");
    }
    if shared.service.token.is_wanted() {
        return format!("{} enters a token", shared.key_of(Action::Login));
    }
    let due = next_request(shared, deployment).map_or(shared.now, |next| next.at);
    let clock = shared.times().clock(due.ceil());
    format!("again at {clock} {}", shared.times().zone_name())
}

/// How long ago the next fix was expected, seconds, negative if it is still to come;
/// `None` if none is expected.
fn overdue_s(shared: &Shared, deployment: &DeploymentState) -> Option<f64> {
    let health = deployment.health(shared.now);
    let is_expected = !matches!(
        health.state,
        State::Lost | State::Recovered | State::DeclaredLost | State::Ended | State::Read
    );
    let (age, interval) = health.age_s.zip(health.interval_s)?;
    is_expected.then_some(age - interval)
}

/// When the next fix of a deployment is due, and when it is requested if that is another
/// time: "due in 38 min", or "was due 12 min ago; next request in 6 min", in short the first of
/// both.
pub(crate) fn next_fix(shared: &Shared, deployment: &DeploymentState) -> Option<Text> {
    let late = overdue_s(shared, deployment);
    let due = late.map(|late| {
        if late <= 0.0 {
            format!("due in {}", span(-late))
        } else {
            format!("was due {} ago", span(late))
        }
    });
    let is_held = shared.deployments.paused || deployment.track.loading.is_some();
    // A file that has ended is not waited for.
    let is_over = deployment.deployment.state == DeclaredState::Read
        && deployment.health(shared.now).state == State::Ended;
    let next = next_request(shared, deployment).filter(|_| !is_held && !is_over);
    let request = next.and_then(|next| {
        let request = shared.service.source.next_request();
        let wait = span(next.at - shared.now);
        match next.why? {
            Why::Costly(_) => Some(format!(
                "{request} in {wait}: large answers bring nothing new"
            )),
            Why::Failed => None,
            Why::Expected if late.is_some_and(|late| late <= 0.0) => None,
            // The latest fix of the last answer may have been overridden to failed since.
            Why::Every(_) | Why::Expected => Some(format!("{request} in {wait}")),
        }
    });
    Some(match (due, request) {
        (Some(due), Some(request)) => Text::from(format!("{due}; {request}")).or(due),
        (due, request) => due.or(request)?.into(),
    })
}

/// The next request for a deployment.
fn next_request(shared: &Shared, deployment: &DeploymentState) -> Option<NextRequest> {
    shared.deployments.agenda.next(deployment.uuid())
}

/// A span in minutes and more: a countdown of seconds would be redrawn each
/// second.
pub(crate) fn span(seconds: f64) -> String {
    if seconds < 60.0 {
        "<1 min".to_owned()
    } else {
        time::duration(seconds)
    }
}

/// The data return. If reports are missing, with the day of the last fix: "99 % until
/// 11-15".
pub(crate) fn data_return(deployment: &DeploymentState, shared: &Shared) -> Option<String> {
    let overview = deployment.overview()?;
    let share = format!("{:.0} %", overview.data_return? * 100.0);
    let is_silent = matches!(
        deployment.health(shared.now).state,
        State::Overdue | State::Lost
    );
    let last = overview.latest.filter(|_| is_silent);
    Some(match last {
        Some(last) => {
            let day = time::written(last.time_stamp, shared.shown_zone(), "%m-%d");
            format!("{share} until {day}")
        }
        None => share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn counts_read_as_a_person_writes_them() {
        assert_eq!(text::count(7), "7");
        assert_eq!(text::count(42_906), "42,906");
        assert_eq!(text::count(1_000_000), "1,000,000");
    }

    #[test]
    fn a_great_value_keeps_its_unit_and_loses_its_decimals() {
        let shown = |value: &str, room| {
            let cell = number_cell(value.to_owned(), Style::new());
            cell.fitted(room, text::fit).remove(0).0
        };
        assert_eq!(shown("2434.41 nm", 9), "2434 nm");
        assert_eq!(shown("10882.23 kn", 9), "10882 kn");
        assert_eq!(shown("434.41 nm", 9), "434.41 nm");
        assert_eq!(shown("2434.41 nm", 10), "2434.41 nm");
    }
}
