//! The speed on the timeline: the highest of each column, as a line.

use ratatui::buffer::{Buffer, Cell};

use super::axes::{speed_label, top_speed};
use super::strip::Strip;
use crate::dashboard::map::glyphs;
use crate::dashboard::widgets::paint::Pieces;
use crate::map::{Ink, Layer, Raster, Segment};

/// Draws the speed with its axis; returns the texts for the title: the scale and the
/// highest speed.
pub(super) fn draw(buffer: &mut Buffer, strip: &Strip<'_>) -> Pieces {
    let unit = strip.model.settings.units.speed_unit();
    let speeds = strip.bins.iter().filter_map(|bin| bin.fastest);
    let speeds: Vec<f64> = speeds.map(|(speed, _)| unit.of(speed)).collect();
    let top = top_speed(&speeds);
    axis(buffer, strip, top);
    strip.cursor_line(buffer);
    strip.gaps(buffer);
    let cells = if strip.theme.can.unicode {
        line(strip, top)
    } else {
        columns(strip, top)
    };
    glyphs::put(buffer, strip.plot, cells);
    beyond(buffer, strip, top);
    caption(strip, top)
}

fn caption(strip: &Strip<'_>, top: f64) -> Pieces {
    let model = strip.model;
    let theme = strip.theme;
    let unit = model.settings.units.speed_unit().symbol();
    let top = speed_label(top);
    let mut pieces = vec![(format!("axis to {top} {unit}"), theme.dim())];
    let range = &model.track;
    let highest = if range.time_range.is_some() && range.selecting.is_none() {
        model
            .shown_track()
            .and_then(|shown| shown.summary().max_speed_m_s)
    } else {
        highest(strip)
    };
    if let Some(highest) = highest {
        let speed = model.settings.units.speed(highest);
        pieces.push((format!("highest {speed}"), theme.text()));
    }
    pieces
}

/// The highest speed of the columns in the time range, or of all, in m/s.
fn highest(strip: &Strip<'_>) -> Option<f64> {
    let inside = (0u16..)
        .zip(&strip.bins)
        .filter(|(x, _)| strip.is_inside(*x));
    let fastest = inside.filter_map(|(_, bin)| bin.fastest);
    let (rough, fix) = fastest.max_by(|a, b| a.0.total_cmp(&b.0))?;
    // The line uses spherical distances, the number uses the ellipsoid.
    let exact = strip.track.leg(fix).and_then(|leg| leg.speed_m_s);
    Some(exact.unwrap_or(rough))
}

/// Draws the numbers at the left: the top of the axis, the middle if there is
/// room, and 0 in the row of the ticks.
fn axis(buffer: &mut Buffer, strip: &Strip<'_>, top: f64) {
    let rows = strip.rows;
    let scale = scale_rows(strip);
    let mut label = |row, words: &str| strip.label(buffer, row, &format!("{words:>4} "));
    label(rows - scale, &speed_label(top));
    if rows >= 4 {
        label(rows - scale / 2, &speed_label(top / 2.0));
    }
    label(rows, "0");
}

/// The rows from 0 to the top of the axis: an even number, so that the middle has a row
/// of its own.
fn scale_rows(strip: &Strip<'_>) -> u16 {
    match strip.rows {
        few @ ..4 => few,
        rows => rows - rows % 2,
    }
}

/// The cells of the speed as a line in the colours of the map.
fn line(strip: &Strip<'_>, top: f64) -> Vec<(u16, u16, Cell)> {
    let unit = strip.model.settings.units.speed_unit();
    let mut raster = Raster::new(strip.plot.width, strip.rows, strip.markers());
    // A number of the axis is level with the middle of its row.
    let all = f64::from(strip.rows);
    let scale = f64::from(scale_rows(strip));
    let level = |share: f64| (0.5 + all - scale * share).min(all - 1e-6);
    let by = strip.model.line_colour();
    let mut before: Option<(f64, f64)> = None;
    for (x, bin) in (0u16..).zip(&strip.bins) {
        let Some((speed, fix)) = bin.fastest else {
            before = None;
            continue;
        };
        let share = (unit.of(speed) / top).min(1.0);
        let here = (f64::from(x) + 0.5, level(share));
        let ink = Ink {
            layer: Layer::Track,
            track: 0,
            order: u32::try_from(fix).unwrap_or(u32::MAX),
        };
        let segment = Segment {
            from: before.unwrap_or(here),
            to: here,
        };
        raster.stroke(segment, ink);
        before = Some(here);
    }
    strip.painted(&raster, |ink| strip.colour(&by, ink))
}

/// The cells of the speed as columns of ASCII characters, whose tops have three levels
/// a row: a line of them would be a flat band.
fn columns(strip: &Strip<'_>, top: f64) -> Vec<(u16, u16, Cell)> {
    let unit = strip.model.settings.units.speed_unit();
    let rows = f64::from(scale_rows(strip));
    let by = strip.model.line_colour();
    let mut cells = Vec::new();
    for (x, bin) in (0u16..).zip(&strip.bins) {
        let Some((speed, fix)) = bin.fastest else {
            continue;
        };
        let share = (unit.of(speed) / top).min(1.0);
        let ink = Ink {
            layer: Layer::Track,
            track: 0,
            order: u32::try_from(fix).unwrap_or(u32::MAX),
        };
        // A number of the axis is level with the middle of its row.
        let height = rows * share - 0.5;
        for row in 0..strip.rows {
            let below = strip.rows - 1 - row;
            let glyph = match height - f64::from(below) {
                part if part > 2.0 / 3.0 => '|',
                part if part > 1.0 / 3.0 => ':',
                part if part > 0.0 || below == 0 => '.',
                _ => continue,
            };
            let mut cell = Cell::EMPTY;
            cell.set_char(glyph).set_style(strip.colour(&by, ink));
            cells.push((x, row, cell));
        }
    }
    strip.dim_beside(&mut cells);
    cells
}

/// Draws a triangle at the top of each column with a speed beyond the axis.
fn beyond(buffer: &mut Buffer, strip: &Strip<'_>, top: f64) {
    let unit = strip.model.settings.units.speed_unit();
    let is_beyond = |(speed, _)| unit.of(speed) > top * (1.0 + 1e-9);
    for (x, bin) in (0u16..).zip(&strip.bins) {
        if bin.fastest.is_some_and(is_beyond) {
            strip.arrow(buffer, (x, 0), strip.theme.glyph("↑", "^"));
        }
    }
}
