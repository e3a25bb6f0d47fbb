//! A leg as strokes.

use super::{Kind, Stroke};
use crate::geo::Vector;
use crate::map::pen::Pen;
use crate::map::view::Plotter;

/// An arc whose chord (of the unit sphere) times its columns is at most this deviates from
/// its straight line by less than a twentieth of a column: by a chord's share of an eighth, of
/// up to eleven times that near the end of Mercator's map.
const STRAIGHT: f64 = 0.02;

/// An end of a leg.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) point: Vector,
    /// The point in cells; `None` if the projection does not show it.
    pub(super) cell: Option<(f64, f64)>,
}

/// Draws a leg: an arc of a great circle, or a dot if both ends are one point.
pub(super) fn draw(
    plotter: &Plotter,
    [from, to]: [End; 2],
    kind: Kind,
    point: usize,
    each: &mut impl FnMut(Stroke),
) {
    let Ok(fix) = u32::try_from(point) else {
        return;
    };
    let stroke = |from, to| Stroke {
        from,
        to,
        fix,
        kind,
    };
    if let (Some(a), Some(b)) = (from.cell, to.cell) {
        let columns = (a.0 - b.0).abs() + (a.1 - b.1).abs();
        let is_over_seam = |around: f64| (a.0 - b.0).abs() > around / 2.0;
        if from.point.chord(to.point) * columns <= STRAIGHT
            && !plotter.seam_columns().is_some_and(is_over_seam)
        {
            if plotter.may_cross(a, b) {
                each(stroke(a, b));
            }
            return;
        }
    }
    let mut pen = Pen::new(plotter, |line: &[(f64, f64)]| {
        for (from, to) in line.iter().zip(line.iter().skip(1).chain(line.last())) {
            // The last point is repeated; it is a stroke only if there is no
            // other.
            if from != to || line.len() == 1 {
                each(stroke(*from, *to));
            }
        }
    });
    pen.to(from.point);
    if from.point != to.point {
        pen.arc(to.point);
    }
    pen.lift();
}
