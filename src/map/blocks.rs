//! Consecutive points in blocks: those out of view are passed over, those no larger than a dot
//! are drawn as one.

use std::ops::Range;

use super::dots::CellDots;
use super::view::Plotter;
use crate::geo::Vector;

/// The fewest points of a block.
const LEAST: usize = 16;
/// Most blocks: one costs a frame about as much as a leg.
const MOST_BLOCKS: usize = 4_000;
/// About the most legs that are drawn, 0.25 µs each: a map of 160x48 has some 60,000 dots.
pub(super) const MOST_LEGS: usize = 20_000;
/// A cap of the sphere holds the great circles between its points if it is smaller than a
/// hemisphere; its radius is limited with some room, radians.
const WIDEST: f64 = 1.4;

/// The blocks of a path, each with the cap of the sphere that holds its points and the legs to them.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    blocks: Vec<(Range<usize>, Cap)>,
}

/// A cap of the sphere.
#[derive(Debug, Clone, Copy)]
struct Cap {
    centre: Vector,
    /// Radians; above [`WIDEST`] it may be larger than a hemisphere.
    radius: f64,
}

impl Cap {
    fn around<'a>(points: impl Iterator<Item = &'a Vector> + Clone) -> Self {
        let sum = points.clone().fold([0.0; 3], |[x, y, z], point| {
            [x + point.x, y + point.y, z + point.z]
        });
        let [x, y, z] = sum;
        let centre = Vector { x, y, z }.unit();
        let angles = points.map(|point| point.angle(centre));
        Self {
            centre,
            radius: angles.fold(0.0, f64::max),
        }
    }
}

/// A block in view.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub(super) points: Range<usize>,
    /// `true` if they and the legs to them are no larger than a dot.
    pub(super) is_dot: bool,
}

/// The blocks in view, and of how many points of the larger ones one is drawn.
pub(super) struct InView {
    pub(super) blocks: Vec<Block>,
    pub(super) every: usize,
}

impl Blocks {
    /// The blocks of lines, each through a range of points.
    pub(super) fn of_lines(points: &[Vector], lines: Vec<Range<usize>>) -> Self {
        let size = points.len().div_ceil(MOST_BLOCKS).max(LEAST);
        let blocks = lines.into_iter().flat_map(|line| {
            let Range { start, end } = line;
            // Each with the leg from the block before.
            line.step_by(size)
                .map(move |first| first.saturating_sub(1).max(start)..(first + size).min(end))
        });
        let with_cap = |block: Range<usize>| {
            let cap = Cap::around(points.get(block.clone()).unwrap_or_default().iter());
            (block, cap)
        };
        Self {
            blocks: blocks.map(with_cap).collect(),
        }
    }

    /// The blocks of a track; `start` has the fix at which the leg to a fix begins.
    pub(super) fn new(points: &[Vector], start: impl Fn(usize) -> Option<usize>) -> Self {
        let size = points.len().div_ceil(MOST_BLOCKS).max(LEAST);
        let block = |first: usize| {
            let block = first..(first + size).min(points.len());
            // Nearly all legs begin in their block.
            let starts = block.clone().filter_map(&start);
            let outside = starts.filter(|start| *start < first);
            let held = block.clone().chain(outside);
            let cap = Cap::around(held.filter_map(|point| points.get(point)));
            (block, cap)
        };
        Self {
            blocks: (0..points.len()).step_by(size).map(block).collect(),
        }
    }

    /// The blocks that may be on a map whose cells have these dots; about `most` legs to their
    /// points are to be drawn.
    pub(super) fn in_view(&self, plotter: &Plotter, dots: CellDots, most: usize) -> InView {
        let side = plotter.smaller_side(dots);
        let in_view = |(points, cap): &(Range<usize>, Cap)| {
            let is_held = cap.radius <= WIDEST;
            let is_shown = !is_held || plotter.may_show(cap.centre, cap.radius);
            let columns = || 2.0 * plotter.columns_across(cap.centre, cap.radius);
            is_shown.then(|| Block {
                points: points.clone(),
                is_dot: is_held && columns() <= side,
            })
        };
        let blocks: Vec<Block> = self.blocks.iter().filter_map(in_view).collect();
        let large = blocks.iter().filter(|block| !block.is_dot);
        let count: usize = large.map(|block| block.points.len()).sum();
        InView {
            blocks,
            every: count.div_ceil(most.max(1)).max(1),
        }
    }
}
