//! The table of fixes: only the visible rows are formatted.

mod kept_rows;

use ratatui::buffer::Buffer;

use super::columns::{Column, Fitted, column, flexible, resize};
use super::failed_load;
use super::format;
use super::loading;
use super::paint::{highlight_matches, put, set_row_style};
use super::theme::Theme;
use crate::app::Model;
use crate::app::columns::{Columns, TRACK};
use crate::app::keymap::Action;
use crate::app::layout::Area;
use crate::app::state::fields::field_label;
use crate::app::targets::Heading;
use crate::chart::ShownField;
use crate::text;
use crate::track::TrackSort;
use crate::track::{Fix, Flag, Track};
use kept_rows::Inputs;
pub(super) use kept_rows::KeptRows;

const MARK: usize = 0;
const TIME: usize = 1;
const LATITUDE: usize = 2;
const LONGITUDE: usize = 3;
const LEG: usize = 4;
const SPEED: usize = 5;
const COURSE: usize = 6;
const GAP: usize = 7;
const REASON: usize = 8;
/// The field that the timeline shows, right of the position.
const FIELD: usize = 9;

/// Cells of a course.
const COURSE_CELLS: u16 = 5;

/// Most cells of a field.
const WIDEST_FIELD: usize = 17;

/// The columns here of one that a person chooses: a pair has two.
fn places(chosen: usize) -> &'static [usize] {
    const PLACES: [&[usize]; TRACK.len()] = [
        &[MARK],
        &[TIME],
        &[LATITUDE, LONGITUDE],
        &[LEG],
        &[SPEED, COURSE],
        &[GAP],
        &[REASON],
    ];
    PLACES.get(chosen).copied().unwrap_or_default()
}

fn columns(model: &Model, width: u16, field: u16) -> Vec<Column> {
    let cells = model.coordinates.width();
    let speed = format::speed_cells(model.units);
    // Date and time in full, without the year, or without the seconds, too: the longest
    // that leaves room for the speed and the course, where they are shown.
    let usual = match width {
        0..39 => 11,
        39..61 => 14,
        _ => 19,
    };
    let mut shown = model.columns.track.iter();
    let velocity = shown.any(|column| places(column.place).contains(&SPEED));
    let velocity = if velocity {
        speed + 1 + COURSE_CELLS + 1
    } else {
        0
    };
    let field_cells = if field > 0 { field + 1 } else { 0 };
    let others = 2 + 1 + cells.0 + 1 + cells.1 + velocity + field_cells;
    let time = [19, 14, 11].into_iter().filter(|time| *time <= usual);
    let time = time.into_iter().find(|time| time + others <= width);
    let time = time.unwrap_or(usual);
    let heading = if model.shown_zone().is_some() {
        "time"
    } else {
        "time UTC"
    };
    vec![
        column("", 1, false, 1),
        column(heading, time, false, 0),
        column("latitude", cells.0, true, 2),
        column("longitude", cells.1, true, 2),
        column("leg", 9, true, 6),
        column("SOG", speed, true, 4),
        column("COG", COURSE_CELLS, true, 4),
        column("interval", if width < 88 { 8 } else { 11 }, true, 7),
        flexible("", 4, 8),
        column("", field, true, 3),
    ]
}

/// Draws the table with its heading, or a message in its place; returns what
/// each heading sorts by.
pub(super) fn table(
    buffer: &mut Buffer,
    area: Area,
    rows: Area,
    model: &Model,
    theme: Theme,
    kept: &mut KeptRows,
) -> Vec<(Area, Heading)> {
    if area.is_empty() {
        return Vec::new();
    }
    if model
        .track
        .open
        .is_none_or(|uuid| model.deployments.get(uuid).is_none())
    {
        put(
            buffer,
            rows.at(1, 1),
            "No deployment is open.",
            theme.text(),
        );
        let list = model.key_of(Action::ShowDeployments);
        let add = model.key_of(Action::AddDeployment);
        let how = format!("{list}: list deployments; {add}: add one.");
        put(buffer, rows.at(1, 2), &how, theme.dim());
        return Vec::new();
    }
    let Some(track) = model.open_one() else {
        waiting(buffer, rows, model, theme);
        return Vec::new();
    };
    let field = model
        .shown_field()
        .filter(|field| !field.field().is_profile());
    let title = field.as_ref().map_or_else(String::new, field_title);
    let mut all = columns(model, area.width, field.as_ref().map_or(0, field_width));
    let mut order = Vec::with_capacity(all.len());
    for shown in &model.columns.track {
        let places = places(shown.place);
        if let [place] = places {
            resize(&mut all, *place, shown.width);
        }
        order.extend_from_slice(places);
    }
    if field.is_some() {
        let position = order.iter().position(|column| *column == LONGITUDE);
        order.insert(position.map_or(order.len(), |place| place + 1), FIELD);
    }
    let fitted = Fitted::ordered(&all, &order, area.width);
    let sorted = match model.track.arrangement.sort {
        TrackSort::Time => TIME,
        TrackSort::Latitude => LATITUDE,
        TrackSort::Longitude => LONGITUDE,
        TrackSort::Distance => LEG,
        TrackSort::Speed => SPEED,
        TrackSort::Course => COURSE,
        TrackSort::Gap => GAP,
        TrackSort::Flag => MARK,
        TrackSort::Field => FIELD,
    };
    let arrow = theme.sort_arrow(model.track.arrangement.descending);
    fitted.heading(buffer, area, theme.heading(), Some((sorted, arrow)));
    let mark = if sorted == FIELD { arrow } else { "" };
    let room = fitted.width(FIELD).map_or(0, usize::from);
    let title = text::fit(&title, room.saturating_sub(text::width(mark)));
    fitted.cell(
        buffer,
        area,
        0,
        FIELD,
        &format!("{title}{mark}"),
        theme.heading(),
    );
    let headings: Vec<_> = (MARK..=FIELD)
        .filter_map(|column| Some((fitted.heading_area(area, column)?, sorts(column))))
        .collect();
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
        put(buffer, rows.at(1, 1), &message, theme.dim());
        return headings;
    }
    if model.track.rows(track) == 0 {
        let message = "No fix matches the filter; Esc clears it.";
        put(buffer, rows.at(1, 1), message, theme.dim());
        return headings;
    }
    let table = model.track.table;
    let made_from = Inputs::of(model, track, (&fitted, rows.width), field.as_ref(), theme);
    let mut known = kept.begin(made_from);
    for line in 0..rows.height {
        let place = table.top + usize::from(line);
        let Some(fix) = model.track.fix_in_row(track, place) else {
            break;
        };
        kept.put(buffer, (rows, line), &mut known, fix.index, |buffer| {
            row(buffer, rows, line, &fitted, track, &fix, model, theme);
            if let Some(field) = &field {
                let value = field.value(fix.index);
                let value = value.map(|value| format::number(value, field.field().decimals()));
                let value = value.unwrap_or_else(|| "–".to_owned());
                let style = match track.is_included(fix.index) {
                    true => theme.text(),
                    false => theme.dim(),
                };
                fitted.cell(buffer, rows, line, FIELD, &value, style);
            }
        });
        if place == table.cursor {
            set_row_style(buffer, rows.at(0, line), theme.chosen());
        }
        if let Some(search) = &model.search {
            highlight_matches(buffer, rows.at(0, line), &search.text, theme.accent());
        }
    }
    headings
}

/// The heading of a field: its name and unit.
fn field_title(shown: &ShownField) -> String {
    let name = shown.field().name();
    let title = format!("{} {}", field_label(name), format::unit_of_field(name));
    title.trim_end().to_owned()
}

/// The cells that the values and the heading of a field need.
fn field_width(shown: &ShownField) -> u16 {
    let field = shown.field();
    let number = |value| text::width(&format::number(value, field.decimals()));
    let ends = field.ends();
    let values = number(ends.low).max(number(ends.high));
    let title = text::width(&field_title(shown)).min(WIDEST_FIELD);
    u16::try_from(values.max(title)).unwrap_or(u16::MAX)
}

/// A span in words, rounded to one unit where two do not fit in the cells: `2.6 h`.
fn interval_in_cells(seconds: f64, room: Option<u16>) -> String {
    let whole = crate::track::time::interval(seconds);
    if room.is_none_or(|room| text::width(&whole) <= usize::from(room)) {
        return whole;
    }
    match seconds {
        ..86_370.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} d", seconds / 86_400.0),
    }
}

/// Whether the columns have their usual order.
fn has_usual_columns(model: &Model) -> bool {
    model.columns.track == Columns::default().track
}

/// What the heading of a column sorts by.
fn sorts(column: usize) -> Heading {
    Heading::Fixes(match column {
        TIME => TrackSort::Time,
        LATITUDE => TrackSort::Latitude,
        LONGITUDE => TrackSort::Longitude,
        LEG => TrackSort::Distance,
        SPEED => TrackSort::Speed,
        COURSE => TrackSort::Course,
        GAP => TrackSort::Gap,
        FIELD => TrackSort::Field,
        _ => TrackSort::Flag,
    })
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
    if let Some(leg) = track.leg(fix.index) {
        let distance = model.units.distance(leg.distance_m);
        cell(LEG, &format::in_cells(distance, fitted.width(LEG)), style);
        cell(
            SPEED,
            &leg.speed_m_s.map_or_else(
                || "–".to_owned(),
                |s| format::in_cells(model.units.speed(s), fitted.width(SPEED)),
            ),
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
        let interval = interval_in_cells(leg.duration_s, fitted.width(GAP));
        cell(GAP, &interval, gap);
    }
    if fix.flag != Flag::Pass || !fix.reason.text().is_empty() {
        let reason = track.reason_text(fix.index);
        let leg = [LEG, SPEED, COURSE, GAP, REASON];
        // In another order other columns would be behind it.
        let free = leg.into_iter().find_map(|column| fitted.start(column));
        let free = free.filter(|_| has_usual_columns(model));
        // What has no room is in the summary, where the cursor is on the fix.
        let words = |room: usize| match text::width(&reason) <= room {
            true => reason.clone().into_owned(),
            false => text::fit(fix.reason.short_text(), room),
        };
        match free {
            // A fix without a leg leaves its cells to the reason.
            Some(start) if track.leg(fix.index).is_none() => {
                let room = usize::from(area.width.saturating_sub(start));
                put(buffer, area.at(start, line), &words(room), flag_style);
            }
            _ => {
                let room = fitted.width(REASON).map_or(0, usize::from);
                cell(REASON, &words(room), flag_style);
            }
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
    let refresh = model.key_of(Action::Refresh);
    if let Some(transfer) = deployment.track.loading {
        loading::draw(buffer, area, transfer, model, theme);
    } else if deployment.track.failure.is_some() {
        failed_load::draw(buffer, area, deployment, model, theme);
    } else {
        let how = format!("Not loaded yet; press {refresh}.");
        put(buffer, area.at(1, 1), &how, theme.dim());
    }
}
