//! A field on the timeline: from the lowest to the highest value of each column.

use ratatui::buffer::Buffer;

use super::axes::{value_ends, value_label};
use super::bins::edge;
use super::strip::Strip;
use crate::dashboard::format;
use crate::dashboard::layout::Parts;
use crate::dashboard::map::glyphs;
use crate::dashboard::widgets::paint::{Pieces, put};
use crate::map::fields::Extent;
use crate::map::{Ink, Layer, Raster, Segment, ShownField};
use crate::text;

/// The extent of a field in each column. A column's fixes are found by
/// binary search and summed by blocks, so that the cost depends on the width and
/// not on the length of the track.
fn extents(field: &ShownField, strip: &Strip<'_>) -> Vec<Extent> {
    let width = strip.plot.width;
    let (first, last) = strip.times;
    if last <= first {
        // All fixes have the same time: one column has them all.
        let mut extents = vec![Extent::NONE; usize::from(width)];
        if let Some(extent) = extents.first_mut() {
            *extent = field.between(f64::NEG_INFINITY, f64::INFINITY);
        }
        return extents;
    }
    let edge = |x| edge(x, width, (first, last));
    (0..width)
        .map(|x| field.between(edge(x), edge(x + 1)))
        .collect()
}

/// Draws a field with its axis; returns the texts for the title: the value at the
/// cursor, the lowest and the highest value.
pub(super) fn draw(buffer: &mut Buffer, strip: &Strip<'_>, shown: &ShownField) -> Pieces {
    let extents = extents(shown, strip);
    let ends = value_ends(&extents, shown.field().ends());
    axis(buffer, strip, ends);
    strip.cursor_line(buffer);
    strip.gaps(buffer);
    line(buffer, strip, &extents, (ends.0, ends.1));
    caption(strip, shown)
}

fn caption(strip: &Strip<'_>, shown: &ShownField) -> Pieces {
    let model = strip.model;
    let theme = strip.theme;
    let field = shown.field();
    let unit = format::unit_of_field(field.name());
    let number = |value| format::number(value, field.decimals);
    let here = match shown.value(model.track.cursor) {
        Some(value) => format!("{} {unit}", number(value)),
        None => "no value".to_owned(),
    };
    let here = format!("{} {}", theme.glyph("◆", "#"), here.trim_end());
    let ends = field.ends();
    let whole = format!("{} to {} {unit}", number(ends.low), number(ends.high));
    vec![
        (here, theme.heading()),
        (whole.trim_end().to_owned(), theme.text()),
    ]
}

/// Draws the numbers at the left: the top of the axis, the round number nearest to its
/// middle if there is room, and its bottom in the last row. A field uses the whole height: unlike a
/// speed, it is as often at the bottom as at the top.
fn axis(buffer: &mut Buffer, strip: &Strip<'_>, (low, high, step): (f64, f64, f64)) {
    let rows = strip.rows;
    let theme = strip.theme;
    let mut label = |row: u16, value: f64| match value_label(value, step) {
        // A very great or small number has the cell of the tick too.
        words if words.len() > 5 => {
            put(
                buffer,
                strip.area.at(0, row),
                &text::fit(&words, 6),
                theme.dim(),
            );
        }
        words => strip.label(buffer, row, &format!("{words:>5}")),
    };
    label(0, high);
    if rows >= 6 {
        let middle = low + ((high - low) / step / 2.0).round() * step;
        let level = f64::from(rows) * (high - middle) / (high - low);
        let at = (1..rows - 1).find(|row| level < f64::from(row + 1));
        label(at.unwrap_or(rows / 2), middle);
    }
    if rows > 1 {
        label(rows - 1, low);
    }
}

/// Draws the field as a line in the colours of the map: a stroke from the lowest
/// to the highest value of each column, the middles joined. A column whose fixes
/// have no value is a gap. A value beyond an end of the axis has a triangle
/// there.
fn line(buffer: &mut Buffer, strip: &Strip<'_>, extents: &[Extent], (low, high): (f64, f64)) {
    let plot = strip.plot;
    let theme = strip.theme;
    let mut raster = Raster::new(plot.width, strip.rows, strip.markers());
    let lowest = f64::from(strip.rows) - 1e-6;
    let level = |value: f64| {
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        (f64::from(strip.rows) * (1.0 - share)).min(lowest)
    };
    let mut fixes = 0;
    let mut before: Option<(f64, f64)> = None;
    for ((x, bin), extent) in (0u16..).zip(&strip.bins).zip(extents) {
        fixes += bin.fixes;
        if extent.is_none() {
            // Between two fixes the line continues.
            if bin.fixes > 0 || bin.is_gap() {
                before = None;
            }
            continue;
        }
        let ink = Ink {
            layer: Layer::Track,
            track: 0,
            order: u32::try_from(fixes.saturating_sub(1)).unwrap_or(u32::MAX),
        };
        let across = f64::from(x) + 0.5;
        let bottom = level(extent.low);
        let top = level(extent.high);
        let segment = Segment {
            from: (across, bottom),
            to: (across, top),
        };
        raster.stroke(segment, ink);
        let here = (across, f64::midpoint(bottom, top));
        let segment = Segment {
            from: before.unwrap_or(here),
            to: here,
        };
        raster.stroke(segment, ink);
        before = Some(here);
    }
    let by = strip.model.line_colour();
    let cells = strip.painted(&raster, |ink| strip.colour(&by, ink));
    glyphs::put(buffer, plot, cells);
    let near = (high - low) * 1e-6;
    for (x, extent) in (0u16..).zip(extents) {
        if extent.is_none() {
            continue;
        }
        if extent.high > high + near {
            strip.arrow(buffer, (x, 0), theme.glyph("↑", "^"));
        }
        if extent.low < low - near {
            let last = strip.rows.saturating_sub(1);
            strip.arrow(buffer, (x, last), theme.glyph("↓", "v"));
        }
    }
}
