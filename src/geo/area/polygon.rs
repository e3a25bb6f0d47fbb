//! A polygon with holes.

use super::ring::Ring;
use crate::geo::Position;

/// A polygon: its outer ring, and its holes.
#[derive(Debug, Clone)]
pub(super) struct Polygon {
    pub(super) outer: Ring,
    pub(super) holes: Vec<Ring>,
}

impl Polygon {
    fn contains(&self, position: Position) -> bool {
        self.outer.contains(position) && !self.holes.iter().any(|hole| hole.contains(position))
    }

    pub(super) fn rings(&self) -> impl Iterator<Item = &Ring> {
        std::iter::once(&self.outer).chain(&self.holes)
    }
}

/// `true` if a position is in one of the polygons.
pub(super) fn contains(polygons: &[Polygon], position: Position) -> bool {
    polygons.iter().any(|polygon| polygon.contains(position))
}
