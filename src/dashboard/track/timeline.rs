//! The timeline: the speed or a field over time with two axes, and a tick below
//! for each transmission, so that a data gap shows.

mod axes;
mod bins;
mod field;
mod profile;
mod speed;
mod strip;

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::fields::field_label;
use crate::dashboard::format;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::map::caption::{fitting, right_aligned};
use crate::dashboard::model::Model;
use crate::dashboard::tab::Pane;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::{cells_of_pieces, put};
use crate::dashboard::widgets::sheet::cells;
use crate::map::PreparedTrack;
use crate::track::Flag;
use axes::time_labels;
use bins::{Bin, bins};
use strip::Strip;

/// The lowest timeline of a time range with a line of the whole track, rows.
const WITH_WHOLE: u16 = 6;
/// Columns from one label of the time axis to the next, at least.
const LABEL_COLUMNS: u16 = 16;

/// The title: the shown quantity with its unit.
pub(crate) fn title(model: &Model) -> String {
    let Some(shown) = model.shown_field() else {
        return "Speed over ground".to_owned();
    };
    let field = shown.field();
    let name = field_label(field.name());
    if field.is_profile() {
        format!(
            "{name} 0 to {}, 0 at the top",
            field.count().saturating_sub(1)
        )
    } else {
        format!("{name} {}", format::unit_of_field(field.name()))
    }
    .trim_end()
    .to_owned()
}

/// Draws the timeline of the open track.
pub(crate) fn draw(buffer: &mut Buffer, layout: &Layout, model: &Model, theme: Theme) {
    let area = layout.timeline;
    let plot = model.time_axis(layout);
    if area.height < 3 || plot.width < 2 {
        return;
    }
    let Some(track) = model.shown_track() else {
        return;
    };
    let Some((first, last)) = track.ends() else {
        return;
    };
    let column = |time| column(time, first, last, plot.width);
    let cursor = track.fix(model.track.cursor);
    let cursor = cursor.map(|fix| column(fix.time_stamp));
    let whole = model
        .full_track()
        .filter(|whole| !Arc::ptr_eq(whole, track));
    let whole = whole.filter(|_| area.height >= WITH_WHOLE);
    let strip = Strip {
        area,
        plot,
        // The last rows are the ticks, the dates and, for a time range, the whole track.
        rows: area.height - 2 - u16::from(whole.is_some()),
        track,
        bins: bins(track, plot.width),
        times: (first, last),
        cursor,
        chosen: chosen(model).map(|(from, to)| (column(from), column(to))),
        model,
        theme,
    };
    let shown = model.shown_field();
    let mut is_scale = false;
    let mut pieces = match &shown {
        Some(shown) if shown.field().is_profile() => {
            is_scale = true;
            profile::draw(buffer, &strip, shown)
        }
        Some(shown) => field::draw(buffer, &strip, shown),
        None => speed::draw(buffer, &strip),
    };
    let waits = shown.is_none() && model.track.field.is_some() && model.track.fields.is_reading;
    if waits {
        pieces.push(("reading the fields".to_owned(), theme.dim()));
    }
    if let Some((from, to)) = chosen(model).filter(|_| !is_scale) {
        let [from, to] = [from, to].map(|time| format::minute(model, time));
        pieces.push((format!("{from} to {to}"), theme.heading()));
    }
    let frame = layout.frame(Pane::Timeline);
    let room = frame.width.saturating_sub(cells(&title(model)) + 8);
    // A scale is whole or left out.
    if !is_scale {
        right_aligned(buffer, frame, &fitting(pieces, room), 2);
    } else if cells_of_pieces(&pieces, 0) + 2 <= room {
        right_aligned(buffer, frame, &pieces, 0);
    }
    ticks(buffer, &strip);
    dates(buffer, &strip);
    if let Some(whole) = whole {
        place_in_whole(buffer, &strip, whole);
    }
}

/// Draws the whole track as a line with the shown part of it.
fn place_in_whole(buffer: &mut Buffer, strip: &Strip<'_>, whole: &PreparedTrack) {
    let Some((first, last)) = whole.ends() else {
        return;
    };
    let line = strip.rows + 2;
    let theme = strip.theme;
    put(buffer, strip.area.at(0, line), "all", theme.dim());
    let plot = Area::new(strip.plot.x, strip.plot.y + line, strip.plot.width, 1);
    let of = |time| column(time, first, last, plot.width);
    let from = of(strip.times.0);
    let to = of(strip.times.1);
    for x in 0..plot.width {
        let (stroke, style) = if (from..=to).contains(&x) {
            (theme.glyph("━", "="), theme.heading())
        } else {
            (theme.glyph("─", "-"), theme.dim())
        };
        put(buffer, plot.at(x, 0), stroke, style);
    }
}

/// Draws a tick for each column with fixes, and the ends of the time range over
/// them.
fn ticks(buffer: &mut Buffer, strip: &Strip<'_>) {
    let plot = strip.plot;
    let theme = strip.theme;
    let ticks = Area::new(plot.x, plot.y + strip.rows, plot.width, 1);
    for (x, bin) in (0u16..).zip(&strip.bins) {
        let (tick, style) = match bin {
            Bin { failed: true, .. } => theme.flag(Flag::Fail),
            _ if bin.is_suspect() => theme.flag(Flag::Suspect),
            _ if strip.cursor == Some(x) => (theme.glyph("╵", "'"), theme.accent()),
            Bin { fixes: 0, .. } => continue,
            _ => (theme.glyph("╵", "'"), theme.dim()),
        };
        put(buffer, ticks.at(x, 0), tick, style);
    }
    if let Some((from, to)) = strip.chosen {
        put(buffer, ticks.at(from, 0), "[", theme.heading());
        put(buffer, ticks.at(to, 0), "]", theme.heading());
    }
}

/// Draws the labels of the time axis.
fn dates(buffer: &mut Buffer, strip: &Strip<'_>) {
    let (plot, (first, last)) = (strip.plot, strip.times);
    let dates = Area::new(plot.x, plot.y + strip.rows + 1, plot.width, 1);
    let mut free = 0;
    for label in time_labels(strip.model, first, last, plot.width / LABEL_COLUMNS) {
        let width = u16::try_from(label.words.len()).unwrap_or(u16::MAX);
        let x = column(label.time, first, last, plot.width).saturating_sub(width / 2);
        // The last label ends with the axis.
        let x = if label.time >= last {
            plot.width.saturating_sub(width)
        } else {
            x
        };
        if x >= free && x + width <= plot.width {
            put(buffer, dates.at(x, 0), &label.words, strip.theme.dim());
            free = x + width + 2;
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
        ((time - first) / (last - first)).clamp(0.0, 1.0)
    } else {
        0.0
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the width
    let column = (part * f64::from(width.saturating_sub(1))).round() as u16;
    column
}
