//! The dots of a map as glyphs of the terminal.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::symbols::{braille, pixel};

use crate::app::layout::Area;
use crate::chart::{Ink, Layer, Marker, Raster};

/// Puts the dots into the buffer.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Area,
    raster: &Raster,
    marker: Marker,
    style: impl Fn(Ink) -> Style,
) {
    for (column, row, dots, ink) in raster.cells() {
        let symbol = glyph(marker, dots, ink.layer);
        if let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) {
            cell.set_char(symbol).set_style(style(ink));
        }
    }
}

/// The glyph of a cell with these dots.
fn glyph(marker: Marker, dots: u8, layer: Layer) -> char {
    let dots = usize::from(dots);
    let glyph = match marker {
        Marker::Octant => pixel::OCTANTS.get(dots),
        Marker::Sextant => pixel::SEXTANTS.get(dots),
        Marker::Braille => braille::BRAILLE.get(dots),
        Marker::HalfBlock => [' ', '▀', '▄', '█'].get(dots),
        Marker::Ascii => None,
    };
    glyph.copied().unwrap_or(match layer {
        Layer::Graticule | Layer::Gap => '.',
        Layer::Coast => '~',
        Layer::Ring | Layer::WatchCircle => ':',
        Layer::Track | Layer::Measure => '*',
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_left_and_the_lower_right_dot_are_where_they_should_be() {
        let glyphs = |marker, dots| glyph(marker, dots, Layer::Track);
        assert_eq!(glyphs(Marker::Braille, 0x01), '⠁');
        assert_eq!(glyphs(Marker::Braille, 0x80), '⢀');
        assert_eq!(glyphs(Marker::Octant, 0x0f), '▀');
        assert_eq!(glyphs(Marker::Octant, 0xf0), '▄');
        assert_eq!(glyphs(Marker::Sextant, 0x01), '🬀');
        assert_eq!(glyphs(Marker::Sextant, 0x3f), '█');
        assert_eq!(glyphs(Marker::HalfBlock, 0x02), '▄');
        assert_eq!(glyph(Marker::Ascii, 1, Layer::Coast), '~');
    }
}
