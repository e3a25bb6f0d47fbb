//! Draws the strokes of a track on a map from its squares.

use super::face::{FACES, Square, vector};
use super::stroke::{Kind, Legs, Points, Stroke, leg};
use super::tree::{Node, Tree};
use super::{Detail, Made};
use crate::map::raster::CellDots;
use crate::map::view::{Plotter, View};
use crate::track::Track;

/// Side of a square, in dots, up to which it is drawn as a dot.
const DOT: f64 = 0.5;
/// The same for a square that is full, or has more than [`SPARSE`] legs.
const FULL_DOT: f64 = 1.0;
/// Most legs of a square that are drawn as lines, so that lines stay thin.
const SPARSE: u32 = 3;
/// The smallest squares record only that they have legs. Up to this side, in
/// dots, every dot of such a square is next to a dot of a leg.
const CROWD: f64 = 2.0;
/// Side of a square, in dots, up to which it may be treated as flat: as a
/// parallelogram on the map.
const FLAT: f64 = 64.0;
/// Largest deviation from a parallelogram, in dots.
const SKEW: f64 = 0.2;

type Cell = (f64, f64);

impl Detail {
    /// Passes to `each` the strokes that draw a track on a map whose cells have these dots.
    /// They set the dots that all its legs would set, or adjacent dots.
    pub(crate) fn strokes(
        &self,
        track: &Track,
        view: &View,
        dots: CellDots,
        mut each: impl FnMut(Stroke),
    ) {
        let trees = match &self.0 {
            Made::Preview(preview) => return preview.strokes(track, view, &mut each),
            Made::Full(trees) => trees,
        };
        let plotter = view.plotter();
        let dots = Dots::of(view, &plotter, dots);
        for (kind, tree) in trees {
            draw_tree(tree, *kind, &Points(track), &dots, &mut each);
        }
    }
}

/// The dots of a map.
pub(super) struct Dots<'a> {
    plotter: &'a Plotter,
    /// Dots across and down a cell.
    across: f64,
    down: f64,
    /// The smaller side of a dot, in columns.
    side: f64,
}

impl<'a> Dots<'a> {
    /// The dots of a view whose cells have these dots.
    pub(super) fn of(view: &View, plotter: &'a Plotter, dots: CellDots) -> Self {
        let across = f64::from(dots.across);
        let down = f64::from(dots.down);
        Self {
            plotter,
            across,
            down,
            side: (1.0 / across).min(view.cell_aspect / down),
        }
    }
}

/// Draws the legs of a tree: they set the dots that all of them would set, or adjacent ones.
pub(super) fn draw_tree(
    tree: &Tree,
    kind: Kind,
    legs: &impl Legs,
    dots: &Dots<'_>,
    each: &mut impl FnMut(Stroke),
) {
    let mut walk = Walk {
        tree,
        kind,
        dots,
        whole: tree.apart.clone(),
        coarse: false,
        each,
    };
    for (face, index) in (0..FACES).zip(0u32..) {
        walk.square(face, Square::WHOLE, index);
    }
    let coarse = walk.coarse;
    let mut whole = walk.whole;
    if coarse {
        // Larger than the smallest squares: draws every leg.
        every_leg(legs, kind, dots.plotter, each);
        return;
    }
    whole.sort_unstable();
    whole.dedup();
    for number in whole {
        leg(dots.plotter, legs.ends(kind, number), kind, number, each);
    }
}

/// Draws every leg: the reference for [`draw_tree`].
pub(super) fn every_leg(
    legs: &impl Legs,
    kind: Kind,
    plotter: &Plotter,
    each: &mut impl FnMut(Stroke),
) {
    for number in legs.numbers(kind) {
        leg(plotter, legs.ends(kind, number), kind, number, each);
    }
}

/// A descent through the squares for one frame.
struct Walk<'a, F: FnMut(Stroke)> {
    tree: &'a Tree,
    kind: Kind,
    dots: &'a Dots<'a>,
    /// Legs to draw in full.
    whole: Vec<u32>,
    /// `true` if a square is larger than a dot and its legs are not recorded.
    coarse: bool,
    each: &'a mut F,
}

impl<F: FnMut(Stroke)> Walk<'_, F> {
    fn emit(&mut self, from: Cell, to: Cell, fix: u32) {
        (self.each)(Stroke {
            from,
            to,
            fix,
            kind: self.kind,
        });
    }

    fn square(&mut self, face: usize, square: Square, index: u32) {
        let node = self.tree.node(index);
        let Some(newest) = node.newest() else {
            return;
        };
        let u = square.u + square.size / 2.0;
        let v = square.v + square.size / 2.0;
        let centre = vector(face, (u, v));
        // Half a diagonal; on the sphere it is at most that of the plane.
        let reach = square.size * std::f64::consts::FRAC_1_SQRT_2;
        if !self.dots.plotter.may_show(centre, reach) {
            return;
        }
        let side = square.size / (1.0 + u * u + v * v).sqrt();
        let dots = self.dots.plotter.columns_across(centre, side) / self.dots.side;
        if dots <= DOT {
            if let Some(cell) = self.dots.plotter.cell(centre) {
                self.emit(cell, cell, newest);
            }
            return;
        }
        if dots <= FLAT
            && let Some(flat) = self.flat(face, square)
        {
            self.flat_square(flat, index);
            return;
        }
        match node {
            Node::Empty => {}
            Node::Few { first, .. } => {
                let fixes = self.tree.entries(first).map(|entry| entry.fix);
                self.whole.extend(fixes);
            }
            Node::Quartered { quarters, .. } | Node::Full { quarters, .. } => {
                if quarters == super::tree::NONE {
                    // Not flat, as at the limb: draws every leg.
                    self.coarse = true;
                } else {
                    for (number, child) in (0..4).zip(quarters..) {
                        self.square(face, square.quarter(number), child);
                    }
                }
            }
        }
    }

    /// The square as a parallelogram on the map, if it is nearly one.
    fn flat(&self, face: usize, square: Square) -> Option<Parallelogram> {
        let at = |u: f64, v: f64| {
            self.dots.plotter.cell(vector(
                face,
                (square.u + u * square.size, square.v + v * square.size),
            ))
        };
        let origin = at(0.0, 0.0)?;
        let right = at(1.0, 0.0)?;
        let up = at(0.0, 1.0)?;
        let corner = at(1.0, 1.0)?;
        let middle = at(0.5, 0.5)?;
        let flat = Parallelogram {
            origin,
            along_u: (right.0 - origin.0, right.1 - origin.1),
            along_v: (up.0 - origin.0, up.1 - origin.1),
        };
        let near = |expected: Cell, found: Cell| {
            (expected.0 - found.0).abs() * self.dots.across < SKEW
                && (expected.1 - found.1).abs() * self.dots.down < SKEW
        };
        (near(flat.at(1.0, 1.0), corner) && near(flat.at(0.5, 0.5), middle)).then_some(flat)
    }

    fn flat_square(&mut self, flat: Parallelogram, index: u32) {
        let node = self.tree.node(index);
        let Some(newest) = node.newest() else {
            return;
        };
        let (least, most) = flat.extent();
        let (columns, rows) = self.dots.plotter.size();
        if most.0 < 0.0 || most.1 < 0.0 || least.0 > columns || least.1 > rows {
            return;
        }
        let dots = ((most.0 - least.0) * self.dots.across).max((most.1 - least.1) * self.dots.down);
        let dense = match node {
            Node::Full { .. } => true,
            Node::Few { count, .. } => count > SPARSE,
            Node::Empty | Node::Quartered { .. } => false,
        };
        if dots <= DOT || (dots <= FULL_DOT && dense) {
            let cell = flat.at(0.5, 0.5);
            self.emit(cell, cell, newest);
            return;
        }
        match node {
            Node::Empty => {}
            Node::Few { first, .. } => {
                let tree = self.tree;
                for entry in tree.entries(first) {
                    let share = |(u, v): (u16, u16)| {
                        flat.at(f64::from(u) / 65_535.0, f64::from(v) / 65_535.0)
                    };
                    self.emit(share(entry.from), share(entry.to), entry.fix);
                }
            }
            Node::Quartered { quarters, .. } | Node::Full { quarters, .. } => {
                if quarters == super::tree::NONE {
                    self.coarse |= dots > CROWD;
                    for (u, v) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                        let cell = flat.at(u, v);
                        self.emit(cell, cell, newest);
                    }
                } else {
                    for (number, child) in (0..4).zip(quarters..) {
                        self.flat_square(flat.quarter(number), child);
                    }
                }
            }
        }
    }
}

/// A nearly flat square on the map.
#[derive(Debug, Clone, Copy)]
struct Parallelogram {
    origin: Cell,
    along_u: Cell,
    along_v: Cell,
}

impl Parallelogram {
    fn at(self, u: f64, v: f64) -> Cell {
        (
            self.origin.0 + self.along_u.0 * u + self.along_v.0 * v,
            self.origin.1 + self.along_u.1 * u + self.along_v.1 * v,
        )
    }

    fn quarter(self, number: usize) -> Self {
        let half = |(x, y): Cell| (x / 2.0, y / 2.0);
        let part = |bit: usize| if number & bit == bit { 0.5 } else { 0.0 };
        Self {
            origin: self.at(part(1), part(2)),
            along_u: half(self.along_u),
            along_v: half(self.along_v),
        }
    }

    /// Its smallest and greatest column and row.
    fn extent(self) -> (Cell, Cell) {
        let least = |origin: f64, u: f64, v: f64| origin + u.min(0.0) + v.min(0.0);
        let most = |origin: f64, u: f64, v: f64| origin + u.max(0.0) + v.max(0.0);
        (
            (
                least(self.origin.0, self.along_u.0, self.along_v.0),
                least(self.origin.1, self.along_u.1, self.along_v.1),
            ),
            (
                most(self.origin.0, self.along_u.0, self.along_v.0),
                most(self.origin.1, self.along_u.1, self.along_v.1),
            ),
        )
    }
}
