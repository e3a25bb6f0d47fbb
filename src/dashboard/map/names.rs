//! The degrees beside the lines of the graticule.

use ratatui::buffer::Buffer;

use super::labels::{Labels, cells, to_cell};
use super::put_over;
use crate::dashboard::layout::Area;
use crate::dashboard::theme::Theme;
use crate::map::Scene;

/// Labels of meridians along the lower edge and of parallels along the left
/// one; a label that would touch another is omitted.
pub(super) fn of_lines(
    buffer: &mut Buffer,
    area: Area,
    picture: &Scene,
    theme: Theme,
    labels: &mut Labels<'_>,
) {
    let bottom = area.height.saturating_sub(1);
    for (column, name) in &picture.meridians {
        let width = cells(name);
        let x = to_cell(column - f64::from(width) / 2.0);
        let place = Area::new(x, bottom, width, 1);
        if x + width < area.width && labels.is_free(place) {
            put_over(buffer, area, x, bottom, name, theme.dim());
            labels.take(place);
        }
    }
    for (row, name) in &picture.parallels {
        let y = to_cell(*row);
        let place = Area::new(0, y, cells(name), 1);
        if y < bottom && labels.is_free(place) {
            put_over(buffer, area, 0, y, name, theme.dim());
            labels.take(place);
        }
    }
}

/// Labels of the parallels around a pole, on their lines.
pub(super) fn of_circles(
    buffer: &mut Buffer,
    area: Area,
    picture: &Scene,
    theme: Theme,
    labels: &mut Labels<'_>,
) {
    for ((column, row), name) in &picture.circles {
        let width = cells(name);
        let x = to_cell(column - f64::from(width) / 2.0);
        let place = Area::new(x, to_cell(*row), width, 1);
        if x + width < area.width && labels.is_free(place) {
            put_over(buffer, area, x, place.y, name, theme.dim());
            labels.take(place);
        }
    }
}
