//! The picture in pixels below the text of a pane.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::map::{Layer, Segment};
use crate::palette::Rgb;

/// Pixels of a cell's width at which pens have the width that they say.
const USUAL_CELL: f64 = 10.0;
/// Steps from a pixel that a line does not cover to one that it does. More are not seen, and make
/// a picture larger by a sixth.
const STEPS: f32 = 16.0;
/// The look of a line; of one without length, that of a dot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinePen {
    colour: Rgb,
    width: f64,
    /// Pixels on and off.
    dashes: Option<[f64; 2]>,
}

impl LinePen {
    /// The pen of a layer, for cells of this width in pixels.
    pub(crate) fn new(layer: Layer, colour: Rgb, cell: u16) -> Self {
        let (width, dashes) = match layer {
            Layer::Graticule | Layer::Limb => (1.0, None),
            Layer::Coast | Layer::Overlay => (1.2, None),
            Layer::Ring => (1.3, Some([3.0, 3.0])),
            Layer::WatchCircle => (1.5, Some([6.0, 4.0])),
            Layer::Gap => (1.2, Some([1.5, 4.0])),
            Layer::Jump => (1.4, Some([9.0, 6.0])),
            Layer::Measure => (1.5, None),
            Layer::Tail | Layer::Track => (1.9, None),
        };
        let scale = f64::from(cell) / USUAL_CELL;
        let dashes = dashes.map(|dashes| dashes.map(|length: f64| length * scale));
        Self {
            colour,
            width: width * scale,
            dashes,
        }
    }

    /// The same for the dot of a fix.
    pub(crate) fn dot(self) -> Self {
        Self {
            width: 2.6 * self.width,
            ..self
        }
    }
}

/// A rectangle of whole pixels in a colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Patch {
    /// Left and upper edge.
    pub from: (f64, f64),
    /// Right and lower edge.
    pub to: (f64, f64),
    pub colour: Rgb,
}

/// A picture on a transparent ground: patches, and lines over them, in drawing order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Picture {
    /// Width and height, pixels.
    pub size: (u16, u16),
    pub patches: Vec<Patch>,
    pub lines: Vec<(LinePen, Vec<Segment>)>,
}

impl Picture {
    /// Its pixels, row by row: red, green, blue and opacity; packed by zlib (RFC 1950).
    ///
    /// # Errors
    /// None that is known: nothing but memory is written.
    // Not as PNG: its filters gain a tenth where lines are dense, and lose a third where land is
    // wide, and take half as long again. The next level makes it a quarter smaller in three to
    // six times the time, on the way from a key to its frame.
    pub(crate) fn packed(&self) -> io::Result<Vec<u8>> {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(self.painted().as_flattened())?;
        packer.finish()
    }

    /// Its pixels, row by row.
    // Not by tiny-skia, which outlines a line before it fills it: for the 20,000 legs of a drifter
    // that takes two to three times as long (0.12, release build).
    fn painted(&self) -> Vec<[u8; 4]> {
        let (width, height) = (usize::from(self.size.0), usize::from(self.size.1));
        let mut canvas = Canvas {
            width,
            height,
            pixels: vec![[0; 4]; width * height],
            covered: vec![0; width * height],
            touched: Vec::new(),
        };
        for patch in &self.patches {
            let Rgb(red, green, blue) = patch.colour;
            let columns = whole(patch.from.0, width)..whole(patch.to.0, width);
            for row in whole(patch.from.1, height)..whole(patch.to.1, height) {
                let columns = row * width + columns.start..row * width + columns.end;
                canvas.pixels[columns].fill([red, green, blue, u8::MAX]);
            }
        }
        for (pen, segments) in &self.lines {
            let (mut along, mut end) = (0.0, None);
            for segment in segments {
                // Dashes go on where a line does.
                along = if end == Some(segment.from) {
                    along
                } else {
                    0.0
                };
                along += canvas.line(*segment, *pen, along);
                end = Some(segment.to);
            }
            canvas.ink(pen.colour);
        }
        canvas.pixels
    }
}

/// The pixels of a picture while it is painted.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 4]>,
    /// How much of each pixel the lines of the present pen cover in [`STEPS`], and the pixels that
    /// they do.
    covered: Vec<u8>,
    touched: Vec<usize>,
}

impl Canvas {
    /// Covers the pixels of a line, which begins so far along its dashes; returns its length.
    fn line(&mut self, Segment { from, to }: Segment, pen: LinePen, along: f64) -> f64 {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        // Half a dash at a time.
        let parts = pen.dashes.map_or(1.0, |[on, _]| 2.0 * length / on);
        let step = 1.0 / parts.ceil().max(1.0);
        let at = |part: f64| {
            let share = part * step;
            (
                from.0 + (to.0 - from.0) * share,
                from.1 + (to.1 - from.1) * share,
            )
        };
        for part in (0u32..)
            .map(f64::from)
            .take_while(|part| part * step < 1.0 - step / 2.0)
        {
            let middle = along + length * (part + 0.5) * step;
            if pen.dashes.is_none_or(|[on, off]| middle % (on + off) < on) {
                self.cover(at(part), at(part + 1.0), pen.width / 2.0);
            }
        }
        length
    }

    /// Covers the pixels within a radius of a straight line, those at the edge in part.
    // Pixels of a screen.
    fn cover(&mut self, from: (f64, f64), to: (f64, f64), radius: f64) {
        let reach = radius + 0.5;
        // The pixels whose middle is within the reach.
        let ends = |low: f64, high: f64, size| {
            whole(low - reach + 0.5, size)..whole(high + reach + 0.5, size)
        };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        // How much further than its reach a slanting line is seen along a row. Of one along the
        // rows neither this nor the middle is a number, and none of them a bound.
        let slant = (dx.hypot(dy) / dy.abs() - 1.0) * reach;
        let inverse = 1.0 / (dx * dx + dy * dy).max(1e-9) as f32;
        for row in ends(from.1.min(to.1), from.1.max(to.1), self.height) {
            let below = row as f64 + 0.5 - from.1;
            let middle = from.0 + below * dx / dy;
            let left = from.0.min(to.0).max(middle - slant);
            let right = from.0.max(to.0).min(middle + slant);
            let columns = ends(left, right, self.width);
            let start = row * self.width + columns.start;
            let end = row * self.width + columns.end;
            let beside = (columns.start as f64 + 0.5 - from.0) as f32;
            let (dx, dy, below, reach) = (dx as f32, dy as f32, below as f32, reach as f32);
            let pixels = self.covered.get_mut(start..end).unwrap_or_default();
            for (column, covered) in pixels.iter_mut().enumerate() {
                let x = beside + column as f32;
                let share = ((x * dx + below * dy) * inverse).clamp(0.0, 1.0);
                let (x, y) = (x - dx * share, below - dy * share);
                let far = x * x + y * y;
                if far < reach * reach {
                    let steps = ((reach - far.sqrt()).min(1.0) * STEPS + 0.5) as u8;
                    if steps > *covered {
                        if *covered == 0 {
                            self.touched.push(start + column);
                        }
                        *covered = steps;
                    }
                }
            }
        }
    }

    /// Paints the covered pixels over what they have.
    // 0 to 255.
    fn ink(&mut self, Rgb(red, green, blue): Rgb) {
        for index in self.touched.drain(..) {
            let part = f32::from(std::mem::take(&mut self.covered[index])) / STEPS;
            let pixel = &mut self.pixels[index];
            let below = f32::from(pixel[3]) / 255.0 * (1.0 - part);
            let (ink_share, below_share) = (part / (part + below), below / (part + below));
            for (value, ink) in pixel.iter_mut().zip([red, green, blue]) {
                let mixed = f32::from(ink) * ink_share + f32::from(*value) * below_share;
                *value = (mixed + 0.5) as u8;
            }
            pixel[3] = ((part + below) * 255.0 + 0.5) as u8;
        }
    }
}

/// The whole number of pixels below a number of them, within a size.
// Within the size.
fn whole(pixels: f64, size: usize) -> usize {
    (pixels.max(0.0) as usize).min(size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: (u16, u16) = (24, 16);

    proptest! {
        /// A pixel is as opaque as its middle is near to a line, in whatever direction that runs.
        #[test]
        fn a_line_covers_the_pixels_within_its_width(
            from in (-4.0..28.0, -4.0..20.0), to in (-4.0..28.0, -4.0..20.0), shape in 0u8..4, width in 0.6..6.0,
        ) {
            let to = match shape {
                0 => to,
                1 => (to.0, from.1),
                2 => (from.0, to.1),
                _ => from,
            };
            let pen = LinePen { colour: Rgb(10, 20, 30), width, dashes: None };
            let lines = vec![(pen, vec![Segment { from, to }])];
            let painted = Picture { size: SIZE, patches: Vec::new(), lines }.painted();
            let rows = painted.chunks(SIZE.0.into());
            for (row, pixels) in (0u16..).zip(rows) {
                for (column, pixel) in (0u16..).zip(pixels) {
                    let (x, y) = (f64::from(column) + 0.5 - from.0, f64::from(row) + 0.5 - from.1);
                    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
                    let square = (dx * dx + dy * dy).max(1e-9);
                    let share = ((x * dx + y * dy) / square).clamp(0.0, 1.0);
                    let far = (x - share * dx).hypot(y - share * dy);
                    let expected = 255.0 * (width / 2.0 + 0.5 - far).clamp(0.0, 1.0);
                    let [red, green, blue, opacity] = *pixel;
                    prop_assert!((f64::from(opacity) - expected).abs() < 9.0, "{column} {row}: {opacity} {expected}");
                    prop_assert!(opacity == 0 || [red, green, blue] == [10, 20, 30]);
                }
            }
        }
    }
}
