//! A path of points in blocks: those out of view are passed over, those no larger than a dot
//! are drawn as one.

use std::ops::Range;

use super::{Kind, Stroke, leg};
use crate::geo::Vector;
use crate::map::dots::CellDots;
use crate::map::view::Plotter;

/// Points of a block of the first level, and blocks in a block of the next.
const BLOCK: usize = 16;
/// Most blocks of a level that are looked at: a block costs a frame about as much as a leg.
const MOST_BLOCKS: usize = 8_000;
/// About the most legs that are drawn, 0.25 µs each: a map of 160x48 has some 60,000 dots.
pub(super) const MOST_LEGS: usize = 20_000;
/// A cap of the sphere holds the great circles between its points if it is smaller than a
/// hemisphere; its radius is limited with some room, radians.
const WIDEST: f64 = 1.4;

/// The legs of a path.
pub(super) trait Legs {
    /// `true` if the point takes part in the line.
    fn is_included(&self, point: usize) -> bool;

    /// The point that the leg to a point begins at, if there is a leg.
    fn start(&self, point: usize) -> Option<usize>;

    /// The leg to a point that the line is broken before.
    fn over_break(&self, point: usize) -> Option<(usize, Kind)>;
}

/// Points, with the caps of the sphere that hold them.
#[derive(Debug, Clone)]
pub(super) struct Path {
    points: Vec<Vector>,
    /// By level, for each block the cap of its points and of the starts of the legs to them.
    caps: Vec<Vec<Cap>>,
    /// The points that the line is broken before, ascending.
    breaks: Vec<u32>,
}

/// A cap of the sphere.
#[derive(Debug, Clone, Copy)]
struct Cap {
    centre: Vector,
    /// Radians; above [`WIDEST`] it may be larger than a hemisphere.
    radius: f64,
}

impl Cap {
    /// A cap that holds these caps.
    fn around(caps: impl Iterator<Item = Self> + Clone) -> Self {
        let sum = caps.clone().fold([0.0; 3], |[x, y, z], cap| {
            [x + cap.centre.x, y + cap.centre.y, z + cap.centre.z]
        });
        let [x, y, z] = sum;
        let centre = Vector { x, y, z }.unit();
        let radius = caps.map(|cap| cap.centre.angle(centre) + cap.radius);
        Self {
            centre,
            radius: radius.fold(0.0, f64::max),
        }
    }
}

/// Points in view.
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

/// The part of an ascending list within a range.
pub(super) fn within<'a, T>(
    items: &'a [T],
    range: &Range<usize>,
    number: impl Fn(&T) -> u32,
) -> &'a [T] {
    let before = |end: usize| items.partition_point(|item| (number(item) as usize) < end);
    items
        .get(before(range.start)..before(range.end))
        .unwrap_or_default()
}

impl Path {
    /// A path through points, which is broken before some of them.
    pub(super) fn new(points: Vec<Vector>, breaks: Vec<u32>, legs: &impl Legs) -> Self {
        let at = |number: usize| {
            let centre = points.get(number).copied()?;
            Some(Cap {
                centre,
                radius: 0.0,
            })
        };
        let blocks = (0..points.len()).step_by(BLOCK);
        let lowest = blocks.map(|first| {
            let block = first..(first + BLOCK).min(points.len());
            // Nearly all legs begin in their block.
            let starts = block
                .clone()
                .filter_map(|point| legs.start(point))
                .filter(|start| *start < first);
            Cap::around(block.clone().chain(starts).filter_map(at))
        });
        let mut level: Vec<Cap> = lowest.collect();
        let mut caps = Vec::new();
        while level.len() > 1 {
            let blocks = level.chunks(BLOCK);
            let next = blocks.map(|block| Cap::around(block.iter().copied()));
            let above = next.collect();
            caps.push(std::mem::replace(&mut level, above));
        }
        caps.push(level);
        Self {
            points,
            caps,
            breaks,
        }
    }

    /// The points whose legs may be on a map whose cells have these dots; about `most` legs of
    /// them are to be drawn.
    pub(super) fn in_view(&self, plotter: &Plotter, dots: CellDots, most: usize) -> InView {
        let side = plotter.smaller_side(dots);
        let mut blocks: Vec<Block> = Vec::new();
        let top = self.caps.len().saturating_sub(1);
        let mut level = top;
        let mut open: Vec<usize> = (0..self.caps.last().map_or(0, Vec::len)).collect();
        loop {
            let caps = self.caps.get(level).map_or(&[][..], Vec::as_slice);
            let size = BLOCK.pow(u32::try_from(level + 1).unwrap_or(1));
            let points = |block: usize| block * size..((block + 1) * size).min(self.points.len());
            let mut large: Vec<usize> = Vec::new();
            for block in std::mem::take(&mut open) {
                let Some(cap) = caps.get(block) else { continue };
                if cap.radius <= WIDEST {
                    if !plotter.may_show(cap.centre, cap.radius) {
                        continue;
                    }
                    if 2.0 * plotter.columns_across(cap.centre, cap.radius) <= side {
                        blocks.push(Block {
                            points: points(block),
                            is_dot: true,
                        });
                        continue;
                    }
                }
                large.push(block);
            }
            if level == 0 || large.len() * BLOCK > MOST_BLOCKS {
                let count = (large.len() * size).min(self.points.len());
                blocks.extend(large.into_iter().map(|block| Block {
                    points: points(block),
                    is_dot: false,
                }));
                return InView {
                    blocks,
                    every: count.div_ceil(most.max(1)).max(1),
                };
            }
            level -= 1;
            let below = self.caps.get(level).map_or(0, Vec::len);
            open = large
                .into_iter()
                .flat_map(|block| block * BLOCK..((block + 1) * BLOCK).min(below))
                .collect();
        }
    }

    /// Draws the dot of a point.
    pub(super) fn dot(
        &self,
        plotter: &Plotter,
        point: usize,
        kind: Kind,
        each: &mut impl FnMut(Stroke),
    ) {
        let to = self.end(plotter, point);
        leg::draw(plotter, [to, to], kind, point, each);
    }

    /// Draws the line in these blocks.
    pub(super) fn draw(
        &self,
        plotter: &Plotter,
        in_view: &InView,
        legs: &impl Legs,
        each: &mut impl FnMut(Stroke),
    ) {
        for block in &in_view.blocks {
            if block.is_dot {
                let newest = block.points.clone().rev();
                if let Some(point) = newest.into_iter().find(|point| legs.is_included(*point)) {
                    self.dot(plotter, point, Kind::Leg, each);
                }
                continue;
            }
            let mut begin = block.points.start;
            for broken in within(&self.breaks, &block.points, |point| *point) {
                let end = *broken as usize;
                self.line(plotter, begin..end, in_view.every, legs, each);
                if let Some((start, kind)) = legs.over_break(end) {
                    let ends = [start, end].map(|point| self.end(plotter, point));
                    leg::draw(plotter, ends, kind, end, each);
                }
                if legs.is_included(end) {
                    self.dot(plotter, end, Kind::Leg, each);
                }
                begin = end + 1;
            }
            self.line(plotter, begin..block.points.end, in_view.every, legs, each);
        }
    }

    /// Draws the legs to points without a break, to each of `every` and to the last one.
    fn line(
        &self,
        plotter: &Plotter,
        points: Range<usize>,
        every: usize,
        legs: &impl Legs,
        each: &mut impl FnMut(Stroke),
    ) {
        let is_included = |point: &usize| legs.is_included(*point);
        let drawn = points.clone().skip(every - 1).step_by(every);
        let last = points.rev().find(is_included).filter(|_| every > 1);
        // Most legs begin where the last one ended, and need no second projection.
        let mut before: Option<(usize, leg::End)> = None;
        for point in drawn.filter(is_included).chain(last) {
            if before.is_some_and(|(before, _)| before >= point) {
                continue;
            }
            let to = self.end(plotter, point);
            let start = match before {
                Some((before, _)) if every > 1 => Some(before),
                _ => legs.start(point),
            };
            let from = match (start, before) {
                (None, _) => to,
                (Some(start), Some((known, end))) if start == known => end,
                (Some(start), _) => self.end(plotter, start),
            };
            before = Some((point, to));
            leg::draw(plotter, [from, to], Kind::Leg, point, each);
        }
    }

    /// An end of legs on a map.
    fn end(&self, plotter: &Plotter, point: usize) -> leg::End {
        let pole = Vector {
            x: 0.0,
            y: 0.0,
            z: 1.0,
        };
        let point = self.points.get(point).copied().unwrap_or(pole);
        leg::End {
            point,
            cell: plotter.cell(point),
        }
    }
}
