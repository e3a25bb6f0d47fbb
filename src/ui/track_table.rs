//! The table of fixes: only the visible rows are formatted.

use ratatui::buffer::Buffer;

use super::columns::{Column, Fitted, column, flexible, light, put, tint};
use super::format;
use super::frame::spinner;
use super::theme::Theme;
use super::wrap::wrap;
use crate::app::Model;
use crate::app::layout::Area;
use crate::text;
use crate::track::TrackSort;
use crate::track::{Fix, Flag, Track};

const MARK: usize = 0;
const TIME: usize = 1;
const LATITUDE: usize = 2;
const LONGITUDE: usize = 3;
const LEG: usize = 4;
const SPEED: usize = 5;
const COURSE: usize = 6;
const GAP: usize = 7;
const REASON: usize = 8;

fn columns(model: &Model, width: u16) -> Vec<Column> {
    let cells = model.coordinates.width();
    // Date and time in full, without the year, or without the seconds, too.
    let time = match width {
        0..40 => 11,
        40..50 => 14,
        _ => 19,
    };
    let heading = if model.shown_zone().is_some() {
        "time"
    } else {
        "time UTC"
    };
    vec![
        column("", 1, false, 1),
        column(heading, time, false, 0),
        column("latitude", cells.0, true, 2),
        column("longitude", cells.1, true, 3),
        column("leg", 9, true, 6),
        column("SOG", 9, true, 4),
        column("COG", 6, true, 5),
        column("interval", if width < 88 { 8 } else { 11 }, true, 7),
        flexible("", 4, 8),
    ]
}

/// Draws the table with its heading, or a message in its place.
pub(super) fn table(buffer: &mut Buffer, area: Area, rows: Area, model: &Model, theme: Theme) {
    if area.is_empty() {
        return;
    }
    if model
        .track
        .open
        .is_none_or(|uuid| model.deployments.get(uuid).is_none())
    {
        put(buffer, rows, 1, 1, "No deployment is open.", theme.text());
        put(
            buffer,
            rows,
            1,
            2,
            "1: list deployments; a: add one.",
            theme.dim(),
        );
        return;
    }
    let Some(track) = model.open_one() else {
        waiting(buffer, rows, model, theme);
        return;
    };
    let fitted = Fitted::new(&columns(model, area.width), area.width);
    let sorted = match model.track.arrangement.sort {
        TrackSort::Time => TIME,
        TrackSort::Latitude => LATITUDE,
        TrackSort::Longitude => LONGITUDE,
        TrackSort::Distance => LEG,
        TrackSort::Speed => SPEED,
        TrackSort::Course => COURSE,
        TrackSort::Gap => GAP,
        TrackSort::Flag => MARK,
    };
    let arrow = theme.sort_arrow(model.track.arrangement.descending);
    fitted.heading(buffer, area, theme.heading(), Some((sorted, arrow)));
    let time = (TIME, if sorted == TIME { arrow } else { "" });
    fitted.zone_heading(buffer, area, time, model, theme.heading());
    if track.is_empty() {
        let message = match track.unusable_count() {
            _ if model.track.time_range.is_some() => {
                "No fix in this time range; Esc shows the whole track.".to_owned()
            }
            0 => "The service has no transmission of this deployment.".to_owned(),
            count => format!("All {count} records are invalid; see below."),
        };
        put(buffer, rows, 1, 1, &message, theme.dim());
        return;
    }
    if model.track.rows(track) == 0 {
        let message = "No fix matches the filter; Esc clears it.";
        put(buffer, rows, 1, 1, message, theme.dim());
        return;
    }
    let table = model.track.table;
    for line in 0..rows.height {
        let place = table.top + usize::from(line);
        let Some(fix) = model.track.fix_in_row(track, place) else {
            break;
        };
        row(buffer, rows, line, &fitted, track, &fix, model, theme);
        if place == table.cursor {
            tint(buffer, rows, line, theme.chosen());
        }
        if let Some(search) = &model.search {
            light(buffer, rows, line, &search.text, theme.accent());
        }
    }
}

#[allow(clippy::too_many_arguments)] // a row depends on all of them
fn row(
    buffer: &mut Buffer,
    area: Area,
    line: u16,
    fitted: &Fitted,
    track: &Track,
    fix: &Fix,
    model: &Model,
    theme: Theme,
) {
    let (mark, flag_style) = theme.flag(fix.flag);
    let style = if track.is_included(fix.index) {
        theme.text()
    } else {
        theme.dim()
    };
    let mut cell = |column: usize, content: &str, style| {
        fitted.cell(buffer, area, line, column, content, style)
    };
    cell(MARK, mark, flag_style);
    let mut time = match fitted.width(TIME) {
        Some(19..) => format::moment(model, fix.time_stamp),
        _ => format::short_moment(model, fix.time_stamp),
    };
    if fitted.width(TIME).is_some_and(|width| width < 14) {
        time.truncate(11);
    }
    cell(TIME, &time, style);
    let (latitude, longitude) = model.coordinates.pair(fix.position);
    cell(LATITUDE, &latitude, style);
    cell(LONGITUDE, &longitude, style);
    if fitted.width(SPEED).is_some()
        && let Some(leg) = track.leg(fix.index)
    {
        cell(LEG, &model.units.distance(leg.distance_m), style);
        cell(
            SPEED,
            &leg.speed_m_s
                .map_or_else(|| "–".to_owned(), |s| model.units.speed(s)),
            style,
        );
        cell(
            COURSE,
            &leg.course_deg
                .map_or_else(|| "–".to_owned(), crate::geo::units::course),
            style,
        );
        let gap = if track.is_gap(leg.duration_s) {
            theme.warning()
        } else {
            style
        };
        cell(GAP, &crate::track::time::duration(leg.duration_s), gap);
    }
    if fix.flag != Flag::Pass || !fix.reason.text().is_empty() {
        let reason = track.reason_text(fix.index);
        let leg = [LEG, SPEED, COURSE, GAP, REASON];
        let free = leg.into_iter().find_map(|column| fitted.start(column));
        match free {
            // A fix without a leg leaves its cells to the reason.
            Some(start) if track.leg(fix.index).is_none() => {
                let room = usize::from(area.width.saturating_sub(start));
                let words = text::fit(&reason, room);
                put(buffer, area, start, line, &words, flag_style);
            }
            _ => cell(REASON, &reason, flag_style),
        }
    } else if track.is_absent_from_latest(fix.index) {
        cell(REASON, "absent from latest response", theme.dim());
    } else if track.times_sent(fix.index) > 1 {
        let message = format!("sent {} times", track.times_sent(fix.index));
        cell(REASON, &message, theme.dim());
    }
}

/// Draws the state of the fetch in place of the data: loading, failed or not
/// loaded.
fn waiting(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    let Some(deployment) = model
        .track
        .open
        .and_then(|uuid| model.deployments.get(uuid))
    else {
        return;
    };
    if let Some(loading) = deployment.track.loading {
        let message = format!(
            "{} loading: {} in {:.0} s",
            spinner(model, theme),
            text::bytes(loading.bytes),
            (model.now - loading.since).max(0.0)
        );
        put(buffer, area, 1, 1, &message, theme.accent());
        put(buffer, area, 1, 2, "Esc cancels.", theme.dim());
    } else if let Some((failure, at)) = &deployment.track.failure {
        let mut line = 1;
        let width = usize::from(area.width.saturating_sub(2)).max(10);
        for message in wrap(&failure.message(), width) {
            put(buffer, area, 1, line, &message, theme.bad());
            line += 1;
        }
        for message in wrap(&failure.hint, width) {
            put(buffer, area, 1, line, &message, theme.text());
            line += 1;
        }
        let tried = format!(
            "Tried {}; {}. r: retry now.",
            format::age(model, *at),
            format::next_try(model, deployment)
        );
        put(buffer, area, 1, line, &tried, theme.dim());
    } else {
        put(buffer, area, 1, 1, "Not loaded yet; press r.", theme.dim());
    }
}
