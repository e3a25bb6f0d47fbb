//! A profile on the timeline: a picture with time across, the numbers of the profile
//! down, and the values as colours, or as shades on few colours, with the values at the
//! cursor next to it.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use super::bins::Time;
use super::strip::Strip;
use crate::dashboard::format;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::map::caption::scale_ends;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::label::SIDE_COLUMN;
use crate::dashboard::widgets::paint::{Pieces, put};
use crate::map::ShownField;
use crate::map::fields::{Dense, row_numbers};

/// Cells of a value next to the picture.
const VALUE: usize = 7;
/// The fewest rows with a head above the values.
const WITH_HEAD: u16 = 3;
/// Steps of the scale after the title.
const SCALE_CELLS: u16 = 8;

/// How the values are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shading {
    /// Two rows in a cell, each in a colour.
    Colours,
    /// A row in a cell, as one of these characters from low to high.
    Characters(&'static [&'static str]),
}

impl Shading {
    fn new(theme: Theme) -> Self {
        let can = theme.can;
        let can_fill = can.colour && (can.true_colour || can.indexed);
        if !can.unicode {
            Self::Characters(&[".", ":", "-", "=", "+", "*", "#", "%", "@"])
        } else if can_fill {
            Self::Colours
        } else {
            Self::Characters(&["·", "░", "▒", "▓", "█"])
        }
    }
}

/// Draws a profile; returns the texts for the title: its scale, in full and with the ends alone.
pub(super) fn draw(buffer: &mut Buffer, strip: &Strip<'_>, shown: &ShownField) -> [Pieces; 2] {
    let plot = strip.plot;
    let theme = strip.theme;
    let shading = Shading::new(theme);
    // The rows of the picture in a cell.
    let lines = if shading == Shading::Colours { 2 } else { 1 };
    let (first, last) = strip.axis.times;
    // The mean value of each cell, row by row.
    let means = shown.field().grid().map_or_else(Vec::new, |grid| {
        grid.picture(plot.width, strip.rows * lines, first..last)
    });
    // The range in which the values lie densely, if the scale is spread there.
    let grid = shown.field().grid();
    let dense = grid.and_then(|grid| grid.dense(strip.shared.settings.profile_scale));
    axis(buffer, strip, shown.field().count());
    if shading == Shading::Colours {
        strip.shade(buffer);
    }
    let share = |x: u16, row: u16| {
        let bin = strip.bins.get(usize::from(x))?;
        if bin.time != Time::Track {
            return None;
        }
        let index = usize::from(row) * usize::from(plot.width) + usize::from(x);
        let mean = means.get(index).copied().flatten()?;
        Some(shown.field().share(f64::from(mean), dense))
    };
    for row in 0..strip.rows {
        for x in 0..plot.width {
            let upper = share(x, row * lines);
            let lower = share(x, (row * lines + lines).saturating_sub(1));
            let Some((glyph, style)) = cell(shading, upper, lower, theme) else {
                continue;
            };
            let outside = style.add_modifier(Modifier::DIM);
            let style = if strip.is_inside(x) { style } else { outside };
            put(buffer, plot.at(x, row), glyph, style);
        }
    }
    mark_cursor(buffer, strip);
    if let (Some(pixels), Some(grid)) = (&strip.pixels, shown.field().grid()) {
        let count = u16::try_from(shown.field().count()).unwrap_or(u16::MAX);
        pixels.profile(buffer, strip, |axis, most| {
            let (first, last) = axis.times;
            let means = grid.picture(axis.width, count.min(most), first..last);
            let share = |mean: f32| shown.field().share(f64::from(mean), dense);
            means.into_iter().map(|mean| mean.map(share)).collect()
        });
    }
    values(buffer, strip, shown);
    [dense, None].map(|dense| legend(shading, shown, dense, theme))
}

/// The character and the style of a cell with an upper and a lower value, as fractions
/// of the scale; `None` without a value.
fn cell(
    shading: Shading,
    upper: Option<f64>,
    lower: Option<f64>,
    theme: Theme,
) -> Option<(&'static str, Style)> {
    match shading {
        Shading::Characters(characters) => {
            let share = upper?;
            // A few characters.
            let index = (share * characters.len() as f64) as usize;
            let glyph = characters.get(index.min(characters.len() - 1))?;
            Some((*glyph, theme.line(share)))
        }
        Shading::Colours => {
            let colour = |share| theme.fill(share).fg.unwrap_or(Color::Reset);
            match (upper.map(colour), lower.map(colour)) {
                (Some(upper), Some(lower)) => Some(("▀", Style::new().fg(upper).bg(lower))),
                (Some(upper), None) => Some(("▀", Style::new().fg(upper))),
                (None, Some(lower)) => Some(("▄", Style::new().fg(lower))),
                (None, None) => None,
            }
        }
    }
}

/// Marks the column of the cursor by a line; the colours below it stay.
fn mark_cursor(buffer: &mut Buffer, strip: &Strip<'_>) {
    let Some(x) = strip.cursor else {
        return;
    };
    for row in 0..strip.rows {
        let at = (strip.plot.x + x, strip.plot.y + row);
        let Some(cell) = buffer.cell_mut(at) else {
            continue;
        };
        let background = cell.bg;
        cell.reset();
        cell.set_symbol(strip.theme.glyph("│", "|"));
        cell.set_style(strip.theme.accent().add_modifier(Modifier::BOLD));
        if let Color::Rgb(red, green, blue) = background {
            // Seen on any colour of the scale.
            let light = u32::from(red) * 2 + u32::from(green) * 5 + u32::from(blue) > 8 * 110;
            cell.set_fg(if light { Color::Black } else { Color::White });
        }
        cell.set_bg(background);
    }
}

/// Draws the numbers of the profile at the left: of the first row, one in the
/// middle if there is room, and the last one.
fn axis(buffer: &mut Buffer, strip: &Strip<'_>, count: usize) {
    let rows = strip.rows;
    let mut label = |row, number: usize| strip.label(buffer, row, &format!("{number:>5}"));
    label(0, 0);
    if rows >= 4 {
        let (from, _) = row_numbers(usize::from(rows / 2), usize::from(rows), count);
        label(rows / 2, from);
    }
    if rows > 1 {
        label(rows - 1, count.saturating_sub(1));
    }
}

/// Draws the values at the cursor next to the picture, each in the row of its colour and
/// with its number.
fn values(buffer: &mut Buffer, strip: &Strip<'_>, shown: &ShownField) {
    let area = strip.area;
    let plot = strip.plot;
    let theme = strip.theme;
    let end = plot.x + plot.width + strip.silent_columns();
    let used = end - area.x;
    let side = Area::new(end, area.y, area.width.saturating_sub(used), strip.rows);
    if side.width < SIDE_COLUMN {
        return;
    }
    let values = shown.profile(strip.tab.cursor);
    let unit = format::unit_of_field(shown.field().name());
    let has_head = strip.rows >= WITH_HEAD;
    if has_head {
        let head = format!("sensor{unit:>width$}", width = VALUE - 1);
        put(buffer, side.at(0, 0), &head, theme.dim());
    }
    let mut before = None;
    for row in u16::from(has_head)..strip.rows {
        let number = if row + 1 == strip.rows {
            values.len().saturating_sub(1)
        } else {
            row_numbers(usize::from(row), usize::from(strip.rows), values.len()).0
        };
        if before == Some(number) {
            continue;
        }
        before = Some(number);
        let value = match values.get(number).copied().flatten() {
            Some(value) => short(value, shown.field().decimals),
            None => "–".to_owned(),
        };
        let words = format!("{number:>4} ");
        let x = put(buffer, side.at(0, row), &words, theme.dim());
        let right = format!("{value:>VALUE$}");
        put(buffer, side.at(x, row), &right, theme.text());
    }
}

/// A value with as many decimals as it has room for.
fn short(value: f64, decimals: usize) -> String {
    let texts = (0..=decimals).rev().map(|n| format::number(value, n));
    let mut fitting = texts.filter(|text| text.len() <= VALUE);
    fitting.next().unwrap_or_else(|| format!("{value:.0e}"))
}

/// The scale with its ends, and the value in its middle if that is not half way between them.
fn legend(shading: Shading, shown: &ShownField, dense: Option<Dense>, theme: Theme) -> Pieces {
    let field = shown.field();
    let (from, to) = scale_ends(field, field.scale, theme);
    let halfway =
        dense.map(|dense| format::number(dense.halfway(field.scale), field.decimals.min(1)));
    let mut pieces = vec![(format!("{from} "), theme.dim())];
    let cells = match shading {
        Shading::Colours => SCALE_CELLS,
        Shading::Characters(characters) => u16::try_from(characters.len()).unwrap_or(SCALE_CELLS),
    };
    for step in 0..cells {
        if let (Some(halfway), true) = (&halfway, step == cells.div_ceil(2)) {
            pieces.push((format!(" {halfway} "), theme.dim()));
        }
        let share = f64::from(step) / f64::from(cells - 1);
        match shading {
            Shading::Colours => pieces.push(("█".to_owned(), theme.fill(share))),
            Shading::Characters(_) => {
                if let Some((glyph, style)) = cell(shading, Some(share), None, theme) {
                    pieces.push((glyph.to_owned(), style));
                }
            }
        }
    }
    pieces.push((format!(" {to}"), theme.dim()));
    pieces
}
