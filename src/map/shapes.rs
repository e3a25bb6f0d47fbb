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

/// A scene while it is drawn.
pub(super) struct Drawing<'a> {
    pub(super) view: &'a View,
    pub(super) plotter: Plotter,
    pub(super) scene: Scene,
}

impl<'a> Drawing<'a> {
    pub(super) fn new(view: &'a View) -> Self {
        Self {
            view,
            plotter: view.plotter(),
            scene: Scene::default(),
        }
    }

    /// Adds a symbol, if its position is on the map.
    pub(super) fn mark(&mut self, class: Class, position: Position, label: impl Into<String>) {
        if let Some(at) = self.plotter.cell_on_map(Vector::new(position)) {
            let label = label.into();
            self.scene.marks.push(Mark { class, at, label });
        }
    }

    /// Draws a line through positions that are close together.
    pub(super) fn line(&mut self, class: Class, along: impl IntoIterator<Item = Position>) {
        let mut pen = Pen::new(&self.plotter, |points: &[(f64, f64)]| {
            let points = points.to_vec();
            self.scene.lines.push(Line { class, points });
        });
        for position in along {
            pen.to(Vector::new(position));
        }
        pen.lift();
    }

    /// Draws circles, each with a radius in metres, and with its label at the north of it.
    pub(super) fn rings(&mut self, centre: Position, rings: &[(f64, String)]) {
        for (radius_m, name) in rings {
            self.circle(Class::Ring, centre, *radius_m);
            self.mark(Class::Ring, direct(centre, 0.0, *radius_m), name);
        }
    }

    /// Draws a circle with a radius in metres on the ellipsoid.
    pub(super) fn circle(&mut self, class: Class, centre: Position, radius_m: f64) {
        const STEPS: u32 = 180;
        let course = |step: u32| 360.0 * f64::from(step) / f64::from(STEPS);
        let around = (0..=STEPS).map(|step| direct(centre, course(step), radius_m));
        self.line(class, around);
    }
}

/// Positions on the geodesic between two, both included, this many steps apart.
pub(super) fn geodesic(from: Position, to: Position, steps: u32) -> impl Iterator<Item = Position> {
    let line = inverse(from, to);
    (0..=steps).map(move |step| {
        let part = line.distance_m * f64::from(step) / f64::from(steps);
        direct(from, line.initial_course_deg, part)
    })
}
