//! Views of the world with all instruments.

use super::fit::middle;
use super::{Fitted, View};
use crate::geo::projection::Projection;
use crate::geo::{BoundingBox, Position, Vector};

impl View {
    /// A map that shows all these positions: the part of the world that they are in, a
    /// globe if they are far apart, the world if that does not show all of them.
    pub(crate) fn world_with(
        positions: &[Position],
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
        if positions.is_empty() {
            return Self::world(columns, rows, cell_aspect);
        }
        let middle = Vector::new(middle(positions));
        let angles = positions
            .iter()
            .map(|place| Vector::new(*place).angle(middle));
        match angles.fold(0.0, f64::max) {
            angle if angle < REGION => Self::fit_to(&fitted(positions), columns, rows, cell_aspect),
            angle if angle < FARTHEST => Self::globe(middle.position(), columns, rows, cell_aspect),
            _ => Self::world(columns, rows, cell_aspect),
        }
    }

    /// The world with these positions in a projection that can show them.
    pub(crate) fn world_in(
        projection: Projection,
        positions: &[Position],
        columns: u16,
        rows: u16,
        cell_aspect: f64,
    ) -> Self {
        match projection {
            Projection::Globe if !positions.is_empty() => {
                Self::globe(middle(positions), columns, rows, cell_aspect)
            }
            Projection::Mercator | Projection::PolarNorth | Projection::PolarSouth
                if !positions.is_empty() =>
            {
                let fitted = Fitted {
                    projection: Some(projection),
                    ..fitted(positions)
                };
                Self::fit_to(&fitted, columns, rows, cell_aspect)
            }
            _ => Self::world(columns, rows, cell_aspect),
        }
    }

    /// The projections that can show all of these positions, in the order of the
    /// key that changes them.
    pub(crate) fn world_projections(positions: &[Position]) -> Vec<Projection> {
        fitted(positions).projections()
    }
}

fn fitted(positions: &[Position]) -> Fitted<'_> {
    Fitted {
        bounds: BoundingBox::around(positions.iter().copied()),
        positions,
        ..Fitted::default()
    }
}
