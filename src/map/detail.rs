//! Level of detail: a prepared track, whose drawing time depends on the screen
//! and not on the track, with the same result as drawing every fix.
//!
//! Legs are sorted into a quadtree on each face of a cube around the Earth. In
//! the gnomonic projection of a face a great circle is a straight line. A leg
//! can therefore be clipped to a square by plane geometry, and neither poles
//! nor the antimeridian need special cases. A square smaller than a dot is
//! drawn as a dot, whatever it contains; a larger one draws its few legs or
//! descends into its four quarters.

mod draw;
mod face;
mod lines;
mod preview;
mod stroke;
mod tree;

#[cfg(test)]
mod tests;

use std::cell::Cell;

use crate::geo::Vector;
use crate::track::Track;
pub(crate) use lines::LineDetail;
use preview::Preview;
pub(crate) use stroke::{Kind, Stroke, half_way};
use stroke::{NOWHERE, Points};
use tree::Tree;

/// The legs and symbols of a track, prepared for drawing at any scale.
#[derive(Debug, Clone)]
pub(crate) struct Detail(Made);

#[derive(Debug, Clone)]
enum Made {
    Preview(Preview),
    /// A tree for each kind of stroke, in drawing order.
    Full(Box<[(Kind, Tree)]>),
}

/// The kinds of strokes in drawing order.
const DRAWN: [Kind; 7] = [
    Kind::Outside,
    Kind::Gap,
    Kind::Jump,
    Kind::Leg,
    Kind::Suspect,
    Kind::Failed,
    Kind::Repeated,
];

impl Detail {
    /// Prepares a track in full detail. Takes about half a microsecond per fix.
    pub(crate) fn of(track: &Track) -> Self {
        let points = Points(track);
        let tree = |kind| {
            let fixes = (0..u32::try_from(track.len()).unwrap_or(u32::MAX))
                .rev()
                .filter(|&fix| points.is(kind, fix));
            let next = Cell::new((u32::MAX, Vector::new(NOWHERE)));
            let tree = Tree::build(fixes, |fix| points.ends_in_turn(kind, fix, &next));
            (kind, tree)
        };
        Self(Made::Full(Box::new(DRAWN.map(tree))))
    }

    /// A preview from a selection of the fixes, fast, for display until
    /// [`Detail::of`] is complete.
    pub(crate) fn preview(track: &Track) -> Self {
        Self(Made::Preview(Preview::of(track)))
    }

    /// `true` if it is a preview.
    pub(crate) fn is_preview(&self) -> bool {
        matches!(self.0, Made::Preview(_))
    }
}
