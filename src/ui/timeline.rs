//! The time strip: speed over time, transmissions as ticks below it, so that a
//! gap is a hole one sees.

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::columns::put;
use super::format;
use super::theme::Theme;
use crate::app::Model;
use crate::app::layout::Area;
use crate::chart::PreparedTrack;

/// Bars from low to high.
const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// What falls into one column.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    fixes: usize,
    fastest: Option<(f64, usize)>,
    failed: bool,
    suspect: bool,
}

/// The columns of the strip that was drawn last, and what they were made from.
#[derive(Debug)]
pub(super) struct Bins {
    track: Arc<PreparedTrack>,
    width: u16,
    bins: Vec<Bin>,
}

impl Bins {
    fn of<'a>(
        known: &'a mut Option<Self>,
        track: &Arc<PreparedTrack>,
        width: u16,
        (first, last): (f64, f64),
    ) -> &'a [Bin] {
        let kept = known
            .take()
            .filter(|known| Arc::ptr_eq(&known.track, track) && known.width == width);
        let made = || Self {
            track: Arc::clone(track),
            width,
            bins: bins(track, width, first, last),
        };
        &known.insert(kept.unwrap_or_else(made)).bins
    }
}

/// The strip of the open track.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Area,
    model: &Model,
    theme: Theme,
    known: &mut Option<Bins>,
) {
    if area.height < 3 {
        return;
    }
    let Some(track) = model.whole_one() else {
        return;
    };
    let (Some(&first), Some(&last)) = (track.time_stamps().first(), track.time_stamps().last())
    else {
        return;
    };
    let bins = Bins::of(known, track, area.width, (first, last));
    let fastest = bins
        .iter()
        .filter_map(|bin| bin.fastest)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    // The bars stand on the sphere, the number on the ellipsoid.
    let (fastest, at_most) = fastest.map_or((0.0, 0.0), |(speed, index)| {
        let exact = track.leg(index).and_then(|leg| leg.speed_m_s);
        (speed, exact.unwrap_or(speed))
    });
    let ticks = area.height - 1;
    let height = area.height.saturating_sub(2);
    // The cursor counts in the part that is shown.
    let cursor = model
        .open_one()
        .and_then(|shown| shown.fix(model.track.cursor))
        .map(|fix| column(fix.time_stamp, first, last, area.width));
    let window = chosen(model).map(|(from, to)| {
        (
            column(from, first, last, area.width),
            column(to, first, last, area.width),
        )
    });
    for (x, bin) in (0u16..).zip(bins) {
        let here = cursor == Some(x);
        let inside = window.is_none_or(|(from, to)| (from..=to).contains(&x));
        let style = match (here, inside) {
            (true, _) => theme.accent(),
            (false, true) => theme.text(),
            (false, false) => theme.dim(),
        };
        if let Some((speed, _)) = bin.fastest.filter(|_| fastest > 0.0) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 8 a row
            let eighths = (speed / fastest * f64::from(height) * 8.0).ceil().max(1.0) as u16;
            for row in 0..height {
                let filled = eighths.saturating_sub(row * 8).min(8);
                let symbol = match filled {
                    0 => continue,
                    _ if !theme.can.unicode => "#",
                    _ => BARS.get(usize::from(filled) - 1).copied().unwrap_or("█"),
                };
                put(buffer, area, x, ticks - 1 - row, symbol, style);
            }
        }
        let (tick, style) = match bin {
            Bin { failed: true, .. } => (theme.glyph("×", "x"), theme.bad()),
            Bin { suspect: true, .. } => ("?", theme.warning()),
            Bin { fixes: 0, .. } if here => (theme.glyph("┆", ":"), theme.accent()),
            Bin { fixes: 0, .. } => continue,
            _ => (theme.glyph("╵", "'"), style),
        };
        put(buffer, area, x, ticks, tick, style);
    }
    // The heading: what the bars are, and what time is shown.
    let (what, from, to) = match chosen(model) {
        Some((from, to)) => ("window", from, to),
        None => ("all", first, last),
    };
    let heading = format!(
        "speed, at most {}   {what}: {} to {} {}",
        model.units.speed(at_most),
        format::moment(model, from),
        format::moment(model, to),
        format::zone(model)
    );
    let style = if what == "window" {
        theme.accent()
    } else {
        theme.dim()
    };
    put(buffer, area, 0, 0, &heading, style);
    // The window's ends stand in the line of ticks, whatever else is there.
    if let Some((from, to)) = window {
        put(buffer, area, from, ticks, "[", theme.accent());
        put(buffer, area, to, ticks, "]", theme.accent());
    }
}

/// The window of time that is set, or is being drawn.
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

/// The columns of the strip. A column's fixes are found by searching the times,
/// and summed up by blocks, so that the cost goes with the width and not with
/// the track.
fn bins(track: &PreparedTrack, width: u16, first: f64, last: f64) -> Vec<Bin> {
    let times = track.time_stamps();
    let steps = f64::from(width.saturating_sub(1).max(1));
    let edge = |x: u16| first + (last - first) * (f64::from(x) - 0.5) / steps;
    (0..width)
        .map(|x| {
            let from = times.partition_point(|&time| time < edge(x));
            let to = if last > first {
                times.partition_point(|&time| time < edge(x + 1))
            } else if x == 0 {
                // All at one time: one column holds them.
                times.len()
            } else {
                return Bin::default();
            };
            // Between two fixes the leg that spans the column counts, unless it
            // is a gap: then the hole is what is to be seen.
            let until = if from == to { from + 1 } else { to };
            let block = track.block(from, until.min(times.len()));
            Bin {
                fixes: to - from,
                fastest: block.fastest,
                failed: from < to && block.failed,
                suspect: from < to && block.suspect,
            }
        })
        .collect()
}
