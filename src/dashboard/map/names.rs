//! The degrees at the lines of the graticule, and the poles.

use ratatui::buffer::Buffer;

use super::labels::{Labels, to_cell};
use super::put_over;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::cells;
use crate::geo::projection::wrap;
use crate::geo::sphere::MEAN_RADIUS_M;
use crate::map::{Scene, View, latitude_label, longitude_label};

/// Labels of one direction that a map has at least.
const LEAST: usize = 2;

/// Labels of meridians on the axis below the map, each where its meridian meets it. A label that
/// would touch the one before moves to the right as far as its meridian allows, else it is left
/// out. Where that leaves fewer than two, the longitudes at both ends of the axis are there instead.
pub(super) fn of_meridians(
    buffer: &mut Buffer,
    axis: Area,
    picture: &Scene,
    view: &View,
    theme: Theme,
) {
    let mut meridians: Vec<&(f64, String)> = picture.meridians.iter().collect();
    meridians.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = 0;
    let mut names = Vec::new();
    for (column, name) in meridians {
        let name = format!(" {name} ");
        let width = cells(&name);
        let usual = to_cell(column - f64::from(width) / 2.0);
        let x = usual.min(axis.width.saturating_sub(width)).max(free);
        if x <= to_cell(*column) && x + width <= axis.width {
            // Two labels share the blank between them.
            free = x + width - 1;
            names.push((x, name));
        }
    }
    // Of a globe, and about a pole, they are on their lines.
    if names.len() < LEAST && view.projection.has_seam() {
        names = ends_of_axis(axis.width, view).unwrap_or(names);
    }
    for (x, name) in names {
        put(buffer, axis.at(x, 0), &name, theme.dim());
    }
}

/// The longitudes at both ends of the axis, each below the middle of its label; `None` where they
/// have no room.
fn ends_of_axis(width: u16, view: &View) -> Option<Vec<(u16, String)>> {
    let name = |x: f64| {
        let bottom = f64::from(view.rows) - 0.5;
        let [here, next] = [x, x + 1.0].map(|x| view.position_at(x, bottom));
        let column = wrap(next?.longitude - here?.longitude).abs();
        Some(longitude_label(here?.longitude, column))
    };
    let half = f64::from(cells(&name(0.0)?)) / 2.0;
    let (left, right) = (name(half)?, name(f64::from(width) - half)?);
    let x = width.checked_sub(cells(&right))?;
    (cells(&left) < x).then(|| vec![(0, left), (x, right)])
}

/// Labels of parallels at the left edge, starting on its frame, or further right on their row;
/// those around a pole on their lines, and the pole. None covers a track or another label. Where
/// that leaves fewer than two, the latitudes of other rows are there, too.
pub(super) fn of_parallels(
    buffer: &mut Buffer,
    layout: &Layout,
    picture: &Scene,
    view: &View,
    labels: &mut Labels<'_>,
    theme: Theme,
) {
    let area = layout.map;
    let beside = u16::from(layout.framed);
    let latitude = |x: u16, width: u16, row: u16| {
        // On a flat map a parallel has its row also where the Earth ends within the map.
        let twice = if view.projection.has_seam() {
            area.width
        } else {
            2 * x + width
        };
        let here = view.position_at(f64::from(twice) / 2.0, f64::from(row) + 0.5);
        here.map(|here| here.latitude)
    };
    let rows_m = view.metres_a_column * view.cell_aspect;
    let degrees_a_row = (rows_m / MEAN_RADIUS_M).to_degrees();
    let draw = |buffer: &mut Buffer, labels: &mut Labels<'_>, row: u16, name: &str| {
        let width = cells(name).saturating_sub(beside);
        let right = area.width.saturating_sub(width);
        let here = latitude(0, 0, row);
        // A parallel need not stay on its row.
        let is_there = |x: u16| {
            let there = latitude(x, width, row).zip(here);
            there.is_some_and(|(there, here)| (there - here).abs() < degrees_a_row / 2.0)
        };
        let columns = [0, right].into_iter().chain(1..right);
        let mut places = columns.map(|x| Area::new(x, row, width, 1));
        let is_free = |place: &Area| (place.x == 0 || is_there(place.x)) && labels.is_clear(*place);
        let Some(place) = places.find(is_free) else {
            return false;
        };
        let on_frame = if place.x == 0 { beside } else { 0 };
        let start = (area.x + place.x).saturating_sub(on_frame);
        let line = Area::new(start, area.y + place.y, cells(name), 1);
        put(buffer, line, name, theme.dim());
        labels.take(place);
        true
    };
    let mut count = 0;
    for (row, name) in &picture.parallels {
        count += usize::from(draw(buffer, labels, to_cell(*row), name));
    }
    let pole = theme.glyph("⊕", "+").to_owned();
    let poles = picture.pole.map(|at| (at, pole));
    for ((column, row), name) in poles.iter().chain(&picture.circles) {
        let width = cells(name);
        let x = to_cell(column - f64::from(width - 1) / 2.0);
        let place = Area::new(x, to_cell(*row), width, 1);
        if labels.is_clear(place) {
            put_over(buffer, area.at(x, place.y), name, theme.dim());
            labels.take(place);
            count += usize::from(name.ends_with(['N', 'S']));
        }
    }
    let last = area.height.saturating_sub(1);
    for row in [last, 0].into_iter().chain((1..last).rev()) {
        let name = latitude(0, 0, row).map(|here| latitude_label(here, degrees_a_row));
        if let Some(name) = name.filter(|_| count < LEAST) {
            count += usize::from(draw(buffer, labels, row, &name));
        }
    }
}
