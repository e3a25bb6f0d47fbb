//! The timeline: the speed over time as a thin line with two axes, and a tick
//! below for each transmission, so that a data gap shows.

mod axes;
mod bins;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

pub(super) use bins::Bins;

use super::columns::put;
use super::map::caption::{Piece, fitting};
use super::map::{glyphs, right_aligned};
use super::theme::Theme;
use crate::app::Model;
use crate::app::layout::{Area, Layout};
use crate::app::state::tab::Pane;
use crate::chart::{GlyphSet, Ink, Layer, PreparedTrack, Raster, share};
use axes::{speed_label, time_labels, top_speed};
use bins::Bin;

/// Columns from one label of the time axis to the next, at least.
const LABEL_COLUMNS: u16 = 16;

/// Draws the timeline of the open track.
pub(super) fn draw(
    buffer: &mut Buffer,
    layout: &Layout,
    model: &Model,
    theme: Theme,
    known: &mut Option<Bins>,
) {
    let (area, plot) = (layout.timeline, layout.time_axis());
    if area.height < 3 || plot.width < 2 {
        return;
    }
    let Some(track) = model.whole_one() else {
        return;
    };
    let (Some(&first), Some(&last)) = (track.time_stamps().first(), track.time_stamps().last())
    else {
        return;
    };
    let bins = Bins::of(known, track, plot.width, (first, last));
    let unit = model.units.speed_unit();
    let speeds: Vec<f64> = bins
        .iter()
        .filter_map(|bin| bin.fastest)
        .map(|(speed, _)| unit.of(speed))
        .collect();
    let top = top_speed(&speeds);
    let pieces = caption(track, bins, model, theme, top);
    let frame = layout.frame(Pane::Timeline);
    right_aligned(
        buffer,
        frame,
        0,
        &fitting(pieces, frame.width.saturating_sub(14)),
    );
    // The last row has the dates, the one above the ticks.
    let rows = area.height - 2;
    speed_axis(buffer, area, rows, top, theme);
    // The cursor is an index into the shown part of the track.
    let cursor = model
        .open_one()
        .and_then(|shown| shown.fix(model.track.cursor))
        .map(|fix| column(fix.time_stamp, first, last, plot.width));
    if let Some(x) = cursor {
        for row in 0..rows {
            put(buffer, plot, x, row, theme.glyph("│", "|"), theme.accent());
        }
    }
    gaps(buffer, plot, rows, bins, theme);
    let chosen = chosen(model).map(|(from, to)| {
        (
            column(from, first, last, plot.width),
            column(to, first, last, plot.width),
        )
    });
    let is_inside = |x: u16| chosen.is_none_or(|(from, to)| (from..=to).contains(&x));
    speed_line(
        buffer, plot, rows, bins, top, track, model, theme, is_inside,
    );
    let ticks = Area::new(plot.x, plot.y + rows, plot.width, 1);
    for (x, bin) in (0u16..).zip(bins) {
        let (tick, style) = match bin {
            Bin { failed: true, .. } => (theme.glyph("×", "x"), theme.bad()),
            Bin { suspect: true, .. } => ("?", theme.warning()),
            _ if cursor == Some(x) => (theme.glyph("╵", "'"), theme.accent()),
            Bin { fixes: 0, .. } => continue,
            _ => (theme.glyph("╵", "'"), theme.dim()),
        };
        put(buffer, ticks, x, 0, tick, style);
    }
    // The ends of the time range are drawn over the line of ticks.
    if let Some((from, to)) = chosen {
        put(buffer, ticks, from, 0, "[", theme.accent());
        put(buffer, ticks, to, 0, "]", theme.accent());
    }
    let dates = Area::new(plot.x, plot.y + rows + 1, plot.width, 1);
    let mut free = 0;
    for label in time_labels(model, first, last, plot.width / LABEL_COLUMNS) {
        let width = u16::try_from(label.words.len()).unwrap_or(u16::MAX);
        let x = column(label.time, first, last, plot.width).saturating_sub(width / 2);
        if x >= free && x + width <= plot.width {
            put(buffer, dates, x, 0, &label.words, theme.dim());
            free = x + width + 2;
        }
    }
}

/// What stands beside the title: the scale, the highest speed, and whether a
/// time range is set.
fn caption(
    track: &PreparedTrack,
    bins: &[Bin],
    model: &Model,
    theme: Theme,
    top: f64,
) -> Vec<Piece> {
    let mut pieces = vec![(
        format!(
            "axis to {} {}",
            speed_label(top),
            model.units.speed_unit().symbol()
        ),
        theme.dim(),
    )];
    let fastest = bins
        .iter()
        .filter_map(|bin| bin.fastest)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((rough, fix)) = fastest {
        // The line uses spherical distances, the number uses the ellipsoid.
        let exact = track.leg(fix).and_then(|leg| leg.speed_m_s);
        let speed = model.units.speed(exact.unwrap_or(rough));
        pieces.push((format!("highest {}", speed.trim()), theme.text()));
    }
    if chosen(model).is_some() {
        pieces.push(("time range".to_owned(), theme.accent()));
    }
    pieces
}

/// Draws the numbers at the left: the top of the axis, the middle if there is
/// room, and 0 in the row of the ticks.
fn speed_axis(buffer: &mut Buffer, area: Area, rows: u16, top: f64, theme: Theme) {
    let mut label = |row: u16, words: &str| {
        let words = format!("{words:>4} {}", theme.glyph("┤", "|"));
        put(buffer, area, 0, row, &words, theme.dim());
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

/// Shades the columns of data gaps.
fn gaps(buffer: &mut Buffer, plot: Area, rows: u16, bins: &[Bin], theme: Theme) {
    for (x, bin) in (0u16..).zip(bins) {
        if bin.fixes == 0 && bin.fastest.is_none() {
            for row in 0..rows {
                put(buffer, plot, x, row, theme.glyph("░", ":"), theme.dim());
            }
        }
    }
}

/// Draws the speed as a line in the colours of the map; a speed beyond the axis
/// has a triangle at the top.
#[allow(clippy::too_many_arguments)] // the parts of one frame
fn speed_line(
    buffer: &mut Buffer,
    plot: Area,
    rows: u16,
    bins: &[Bin],
    top: f64,
    track: &PreparedTrack,
    model: &Model,
    theme: Theme,
    is_inside: impl Fn(u16) -> bool,
) {
    let markers = if theme.can.unicode {
        GlyphSet::Braille
    } else {
        GlyphSet::Ascii
    };
    let unit = model.units.speed_unit();
    let mut raster = Raster::new(plot.width, rows, markers.dots());
    let height = f64::from(rows) - 1e-6;
    let mut before: Option<(f64, f64)> = None;
    for (x, bin) in (0u16..).zip(bins) {
        let Some((speed, fix)) = bin.fastest else {
            before = None;
            continue;
        };
        let share = (unit.of(speed) / top).min(1.0);
        let here = (f64::from(x) + 0.5, (height * (1.0 - share)).max(0.0));
        let ink = Ink {
            layer: Layer::Track,
            order: u32::try_from(fix).unwrap_or(u32::MAX),
        };
        raster.stroke(before.unwrap_or(here), here, ink);
        before = Some(here);
    }
    let by = model.track.colour_by;
    let style = |ink: Ink| theme.line(share(track, by, ink.order as usize));
    for (column, row, cell) in glyphs::cells(&raster, markers, style) {
        let dimmed = if is_inside(column) {
            Style::new()
        } else {
            theme.dim()
        };
        if let Some(there) = buffer.cell_mut((plot.x + column, plot.y + row)) {
            *there = cell;
            there.set_style(dimmed);
        }
    }
    for (x, bin) in (0u16..).zip(bins) {
        if bin
            .fastest
            .is_some_and(|(speed, _)| unit.of(speed) > top * (1.0 + 1e-9))
        {
            put(buffer, plot, x, 0, theme.glyph("▲", "^"), theme.warning());
        }
    }
}

/// The time range that is set, or that is being dragged.
fn chosen(model: &Model) -> Option<(f64, f64)> {
    let drawn = model.track.selecting.filter(|(from, to)| from != to);
    drawn
        .map(|(from, to)| (from.min(to), from.max(to)))
        .or_else(|| model.track.time_range.as_ref().map(|chosen| chosen.range))
}

fn column(time: f64, first: f64, last: f64, width: u16) -> u16 {
    let part = if last > first {
        (time - first) / (last - first)
    } else {
        0.0
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the width
    let column = (part * f64::from(width.saturating_sub(1))).round() as u16;
    column
}
