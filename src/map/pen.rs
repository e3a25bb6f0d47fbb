//! Draws lines on the sphere into the plane of a map: clipped where the
//! projection ends, continued across the seam, curved like great circles.

use super::view::Plotter;
use crate::geo::Vector;

/// Longest arc, as a chord of the unit sphere, that is checked at its midpoint
/// only. The midpoint of a longer, S-shaped arc may lie on the straight line.
const LONGEST: f64 = 0.2;
/// Largest deviation of an arc from its straight line, in columns.
const BEND: f64 = 0.1;
/// Most subdivisions of an arc.
const DEPTH: u32 = 14;
/// Bisections that find the edge of the projection, to 1e-9 of the stroke.
const HALVINGS: u32 = 30;

type Cell = (f64, f64);

/// A pen over a map. It passes each connected line to `sink` as points in
/// cells, without the parts that cannot be on the map.
pub(super) struct Pen<'a, F: FnMut(&[Cell])> {
    plotter: &'a Plotter,
    sink: F,
    points: Vec<Cell>,
    /// The end of the line, if it was too near to the last of its points.
    skipped: Option<Cell>,
    at: Option<(Vector, Option<Cell>)>,
}

impl<'a, F: FnMut(&[Cell])> Pen<'a, F> {
    pub(super) fn new(plotter: &'a Plotter, sink: F) -> Self {
        Self {
            plotter,
            sink,
            points: Vec::new(),
            skipped: None,
            at: None,
        }
    }

    /// Draws a straight line to a point; the first point is a dot.
    pub(super) fn to(&mut self, point: Vector) {
        let cell = self.plotter.cell(point);
        self.straight(point, cell);
    }

    /// Begins a line at a point that is no dot of its own.
    pub(super) fn move_to(&mut self, point: Vector) {
        self.at = Some((point, self.plotter.cell(point)));
    }

    /// Draws to a point along the great circle.
    pub(super) fn arc(&mut self, point: Vector) {
        let cell = self.plotter.cell(point);
        match self.at {
            Some((from, from_cell)) => self.halved(from, from_cell, point, cell, DEPTH),
            None => self.straight(point, cell),
        }
    }

    fn halved(
        &mut self,
        from: Vector,
        from_cell: Option<Cell>,
        to: Vector,
        to_cell: Option<Cell>,
        depth: u32,
    ) {
        let chord = from.chord(to);
        if let (Some(a), Some(b)) = (from_cell, to_cell)
            && chord < LONGEST
            && (a.0 - b.0).abs() < 4.0
            && (a.1 - b.1).abs() < 2.0
        {
            self.straight(to, to_cell);
            return;
        }
        let middle = from.towards(to, 0.5);
        if !self.plotter.may_show(middle, from.angle(to) / 2.0) {
            self.lift();
            self.at = Some((to, to_cell));
            return;
        }
        let middle_cell = self.plotter.cell(middle);
        let bends = match (from_cell, middle_cell, to_cell) {
            (Some(a), Some(m), Some(b)) => {
                let x = f64::midpoint(a.0, b.0);
                let y = f64::midpoint(a.1, b.1);
                (m.0 - x).abs() > BEND || (m.1 - y).abs() > BEND / 2.0
            }
            (None, None, None) => chord >= LONGEST,
            _ => true,
        };
        if depth == 0 || (chord < LONGEST && !bends) {
            self.straight(to, to_cell);
            return;
        }
        self.halved(from, from_cell, middle, middle_cell, depth - 1);
        self.halved(middle, middle_cell, to, to_cell, depth - 1);
    }

    fn straight(&mut self, point: Vector, cell: Option<Cell>) {
        match (self.at, cell) {
            (Some((_, Some(from))), Some(to)) => self.over_the_seam(from, to),
            (Some((before, Some(from))), None) => {
                if let Some(edge) = self.edge(before, point) {
                    self.over_the_seam(from, edge);
                }
                self.finish();
            }
            (Some((before, None)), Some(to)) => {
                self.finish();
                if let Some(edge) = self.edge(point, before) {
                    self.over_the_seam(edge, to);
                }
            }
            (None, Some(to)) => {
                self.stroke(to, to);
            }
            (_, None) => self.finish(),
        }
        self.at = Some((point, cell));
    }

    /// The last visible cell on the way from a visible point to a hidden one.
    fn edge(&self, shown: Vector, hidden: Vector) -> Option<Cell> {
        let mut inside = 0.0;
        let mut outside = 1.0;
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, outside);
            if self.plotter.cell(shown.towards(hidden, middle)).is_some() {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        self.plotter.cell(shown.towards(hidden, inside))
    }

    /// Draws a stroke. If it crosses the seam, it leaves on one side of the map and enters on
    /// the other.
    fn over_the_seam(&mut self, from: Cell, to: Cell) {
        let drawn = match self.plotter.seam_columns() {
            Some(around) if (to.0 - from.0).abs() > around / 2.0 => {
                let turn = if to.0 > from.0 { around } else { -around };
                self.stroke(from, (to.0 - turn, to.1));
                self.finish();
                self.stroke((from.0 + turn, from.1), to)
            }
            _ => self.stroke(from, to),
        };
        if !drawn {
            self.finish();
        }
    }

    /// Draws a straight stroke from the last point, unless it cannot be on the map. Returns
    /// `true` if it was drawn.
    fn stroke(&mut self, from: Cell, to: Cell) -> bool {
        if !self.plotter.may_cross(from, to) {
            return false;
        }
        if self.points.is_empty() {
            self.points.push(from);
        }
        let near = |a: f64, b: f64| (a - b).abs() < self.plotter.unseen;
        let last = self.points.last();
        if !last.is_some_and(|last| near(last.0, to.0) && near(last.1, to.1)) {
            self.points.push(to);
            self.skipped = None;
        } else {
            self.skipped = Some(to);
        }
        true
    }

    /// Passes on the points of the line so far.
    pub(super) fn finish(&mut self) {
        if !self.points.is_empty() {
            // The next line may begin exactly at the end of this line.
            let skipped = self.skipped.take();
            if let Some(end) = skipped.filter(|end| self.points.last() != Some(end)) {
                self.points.push(end);
            }
            self.skipped = None;
            (self.sink)(&self.points);
            self.points.clear();
        }
    }

    /// Ends the line.
    pub(super) fn lift(&mut self) {
        self.finish();
        self.at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::projection::Projection;
    use crate::map::View;

    fn lines(view: &View, from: (f64, f64), to: (f64, f64)) -> Vec<Vec<Cell>> {
        let mut lines = Vec::new();
        let plotter = view.plotter();
        let mut pen = Pen::new(&plotter, |points: &[Cell]| lines.push(points.to_vec()));
        let at = |(latitude, longitude)| Vector::new(crate::testing::at(latitude, longitude));
        pen.arc(at(from));
        pen.arc(at(to));
        pen.lift();
        lines
    }

    #[test]
    fn a_long_leg_bends_as_the_great_circle_does() {
        // Tokyo to San Francisco: by Clairaut's relation the northernmost point
        // has cos(latitude) = sin(course) cos(35.7°), with a course of 54.3°.
        let expected = (54.3f64.to_radians().sin() * 35.7f64.to_radians().cos()).acos();
        let mut view = View::world(160, 40, 2.0);
        view.meridian = 180.0;
        view.centre.longitude = 180.0;
        let lines = lines(&view, (35.7, 139.8), (37.8, -122.4));
        assert_eq!(lines.len(), 1);
        let highest = lines[0].iter().map(|p| p.1).fold(f64::MAX, f64::min);
        let north = view.position_at(80.0, highest).unwrap().latitude;
        assert!((north - expected.to_degrees()).abs() < 0.3, "{north}");
    }

    #[test]
    fn at_the_limb_of_the_globe_a_line_ends_on_the_limb() {
        let view = View {
            projection: Projection::Globe,
            ..View::world(80, 40, 2.0)
        };
        let lines = lines(&view, (0.0, 60.0), (10.0, 130.0));
        assert_eq!(lines.len(), 1);
        let (x, y) = *lines[0].last().unwrap();
        let radius = crate::geo::sphere::MEAN_RADIUS_M / view.metres_a_column;
        let from_centre = (x - 40.0).hypot((y - 20.0) * 2.0);
        // To within one skipped step.
        assert!(
            (from_centre - radius).abs() < 0.05,
            "{from_centre} {radius}"
        );
    }

    #[test]
    fn where_mercator_ends_the_line_is_cut_and_not_lost() {
        let view = View {
            projection: Projection::Mercator,
            ..View::world(80, 80, 2.0)
        };
        let lines = lines(&view, (80.0, 10.0), (89.0, 10.0));
        let top = lines[0].last().unwrap().1;
        let north = view.position_at(40.0, top).unwrap().latitude;
        assert!((north - 85.051).abs() < 0.01, "{north}");
    }
}
