//! The timeline: the speed or a field over time with two axes. A data gap is a shaded part of
//! it, and so is the time from the last fix to now.

mod axes;
mod bins;
mod chart;
mod curve;
mod pixels;
mod profile;
mod series;
mod silence;
mod strip;

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::label::field_label;
use crate::dashboard::canvas::{Canvas, Placed};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::format;
use crate::dashboard::layout::{Area, Layout, Parts};
use crate::dashboard::map::caption::right_aligned;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::Pane;
use crate::dashboard::track::TrackTab;
use crate::dashboard::widgets::cached::Cached;
use crate::dashboard::widgets::paint::{Pieces, cells_of_pieces, put};
use crate::dashboard::widgets::sheet::cells;
use crate::dashboard::widgets::text::{Item, Text, line};
use crate::map::PreparedTrack;
use crate::palette::track_letters;
use crate::text;
use crate::track::Flag;
use axes::time_labels;
use bins::{Axis, Bin, Time};
use curve::Curve;
use pixels::{PARTS, Pixels};
use series::{Line, Series};
pub(in crate::dashboard) use silence::Silence;
use strip::Strip;

/// The lowest timeline of a time range with a line of the whole track, rows.
const WITH_WHOLE: u16 = 6;
/// Columns from one label of the time axis to the next, at least.
const LABEL_COLUMNS: u16 = 16;
/// Cells of the word "now" and of a blank before it.
const NOW: u16 = 4;
/// Cells that the name of the instrument leaves to the values in the title, and its fewest.
const VALUES: u16 = 48;
const NAME: usize = 12;
/// Columns that the shortest name takes from a title, with what is before and behind it.
const NAMED: u16 = 15;
/// Cells of the frame that no word of the title takes.
const EDGES: u16 = 8;
/// The fewest columns of a title with the quantity of a profile in full and its field, with the
/// quantity alone, and with a word of it: the scale is next to each.
const IN_FULL: u16 = 100;
const WITH_SCALE: u16 = 84;
const IN_A_WORD: u16 = 72;

/// The columns of the last frame.
#[derive(Debug, Default)]
pub(crate) struct Known {
    bins: Cached<Vec<Series>, Vec<Vec<Bin>>>,
    /// The columns of a picture, of which several are in one.
    fine: Cached<Vec<Series>, Vec<Vec<Bin>>>,
}

/// The name of the instrument, but of several where another pane has them, and the title: the
/// shown quantity.
pub(crate) fn name_and_title(tab: &TrackTab, shared: &Shared, layout: &Layout) -> (String, String) {
    let width = layout.frame(Pane::Timeline).width;
    let mut others = [Pane::Table, Pane::Map].into_iter();
    let is_alone = others.all(|other| layout.frame(other).is_empty());
    let is_named = is_alone || shared.together().len() < 2;
    let open = shared.open_deployment().filter(|_| is_named);
    let named = open.map_or(0, |_| NAMED);
    let title = quantity(tab, shared, width, width.saturating_sub(named));
    let room = width.saturating_sub(cells(&title) + VALUES + EDGES);
    let name = |open: &DeploymentState| text::fit_name(&open.name(), NAME.max(room.into()));
    (open.map(name).unwrap_or_default(), title)
}

/// The shown quantity with its unit, in the title of a timeline of this width, with so many
/// columns next to the name.
fn quantity(tab: &TrackTab, shared: &Shared, width: u16, room: u16) -> String {
    let shown = tab.shown_field(shared);
    match &shown {
        Some(shown) if shown.field().is_profile() => {
            let field = shown.field();
            let last = field.count().saturating_sub(1);
            let numbers = format!("{} 0 to {last}", field_label(field.name()));
            let quantity = format::quantity_of_profile(field.name());
            let word = quantity.and_then(|quantity| quantity.split(' ').next());
            match (quantity, word) {
                (Some(quantity), _) if room >= IN_FULL => format!("{quantity} ({numbers})"),
                (Some(quantity), _) if room >= WITH_SCALE => quantity.to_owned(),
                (_, Some(word)) if room >= IN_A_WORD => format!("{word} ({numbers})"),
                (_, Some(word)) => word.to_owned(),
                _ if room >= IN_A_WORD => format!("{numbers}, 0 at the top"),
                _ => numbers,
            }
        }
        // Of the distances to several the legend has the names.
        Some(shown) if tab.is_distance(shown) && shared.together().len() > 2 => {
            let open = shared.open_deployment().and_then(|open| open.mark);
            let (_, symbol) = shared.settings.units.long_distances();
            format!("{symbol} from {}", track_letters(open.unwrap_or(0)))
        }
        shown => Curve::title(shown.as_ref(), shared, width),
    }
}

/// Draws the timeline of the open track.
pub(crate) fn draw(tab: &TrackTab, canvas: &mut Canvas<'_>, shared: &Shared) {
    let Canvas { layout, theme, .. } = *canvas;
    let buffer = &mut *canvas.buffer;
    let known = &mut canvas.memory.timeline;
    let area = layout.timeline;
    let plot = tab.time_axis(shared, layout);
    if area.height < 3 || plot.width < 2 {
        return;
    }
    let (Some(track), Some(times)) = (tab.shown_track(shared), tab.timeline_ends(shared)) else {
        return;
    };
    let axis = Axis {
        times,
        width: plot.width,
    };
    let cursor = track.fix(tab.cursor).map(|fix| axis.column(fix.time_stamp));
    let whole = shared.full_track().unwrap_or(track);
    let has_whole_line = !Arc::ptr_eq(whole, track) && area.height >= WITH_WHOLE;
    let shown = tab.shown_field(shared);
    let all = Series::all(tab, shared, axis);
    let bins: &[Vec<Bin>] = known.bins.get(all.clone(), |all| Series::bins(all));
    let divided = axis.divided(PARTS);
    let cell = shared.pixel_cell();
    let fine = || Series::all(tab, shared, divided);
    let parts: &[Vec<Bin>] = match cell {
        Some(_) => known.fine.get(fine(), |all| Series::bins(all)),
        None => bins,
    };
    let lines = all.iter().zip(bins).zip(parts);
    let lines: Vec<Line<'_>> = lines
        .map(|((series, bins), parts)| Line {
            series,
            bins,
            parts,
        })
        .collect();
    let Some(own) = lines.last() else {
        return;
    };
    let frame = layout.frame(Pane::Timeline);
    let (name, title) = name_and_title(tab, shared, layout);
    // The name has a sign and blanks behind it.
    let name = if name.is_empty() { 0 } else { cells(&name) + 3 };
    let strip = Strip {
        area,
        plot,
        // The last rows are the ticks, the dates and, for a time range, the whole track.
        rows: area.height - 2 - u16::from(has_whole_line),
        track,
        bins: own.bins,
        axis,
        silence: Silence::of_open(tab, shared, tab.columns_of_time(shared, layout).width),
        cursor,
        pixels: cell.map(|cell| Pixels::new(cell, divided, own.parts)),
        chosen: chosen(tab).map(|(from, to)| (axis.column(from), axis.column(to))),
        beside_title: frame.width.saturating_sub(name + cells(&title) + EDGES),
        tab,
        shared,
        theme,
    };
    let mut items = match (&own.series.inputs.curve, &shown) {
        (Some(curve), _) => chart::draw(buffer, &strip, &lines, curve),
        (None, Some(shown)) => {
            let scales = profile::draw(buffer, &strip, shown);
            scale(buffer, frame, &scales, &strip);
            Vec::new()
        }
        (None, None) => Vec::new(),
    };
    if let Some(pixels) = &strip.pixels {
        let (area, _) = plot.split_top(strip.rows);
        let picture = Arc::new(pixels.picture(&strip));
        let placed = Placed::new(Pane::Timeline, area, picture);
        canvas.memory.pictures.push(placed);
    }
    let waits = shown.is_none() && tab.field.is_some() && tab.fields.is_reading;
    if waits {
        items.push(Item::new("reading the fields", theme.dim(), 0));
    }
    if own.series.inputs.curve.is_some() {
        caption(buffer, frame, items, &strip);
    }
    ticks(buffer, &strip);
    dates(buffer, &strip);
    silence(buffer, &strip);
    if has_whole_line {
        place_in_whole(buffer, &strip, whole);
    }
}

/// Draws the values next to the title, and the time range after them.
fn caption(buffer: &mut Buffer, frame: Area, mut items: Vec<Item>, strip: &Strip<'_>) {
    if let Some((from, to)) = chosen(strip.tab) {
        let [from, to] = [from, to].map(|time| strip.shared.times().minute(time));
        let words = Text::from(format!("{from} to {to}")).or("");
        items.push(Item::new(words, strip.theme.heading(), 4));
    }
    let forms = line(&items, strip.beside_title, 2).into_iter().zip(&items);
    let written = forms.filter(|(words, _)| !words.is_empty());
    let words = written.map(|(words, item)| (words.to_owned(), item.style));
    let mut pieces: Pieces = words.collect();
    while cells_of_pieces(&pieces, 2) > strip.beside_title {
        pieces.pop();
    }
    right_aligned(buffer, frame, &pieces, 2);
}

/// Draws the scale of a profile next to the title, in the longest form that fits, and before it the
/// silence if it is named there.
fn scale(buffer: &mut Buffer, frame: Area, [long, short]: &[Pieces; 2], strip: &Strip<'_>) {
    let item = strip.silence_in_title();
    let silence = item.map(|item| (format!("{}  ", item.text.long), item.style));
    let all: Pieces = silence.into_iter().chain(long.iter().cloned()).collect();
    let mut forms = [&all, long, short].map(Vec::as_slice).into_iter();
    let fits = |pieces: &&[_]| cells_of_pieces(pieces, 0) + 2 <= strip.beside_title;
    if let Some(pieces) = forms.find(fits) {
        right_aligned(buffer, frame, pieces, 0);
    }
}

/// Draws the time from the last fix to now.
fn silence(buffer: &mut Buffer, strip: &Strip<'_>) {
    let Some(silence) = &strip.silence else {
        return;
    };
    let end = strip.plot.x + strip.plot.width;
    let area = Area::new(end, strip.plot.y, silence.columns, strip.rows);
    let x = (end + silence.columns).saturating_sub(NOW);
    let dates = Area::new(x, strip.plot.y + strip.rows + 1, NOW, 1);
    silence.draw(buffer, area, dates, strip.theme);
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
    let whole = Axis {
        times: (first, last),
        width: plot.width,
    };
    let from = whole.column(strip.axis.times.0);
    let to = whole.column(strip.axis.times.1);
    for x in 0..plot.width {
        let (stroke, style) = if (from..=to).contains(&x) {
            (theme.glyph("━", "="), theme.heading())
        } else {
            (theme.glyph("─", "-"), theme.dim())
        };
        put(buffer, plot.at(x, 0), stroke, style);
    }
}

/// Draws a tick for each column with fixes, unless all have some, the signs of flagged fixes, and
/// the ends of the time range over them.
fn ticks(buffer: &mut Buffer, strip: &Strip<'_>) {
    let plot = strip.plot;
    let theme = strip.theme;
    let ticks = Area::new(plot.x, plot.y + strip.rows, plot.width, 1);
    let is_without = |bin: &Bin| bin.time == Time::Track && bin.fixes == 0;
    let are_sparse = strip.bins.iter().any(is_without);
    for (x, bin) in (0u16..).zip(strip.bins) {
        let (tick, style) = match bin {
            Bin { failed: true, .. } => theme.flag(Flag::Fail),
            _ if bin.is_suspect() => theme.flag(Flag::Suspect),
            _ if strip.cursor == Some(x) => (theme.glyph("╵", "'"), theme.accent()),
            Bin { fixes: 0, .. } => continue,
            _ if !are_sparse => continue,
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
    let (plot, (first, last)) = (strip.plot, strip.axis.times);
    // A short silence leaves no room for its "now".
    let now = (strip.silence.as_ref()).map_or(0, |silence| NOW.saturating_sub(silence.columns));
    let width_of_all = plot.width.saturating_sub(now);
    let dates = Area::new(plot.x, plot.y + strip.rows + 1, width_of_all, 1);
    let mut free = 0;
    for label in time_labels(strip.shared, first, last, plot.width / LABEL_COLUMNS) {
        let width = u16::try_from(label.words.len()).unwrap_or(u16::MAX);
        let centred = strip.axis.column(label.time).saturating_sub(width / 2);
        // The last label ends with the axis.
        let x = if label.time >= last {
            width_of_all.saturating_sub(width)
        } else {
            centred
        };
        if x >= free && x + width <= width_of_all {
            put(buffer, dates.at(x, 0), &label.words, strip.theme.dim());
            free = x + width + 2;
        }
    }
}

/// The time range that is set, or that is being dragged.
fn chosen(tab: &TrackTab) -> Option<(f64, f64)> {
    let drawn = tab.selecting.filter(|(from, to)| from != to);
    drawn
        .map(|(from, to)| (from.min(to), from.max(to)))
        .or_else(|| tab.range())
}
