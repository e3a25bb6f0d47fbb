//! The degrees at the lines of the graticule, and the poles.

use ratatui::buffer::Buffer;

use super::labels::{Labels, to_cell};
use super::put_over;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::cells;
use crate::map::Scene;

/// Labels of meridians on the axis below the map, each where its meridian meets it. A label that
/// would touch the one before moves to the right as far as its meridian allows, else it is left
/// out.
pub(super) fn of_meridians(buffer: &mut Buffer, axis: Area, picture: &Scene, theme: Theme) {
    let mut meridians: Vec<&(f64, String)> = picture.meridians.iter().collect();
    meridians.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = 0;
    for (column, name) in meridians {
        let name = format!(" {name} ");
        let width = cells(&name);
        let usual = to_cell(column - f64::from(width) / 2.0);
        let x = usual.min(axis.width.saturating_sub(width)).max(free);
        if x <= to_cell(*column) && x + width <= axis.width {
            // Two labels share the blank between them.
            free = (x + put(buffer, axis.at(x, 0), &name, theme.dim())).saturating_sub(1);
        }
    }
}

/// Labels of parallels at the left edge, starting on its frame, or at the right one; those around a pole on
/// their lines, and the pole. None covers a track or another label.
pub(super) fn of_parallels(
    buffer: &mut Buffer,
    layout: &Layout,
    picture: &Scene,
    theme: Theme,
    labels: &mut Labels<'_>,
) {
    let area = layout.map;
    let beside = u16::from(layout.framed);
    for (row, name) in &picture.parallels {
        // At the right edge where the track is at the left one.
        let width = cells(name).saturating_sub(beside);
        let right = area.width.saturating_sub(width);
        let mut places = [0, right]
            .map(|x| Area::new(x, to_cell(*row), width, 1))
            .into_iter();
        let Some(place) = places.find(|place| labels.is_clear(*place)) else {
            continue;
        };
        let start = (area.x + place.x).saturating_sub(if place.x == 0 { beside } else { 0 });
        let line = Area::new(start, area.y + place.y, cells(name), 1);
        put(buffer, line, name, theme.dim());
        labels.take(place);
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
        }
    }
}
