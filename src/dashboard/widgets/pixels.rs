//! The lines of pictures below the cells of panes.

use crate::formats::image::LinePen;
use crate::map::{Ink, Layer, Segment};
use crate::palette::Rgb;

/// A line of a picture in pixels, in its colour.
pub(crate) type Inked = (Ink, Rgb, Segment);

/// The lines in drawing order, those of a layer in one colour together: newer legs are over
/// older ones where the colour is that of time. `cell` is the width of a cell in pixels.
pub(crate) fn in_order(mut lines: Vec<Inked>, cell: u16) -> Vec<(LinePen, Vec<Segment>)> {
    lines.sort_by_key(|(ink, ..)| *ink);
    let mut drawn: Vec<((Layer, u16), LinePen, Vec<Segment>)> = Vec::new();
    for (ink, colour, segment) in lines {
        let layer = (ink.layer, ink.track);
        let pen = LinePen::new(ink.layer, colour, cell);
        let last_first = drawn.iter_mut().rev();
        let mut same = last_first.take_while(|(other, ..)| *other == layer);
        match same.find(|(_, other, _)| *other == pen) {
            Some((.., segments)) => segments.push(segment),
            None => drawn.push((layer, pen, vec![segment])),
        }
    }
    let drawn = drawn.into_iter();
    drawn.map(|(_, pen, segments)| (pen, segments)).collect()
}
