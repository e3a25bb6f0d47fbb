//! What the charts of the timeline share: its cells, its fixes, the cursor and
//! the time range.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::bins::Bin;
use crate::app::Model;
use crate::app::layout::Area;
use crate::chart::{GlyphSet, Ink, PreparedTrack, Raster};
use crate::ui::columns::put;
use crate::ui::map::glyphs;
use crate::ui::theme::Theme;

/// What the charts of the timeline share.
pub(super) struct Strip<'a> {
    /// All cells, those of the axes included.
    pub area: Area,
    /// The columns that have a time.
    pub plot: Area,
    /// Rows of a chart: those above the ticks.
    pub rows: u16,
    /// The whole track.
    pub track: &'a PreparedTrack,
    /// The fixes and legs in each column.
    pub bins: &'a [Bin],
    /// The first and the last time, UNIX seconds.
    pub times: (f64, f64),
    /// The column of the cursor.
    pub cursor: Option<u16>,
    /// The first and the last column of the time range.
    pub chosen: Option<(u16, u16)>,
    pub model: &'a Model,
    pub theme: Theme,
}

impl Strip<'_> {
    /// Whether a column is in the time range.
    pub(super) fn is_inside(&self, x: u16) -> bool {
        self.chosen
            .is_none_or(|(from, to)| (from..=to).contains(&x))
    }

    /// The dots of a line.
    pub(super) fn markers(&self) -> GlyphSet {
        if self.theme.can.unicode {
            GlyphSet::Braille
        } else {
            GlyphSet::Ascii
        }
    }

    /// Draws the dots of a line, those beside the time range dim.
    pub(super) fn paint(&self, buffer: &mut Buffer, raster: &Raster, style: impl Fn(Ink) -> Style) {
        for (column, row, cell) in glyphs::cells(raster, self.markers(), style) {
            let dimmed = if self.is_inside(column) {
                Style::new()
            } else {
                self.theme.dim()
            };
            if let Some(there) = buffer.cell_mut((self.plot.x + column, self.plot.y + row)) {
                *there = cell;
                there.set_style(dimmed);
            }
        }
    }

    /// Draws the cursor as a line over all rows.
    pub(super) fn cursor_line(&self, buffer: &mut Buffer) {
        let Some(x) = self.cursor else {
            return;
        };
        for row in 0..self.rows {
            let glyph = self.theme.glyph("│", "|");
            put(buffer, self.plot, x, row, glyph, self.theme.accent());
        }
    }

    /// Shades the columns of data gaps.
    pub(super) fn gaps(&self, buffer: &mut Buffer) {
        for (x, bin) in (0u16..).zip(self.bins) {
            if bin.is_gap() {
                for row in 0..self.rows {
                    let glyph = self.theme.glyph("░", ":");
                    put(buffer, self.plot, x, row, glyph, self.theme.dim());
                }
            }
        }
    }
}
