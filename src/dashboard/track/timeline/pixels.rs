//! The lines and values of the timeline as a picture of pixels below its cells.

use std::cell::RefCell;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};

use super::bins::{Axis, Bin, Time};
use super::strip::Strip;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::pixels::{Inked, in_order};
use crate::formats::image::{Patch, Picture};
use crate::map::{Ink, Segment};
use crate::palette::Rgb;

/// Parts of a column of cells that each have values of their own.
pub(super) const PARTS: u16 = 4;

/// The curves of a strip that are drawn in pixels.
#[derive(Debug)]
pub(super) struct Pixels<'a> {
    cell: (u16, u16),
    /// The parts of the columns.
    axis: Axis,
    /// The fixes in each column of pixels.
    pub bins: &'a [Bin],
    drawn: RefCell<(Vec<Patch>, Vec<Inked>)>,
}

impl<'a> Pixels<'a> {
    /// Without curves yet, in cells of so many pixels across and down.
    pub(super) fn new(cell: (u16, u16), axis: Axis, bins: &'a [Bin]) -> Self {
        Self {
            cell,
            axis,
            bins,
            drawn: RefCell::default(),
        }
    }

    fn point(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (x * f64::from(self.cell.0), y * f64::from(self.cell.1))
    }

    /// Adds lines in cells; `colour` is that of one in a column.
    pub(super) fn add(&self, lines: &[(Segment, Ink)], colour: impl Fn(u16, Ink) -> Rgb) {
        let lines = lines.iter().map(|(segment, ink)| {
            // Within the columns.
            let colour = colour(segment.to.0 as u16, *ink);
            let [from, to] = [segment.from, segment.to].map(|point| self.point(point));
            (*ink, colour, Segment { from, to })
        });
        self.drawn.borrow_mut().1.extend(lines);
    }

    /// Shades a column.
    pub(super) fn shade(&self, x: u16, rows: u16, theme: Theme) {
        let colour = theme.land().unwrap_or(Color::Reset);
        let patch = Patch {
            from: self.point((f64::from(x), 0.0)),
            to: self.point((f64::from(x) + 1.0, f64::from(rows))),
            colour: theme.rgb(Style::new().fg(colour)),
        };
        self.drawn.borrow_mut().0.push(patch);
    }

    /// Puts the values of a profile in place of the colours of its cells. `shares` has the
    /// fractions of the scale on an axis, in at most so many rows, row by row.
    pub(super) fn profile(
        &self,
        buffer: &mut Buffer,
        strip: &Strip<'_>,
        shares: impl Fn(Axis, u16) -> Vec<Option<f64>>,
    ) {
        for row in 0..strip.rows {
            for x in 0..strip.plot.width {
                let cell = buffer.cell_mut((strip.plot.x + x, strip.plot.y + row));
                match cell {
                    // The line of the cursor stays.
                    Some(cell) if strip.cursor == Some(x) => cell.bg = Color::Reset,
                    Some(cell) => cell.reset(),
                    None => {}
                }
            }
        }
        let (width, height) = self.point((1.0 / f64::from(PARTS), f64::from(strip.rows)));
        let shares = shares(self.axis, strip.rows.saturating_mul(self.cell.1));
        let rows = shares.chunks(usize::from(self.axis.width).max(1));
        let edge = |row: usize| (height * row as f64 / rows.len() as f64).round();
        let mut drawn = self.drawn.borrow_mut();
        for (row, shares) in rows.clone().enumerate() {
            for ((column, share), bin) in (0u16..).zip(shares).zip(self.bins) {
                let Some(share) = share.filter(|_| bin.time == Time::Track) else {
                    continue;
                };
                let mut colour = strip.theme.rgb(strip.theme.fill(share));
                if !strip.is_inside(column / PARTS) {
                    colour = colour.mixed(Rgb(128, 128, 128), 0.6);
                }
                drawn.0.push(Patch {
                    from: ((width * f64::from(column)).round(), edge(row)),
                    to: ((width * f64::from(column + 1)).round(), edge(row + 1)),
                    colour,
                });
            }
        }
    }

    /// The picture.
    pub(super) fn picture(&self, strip: &Strip<'_>) -> Picture {
        let (patches, lines) = self.drawn.take();
        let width = strip.plot.width.saturating_mul(self.cell.0);
        let height = strip.rows.saturating_mul(self.cell.1);
        Picture {
            size: (width, height),
            patches,
            lines: in_order(lines, self.cell.0),
        }
    }
}
