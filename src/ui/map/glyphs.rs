//! The dots of a map as glyphs of the terminal.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Style;
use ratatui::symbols::{braille, pixel};

use crate::app::layout::Area;
use crate::chart::{GlyphSet, Ink, Layer, Raster};

/// Puts the dots into the buffer.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Area,
    raster: &Raster,
    marker: GlyphSet,
    style: impl Fn(Ink) -> Style,
) {
    for (column, row, painted) in cells(raster, marker, style) {
        if let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) {
            *cell = painted;
        }
    }
}

/// The cells with dots, as they look on an empty screen.
pub(super) fn cells(
    raster: &Raster,
    marker: GlyphSet,
    style: impl Fn(Ink) -> Style,
) -> impl Iterator<Item = (u16, u16, Cell)> {
    raster.cells().map(move |(column, row, dots, ink)| {
        let mut cell = Cell::EMPTY;
        cell.set_char(glyph(marker, dots, ink.layer))
            .set_style(style(ink));
        (column, row, cell)
    })
}

/// The glyph of a cell with these dots.
fn glyph(marker: GlyphSet, dots: u8, layer: Layer) -> char {
    let dots = usize::from(dots);
    let glyph = match marker {
        GlyphSet::Octant => pixel::OCTANTS.get(dots),
        GlyphSet::Sextant => pixel::SEXTANTS.get(dots),
        GlyphSet::Braille => braille::BRAILLE.get(dots),
        GlyphSet::HalfBlock => [' ', '▀', '▄', '█'].get(dots),
        GlyphSet::Ascii => None,
    };
    glyph.copied().unwrap_or(match layer {
        Layer::Graticule | Layer::Gap => '.',
        Layer::Coast => '~',
        Layer::Ring | Layer::WatchCircle => ':',
        Layer::Track | Layer::Tail | Layer::Measure => '*',
        Layer::Jump => '-',
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_left_and_the_lower_right_dot_are_where_they_should_be() {
        let glyphs = |marker, dots| glyph(marker, dots, Layer::Track);
        assert_eq!(glyphs(GlyphSet::Braille, 0x01), '⠁');
        assert_eq!(glyphs(GlyphSet::Braille, 0x80), '⢀');
        assert_eq!(glyphs(GlyphSet::Octant, 0x0f), '▀');
        assert_eq!(glyphs(GlyphSet::Octant, 0xf0), '▄');
        assert_eq!(glyphs(GlyphSet::Sextant, 0x01), '🬀');
        assert_eq!(glyphs(GlyphSet::Sextant, 0x3f), '█');
        assert_eq!(glyphs(GlyphSet::HalfBlock, 0x02), '▄');
        assert_eq!(glyph(GlyphSet::Ascii, 1, Layer::Coast), '~');
    }
}
