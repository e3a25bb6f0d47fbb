//! The dots of a map as glyphs of the terminal.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Style;
use ratatui::symbols::{braille, pixel};

use crate::dashboard::layout::Area;
use crate::map::{GlyphSet, Ink, Layer, Raster};

/// Puts the dots into the buffer.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Area,
    raster: &Raster,
    marker: GlyphSet,
    style: impl Fn(Ink) -> Option<Style>,
) {
    put(buffer, area, cells(raster, marker, style));
}

/// Puts cells, each at its column and row of an area, into the buffer.
pub(in crate::dashboard) fn put(
    buffer: &mut Buffer,
    area: Area,
    cells: impl IntoIterator<Item = (u16, u16, Cell)>,
) {
    for (column, row, painted) in cells {
        if let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) {
            *cell = painted;
        }
    }
}

/// The cells with dots, as they look on an empty screen, without those of an ink without
/// a style.
pub(in crate::dashboard) fn cells(
    raster: &Raster,
    marker: GlyphSet,
    style: impl Fn(Ink) -> Option<Style>,
) -> impl Iterator<Item = (u16, u16, Cell)> {
    raster.cells().filter_map(move |(column, row, dots, ink)| {
        let mut cell = Cell::EMPTY;
        cell.set_char(glyph(marker, dots, ink.layer))
            .set_style(style(ink)?);
        Some((column, row, cell))
    })
}

/// The cells with dots as ASCII characters, each a stroke in the direction of its dots.
pub(in crate::dashboard) fn strokes(
    raster: &Raster,
    style: impl Fn(Ink) -> Style,
) -> impl Iterator<Item = (u16, u16, Cell)> {
    raster.cells().map(move |(column, row, dots, ink)| {
        let mut cell = Cell::EMPTY;
        cell.set_char(ascii_stroke(dots)).set_style(style(ink));
        (column, row, cell)
    })
}

/// The glyph of a cell with these dots.
fn glyph(marker: GlyphSet, dots: u8, layer: Layer) -> char {
    let index = usize::from(dots);
    let glyph = match marker {
        // Half of a cell would be heavier than the line of a track.
        GlyphSet::HalfBlock if layer == Layer::Graticule => return '·',
        GlyphSet::Octant => pixel::OCTANTS.get(index),
        GlyphSet::Sextant => pixel::SEXTANTS.get(index),
        GlyphSet::Braille | GlyphSet::Pixels => braille::BRAILLE.get(index),
        GlyphSet::HalfBlock => [' ', '▀', '▄', '█'].get(index),
        GlyphSet::Ascii => None,
    };
    glyph.copied().unwrap_or(match layer {
        Layer::Limb | Layer::Graticule | Layer::Gap => '.',
        Layer::Coast | Layer::Overlay => ascii_stroke(dots),
        Layer::Ring | Layer::WatchCircle => ':',
        Layer::Track | Layer::Tail | Layer::Measure => '*',
        Layer::Jump => '>',
    })
}

/// The ASCII character most like two by four dots: a stroke in their direction.
fn ascii_stroke(dots: u8) -> char {
    /// More dots than this are no line.
    const LINE: u32 = 5;
    // The mean row of the dots of a column, 0 at the top.
    let mean = |column: u8| {
        let rows = (0..4u8).filter(|row| dots >> (2 * row + column) & 1 == 1);
        let (count, sum) = rows.fold((0u8, 0u8), |(count, sum), row| (count + 1, sum + row));
        (count > 0).then(|| f32::from(sum) / f32::from(count))
    };
    if dots.count_ones() > LINE {
        return '%';
    }
    match (mean(0), mean(1)) {
        (Some(left), Some(right)) => match right - left {
            rise if rise > 0.9 => '\\',
            rise if rise < -0.9 => '/',
            _ => match f32::midpoint(left, right) {
                row if row < 0.9 => '"',
                row if row < 2.1 => '-',
                _ => '_',
            },
        },
        (Some(row), None) | (None, Some(row)) if dots.count_ones() == 1 => match row {
            row if row < 1.5 => '\'',
            _ => ',',
        },
        _ => '|',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coast_in_ascii_shows_its_direction() {
        for (dots, stroke) in [
            (0b0000_0011, '"'),
            (0b0000_1100, '-'),
            (0b1100_0000, '_'),
            (0b0101_0101, '|'),
            (0b1010_1010, '|'),
            (0b1000_1001, '\\'),
            (0b0101_1010, '/'),
            (0b1111_1111, '%'),
            (0b0000_0001, '\''),
            (0b0100_0000, ','),
        ] {
            let drawn = glyph(GlyphSet::Ascii, dots, Layer::Coast);
            assert_eq!(drawn, stroke, "{dots:08b}");
        }
    }

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
        assert_eq!(glyph(GlyphSet::Ascii, 1, Layer::Track), '*');
        assert_eq!(glyph(GlyphSet::HalfBlock, 2, Layer::Graticule), '·');
    }
}
