//! Level of detail: a track made ready once, so that a frame costs what there
//! is on the screen and not what there is in the track, and yet shows what
//! drawing every fix would.
//!
//! Legs are sorted into a quadtree on each face of a cube about the Earth.
//! Under the gnomonic projection of a face a great circle is a straight line,
//! so that a leg is cut at the sides of a square by plane geometry, and no
//! place on Earth, neither pole nor antimeridian, is an exception. A square
//! that is smaller than a dot is a dot, whatever it holds; a larger one draws
//! the few legs in it or asks its four quarters.

mod draw;
mod face;
mod sketch;
mod stroke;
mod tree;

#[cfg(test)]
mod tests;

use std::cell::Cell;

use self::sketch::Sketch;
pub(crate) use self::stroke::{Kind, Stroke};
use self::stroke::{NOWHERE, Points};
use self::tree::Tree;
use crate::geo::Vector;
use crate::track::Track;

/// A track's legs and marks, ready to be drawn at any scale.
#[derive(Debug, Clone)]
pub(crate) struct Detail(Made);

#[derive(Debug, Clone)]
enum Made {
    Sketched(Sketch),
    Whole(Box<Trees>),
}

#[derive(Debug, Clone)]
struct Trees {
    legs: Tree,
    gaps: Tree,
    failed: Tree,
    suspect: Tree,
    repeated: Tree,
}

impl Detail {
    /// Makes a track ready. Takes about half a microsecond a fix.
    pub(crate) fn of(track: &Track) -> Self {
        let points = Points(track);
        let tree = |kind| {
            let fixes = (0..u32::try_from(track.len()).unwrap_or(u32::MAX))
                .rev()
                .filter(|&fix| points.is(kind, fix));
            let next = Cell::new((u32::MAX, Vector::of(NOWHERE)));
            Tree::build(fixes, |fix| points.ends_in_turn(kind, fix, &next))
        };
        Self(Made::Whole(Box::new(Trees {
            legs: tree(Kind::Leg),
            gaps: tree(Kind::Gap),
            failed: tree(Kind::Failed),
            suspect: tree(Kind::Suspect),
            repeated: tree(Kind::Repeated),
        })))
    }

    /// A choice of the fixes, at once: for the time until [`Detail::of`] has
    /// made the whole.
    pub(crate) fn sketch(track: &Track) -> Self {
        Self(Made::Sketched(Sketch::of(track)))
    }

    /// Whether it is a choice and not the whole.
    pub(crate) fn is_sketch(&self) -> bool {
        matches!(self.0, Made::Sketched(_))
    }

    /// Bytes that it takes.
    #[cfg(any(test, feature = "bench"))]
    pub(crate) fn bytes(&self) -> usize {
        match &self.0 {
            Made::Sketched(sketch) => sketch.bytes(),
            Made::Whole(trees) => trees.all().iter().map(|(_, tree)| tree.bytes()).sum(),
        }
    }
}

impl Trees {
    fn all(&self) -> [(Kind, &Tree); 5] {
        [
            (Kind::Gap, &self.gaps),
            (Kind::Leg, &self.legs),
            (Kind::Suspect, &self.suspect),
            (Kind::Failed, &self.failed),
            (Kind::Repeated, &self.repeated),
        ]
    }
}
