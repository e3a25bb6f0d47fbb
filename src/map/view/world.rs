//! Views of the world with all instruments.

use super::fit::middle;
use super::{Fitted, View};
use crate::geo::projection::Projection;
use crate::geo::{BoundingBox, Position, Vector};

impl View {
    /// A map that shows all these positions: in a projection if one is chosen, else the part of
    /// the world that they are in, a globe if they are far apart, the world if that does not show
    /// all of them.
    pub(crate) fn world_with(
        positions: &[Position],
        projection: Option<Projection>,
        columns: u16,
        rows: u16,
        cell_aspect: f64,
    ) -> Self {
        /// Largest angle from the centre of the globe, radians. Beyond it the
        /// surface is seen too obliquely.
        const FARTHEST: f64 = std::f64::consts::FRAC_PI_3;
        /// Largest angle from the middle of what is shown as a part of the world, radians:
        /// about half an ocean.
        const REGION: f64 = std::f64::consts::PI / 8.0;
        let centre = middle(positions);
        let angle_to = |place: &Position| Vector::new(*place).angle(Vector::new(centre));
        let angle = positions.iter().map(angle_to).fold(0.0, f64::max);
        match projection {
            _ if positions.is_empty() => Self::world(columns, rows, cell_aspect),
            Some(Projection::Globe) => Self::globe(centre, columns, rows, cell_aspect),
            None if (REGION..FARTHEST).contains(&angle) => {
                Self::globe(centre, columns, rows, cell_aspect)
            }
            Some(Projection::Mercator | Projection::PolarNorth | Projection::PolarSouth) => {
                let fitted = Fitted {
                    projection,
                    ..fitted(positions)
                };
                Self::fit_to(&fitted, columns, rows, cell_aspect)
            }
            None if angle < REGION => Self::fit_to(&fitted(positions), columns, rows, cell_aspect),
            _ => Self::world(columns, rows, cell_aspect),
        }
    }

    /// The projections that can show all of these positions, in the order of the
    /// key that changes them.
    pub(crate) fn world_projections(positions: &[Position]) -> Vec<Projection> {
        fitted(positions).projections()
    }
}

fn fitted(positions: &[Position]) -> Fitted {
    Fitted {
        bounds: BoundingBox::around(positions.iter().copied()),
        positions: positions.to_vec(),
        ..Fitted::default()
    }
}
