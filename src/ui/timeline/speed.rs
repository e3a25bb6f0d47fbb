//! The speed on the timeline: the highest of each column, as a line.

use ratatui::buffer::Buffer;

use super::axes::{speed_label, top_speed};
use super::strip::Strip;
use crate::chart::{Ink, Layer, Raster};
use crate::ui::columns::put;
use crate::ui::map::caption::Piece;

/// Draws the speed with its axis; returns what stands beside the title: the
/// scale and the highest speed.
pub(super) fn draw(buffer: &mut Buffer, strip: &Strip<'_>) -> Vec<Piece> {
    let unit = strip.model.units.speed_unit();
    let speeds: Vec<f64> = strip
        .bins
        .iter()
        .filter_map(|bin| bin.fastest)
        .map(|(speed, _)| unit.of(speed))
        .collect();
    let top = top_speed(&speeds);
    axis(buffer, strip, top);
    strip.cursor_line(buffer);
    strip.gaps(buffer);
    line(buffer, strip, top);
    caption(strip, top)
}

fn caption(strip: &Strip<'_>, top: f64) -> Vec<Piece> {
    let (model, theme) = (strip.model, strip.theme);
    let unit = model.units.speed_unit().symbol();
    let mut pieces = vec![(format!("axis to {} {unit}", speed_label(top)), theme.dim())];
    if let Some(highest) = highest(strip) {
        let speed = model.units.speed(highest);
        pieces.push((format!("highest {}", speed.trim()), theme.text()));
    }
    pieces
}

/// The highest speed in m/s: of the time range where one is shown or drawn, else
/// of the whole track.
fn highest(strip: &Strip<'_>) -> Option<f64> {
    let range = &strip.model.track;
    if range.time_range.is_some() && range.selecting.is_none() {
        return strip.model.open_one()?.summary().max_speed_m_s;
    }
    let inside = (0u16..)
        .zip(strip.bins)
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
    let (rows, theme) = (strip.rows, strip.theme);
    let mut label = |row: u16, words: &str| {
        let words = format!("{words:>4} {}", theme.glyph("┤", "|"));
        put(buffer, strip.area, 0, row, &words, theme.dim());
    };
    label(0, &speed_label(top));
    if rows >= 4 {
        label(
            rows / 2,
            &speed_label(top * f64::from(rows - rows / 2) / f64::from(rows)),
        );
    }
    label(rows, "0");
}

/// Draws the speed as a line in the colours of the map; a speed beyond the axis
/// has a triangle at the top.
fn line(buffer: &mut Buffer, strip: &Strip<'_>, top: f64) {
    let (plot, theme) = (strip.plot, strip.theme);
    let unit = strip.model.units.speed_unit();
    let mut raster = Raster::new(plot.width, strip.rows, strip.markers().dots());
    // A number of the axis is level with the middle of its row: the top of the
    // axis with that of the first row, 0 with that of the row of the ticks.
    let lowest = f64::from(strip.rows) - 1e-6;
    let level = |share: f64| (0.5 + f64::from(strip.rows) * (1.0 - share)).min(lowest);
    let mut before: Option<(f64, f64)> = None;
    for (x, bin) in (0u16..).zip(strip.bins) {
        let Some((speed, fix)) = bin.fastest else {
            before = None;
            continue;
        };
        let share = (unit.of(speed) / top).min(1.0);
        let here = (f64::from(x) + 0.5, level(share));
        let ink = Ink {
            layer: Layer::Track,
            order: u32::try_from(fix).unwrap_or(u32::MAX),
        };
        raster.stroke(before.unwrap_or(here), here, ink);
        before = Some(here);
    }
    let by = strip.model.line_colour().of_whole();
    strip.paint(buffer, &raster, |ink| {
        let share = by.share(strip.track, ink.order as usize);
        share.map_or_else(|| theme.dim(), |share| theme.line(share))
    });
    for (x, bin) in (0u16..).zip(strip.bins) {
        if bin
            .fastest
            .is_some_and(|(speed, _)| unit.of(speed) > top * (1.0 + 1e-9))
        {
            put(buffer, plot, x, 0, theme.glyph("↑", "^"), theme.warning());
        }
    }
}
