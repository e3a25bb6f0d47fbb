//! The part of the Earth that a map shows, and its scale.

mod fit;
mod world;

pub(crate) use fit::Fitted;
pub(in crate::map) use fit::samples;

use super::dots::CellDots;
use crate::geo::projection::{MERCATOR_END, Plane, Projection};
use crate::geo::sphere::MEAN_RADIUS_M;
use crate::geo::{Position, Vector};

/// Smallest width of a map in metres, about the accuracy of positions.
const CLOSEST_M: f64 = 100.0;
/// The longest step of a line that is too short to see in cells, columns.
const UNSEEN: f64 = 0.05;
/// Greatest width of a map in metres, slightly more than the equator.
const FARTHEST_M: f64 = 4.2e7;

/// A view of the Earth in cells: x to the right and y down from the upper left
/// corner, with the middle of the first cell at (0.5, 0.5).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct View {
    pub projection: Projection,
    /// The position in the middle of the map.
    pub centre: Position,
    /// The meridian that points down on a polar map and is in the middle of a
    /// flat one, degrees.
    pub meridian: f64,
    /// Metres per column at the centre.
    pub metres_a_column: f64,
    pub columns: u16,
    pub rows: u16,
    /// Height of a cell over its width.
    pub cell_aspect: f64,
    /// The longest step of a line that is too short to see, columns.
    pub unseen: f64,
}

/// The width and the height of a map, in columns; at least one cell.
fn size(columns: u16, rows: u16, cell_aspect: f64) -> (f64, f64) {
    let rows = f64::from(rows.max(1));
    (f64::from(columns.max(1)), rows * cell_aspect)
}

impl View {
    /// The latitude, such as `72°N`, at which the scale is right: that of the centre, or the
    /// equator; `None` where the scale does not depend on it.
    pub(crate) fn scale_latitude(&self) -> Option<String> {
        let latitude = self.centre.latitude;
        let side = if latitude < 0.0 { 'S' } else { 'N' };
        match self.projection {
            Projection::Mercator => Some(format!("{:.0}°{side}", latitude.abs())),
            Projection::Equirectangular => Some("0°".to_owned()),
            _ => None,
        }
    }

    /// A view of the whole world.
    pub(crate) fn world(columns: u16, rows: u16, cell_aspect: f64) -> Self {
        let (width, height) = size(columns, rows, cell_aspect);
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
            unseen: UNSEEN,
        }
    }

    /// The globe, centred on a position.
    pub(crate) fn globe(centre: Position, columns: u16, rows: u16, cell_aspect: f64) -> Self {
        let (width, height) = size(columns, rows, cell_aspect);
        Self {
            projection: Projection::Globe,
            centre,
            meridian: centre.longitude,
            metres_a_column: 2.04 * MEAN_RADIUS_M / width.min(height),
            columns,
            rows,
            cell_aspect,
            unseen: UNSEEN,
        }
    }

    /// The same view, on a map with other columns and rows.
    pub(crate) fn resized(mut self, columns: u16, rows: u16, cell_aspect: f64) -> Self {
        if self.columns != columns && self.columns > 0 && columns > 0 {
            self.metres_a_column *= f64::from(self.columns) / f64::from(columns);
        }
        (self.columns, self.rows, self.cell_aspect) = (columns, rows, cell_aspect);
        self
    }

    /// The same view, of whose cells, as small as pixels, so many across and down make one of this.
    pub(crate) fn divided(&self, (across, down): (u16, u16)) -> Self {
        let across = across.max(1);
        let down = down.max(1);
        Self {
            metres_a_column: self.metres_a_column / f64::from(across),
            columns: self.columns.saturating_mul(across),
            rows: self.rows.saturating_mul(down),
            cell_aspect: self.cell_aspect * f64::from(across) / f64::from(down),
            unseen: 20.0 * UNSEEN,
            ..self.clone()
        }
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
        let column = f64::from(self.columns) / 2.0 + columns;
        let row = f64::from(self.rows) / 2.0 + rows;
        let centre = self.position_at(column, row);
        centre.map_or_else(|| self.clone(), |centre| self.centred_on(centre))
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

    fn within_limits(mut self) -> Self {
        let columns = f64::from(self.columns.max(1));
        // The world is twice as wide as high: a low map shows it in fewer columns.
        let height = f64::from(self.rows.max(1)) * self.cell_aspect;
        let farthest = FARTHEST_M / columns.min(2.0 * height);
        self.metres_a_column = self.metres_a_column.clamp(CLOSEST_M / columns, farthest);
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

    fn plane(&self) -> Plane {
        Plane::new(self.projection, self.origin())
    }

    /// The view with precomputed values, for many points.
    pub(crate) fn plotter(&self) -> Plotter {
        let plane = self.plane();
        let scale = self.projection.scale_at(self.centre.latitude);
        Plotter {
            plane,
            // The centre of a view is always visible: moving is limited to its
            // projection.
            middle: plane
                .forward(Vector::new(self.centre))
                .unwrap_or((0.0, 0.0)),
            scale: MEAN_RADIUS_M / scale / self.metres_a_column,
            columns: f64::from(self.columns),
            rows: f64::from(self.rows),
            cell_aspect: self.cell_aspect,
            unseen: self.unseen,
            has_seam: self.projection.has_seam(),
        }
    }

    /// A position in cells, possibly outside the map; `None` if the projection
    /// does not show it.
    pub(crate) fn cell(&self, position: Position) -> Option<(f64, f64)> {
        self.plotter().cell(Vector::new(position))
    }

    /// The position at a point of the map in cells; `None` outside the Earth.
    pub(crate) fn position_at(&self, column: f64, row: f64) -> Option<Position> {
        self.plotter().position_at(column, row)
    }

    /// `true` if the Earth covers the whole map. It does if it covers the corners,
    /// because it is convex in every projection.
    pub(crate) fn is_full(&self) -> bool {
        let right = f64::from(self.columns);
        let bottom = f64::from(self.rows);
        [(0.0, 0.0), (right, 0.0), (0.0, bottom), (right, bottom)]
            .into_iter()
            .all(|(x, y)| self.position_at(x, y).is_some())
    }

    /// `true` if a position is on the map.
    pub(crate) fn shows(&self, position: Position) -> bool {
        let on_map = self.plotter().cell_on_map(Vector::new(position));
        on_map.is_some()
    }
}

/// A view with precomputed values, for many points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plotter {
    plane: Plane,
    middle: (f64, f64),
    /// Columns per Earth radius of the plane.
    scale: f64,
    columns: f64,
    rows: f64,
    cell_aspect: f64,
    /// As that of the view.
    pub(super) unseen: f64,
    has_seam: bool,
}

impl Plotter {
    /// Columns and rows of the map.
    pub(crate) fn size(&self) -> (f64, f64) {
        (self.columns, self.rows)
    }

    /// The smaller side of a dot, in columns, where cells have these dots.
    pub(super) fn smaller_side(&self, dots: CellDots) -> f64 {
        let across = 1.0 / f64::from(dots.across);
        across.min(self.cell_aspect / f64::from(dots.down))
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

    /// A point in cells; `None` if it is not on the map.
    pub(crate) fn cell_on_map(&self, point: Vector) -> Option<(f64, f64)> {
        let is_inside =
            |(x, y): &(f64, f64)| (0.0..self.columns).contains(x) && (0.0..self.rows).contains(y);
        self.cell(point).filter(is_inside)
    }

    /// The position at a point of the map in cells; `None` outside the Earth.
    pub(super) fn position_at(&self, column: f64, row: f64) -> Option<Position> {
        let x = self.middle.0 + (column - self.columns / 2.0) / self.scale;
        let y = self.middle.1 - (row - self.rows / 2.0) * self.cell_aspect / self.scale;
        self.plane.inverse(x, y)
    }

    /// The column of the middle of the plane, possibly outside the map.
    pub(super) fn origin_column(&self) -> f64 {
        self.columns / 2.0 - self.middle.0 * self.scale
    }

    /// Upper bound of the columns of an angle of `radius` radians around a
    /// point.
    pub(crate) fn columns_across(&self, point: Vector, radius: f64) -> f64 {
        self.plane.greatest_scale(point, radius) * self.scale * radius
    }

    /// `true` if anything within `radius` (radians) of a point may be on the map.
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

    /// `true` unless a straight line between two points in cells is out of the map.
    pub(super) fn may_cross(&self, a: (f64, f64), b: (f64, f64)) -> bool {
        a.0.max(b.0) >= -1.0
            && a.0.min(b.0) <= self.columns + 1.0
            && a.1.max(b.1) >= -1.0
            && a.1.min(b.1) <= self.rows + 1.0
    }

    /// Columns around the Earth, if the plane has a seam.
    pub(super) fn seam_columns(&self) -> Option<f64> {
        self.has_seam
            .then_some(2.0 * std::f64::consts::PI * self.scale)
    }
}

#[cfg(test)]
mod tests;
