//! The part of the Earth that a map shows, and its scale.

use crate::geo::projection::{MERCATOR_END, Plane, Projection, wrap};
use crate::geo::sphere::MEAN_RADIUS_M;
use crate::geo::{BoundingBox, Position, Vector};

/// Smallest width of a map in metres, about the accuracy of positions.
const CLOSEST_M: f64 = 100.0;
/// Greatest width of a map in metres, slightly more than the equator.
const FARTHEST_M: f64 = 4.2e7;
/// Free margin around a fitted track, as a fraction of the map.
const MARGIN: f64 = 0.12;

/// A view of the Earth in cells: x to the right and y down from the upper left
/// corner, with the middle of the first cell at (0.5, 0.5).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct View {
    /// The projection.
    pub projection: Projection,
    /// The position in the middle of the map.
    pub centre: Position,
    /// The meridian that points down on a polar map and is in the middle of a
    /// flat one, degrees.
    pub meridian: f64,
    /// Metres per column at the centre.
    pub metres_a_column: f64,
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
    /// Height of a cell over its width.
    pub cell_aspect: f64,
}

impl View {
    /// A view of the whole world.
    pub(crate) fn world(columns: u16, rows: u16, cell_aspect: f64) -> Self {
        let (width, height) = (
            f64::from(columns.max(1)),
            f64::from(rows.max(1)) * cell_aspect,
        );
        let around = 2.0 * std::f64::consts::PI * MEAN_RADIUS_M;
        Self {
            projection: Projection::Equirectangular,
            centre: Position {
                latitude: 0.0,
                longitude: 0.0,
            },
            meridian: 0.0,
            metres_a_column: (around / width).max(around / 2.0 / height),
            columns,
            rows,
            cell_aspect,
        }
    }

    /// The globe, centred on a position.
    pub(crate) fn globe(centre: Position, columns: u16, rows: u16, cell_aspect: f64) -> Self {
        let (width, height) = (
            f64::from(columns.max(1)),
            f64::from(rows.max(1)) * cell_aspect,
        );
        Self {
            projection: Projection::Globe,
            centre,
            meridian: centre.longitude,
            metres_a_column: 2.04 * MEAN_RADIUS_M / width.min(height),
            columns,
            rows,
            cell_aspect,
        }
    }

    /// The world with these positions: a globe if one shows them all, else a
    /// flat map.
    pub(crate) fn world_of(places: &[Position], columns: u16, rows: u16, cell_aspect: f64) -> Self {
        /// Largest angle from the centre of the globe, radians. Beyond it the
        /// surface is seen too obliquely.
        const FARTHEST: f64 = std::f64::consts::FRAC_PI_3;
        let vectors: Vec<Vector> = places.iter().map(|place| Vector::of(*place)).collect();
        let sum = vectors
            .iter()
            .fold((0.0, 0.0, 0.0), |(x, y, z), v| (x + v.x, y + v.y, z + v.z));
        let middle = Vector {
            x: sum.0,
            y: sum.1,
            z: sum.2,
        }
        .unit();
        if !vectors.is_empty() && vectors.iter().all(|v| v.angle(middle) < FARTHEST) {
            return Self::globe(middle.position(), columns, rows, cell_aspect);
        }
        Self::world(columns, rows, cell_aspect)
    }

    /// A view that shows a whole box with a margin; the world for `None`. Near
    /// a pole a box in degrees is a ring, so the positions in it, if any are
    /// given, are fitted instead.
    pub(crate) fn fit(
        bounds: Option<BoundingBox>,
        places: &[Position],
        columns: u16,
        rows: u16,
        cell_aspect: f64,
    ) -> Self {
        let mut view = Self::world(columns, rows, cell_aspect);
        let Some(bounds) = bounds else {
            return view;
        };
        let middle = bounds.centre();
        view.projection =
            if bounds.width_deg() > 180.0 && bounds.south.abs().min(bounds.north.abs()) < 60.0 {
                Projection::Equirectangular
            } else if bounds.south >= 60.0 && bounds.north >= 70.0 {
                Projection::PolarNorth
            } else if bounds.north <= -60.0 && bounds.south <= -70.0 {
                Projection::PolarSouth
            } else {
                Projection::Mercator
            };
        view.meridian = middle.longitude;
        view.centre = middle;
        let box_points;
        let fitted = if view.projection.has_seam() || places.is_empty() {
            box_points = samples(&bounds);
            &box_points
        } else {
            places
        };
        let points: Vec<(f64, f64)> = fitted
            .iter()
            .filter_map(|&position| view.plane(position))
            .collect();
        let Some(extent) = Extent::around(&points) else {
            return view;
        };
        if let Some(centre) = view.unplane(extent.middle()) {
            view.centre = centre;
        }
        let scale = view.projection.scale_at(view.centre.latitude);
        let (width, height) = (
            f64::from(columns.max(1)),
            f64::from(rows.max(1)) * cell_aspect,
        );
        let needed = (extent.width() / width).max(extent.height() / height) * MEAN_RADIUS_M / scale;
        view.metres_a_column = needed / (1.0 - 2.0 * MARGIN);
        let mut view = view.within_limits();
        let shown = height * view.metres_a_column / MEAN_RADIUS_M;
        if view.projection == Projection::Equirectangular && shown > std::f64::consts::PI {
            // The world fits from pole to pole and is centred.
            view.centre.latitude = 0.0;
        }
        view
    }

    /// The same view on a map of another size.
    pub(crate) fn resized(mut self, columns: u16, rows: u16, cell_aspect: f64) -> Self {
        if self.columns != columns && self.columns > 0 && columns > 0 {
            self.metres_a_column *= f64::from(self.columns) / f64::from(columns);
        }
        (self.columns, self.rows, self.cell_aspect) = (columns, rows, cell_aspect);
        self
    }

    /// The view magnified by `factor`; the cell of `about` does not change.
    pub(crate) fn zoomed(&self, factor: f64, about: Option<Position>) -> Self {
        let mut view = Self {
            metres_a_column: self.metres_a_column / factor,
            ..self.clone()
        }
        .within_limits();
        if let Some(about) = about
            && let (Some(before), Some(after)) = (self.cell(about), view.cell(about))
        {
            view = view.moved(after.0 - before.0, after.1 - before.1);
        }
        view
    }

    /// The view moved right and down by fractions of its width and height.
    pub(crate) fn panned(&self, right: f64, down: f64) -> Self {
        self.moved(right * f64::from(self.columns), down * f64::from(self.rows))
    }

    /// The view moved by cells.
    fn moved(&self, columns: f64, rows: f64) -> Self {
        let middle = (
            f64::from(self.columns) / 2.0 + columns,
            f64::from(self.rows) / 2.0 + rows,
        );
        match self.position_at(middle.0, middle.1) {
            Some(centre) => self.centred_on(centre),
            None => self.clone(),
        }
    }

    /// The view centred on a position.
    pub(crate) fn centred_on(&self, position: Position) -> Self {
        let mut view = Self {
            centre: position,
            ..self.clone()
        };
        if view.projection.has_seam() {
            // Keeps the seam away from the centre.
            view.meridian = position.longitude;
        }
        if view.projection == Projection::Mercator {
            view.centre.latitude = position.latitude.clamp(-MERCATOR_END, MERCATOR_END);
        }
        view
    }

    /// The view in the next projection that can show its centre.
    pub(crate) fn next_projection(&self) -> Self {
        use Projection::{Equirectangular, Globe, Mercator, PolarNorth, PolarSouth};
        let polar = if self.centre.latitude >= 0.0 {
            PolarNorth
        } else {
            PolarSouth
        };
        let order = [Mercator, polar, Globe, Equirectangular];
        let place = order
            .iter()
            .position(|one| *one == self.projection)
            .unwrap_or(0);
        let projection = order
            .get((place + 1) % order.len())
            .copied()
            .unwrap_or(Mercator);
        Self {
            projection,
            meridian: self.centre.longitude,
            ..self.clone()
        }
        .centred_on(self.centre)
    }

    /// The name of the projection.
    pub(crate) fn projection_name(&self) -> &'static str {
        self.projection.name()
    }

    fn within_limits(mut self) -> Self {
        let columns = f64::from(self.columns.max(1));
        self.metres_a_column = self
            .metres_a_column
            .clamp(CLOSEST_M / columns, FARTHEST_M / columns);
        self
    }

    /// The centre of the projection.
    fn origin(&self) -> Position {
        match self.projection {
            Projection::Globe => self.centre,
            _ => Position {
                latitude: self.centre.latitude,
                longitude: self.meridian,
            },
        }
    }

    fn plane(&self, position: Position) -> Option<(f64, f64)> {
        Plane::new(self.projection, self.origin()).forward(Vector::of(position))
    }

    fn unplane(&self, point: (f64, f64)) -> Option<Position> {
        Plane::new(self.projection, self.origin()).inverse(point.0, point.1)
    }

    /// Columns per Earth radius of the plane.
    fn columns_a_radius(&self) -> f64 {
        MEAN_RADIUS_M / self.projection.scale_at(self.centre.latitude) / self.metres_a_column
    }

    /// The view with precomputed values, to place many points.
    pub(crate) fn plotter(&self) -> Plotter {
        let plane = Plane::new(self.projection, self.origin());
        Plotter {
            plane,
            // The centre of a view is always visible: moving is limited to its
            // projection.
            middle: plane.forward(Vector::of(self.centre)).unwrap_or((0.0, 0.0)),
            scale: self.columns_a_radius(),
            columns: f64::from(self.columns),
            rows: f64::from(self.rows),
            cell_aspect: self.cell_aspect,
            has_seam: self.projection.has_seam(),
        }
    }

    /// A position in cells, possibly outside the map; `None` if the projection
    /// does not show it.
    pub(crate) fn cell(&self, position: Position) -> Option<(f64, f64)> {
        self.plotter().cell(Vector::of(position))
    }

    /// The position at a point of the map in cells; `None` outside the Earth.
    pub(crate) fn position_at(&self, column: f64, row: f64) -> Option<Position> {
        let (x0, y0) = self.plane(self.centre)?;
        let scale = self.columns_a_radius();
        let x = x0 + (column - f64::from(self.columns) / 2.0) / scale;
        let y = y0 - (row - f64::from(self.rows) / 2.0) * self.cell_aspect / scale;
        self.unplane((x, y))
    }

    /// Whether a position is on the map.
    pub(crate) fn shows(&self, position: Position) -> bool {
        self.cell(position).is_some_and(|(x, y)| {
            (0.0..f64::from(self.columns)).contains(&x) && (0.0..f64::from(self.rows)).contains(&y)
        })
    }
}

/// A view with precomputed values, to place many points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plotter {
    plane: Plane,
    middle: (f64, f64),
    /// Columns per Earth radius of the plane.
    scale: f64,
    columns: f64,
    rows: f64,
    cell_aspect: f64,
    has_seam: bool,
}

impl Plotter {
    /// Columns and rows of the map.
    pub(crate) fn size(&self) -> (f64, f64) {
        (self.columns, self.rows)
    }

    /// A point in cells, possibly outside the map; `None` if the projection
    /// does not show it.
    pub(crate) fn cell(&self, point: Vector) -> Option<(f64, f64)> {
        let (x, y) = self.plane.forward(point)?;
        Some((
            self.columns / 2.0 + (x - self.middle.0) * self.scale,
            self.rows / 2.0 - (y - self.middle.1) * self.scale / self.cell_aspect,
        ))
    }

    /// Upper bound of the columns of an angle of `radius` radians around a
    /// point.
    pub(crate) fn columns_across(&self, point: Vector, radius: f64) -> f64 {
        self.plane.greatest_scale(point, radius) * self.scale * radius
    }

    /// Whether anything within `radius` (radians) of a point may be on the map.
    /// It may be true in error, never false in error.
    pub(crate) fn may_show(&self, point: Vector, radius: f64) -> bool {
        if self.plane.hides(point, radius) {
            return false;
        }
        let reach = self.columns_across(point, radius);
        let Some((x, y)) = self.cell(point) else {
            return true;
        };
        // Near the seam a part may be on the other side of the map.
        let around = self.seam_columns();
        let shifts = [0.0, -around.unwrap_or(0.0), around.unwrap_or(0.0)];
        let rows = reach / self.cell_aspect;
        !reach.is_finite()
            || (y + rows >= -1.0
                && y - rows <= self.rows + 1.0
                && shifts.iter().any(|shift| {
                    x + shift + reach >= -1.0 && x + shift - reach <= self.columns + 1.0
                }))
    }

    /// Columns around the Earth, if the plane has a seam.
    pub(super) fn seam_columns(&self) -> Option<f64> {
        self.has_seam
            .then_some(2.0 * std::f64::consts::PI * self.scale)
    }
}

/// The extent of points in the plane.
struct Extent {
    x: (f64, f64),
    y: (f64, f64),
}

impl Extent {
    fn around(points: &[(f64, f64)]) -> Option<Self> {
        let first = points.first()?;
        let start = Self {
            x: (first.0, first.0),
            y: (first.1, first.1),
        };
        Some(points.iter().fold(start, |extent, point| Self {
            x: (extent.x.0.min(point.0), extent.x.1.max(point.0)),
            y: (extent.y.0.min(point.1), extent.y.1.max(point.1)),
        }))
    }

    fn width(&self) -> f64 {
        self.x.1 - self.x.0
    }

    fn height(&self) -> f64 {
        self.y.1 - self.y.0
    }

    fn middle(&self) -> (f64, f64) {
        (
            f64::midpoint(self.x.0, self.x.1),
            f64::midpoint(self.y.0, self.y.1),
        )
    }
}

/// Positions all over a box, its edges included, which have the same extent in
/// the plane as the box.
fn samples(bounds: &BoundingBox) -> Vec<Position> {
    const STEPS: u32 = 24;
    let part = |step: u32| f64::from(step) / f64::from(STEPS);
    (0..=STEPS)
        .flat_map(|down| (0..=STEPS).map(move |right| (part(down), part(right))))
        .map(|(down, right)| Position {
            latitude: bounds.south + (bounds.north - bounds.south) * down,
            longitude: wrap(bounds.west + bounds.width_deg() * right),
        })
        .collect()
}

#[cfg(test)]
mod tests;
