//! Overlays of the user's files, below the track.

use std::sync::Arc;

use svg::node::element::{Group, Path};

use super::lines::joined;
use super::pen::{Lettering, line, round};
use crate::map::{CellDots, Class, Overlay, Scene, View};

const OVERLAY: &str = "#7a5195";

/// Draws overlays: their lines, and a square with its name for a point, a rhomb for a ship.
pub(super) fn draw(
    mut chart: Group,
    overlays: &[Arc<Overlay>],
    view: &View,
    drawn: &Scene,
) -> Group {
    let mut strokes = Vec::new();
    for overlay in overlays {
        overlay.strokes(view, CellDots::ONE, |stroke| strokes.push(stroke));
    }
    if !strokes.is_empty() {
        chart = chart.add(line(joined(strokes.iter()), OVERLAY, 1.0));
    }
    for mark in &drawn.marks {
        let x = round(mark.at.0);
        let y = round(mark.at.1);
        let sign = match mark.class {
            Class::Place => format!("M{} {}h5v5h-5z", x - 2.5, y - 2.5),
            Class::Ship => format!("M{x} {}l5 5l-5 5l-5 -5z", y - 5.0),
            _ => continue,
        };
        chart = chart
            .add(Path::new().set("d", sign).set("fill", OVERLAY))
            .add(Lettering::quiet(10.0, "start").at(mark.at.0 + 7.0, mark.at.1 + 4.0, &mark.label));
    }
    chart
}
