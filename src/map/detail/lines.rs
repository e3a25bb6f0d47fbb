//! Lines that belong to no track, in a tree of their own: their drawing time depends on
//! the screen and not on the number of their points.

use super::draw::{Dots, draw_tree};
use super::stroke::{Ends, Kind, Legs, NOWHERE, Stroke};
use super::tree::Tree;
use crate::geo::{Position, Vector};
use crate::map::raster::CellDots;
use crate::map::view::View;

/// Lines prepared for drawing at any scale. A leg has the number of the point at its end.
#[derive(Debug, Clone)]
pub(crate) struct LineDetail {
    points: Vec<Point>,
    tree: Tree,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    at: Vector,
    /// `true` for the first point of a line.
    begins: bool,
}

impl LineDetail {
    /// Prepares lines; a line of a single position is a dot.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = &'a [Position]>) -> Self {
        let points = lines.flat_map(|line| {
            line.iter().enumerate().map(|(index, position)| Point {
                at: Vector::new(*position),
                begins: index == 0,
            })
        });
        let points: Vec<Point> = points.collect();
        let tree = {
            let legs = LegsOf(&points);
            let numbers: Vec<u32> = legs.numbers(Kind::Leg).collect();
            Tree::build(numbers.into_iter().rev(), |leg| legs.ends(Kind::Leg, leg))
        };
        Self { points, tree }
    }

    /// Passes to `each` the strokes that draw the lines on a map whose cells have these dots.
    pub(crate) fn strokes(&self, view: &View, dots: CellDots, mut each: impl FnMut(Stroke)) {
        let plotter = view.plotter();
        let dots = Dots::of(view, &plotter, dots);
        let legs = LegsOf(&self.points);
        draw_tree(&self.tree, Kind::Leg, &legs, &dots, &mut each);
    }
}

struct LegsOf<'a>(&'a [Point]);

impl Legs for LegsOf<'_> {
    fn numbers(&self, _: Kind) -> impl Iterator<Item = u32> {
        let is_end = |number: u32| {
            let at = number as usize;
            let next = self.0.get(at + 1);
            // A line of a single point is a dot.
            self.0
                .get(at)
                .is_some_and(|point| !point.begins || next.is_none_or(|next| next.begins))
        };
        (0..u32::try_from(self.0.len()).unwrap_or(u32::MAX)).filter(move |&number| is_end(number))
    }

    fn ends(&self, _: Kind, leg: u32) -> Ends {
        let at = leg as usize;
        let Some(end) = self.0.get(at) else {
            return Ends::dot(Vector::new(NOWHERE));
        };
        let before = at.checked_sub(1).and_then(|before| self.0.get(before));
        let start = before.filter(|_| !end.begins);
        Ends {
            from: start.map_or(end.at, |start| start.at),
            to: end.at,
        }
    }
}
