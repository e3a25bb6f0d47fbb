//! The chart of a quantity: a stroke from the lowest to the highest value of each column, and
//! the line of the medians. It is cut at data gaps.

use ratatui::buffer::Buffer;

use super::axes::ValueAxis;
use super::bins::{Inputs, Time, summed};
use super::curve::Curve;
use super::series::Line;
use super::strip::Strip;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::map::glyphs;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::sheet::cells;
use crate::dashboard::widgets::text::{Item, Text};
use crate::map::fields::Extent;
use crate::map::{Ink, Layer, Raster, Segment};
use crate::palette::track_letters;

/// The lowest chart with dotted lines at its ticks.
const WITH_LINES: u16 = 6;
/// A limit is on the axis if that is then at most this many times as long.
const LIMIT_ON_AXIS: f64 = 3.0;

/// Draws a quantity with its axis, of several tracks a line each; returns the texts for the
/// title: the value of each at the cursor, and the lowest, the highest and the mean value of the
/// open track.
pub(super) fn draw(
    buffer: &mut Buffer,
    strip: &Strip<'_>,
    lines: &[Line<'_>],
    curve: &Curve,
) -> Vec<Item> {
    let theme = strip.theme;
    let limits = limits(strip, curve);
    let axis = value_axis(strip, lines, curve, &limits);
    ticks(buffer, strip, &axis);
    let limits: Vec<_> = limits
        .into_iter()
        .filter_map(|limit| Some((axis.row(limit)?, limit)))
        .collect();
    for (row, _) in &limits {
        for x in 0..strip.plot.width {
            put(buffer, strip.plot.at(x, *row), dash(strip), theme.warning());
        }
    }
    strip.shade(buffer);
    strip.cursor_line(buffer);
    for line in lines {
        shade_line(buffer, strip, &axis, line);
    }
    draw_lines(buffer, strip, &axis, lines);
    let mut items = caption(strip, lines, curve);
    // In the title where the curve leaves its own line no room.
    let unnamed = limits
        .iter()
        .map(|(row, limit)| (*row, format!(" limit {limit} ")))
        .filter(|(row, words)| !is_named_on_line(buffer, strip, *row, words));
    items.extend(unnamed.map(|(_, words)| {
        let words = Text::from(words.trim()).or("");
        Item::new(words, theme.warning(), 2)
    }));
    items
}

/// The values of the columns on one axis, with the limits that are not far from them.
fn value_axis(strip: &Strip<'_>, lines: &[Line<'_>], curve: &Curve, limits: &[f64]) -> ValueAxis {
    let bins = lines.iter().flat_map(|line| line.bins);
    let extents: Vec<Extent> = bins.filter_map(|bin| bin.extent).collect();
    let mut ends = ValueAxis::usual_ends(&extents);
    if let Some(least) = curve.least() {
        ends.0 = least;
    }
    for limit in limits {
        let with_limit = (ends.0.min(*limit), ends.1.max(*limit));
        if with_limit.1 - with_limit.0 <= LIMIT_ON_AXIS * (ends.1 - ends.0) {
            ends = with_limit;
        }
    }
    ValueAxis::new(ends, strip.rows)
}

/// The limits of the field that is drawn.
fn limits(strip: &Strip<'_>, curve: &Curve) -> Vec<f64> {
    let Curve::Field(shown) = curve else {
        return Vec::new();
    };
    let open = strip.shared.open_deployment();
    let all = open.map_or(&[][..], |open| &open.deployment.limits.fields);
    let name = shown.field().name();
    let of_field = all.iter().filter(|limit| limit.field == name);
    of_field.map(|limit| limit.value).collect()
}

/// Draws the numbers at the left, the same number of rows and the same step from each other, and
/// a dotted line at each in a chart that is high enough.
fn ticks(buffer: &mut Buffer, strip: &Strip<'_>, axis: &ValueAxis) {
    for (row, words) in axis.ticks() {
        strip.label(buffer, row, &format!("{words:>5}"));
        if strip.rows < WITH_LINES {
            continue;
        }
        for x in (0..strip.plot.width).step_by(2) {
            let dot = strip.theme.glyph("·", ".");
            put(buffer, strip.plot.at(x, row), dot, strip.theme.graticule());
        }
    }
}

/// The dash of a limit.
fn dash(strip: &Strip<'_>) -> &'static str {
    strip.theme.glyph("╌", "-")
}

/// Writes the words of a limit on its line, right of all where no curve is; `false` if it has no
/// such place.
fn is_named_on_line(buffer: &mut Buffer, strip: &Strip<'_>, row: u16, words: &str) -> bool {
    let width = cells(words);
    let is_line = |x: u16| {
        let Area { x, y, .. } = strip.plot.at(x, row);
        buffer
            .cell((x, y))
            .is_some_and(|cell| cell.symbol() == dash(strip))
    };
    let last = strip.plot.width.saturating_sub(width);
    let place = (0..=last).rev().find(|x| (*x..*x + width).all(is_line));
    if let Some(x) = place {
        put(buffer, strip.plot.at(x, row), words, strip.theme.warning());
    }
    place.is_some()
}

/// Shades one of several lines at the level of its last value, in its colour, where it is cut by
/// a data gap or by fixes without a value, and its silence from there to now.
fn shade_line(buffer: &mut Buffer, strip: &Strip<'_>, axis: &ValueAxis, line: &Line<'_>) {
    let Some(mark) = line.series.mark else {
        return;
    };
    let style = strip.theme.track(mark);
    let Inputs { whole, .. } = &line.series.inputs;
    let last = line.bins.iter().rposition(|bin| bin.median.is_some());
    let now = strip.axis.column(strip.shared.now);
    let mut before = None;
    let mut is_cut = false;
    for (x, bin) in (0u16..).zip(line.bins) {
        if let Some(median) = bin.median {
            before = Some((axis.level(median) as u16, strip.axis.edge(x)));
            is_cut = false;
            continue;
        }
        let Some((row, since)) = before else {
            continue;
        };
        is_cut = match bin.time {
            // Between two fixes the line continues, but where it is cut already.
            Time::Track => is_cut || bin.fixes > 0,
            Time::Gap => true,
            Time::Outside => x <= now && whole.is_gap(strip.axis.edge(x) - since),
        };
        let shade = if last < Some(usize::from(x)) {
            "▒"
        } else {
            "░"
        };
        if is_cut {
            let glyph = strip.theme.glyph(shade, ":");
            put(buffer, strip.plot.at(x, row), glyph, style);
        }
    }
}

/// Draws the lines of the medians in the colours of the map, that of the open track last and with
/// its strokes. A value beyond an end of the axis has an arrow there.
fn draw_lines(buffer: &mut Buffer, strip: &Strip<'_>, axis: &ValueAxis, lines: &[Line<'_>]) {
    let plot = strip.plot;
    let theme = strip.theme;
    let raster = || Raster::new(plot.width, strip.rows, strip.markers());
    let (mut strokes, mut medians) = (raster(), raster());
    for (number, line) in (0u16..).zip(lines) {
        let is_last = usize::from(number) + 1 == lines.len();
        add(
            line,
            number,
            axis,
            &mut medians,
            is_last.then_some(&mut strokes),
        );
    }
    if theme.can.unicode {
        medians.add_below(&strokes);
    }
    let by = strip.tab.line_colour(strip.shared);
    glyphs::put(buffer, plot, strip.painted(&strokes, |_| theme.dim()));
    let medians = strip.painted(&medians, |ink| {
        let line = lines.get(usize::from(ink.track));
        match line.and_then(|line| line.series.mark) {
            Some(mark) => theme.track(mark),
            None => strip.colour(&by, ink),
        }
    });
    glyphs::put(buffer, plot, medians);
    for (x, bin) in lines.iter().flat_map(|line| (0u16..).zip(line.bins)) {
        let Some(extent) = bin.extent else {
            continue;
        };
        if extent.high > axis.high() {
            strip.arrow(buffer, x, 0, theme.glyph("↑", "^"));
        }
        if extent.low < axis.low() {
            let last = strip.rows.saturating_sub(1);
            strip.arrow(buffer, x, last, theme.glyph("↓", "v"));
        }
    }
}

/// Adds a line with this number to the medians and, if they are drawn, to the strokes. A column
/// whose fixes have no value cuts it, as a data gap does.
fn add(
    line: &Line<'_>,
    number: u16,
    axis: &ValueAxis,
    medians: &mut Raster,
    mut strokes: Option<&mut Raster>,
) {
    let mut before: Option<(f64, f64)> = None;
    for (across, bin) in line.parts() {
        let (Some(extent), Some(median)) = (bin.extent, bin.median) else {
            // Between two fixes the line continues.
            if bin.fixes > 0 || bin.time != Time::Track {
                before = None;
            }
            continue;
        };
        let ink = |layer| Ink {
            layer,
            track: number,
            order: u32::try_from(bin.last).unwrap_or(u32::MAX),
        };
        let point = |value: f64| (across, axis.level(value));
        if let Some(strokes) = &mut strokes {
            let stroke = Segment {
                from: point(extent.low),
                to: point(extent.high),
            };
            strokes.stroke(stroke, ink(Layer::Tail));
        }
        let here = point(median);
        let segment = Segment {
            from: before.unwrap_or(here),
            to: here,
        };
        medians.stroke(segment, ink(Layer::Track));
        before = Some(here);
    }
}

/// The value at the cursor, of several with letters and, if there is room, names; and the
/// range of those of the chosen columns, or of all.
fn caption(strip: &Strip<'_>, lines: &[Line<'_>], curve: &Curve) -> Vec<Item> {
    /// The longest name, cells.
    const NAME: usize = 24;
    let theme = strip.theme;
    let all = (0, strip.plot.width.saturating_sub(1));
    let chosen = strip.chosen.unwrap_or(all);
    let values = summed(curve, strip.axis, chosen);
    let highest = values.extent().high;
    let mut marked: Vec<(usize, Item)> = lines
        .iter()
        .filter_map(|line| {
            let mark = line.series.mark?;
            let [long, short] = [NAME, 0].map(|cells| line.series.words(strip, cells));
            let item = Item::new(Text::from(long).or(short), theme.track(mark), 3);
            Some((mark, item))
        })
        .collect();
    marked.sort_unstable_by_key(|(mark, _)| *mark);
    let mut items: Vec<Item> = marked.into_iter().map(|(_, item)| item).collect();
    if items.is_empty() {
        let value = match curve.value(strip.tab.cursor) {
            Some(value) => curve.number(value, highest.max(value)),
            None => "no value".to_owned(),
        };
        let here = format!("{} {value}", theme.glyph("◆", "#"));
        // The summary has it, too.
        items.push(Item::new(Text::from(here).or(""), theme.heading(), 2));
    }
    items.extend(strip.silence_in_title());
    // Of several it is that of the last one.
    let mark = lines.last().and_then(|line| line.series.mark);
    let (of, style) = match mark {
        Some(mark) => (format!("{}: ", track_letters(mark)), theme.track(mark)),
        None => (String::new(), theme.text()),
    };
    let range = curve.range(values).map(|range| Text {
        long: format!("{of}{}", range.long),
        // Its colour says it, too.
        short: range.short,
    });
    items.extend(range.map(|range| Item::new(range, style, 1)));
    items
}
