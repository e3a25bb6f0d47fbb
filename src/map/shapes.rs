//! Lines and symbols in cells, and how those of positions are drawn.

use super::ink::Class;
use super::land::LandSpan;
use super::pen::Pen;
use super::view::{Plotter, View};
use crate::geo::geodesic::{direct, inverse};
use crate::geo::{Position, Vector};

/// A line through points in cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// The kind of object.
    pub class: Class,
    /// Its points, in cells.
    pub points: Vec<(f64, f64)>,
}

/// A symbol at a point, in cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// The kind of object.
    pub class: Class,
    /// Its position, in cells.
    pub at: (f64, f64),
    /// Its label; may be empty.
    pub label: String,
}

/// A map as lines and symbols, in drawing order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scene {
    /// The land, row by row.
    pub land: Vec<LandSpan>,
    pub lines: Vec<Line>,
    /// Symbols.
    pub marks: Vec<Mark>,
    /// The fixes of tails that are marked.
    pub fixes: Vec<Mark>,
    /// Labels of meridians at the lower edge: column and text.
    pub meridians: Vec<(f64, String)>,
    /// Labels of parallels at the left edge: row and text.
    pub parallels: Vec<(f64, String)>,
    /// Labels of parallels that do not meet the left edge, as near a pole, and of meridians
    /// where fewer than two meet the lower edge: point on the line, and text.
    pub circles: Vec<((f64, f64), String)>,
    /// The pole in whose neighbourhood meridians meet.
    pub pole: Option<(f64, f64)>,
}

impl Scene {
    /// Adds a scene on top.
    pub(super) fn add(&mut self, over: Self) {
        self.land.extend(over.land);
        self.lines.extend(over.lines);
        self.marks.extend(over.marks);
        self.fixes.extend(over.fixes);
        self.meridians.extend(over.meridians);
        self.parallels.extend(over.parallels);
        self.circles.extend(over.circles);
        self.pole = self.pole.or(over.pole);
    }
}

/// Adds a symbol, if its position is on the map.
pub(super) fn mark(
    view: &View,
    class: Class,
    position: Position,
    label: String,
    scene: &mut Scene,
) {
    if view.shows(position)
        && let Some(at) = view.cell(position)
    {
        scene.marks.push(Mark { class, at, label });
    }
}

/// Draws a line through positions that are close together.
pub(super) fn draw_line(
    plotter: &Plotter,
    class: Class,
    along: impl Iterator<Item = Position>,
    lines: &mut Vec<Line>,
) {
    let mut pen = Pen::new(plotter, |points: &[(f64, f64)]| {
        lines.push(Line {
            class,
            points: points.to_vec(),
        });
    });
    for position in along {
        pen.to(Vector::new(position));
    }
    pen.lift();
}

/// Positions on the geodesic between two, both included, this many steps apart.
pub(super) fn geodesic(from: Position, to: Position, steps: u32) -> impl Iterator<Item = Position> {
    let line = inverse(from, to);
    (0..=steps).map(move |step| {
        let part = line.distance_m * f64::from(step) / f64::from(steps);
        direct(from, line.initial_course_deg, part)
    })
}

/// Draws circles, each with a radius in metres, and with its label at the north of it.
pub(super) fn draw_rings(
    view: &View,
    plotter: &Plotter,
    centre: Position,
    rings: &[(f64, String)],
    scene: &mut Scene,
) {
    for (radius_m, name) in rings {
        draw_circle(plotter, Class::Ring, centre, *radius_m, &mut scene.lines);
        let north = direct(centre, 0.0, *radius_m);
        mark(view, Class::Ring, north, name.clone(), scene);
    }
}

/// Draws a circle with a radius in metres on the ellipsoid.
pub(super) fn draw_circle(
    plotter: &Plotter,
    class: Class,
    centre: Position,
    radius_m: f64,
    lines: &mut Vec<Line>,
) {
    const STEPS: u32 = 180;
    let around = (0..=STEPS)
        .map(|step| direct(centre, 360.0 * f64::from(step) / f64::from(STEPS), radius_m));
    draw_line(plotter, class, around, lines);
}
