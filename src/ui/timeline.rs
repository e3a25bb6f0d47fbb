//! The timeline: bars of speed over time, a tick below for each transmission,
//! so that a data gap shows as a hole.

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

/// The fixes and legs in one column.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    fixes: usize,
    fastest: Option<(f64, usize)>,
    failed: bool,
    suspect: bool,
}

/// The columns of the last drawn timeline, with the inputs that they were made
/// from.
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

/// Draws the timeline of the open track.
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
    // The bars use spherical distances, the number uses the ellipsoid.
    let (fastest, at_most) = fastest.map_or((0.0, 0.0), |(speed, index)| {
        let exact = track.leg(index).and_then(|leg| leg.speed_m_s);
        (speed, exact.unwrap_or(speed))
    });
    let ticks = area.height - 1;
    let height = area.height.saturating_sub(2);
    // The cursor is an index into the shown part of the track.
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
    // The heading: the scale of the bars and the time shown.
    let (what, from, to) = match chosen(model) {
        Some((from, to)) => ("time range", from, to),
        None => ("all", first, last),
    };
    let heading = format!(
        "highest speed {}   {what}: {} to {} {}",
        model.units.speed(at_most),
        format::moment(model, from),
        format::moment(model, to),
        format::zone(model)
    );
    let style = if what == "time range" {
        theme.accent()
    } else {
        theme.dim()
    };
    put(buffer, area, 0, 0, &heading, style);
    // The ends of the time range are drawn over the line of ticks.
    if let Some((from, to)) = window {
        put(buffer, area, from, ticks, "[", theme.accent());
        put(buffer, area, to, ticks, "]", theme.accent());
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

/// Computes the columns of the timeline. A column's fixes are found by binary
/// search and summed by blocks, so that the cost depends on the width and not
/// on the length of the track.
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
                // All fixes have the same time: one column has them all.
                times.len()
            } else {
                return Bin::default();
            };
            // A column without a fix shows the leg that spans it, unless that
            // leg is a data gap: then the column stays empty.
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
