//! The watch list, by default the worst status first.

use ratatui::buffer::Buffer;

use super::columns::{Column, Fitted, column, flexible, put, tint};
use super::format;
use super::frame::spinner;
use super::theme::Theme;
use crate::app::Model;
use crate::app::layout::Area;
use crate::app::state::deployment::DeploymentState;
use crate::app::state::deployments::DeploymentSort;
use crate::app::state::table::Direction;
use crate::text;
use crate::track::{Alarm, DeclaredState};

const STATE: usize = 0;
const NAME: usize = 1;
const AGE: usize = 2;
const LATITUDE: usize = 3;
const LONGITUDE: usize = 4;
const SPEED: usize = 5;
const COURSE: usize = 6;
const INTERVAL: usize = 7;
const COMPLETE: usize = 8;
const FIXES: usize = 9;
const PLATFORM: usize = 10;
const NEWS: usize = 11;

fn columns(model: &Model) -> Vec<Column> {
    let cells = model.coordinates.width();
    let recovered = |one: &DeploymentState| one.deployment.state == DeclaredState::Recovered;
    let status = if model.deployments.list.iter().any(recovered) {
        11
    } else {
        10
    };
    vec![
        column("status", status, false, 1),
        flexible("deployment", 16, 0),
        column("last fix", 16, true, 2),
        column("latitude", cells.0, true, 3),
        column("longitude", cells.1, true, 4),
        column("SOG", 9, true, 5),
        column("COG", 6, true, 6),
        column("interval", 9, true, 8),
        column("data return", 11, true, 9),
        column("fixes", 9, true, 7),
        column("platform", 8, false, 10),
        column("update", 28, false, 11),
    ]
}

/// Draws the list with its heading.
pub(super) fn table(buffer: &mut Buffer, area: Area, rows: Area, model: &Model, theme: Theme) {
    let fitted = Fitted::new(&columns(model), area.width);
    let sorted = match model.deployments.sort {
        DeploymentSort::State => STATE,
        DeploymentSort::Name => NAME,
        DeploymentSort::Age => AGE,
        DeploymentSort::Speed => SPEED,
        DeploymentSort::Fixes => FIXES,
    };
    // The greatest of these comes first unless the order is reversed.
    let greatest_first = matches!(
        model.deployments.sort,
        DeploymentSort::State | DeploymentSort::Speed | DeploymentSort::Fixes
    );
    let arrow = if greatest_first == (model.deployments.direction == Direction::Ascending) {
        theme.glyph("▾", "v")
    } else {
        theme.glyph("▴", "^")
    };
    fitted.heading(buffer, area, theme.heading(), Some((sorted, arrow)));
    if model.deployments.list.is_empty() {
        put(
            buffer,
            rows,
            2,
            1,
            "No deployment is watched yet.",
            theme.text(),
        );
        put(
            buffer,
            rows,
            2,
            2,
            "Press a and paste a UUID, or a URL that contains one.",
            theme.dim(),
        );
        return;
    }
    if model.deployments.order.is_empty() {
        put(
            buffer,
            rows,
            2,
            1,
            "No deployment matches the filter; Esc clears it.",
            theme.dim(),
        );
        return;
    }
    let table = model.deployments.table;
    let seen = model
        .deployments
        .shown()
        .enumerate()
        .skip(table.top)
        .take(usize::from(rows.height));
    for (line, (place, deployment)) in (0u16..).zip(seen) {
        row(buffer, rows, line, &fitted, deployment, model, theme);
        if place == table.cursor {
            tint(buffer, rows, line, theme.chosen());
        }
    }
}

fn row(
    buffer: &mut Buffer,
    area: Area,
    line: u16,
    fitted: &Fitted,
    deployment: &DeploymentState,
    model: &Model,
    theme: Theme,
) {
    let health = deployment.health(model.now);
    let (mark, style) = theme.state(health.state);
    let mut cell = |column: usize, content: &str, style| {
        fitted.cell(buffer, area, line, column, content, style)
    };
    let alarm = deployment.alarm(model.now);
    let (state, style) = match alarm {
        // An exceeded alarm limit is shown instead of the reporting status.
        Some(Alarm::Outside(_)) => (format!("{} outside", theme.glyph("▲", "!")), theme.bad()),
        Some(Alarm::TooOld(_)) => (format!("{} too old", theme.glyph("▲", "!")), theme.bad()),
        None => (format!("{mark} {}", health.state.word()), style),
    };
    cell(STATE, &state, style);
    cell(NAME, &text::fit(&deployment.name(), 80), theme.text());
    cell(PLATFORM, deployment.deployment.platform.name(), theme.dim());
    if let Some(track) = deployment.track.get() {
        if let Some(fix) = track.latest() {
            let (latitude, longitude) = model.coordinates.pair(fix.position);
            cell(AGE, &format::age(model, fix.time_stamp), style);
            cell(LATITUDE, &latitude, theme.text());
            cell(LONGITUDE, &longitude, theme.text());
            if let Some(leg) = track.leg(fix.index) {
                cell(
                    SPEED,
                    &leg.speed_m_s
                        .map_or_else(|| "–".to_owned(), |s| model.units.speed(s)),
                    theme.text(),
                );
                cell(
                    COURSE,
                    &leg.course_deg
                        .map_or_else(|| "–".to_owned(), crate::geo::units::course),
                    theme.text(),
                );
            }
        } else {
            cell(AGE, "no fix", theme.dim());
        }
        if let Some(interval) = health.interval_s {
            cell(
                INTERVAL,
                &crate::track::time::duration(interval),
                theme.text(),
            );
        }
        if let Some(completeness) = track.summary().completeness {
            cell(
                COMPLETE,
                &format!("{:.0} %", completeness * 100.0),
                theme.text(),
            );
        }
        cell(FIXES, &format::count(track.len()), theme.text());
    }
    let (update, style) = update(deployment, model, theme);
    // If the update column was dropped, a failure is shown in place of the
    // data.
    if fitted.width(NEWS).is_some() {
        cell(NEWS, &update, style);
    } else if deployment.track.value.is_none()
        && let Some(start) = fitted.start(AGE)
    {
        let room = usize::from(area.width.saturating_sub(start));
        put(buffer, area, start, line, &text::fit(&update, room), style);
    }
}

/// The state of the request: loading, why it failed, what the last refresh
/// added.
fn update(
    deployment: &DeploymentState,
    model: &Model,
    theme: Theme,
) -> (String, ratatui::style::Style) {
    if let Some(loading) = deployment.track.loading {
        let bytes = if loading.bytes > 0 {
            format!(" {}", text::bytes(loading.bytes))
        } else {
            String::new()
        };
        return (
            format!("{} loading{bytes}", spinner(model, theme)),
            theme.accent(),
        );
    }
    if let Some((failure, _)) = &deployment.track.failure {
        return (format::why_failed(failure), theme.bad());
    }
    if let Some(alarm) = deployment.alarm(model.now) {
        return (alarm.to_string(), theme.bad());
    }
    match deployment.delta {
        Some(delta) if delta.new > 0 => {
            let backfilled = if delta.backfilled > 0 {
                format!(", {} backfilled", delta.backfilled)
            } else {
                String::new()
            };
            (
                format!("+{} fixes{backfilled}", format::count(delta.new)),
                theme.good(),
            )
        }
        _ => {
            let words = format::next_request(model, deployment);
            (words.unwrap_or_default(), theme.dim())
        }
    }
}
