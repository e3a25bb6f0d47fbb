//! The land of a map as background, and a small world map on the map of a region.

use ratatui::buffer::Buffer;
use ratatui::layout::Margin;
use ratatui::widgets::{Block, Clear, Widget};

use super::glyphs;
use super::labels::{Labels, to_cell};
use crate::dashboard::layout::{Area, Parts};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::paint::put;
use crate::map::{Class, GlyphSet, Ink, LandSpan, Raster, View, base_map};

/// Gives the cells of the land its background colour. On a terminal without one, `sign`
/// fills the blank cells.
pub(super) fn paint(
    buffer: &mut Buffer,
    area: Area,
    land: &[LandSpan],
    sign: Option<&str>,
    theme: Theme,
) {
    for span in land {
        // The cells whose middle is land.
        let from = to_cell(span.from + 0.5);
        let to = to_cell(span.to + 0.5);
        for column in from..to.min(area.width) {
            let Some(cell) = buffer.cell_mut((area.x + column, area.y + span.row)) else {
                continue;
            };
            match (theme.land(), sign) {
                (Some(colour), _) => {
                    cell.set_bg(colour);
                }
                (None, Some(sign)) if cell.symbol() == " " => {
                    cell.set_symbol(sign).set_style(theme.dim());
                }
                _ => {}
            }
        }
    }
}

/// The small world map on the map of a region.
#[derive(Debug)]
pub(super) struct Inset {
    view: View,
    land: Raster,
}

/// Cells of the world: twice as wide as high on the screen, as the world is.
const WORLD: (u16, u16) = (20, 5);
/// The smallest map with an inset.
const LEAST: (u16, u16) = (60, 12);
/// The greatest width of a region, metres: less than an ocean.
const REGION_M: f64 = 6e6;

impl Inset {
    /// The world, for cells of this shape (height over width).
    pub(super) fn new(cell_aspect: f64) -> Self {
        let dotted = View::world(2 * WORLD.0, 4 * WORLD.1, cell_aspect / 2.0);
        let mut land = Raster::new(WORLD.0, WORLD.1, GlyphSet::Braille);
        for span in base_map(&dotted, f64::INFINITY).land {
            let row = (f64::from(span.row) + 0.5) / 4.0;
            for column in to_cell(span.from + 0.5)..to_cell(span.to + 0.5) {
                let point = ((f64::from(column) + 0.5) / 2.0, row);
                land.line(&[point], Ink::new(Class::Coast));
            }
        }
        let view = View::world(WORLD.0, WORLD.1, cell_aspect);
        Self { view, land }
    }

    /// Draws the world with a mark for the region, in the first corner of the map where
    /// it hides nothing; returns its cells.
    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Area,
        region: &View,
        labels: &mut Labels<'_>,
        theme: Theme,
    ) -> Option<Area> {
        let is_region = region.metres_a_column * f64::from(region.columns) < REGION_M;
        if !is_region || area.width < LEAST.0 || area.height < LEAST.1 {
            return None;
        }
        let width = WORLD.0 + 2;
        let height = WORLD.1 + 2;
        let right = area.width - width;
        let bottom = area.height - height;
        let at_corners = [(right, bottom), (right, 0), (0, bottom), (0, 0)];
        let mut corners = at_corners
            .map(|(x, y)| Area::new(x, y, width, height))
            .into_iter();
        let corner = corners.find(|corner| labels.is_clear(*corner))?;
        labels.take(corner);
        let frame = Area::new(area.x + corner.x, area.y + corner.y, width, height);
        Clear.render(frame, buffer);
        Block::bordered()
            .border_style(theme.dim())
            .render(frame, buffer);
        let inside = frame.inner(Margin::new(1, 1));
        let can_braille = theme.can.unicode;
        let glyphs = if can_braille {
            GlyphSet::Braille
        } else {
            GlyphSet::Ascii
        };
        glyphs::draw(buffer, inside, &self.land, glyphs, |_| Some(theme.coast()));
        if let Some((x, y)) = self.view.cell(region.centre) {
            let at = inside.at(to_cell(x), to_cell(y));
            put(buffer, at, theme.glyph("■", "#"), theme.text());
        }
        Some(frame)
    }
}
