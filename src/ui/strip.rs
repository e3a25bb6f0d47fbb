//! The time strip: speed over time, transmissions as ticks below it, so that a
//! gap is a hole one sees.

use ratatui::buffer::Buffer;

use super::columns::put;
use super::theme::Theme;
use super::words;
use crate::app::Model;
use crate::app::layout::Area;
use crate::track::{Flag, Track};

/// Bars from low to high.
const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// At most so many legs are measured for one column.
const LEGS_A_COLUMN: usize = 8;

/// What falls into one column.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    fixes: usize,
    speed_m_s: Option<f64>,
    failed: bool,
    suspect: bool,
}

/// The strip of the open track.
pub(super) fn draw(buffer: &mut Buffer, area: Area, model: &Model, theme: Theme) {
    if area.height < 3 {
        return;
    }
    let Some(track) = model.open_one() else {
        return;
    };
    let (Some(&first), Some(&last)) = (track.time_stamps().first(), track.time_stamps().last())
    else {
        return;
    };
    let bins = bins(track, area.width, first, last);
    let fastest = bins
        .iter()
        .filter_map(|bin| bin.speed_m_s)
        .fold(0.0, f64::max);
    let ticks = area.height - 1;
    let height = area.height.saturating_sub(2);
    let cursor = track
        .fix(model.track.cursor)
        .map(|fix| column(fix.time_stamp, first, last, area.width));
    for (x, bin) in (0u16..).zip(&bins) {
        let here = cursor == Some(x);
        let style = if here { theme.accent() } else { theme.text() };
        if let Some(speed) = bin.speed_m_s.filter(|_| fastest > 0.0) {
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
    // The heading: what the bars are, and what time they span.
    let heading = format!(
        "speed, at most {}   {} to {} {}",
        model.units.speed(fastest),
        words::moment(model, first),
        words::moment(model, last),
        words::zone(model)
    );
    put(buffer, area, 0, 0, &heading, theme.dim());
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

/// The columns of the strip. A column's fixes are found by searching the
/// times, and at most a few of its legs are measured, so that the cost goes
/// with the width and not with the track.
fn bins(track: &Track, width: u16, first: f64, last: f64) -> Vec<Bin> {
    let times = track.time_stamps();
    let steps = f64::from(width.saturating_sub(1).max(1));
    let edge = |x: u16| first + (last - first) * (f64::from(x) - 0.5) / steps;
    (0..width)
        .map(|x| {
            let from = times.partition_point(|&time| time < edge(x));
            let to = if last > first {
                times.partition_point(|&time| time < edge(x + 1))
            } else {
                times.len()
            };
            let stride = ((to - from) / LEGS_A_COLUMN).max(1);
            // Between two fixes the leg that spans the column counts, unless it
            // is a gap: then the hole is what is to be seen.
            let until = if from == to { from + 1 } else { to };
            let legs = (from..until)
                .step_by(stride)
                .filter_map(|index| track.leg(index))
                .filter(|leg| from < to || !track.is_gap(leg.duration_s));
            let speed_m_s = legs.filter_map(|leg| leg.speed_m_s).reduce(f64::max);
            let flags = track.flags().get(from..to).unwrap_or_default();
            Bin {
                fixes: to - from,
                speed_m_s,
                failed: flags.contains(&Flag::Fail),
                suspect: flags.contains(&Flag::Suspect),
            }
        })
        .collect()
}
