//! The picture of a search: where an instrument may be now, and the way of the own ship to it.

use super::ink::Class;
use super::shapes::{Drawing, geodesic};
use crate::geo::Position;
use crate::geo::geodesic::inverse;

/// The area where an instrument may be now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchArea {
    /// The positions from the last fix to the most likely one.
    pub way: Vec<Position>,
    /// Circles around the last of these: radius in metres, and label.
    pub circles: Vec<(f64, String)>,
    /// The way of the own ship: its ends.
    pub course: Option<(Position, Position)>,
    /// Each mark: its kind, position, label.
    pub marks: Vec<(Class, Position, String)>,
}

impl SearchArea {
    /// Draws the circles, the way of the own ship as dashes, and the marks.
    pub(super) fn draw(&self, drawing: &mut Drawing<'_>) {
        /// Columns of a dash with the blank behind it, and the most dashes.
        const DASH: f64 = 3.0;
        const DASHES: f64 = 500.0;
        drawing.line(Class::Measure, self.way.iter().copied());
        if let Some((from, to)) = self.course {
            let columns = inverse(from, to).distance_m / drawing.view.metres_a_column;
            // At most 500.
            let dashes = (columns / DASH).clamp(1.0, DASHES) as u32;
            let along: Vec<Position> = geodesic(from, to, 2 * dashes).collect();
            for dash in along.chunks(2) {
                drawing.line(Class::Measure, dash.iter().copied());
            }
        }
        if let Some(centre) = self.way.last() {
            drawing.rings(*centre, &self.circles);
        }
        for (class, position, label) in &self.marks {
            drawing.mark(*class, *position, label);
        }
    }
}
