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
mod stroke;
mod tree;

#[cfg(test)]
mod tests;

use crate::track::Track;
pub(crate) use lines::LineDetail;
use stroke::Points;
pub(crate) use stroke::{Kind, Stroke, half_way};
use tree::Tree;

/// The legs and symbols of a track, prepared for drawing at any scale.
#[derive(Debug, Clone)]
pub(crate) struct Detail(Box<[(Kind, Tree)]>);

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
            (kind, Tree::build(fixes, |fix| points.ends(kind, fix)))
        };
        Self(Box::new(DRAWN.map(tree)))
    }
}
