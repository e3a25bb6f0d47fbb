//! What a pane of the screen shows in pixels below its text.

use resvg::tiny_skia::{
    Color, LineCap, LineJoin, Paint, PathBuilder, PixmapMut, Rect, Stroke, StrokeDash, Transform,
};

use super::png;
use crate::formats::ExportError;
use crate::map::{Layer, Segment};
use crate::palette::Rgb;

/// Pixels of a cell's width at which pens have the width that they say.
const USUAL_CELL: f64 = 10.0;
/// Points that are nearer to each other than this are one, pixels.
const MEETS: f64 = 0.05;

/// The look of a line; of one without length, that of a dot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinePen {
    colour: Rgb,
    width: f64,
    /// Pixels on and off.
    dashes: Option<[f32; 2]>,
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
        #[allow(clippy::cast_possible_truncation)] // a few pixels
        let dashes = dashes.map(|dashes| dashes.map(|length: f32| length * scale as f32));
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
        let mut file = Vec::new();
        // It is made for each view anew: four times as fast as the usual one, and a third larger.
        png(
            self.size,
            (u16::MAX, ::png::Compression::Fast),
            &mut file,
            |up, band| {
                self.paint(up, band);
            },
        )?;
        Ok(file)
    }

    fn paint(&self, up: Transform, band: &mut PixmapMut<'_>) {
        for patch in &self.patches {
            let [(left, top), (right, bottom)] = [patch.from, patch.to].map(single);
            // Without soft edges, which would be seen between two of them.
            if let Some(area) = Rect::from_ltrb(left, top, right, bottom) {
                band.fill_rect(area, &paint(patch.colour, false), up, None);
            }
        }
        for (pen, segments) in &self.lines {
            #[allow(clippy::cast_possible_truncation)] // a few pixels
            let stroke = Stroke {
                width: pen.width as f32,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                dash: pen
                    .dashes
                    .and_then(|dashes| StrokeDash::new(dashes.to_vec(), 0.0)),
                ..Stroke::default()
            };
            if let Some(path) = joined(segments) {
                band.stroke_path(&path, &paint(pen.colour, true), &stroke, up, None);
            }
        }
    }
}

fn paint(Rgb(red, green, blue): Rgb, anti_alias: bool) -> Paint<'static> {
    let mut paint = Paint {
        anti_alias,
        ..Paint::default()
    };
    paint.set_color(Color::from_rgba8(red, green, blue, u8::MAX));
    paint
}

#[allow(clippy::cast_possible_truncation)] // pixels of a picture
fn single((x, y): (f64, f64)) -> (f32, f32) {
    (x as f32, y as f32)
}

/// A path of the segments; one that begins where the last has ended continues it.
fn joined(segments: &[Segment]) -> Option<resvg::tiny_skia::Path> {
    let mut path = PathBuilder::new();
    let mut end: Option<(f64, f64)> = None;
    for Segment { from, to } in segments {
        let meets = |(x, y): (f64, f64)| (x - from.0).abs() < MEETS && (y - from.1).abs() < MEETS;
        if !end.is_some_and(meets) {
            let (x, y) = single(*from);
            path.move_to(x, y);
        }
        let (x, y) = single(*to);
        path.line_to(x, y);
        end = Some(*to);
    }
    path.finish()
}
