//! The parts that the charts of the timeline share: its cells, its fixes, the cursor and
//! the time range.

use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Style;

use super::bins::{Axis, Bin, Time};
use super::pixels::Pixels;
use super::silence::Silence;
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::map::glyphs;
use crate::dashboard::shared::Shared;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::TrackTab;
use crate::dashboard::widgets::paint::put;
use crate::dashboard::widgets::text::Item;
use crate::map::{GlyphSet, Ink, LineColour, PreparedTrack, Raster};

/// The parts that the charts of the timeline share.
pub(super) struct Strip<'a> {
    /// All cells with those of the axes.
    pub area: Area,
    /// The columns that have a time.
    pub plot: Area,
    /// Rows of a chart: those above the ticks.
    pub rows: u16,
    /// The track that it shows.
    pub track: &'a Arc<PreparedTrack>,
    /// The columns.
    pub bins: &'a [Bin],
    /// The time of each column.
    pub axis: Axis,
    /// The time after the last fix, right of these columns.
    pub silence: Option<Silence>,
    /// The column of the cursor.
    pub cursor: Option<u16>,
    /// The first and the last column of the time range.
    pub chosen: Option<(u16, u16)>,
    /// Cells of the upper line of the frame that the title leaves.
    pub beside_title: u16,
    /// The curves in pixels, if the glyphs are these.
    pub pixels: Option<Pixels<'a>>,
    pub tab: &'a TrackTab,
    pub shared: &'a Shared,
    pub theme: Theme,
}

impl Strip<'_> {
    /// The columns of the time after the last fix.
    pub(super) fn silent_columns(&self) -> u16 {
        self.silence.as_ref().map_or(0, |silence| silence.columns)
    }

    /// The words of the time after the last fix, where its columns have no room for them.
    pub(super) fn silence_in_title(&self) -> Option<Item> {
        let words = self.silence.as_ref()?.in_title()?;
        Some(Item::new(words, self.theme.warning(), 0))
    }

    /// Writes a label of the axis at the left, with a tick behind it.
    pub(super) fn label(&self, buffer: &mut Buffer, row: u16, words: &str) {
        let words = format!("{words}{}", self.theme.glyph("┤", "|"));
        put(buffer, self.area.at(0, row), &words, self.theme.dim());
    }

    /// Draws an arrow to a value beyond an end of the axis.
    pub(super) fn arrow(&self, buffer: &mut Buffer, x: u16, row: u16, glyph: &str) {
        put(buffer, self.plot.at(x, row), glyph, self.theme.warning());
    }

    /// `true` if a column is in the time range.
    pub(super) fn is_inside(&self, x: u16) -> bool {
        self.chosen
            .is_none_or(|(from, to)| (from..=to).contains(&x))
    }

    /// The dots of a line: those of the map, unless they are larger than a line may be.
    pub(super) fn markers(&self) -> GlyphSet {
        match self.shared.markers() {
            _ if !self.theme.can.unicode => GlyphSet::Ascii,
            markers @ (GlyphSet::Pixels | GlyphSet::Octant | GlyphSet::Sextant) => markers,
            _ => GlyphSet::Braille,
        }
    }

    /// The cells of a line with their columns and rows, dim outside the time range; none of a
    /// line that is drawn in pixels.
    pub(super) fn painted(
        &self,
        raster: &Raster,
        style: impl Fn(Ink) -> Style,
    ) -> Vec<(u16, u16, Cell)> {
        if let (Some(pixels), Some(lines)) = (&self.pixels, raster.lines()) {
            let style = |x, ink| {
                if self.is_inside(x) {
                    style(ink)
                } else {
                    self.theme.dim()
                }
            };
            pixels.add(lines, |x, ink| self.theme.rgb(style(x, ink)));
            return Vec::new();
        }
        let mut cells: Vec<_> = if self.theme.can.unicode {
            glyphs::cells(raster, self.markers(), |ink| Some(style(ink))).collect()
        } else {
            glyphs::strokes(raster, style).collect()
        };
        for (column, _, cell) in &mut cells {
            if !self.is_inside(*column) {
                cell.set_style(self.theme.dim());
            }
        }
        cells
    }

    /// The style of a line at a fix of the whole track.
    pub(super) fn colour(&self, by: &LineColour, ink: Ink) -> Style {
        let share = by.share(self.track, ink.order as usize);
        share.map_or_else(|| self.theme.dim(), |share| self.theme.line(share))
    }

    /// Draws the cursor as a line over all rows.
    pub(super) fn cursor_line(&self, buffer: &mut Buffer) {
        let Some(x) = self.cursor else {
            return;
        };
        for row in 0..self.rows {
            // In ASCII the columns of the speed are made of the other.
            let glyph = self.theme.glyph("│", "!");
            put(buffer, self.plot.at(x, row), glyph, self.theme.accent());
        }
    }

    /// Shades the columns of data gaps, and of the time after the last fix up to now.
    pub(super) fn shade(&self, buffer: &mut Buffer) {
        let now = self.axis.column(self.shared.now);
        let last = self.track.ends().map_or(f64::INFINITY, |(_, last)| last);
        for (x, bin) in (0u16..).zip(self.bins) {
            let shade = match bin.time {
                Time::Gap => "░",
                Time::Outside if x <= now && self.axis.edge(x) > last => "▒",
                Time::Outside | Time::Track => continue,
            };
            let glyph = self.theme.glyph(shade, ":");
            if let Some(pixels) = &self.pixels {
                pixels.shade(x, self.rows, self.theme);
                continue;
            }
            for row in 0..self.rows {
                put(buffer, self.plot.at(x, row), glyph, self.theme.dim());
            }
        }
    }
}
