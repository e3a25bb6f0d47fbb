//! The picture in pixels below the text of a pane.

use crate::formats::ExportError;
use crate::map::{Layer, Segment};
use crate::palette::Rgb;

/// Pixels of a cell's width at which pens have the width that they say.
const USUAL_CELL: f64 = 10.0;
/// The longest part of a line that is painted at once, pixels: the pixels around a longer one are
/// nearly all beside it.
const PART: f64 = 6.0;
/// Lines of a picture that leave few pixels alike.
const MANY: usize = 8_000;

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
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// When it has no size.
    pub(crate) fn png(&self) -> Result<Vec<u8>, ExportError> {
        let failed = |error: png::EncodingError| ExportError::Image(error.to_string());
        let mut file = Vec::new();
        let (width, height) = self.size;
        let mut encoder = png::Encoder::new(&mut file, width.into(), height.into());
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        // It is made for each view anew: the usual compression makes it a third smaller, and takes
        // eight times as long. What takes long to paint gains less by effort: a fifth.
        encoder.set_filter(png::Filter::Up);
        let segments: usize = self.lines.iter().map(|(_, lines)| lines.len()).sum();
        encoder.set_deflate_compression(match segments {
            0..MANY => png::DeflateCompression::Level(1),
            _ => png::DeflateCompression::FdeflateUltraFast,
        });
        let mut writer = encoder.write_header().map_err(failed)?;
        let pixels = self.painted();
        writer
            .write_image_data(pixels.as_flattened())
            .map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(file)
    }

    /// Its pixels, row by row: red, green, blue and opacity.
    // Not by tiny-skia, which outlines a line before it fills it: for the 20,000 legs of a drifter
    // that takes two to three times as long (0.12, release build).
    fn painted(&self) -> Vec<[u8; 4]> {
        let (width, height) = (usize::from(self.size.0), usize::from(self.size.1));
        let mut canvas = Canvas {
            width,
            height,
            pixels: vec![[0; 4]; width * height],
            covered: vec![0.0; width * height],
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
    /// How much of each pixel the lines of the present pen cover, and the pixels that they do.
    covered: Vec<f32>,
    touched: Vec<usize>,
}

impl Canvas {
    /// Covers the pixels of a line, which begins so far along its dashes; returns its length.
    fn line(&mut self, Segment { from, to }: Segment, pen: LinePen, along: f64) -> f64 {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let longest = pen.dashes.map_or(PART, |dashes| dashes[0].min(PART) / 2.0);
        let step = 1.0 / (length / longest).ceil().max(1.0);
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
        let ends = |a: f64, b: f64, size| {
            whole(a.min(b) - reach + 0.5, size)..whole(a.max(b) + reach + 0.5, size)
        };
        let (rows, columns) = (
            ends(from.1, to.1, self.height),
            ends(from.0, to.0, self.width),
        );
        let (dx, dy) = ((to.0 - from.0) as f32, (to.1 - from.1) as f32);
        let inverse = 1.0 / (dx * dx + dy * dy).max(1e-9);
        let reach = reach as f32;
        let beside = (columns.start as f64 + 0.5 - from.0) as f32;
        for row in rows {
            let below = (row as f64 + 0.5 - from.1) as f32;
            let start = row * self.width + columns.start;
            let pixels = &mut self.covered[start..start + columns.len()];
            for (column, covered) in pixels.iter_mut().enumerate() {
                let x = beside + column as f32;
                let share = ((x * dx + below * dy) * inverse).clamp(0.0, 1.0);
                let (x, y) = (x - dx * share, below - dy * share);
                let far = x * x + y * y;
                if far < reach * reach {
                    if *covered == 0.0 {
                        self.touched.push(start + column);
                    }
                    *covered = covered.max((reach - far.sqrt()).min(1.0));
                }
            }
        }
    }

    /// Paints the covered pixels over what they have.
    // 0 to 255.
    fn ink(&mut self, Rgb(red, green, blue): Rgb) {
        for index in self.touched.drain(..) {
            let part = std::mem::take(&mut self.covered[index]);
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
