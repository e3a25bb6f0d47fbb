//! The strokes that draw a track.

use std::cell::Cell;

use crate::geo::{Position, Vector};
use crate::map::pen::Pen;
use crate::map::raster::Segment;
use crate::map::view::Plotter;
use crate::track::{Flag, Track};

/// The kind of a stroke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// The dot of a fix outside the time in which fixes count.
    Outside,
    /// A leg over a data gap.
    Gap,
    /// A leg that is a jump, a lasting move over the speed limit.
    Jump,
    /// A leg, or the dot of a fix without a leg to it.
    Leg,
    /// The symbol of a duplicate fix.
    Repeated,
    /// The symbol of a suspect fix.
    Suspect,
    /// The symbol of a failed fix.
    Failed,
}

/// A straight stroke on a map, in cells; a dot if both ends are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    /// The start.
    pub from: (f64, f64),
    /// The end.
    pub to: (f64, f64),
    /// Index of the fix, for a leg that of its end. If several share a dot, it
    /// is the newest.
    pub fix: u32,
    /// The kind.
    pub kind: Kind,
}

impl Stroke {
    /// Its line.
    pub(crate) fn segment(self) -> Segment {
        Segment {
            from: self.from,
            to: self.to,
        }
    }
}

/// A placeholder for a missing position.
pub(super) const NOWHERE: Position = Position {
    latitude: 90.0,
    longitude: 0.0,
};

/// The ends of a leg as unit vectors; a dot if they are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ends {
    pub(super) from: Vector,
    pub(super) to: Vector,
}

impl Ends {
    /// The dot at a point.
    pub(super) fn dot(at: Vector) -> Self {
        Self { from: at, to: at }
    }
}

/// The fixes of a track as unit vectors.
#[derive(Clone, Copy)]
pub(super) struct Points<'a>(pub(super) &'a Track);

impl Points<'_> {
    pub(super) fn at(self, fix: u32) -> Vector {
        Vector::new(self.0.position(fix as usize))
    }

    /// Both ends of the leg to a fix; the fix twice if there is none. The start
    /// of a leg is usually the end of the leg requested next: `next` caches
    /// that point.
    pub(super) fn leg(self, fix: u32, next: &Cell<(u32, Vector)>) -> Ends {
        let to = match next.get() {
            (known, vector) if known == fix => vector,
            _ => self.at(fix),
        };
        match self.0.leg_start(fix as usize).map(u32::try_from) {
            Some(Ok(from)) => {
                let start = self.at(from);
                next.set((from, start));
                Ends { from: start, to }
            }
            _ => Ends::dot(to),
        }
    }

    /// Both ends of the stroke of a fix as `kind`.
    pub(super) fn ends(self, kind: Kind, fix: u32) -> Ends {
        self.ends_in_turn(kind, fix, &Cell::new((u32::MAX, Vector::new(NOWHERE))))
    }

    /// As [`Self::ends`], for many fixes in sequence.
    pub(super) fn ends_in_turn(self, kind: Kind, fix: u32, next: &Cell<(u32, Vector)>) -> Ends {
        match kind {
            Kind::Gap | Kind::Jump => self.leg(fix, next),
            Kind::Leg if !self.is_break(fix) => self.leg(fix, next),
            Kind::Leg | Kind::Outside | Kind::Failed | Kind::Suspect | Kind::Repeated => {
                Ends::dot(self.at(fix))
            }
        }
    }

    /// `true` if the leg to a fix is over a data gap or is a jump.
    pub(super) fn is_break(self, fix: u32) -> bool {
        self.0.is_break(fix as usize)
    }

    /// `true` if a fix has a stroke of `kind`.
    pub(super) fn is(self, kind: Kind, fix: u32) -> bool {
        let index = fix as usize;
        let flag = self.0.flags().get(index).copied();
        match kind {
            Kind::Outside => !self.0.is_inside(index),
            Kind::Leg => self.0.is_included(index),
            Kind::Gap => self.0.is_included(index) && self.is_break(fix) && !self.0.is_jump(index),
            Kind::Jump => self.0.is_included(index) && self.0.is_jump(index),
            Kind::Failed => flag == Some(Flag::Fail),
            Kind::Suspect => flag == Some(Flag::Suspect) && self.0.is_included(index),
            Kind::Repeated => self.0.times_sent(index) > 1,
        }
    }
}

/// Legs that a tree holds, each with a number.
pub(super) trait Legs {
    /// The numbers of those with a stroke of `kind`, ascending.
    fn numbers(&self, kind: Kind) -> impl Iterator<Item = u32>;

    /// Both ends of a leg.
    fn ends(&self, kind: Kind, leg: u32) -> Ends;
}

impl Legs for Points<'_> {
    fn numbers(&self, kind: Kind) -> impl Iterator<Item = u32> {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        (0..count).filter(move |&fix| self.is(kind, fix))
    }

    fn ends(&self, kind: Kind, leg: u32) -> Ends {
        Points::ends(*self, kind, leg)
    }
}

/// Draws one leg as strokes: an arc of a great circle, or a dot if both ends
/// are equal.
pub(super) fn leg(
    plotter: &Plotter,
    Ends { from, to }: Ends,
    kind: Kind,
    fix: u32,
    each: &mut impl FnMut(Stroke),
) {
    let mut pen = Pen::new(plotter, |line: &[(f64, f64)]| {
        for (from, to) in line.iter().zip(line.iter().skip(1).chain(line.last())) {
            // The last point is repeated; it is a stroke only if there is no
            // other.
            if from != to || line.len() == 1 {
                each(Stroke {
                    from: *from,
                    to: *to,
                    fix,
                    kind,
                });
            }
        }
    });
    pen.to(from);
    if from != to {
        pen.arc(to);
    }
    pen.lift();
}

/// The cell half-way along the leg to a fix; `None` if there is no leg or the
/// projection does not show it.
pub(crate) fn half_way(track: &Track, plotter: &Plotter, fix: u32) -> Option<(f64, f64)> {
    let index = usize::try_from(fix).ok()?;
    let from = Vector::new(track.position(track.leg_start(index)?));
    plotter.cell(from.towards(Vector::new(track.position(index)), 0.5))
}
