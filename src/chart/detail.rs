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
mod tree;

#[cfg(test)]
mod tests;

use std::cell::Cell;

use self::sketch::Sketch;
use self::tree::Tree;
use crate::geo::{Position, Vector};
use crate::track::{Flag, Track};

/// What a stroke of a track is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A leg over a gap.
    Gap,
    /// A leg, or the dot of a fix that no leg leads to.
    Leg,
    /// A fix that was sent more than once: a mark.
    Repeated,
    /// A fix that is suspect: a mark.
    Suspect,
    /// A fix that failed: a mark.
    Failed,
}

/// A straight stroke on a map, in cells; a dot where both ends are one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// One end.
    pub from: (f64, f64),
    /// The other.
    pub to: (f64, f64),
    /// Index of the fix: for a leg the one it leads to. Of several that share
    /// a dot it is the newest.
    pub fix: u32,
    /// What it is.
    pub kind: Kind,
}

/// A track's legs and marks, ready to be drawn at any scale.
#[derive(Debug, Clone)]
pub struct Detail(Made);

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

/// A position that stands for none.
const NOWHERE: Position = Position {
    latitude: 90.0,
    longitude: 0.0,
};

/// The points of a track as vectors.
#[derive(Clone, Copy)]
struct Points<'a>(&'a Track);

impl Points<'_> {
    fn at(self, fix: u32) -> Vector {
        let index = fix as usize;
        Vector::of(Position {
            latitude: self.0.latitudes().get(index).copied().unwrap_or(90.0),
            longitude: self.0.longitudes().get(index).copied().unwrap_or(0.0),
        })
    }

    /// Both ends of the leg that leads to a fix; twice the fix where none does.
    /// A leg mostly starts where the one asked for next ends: `next` keeps that
    /// point.
    fn leg(self, fix: u32, next: &Cell<(u32, Vector)>) -> (Vector, Vector) {
        let to = match next.get() {
            (known, vector) if known == fix => vector,
            _ => self.at(fix),
        };
        match self.0.leg_start(fix as usize).map(u32::try_from) {
            Some(Ok(from)) => {
                let start = self.at(from);
                next.set((from, start));
                (start, to)
            }
            _ => (to, to),
        }
    }

    /// The ends of what is drawn for a fix as `kind`.
    fn ends(self, kind: Kind, fix: u32) -> (Vector, Vector) {
        self.ends_in_turn(kind, fix, &Cell::new((u32::MAX, Vector::of(NOWHERE))))
    }

    /// As [`Self::ends`], for many fixes one after the other.
    fn ends_in_turn(self, kind: Kind, fix: u32, next: &Cell<(u32, Vector)>) -> (Vector, Vector) {
        match kind {
            Kind::Gap => self.leg(fix, next),
            Kind::Leg if !self.is_gap(fix) => self.leg(fix, next),
            Kind::Leg | Kind::Failed | Kind::Suspect | Kind::Repeated => {
                let at = self.at(fix);
                (at, at)
            }
        }
    }

    /// Whether the leg to a fix leads over a gap or is a jump.
    fn is_gap(self, fix: u32) -> bool {
        self.0.is_break(fix as usize)
    }

    /// Whether a fix is drawn as `kind`.
    fn is(self, kind: Kind, fix: u32) -> bool {
        let index = fix as usize;
        let flag = self.0.flags().get(index).copied();
        match kind {
            Kind::Leg => self.0.is_included(index),
            Kind::Gap => self.0.is_included(index) && self.is_gap(fix),
            Kind::Failed => flag == Some(Flag::Fail),
            Kind::Suspect => flag == Some(Flag::Suspect) && self.0.is_included(index),
            Kind::Repeated => self.0.times_sent(index) > 1,
        }
    }
}

impl Detail {
    /// Makes a track ready. Takes about half a microsecond a fix.
    pub fn of(track: &Track) -> Self {
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
    pub fn sketch(track: &Track) -> Self {
        Self(Made::Sketched(Sketch::of(track)))
    }

    /// Whether it is a choice and not the whole.
    pub fn is_sketch(&self) -> bool {
        matches!(self.0, Made::Sketched(_))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
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
