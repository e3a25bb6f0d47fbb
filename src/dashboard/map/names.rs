//! The degrees at the lines of the graticule, and the poles.

use ratatui::buffer::Buffer;

use super::labels::{Labels, to_cell};
use super::put_over;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::cells;
use crate::map::Scene;

/// Labels of meridians on the first `columns` columns of the axis below the map; a label
/// that would touch another is left out.
pub(super) fn of_meridians(
    buffer: &mut Buffer,
    axis: Area,
    columns: u16,
    picture: &Scene,
    theme: Theme,
) {
    let mut meridians: Vec<&(f64, String)> = picture.meridians.iter().collect();
    meridians.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut end = 0;
    for (column, name) in meridians {
        let name = format!(" {name} ");
        let x = to_cell(column - f64::from(cells(&name)) / 2.0);
        if x >= end && x + cells(&name) <= columns {
            end = x + put(buffer, axis.at(x, 0), &name, theme.dim());
        }
    }
}

/// Labels of parallels at the left edge, starting on its frame; those around a pole on
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
        let place = Area::new(0, to_cell(*row), cells(name).saturating_sub(beside), 1);
        if labels.is_clear(place) {
            let line = Area::new(area.x - beside, area.y + place.y, cells(name), 1);
            put(buffer, line, name, theme.dim());
            labels.take(place);
        }
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
