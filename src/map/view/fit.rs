//! Views that show a whole track, and the projections that can.

use super::View;
use crate::geo::geodesic::direct;
use crate::geo::projection::{MERCATOR_END, Projection, wrap};
use crate::geo::sphere::MEAN_RADIUS_M;
use crate::geo::{BoundingBox, Inside, Position, Vector};

/// Free margin around a fitted track, as a fraction of the map.
const MARGIN: f64 = 0.12;
/// Smallest width and height of a fitted map without a circle or an area, metres:
/// about what the coastline is accurate to.
const LEAST_M: f64 = 20_000.0;
/// Largest angle between the middle of a track and its farthest fix at which
/// the globe shows it, radians (80 degrees): beyond it the surface is seen too
/// obliquely.
const GLOBE_REACH: f64 = 80.0 / 180.0 * std::f64::consts::PI;

/// The content of a fitted map, and its projection.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Fitted {
    /// The box around the track; `None` for an empty one.
    pub bounds: Option<BoundingBox>,
    /// Positions in it. Near a pole they are fitted instead of the box, which
    /// is a ring there. May be empty.
    pub positions: Vec<Position>,
    /// Circles and areas that are shown as well.
    pub areas: Vec<Inside>,
    /// The chosen projection; `None`, or a projection that cannot show the track, for the one
    /// that suits the track best.
    pub projection: Option<Projection>,
}

impl Fitted {
    /// The box around the track and the areas.
    fn bounds(&self) -> Option<BoundingBox> {
        if self.areas.is_empty() {
            return self.bounds;
        }
        let track = self.bounds.iter().flat_map(samples);
        BoundingBox::around(track.chain(self.areas.iter().flat_map(around)))
    }

    /// The projections that can show the whole track and the areas, in
    /// the order of the key that changes them.
    pub(crate) fn projections(&self) -> Vec<Projection> {
        use Projection::{Equirectangular, Globe, Mercator, PolarNorth, PolarSouth};
        let bounds = self.bounds();
        let can_show = |projection: &Projection| match (projection, bounds) {
            (Equirectangular, _) | (_, None) => true,
            (Mercator, Some(bounds)) => is_in_mercator(bounds),
            (PolarNorth, Some(bounds)) => bounds.south >= 0.0,
            (PolarSouth, Some(bounds)) => bounds.north <= 0.0,
            (Globe, Some(bounds)) => self.is_on_one_side(bounds),
        };
        [Mercator, PolarNorth, PolarSouth, Globe, Equirectangular]
            .into_iter()
            .filter(can_show)
            .collect()
    }

    /// The chosen projection, if it can show all.
    fn wanted(&self) -> Option<Projection> {
        (self.projection).filter(|chosen| self.projections().contains(chosen))
    }

    /// `true` if the globe shows all of it from above its middle.
    fn is_on_one_side(&self, bounds: BoundingBox) -> bool {
        let positions = self.positions(Projection::Globe, bounds);
        let middle = Vector::new(middle(&positions));
        let far = |position: &Position| Vector::new(*position).angle(middle);
        positions.iter().map(far).fold(0.0, f64::max) <= GLOBE_REACH
    }

    /// The positions that a map in a projection must show.
    fn positions(&self, projection: Projection, bounds: BoundingBox) -> Vec<Position> {
        if projection.has_seam() || self.positions.is_empty() && self.bounds.is_some() {
            return samples(&bounds).collect();
        }
        let areas = self.areas.iter().flat_map(around);
        self.positions.iter().copied().chain(areas).collect()
    }

    /// The projection that suits it best.
    fn best(bounds: BoundingBox) -> Projection {
        if bounds.width_deg() > 180.0 && bounds.south.abs().min(bounds.north.abs()) < 60.0 {
            Projection::Equirectangular
        } else if bounds.south >= 60.0 && bounds.north >= 70.0 {
            Projection::PolarNorth
        } else if bounds.north <= -60.0 && bounds.south <= -70.0 {
            Projection::PolarSouth
        } else if is_in_mercator(bounds) {
            Projection::Mercator
        } else if bounds.south >= 0.0 {
            Projection::PolarNorth
        } else if bounds.north <= 0.0 {
            Projection::PolarSouth
        } else {
            Projection::Equirectangular
        }
    }
}

/// `true` if Mercator shows all of a box, with a degree to spare.
fn is_in_mercator(bounds: BoundingBox) -> bool {
    bounds.north < MERCATOR_END - 1.0 && bounds.south > 1.0 - MERCATOR_END
}

impl View {
    /// A view that shows all of `fitted` with a margin; the world if that is
    /// nothing.
    pub(crate) fn fit_to(fitted: &Fitted, columns: u16, rows: u16, cell_aspect: f64) -> Self {
        let mut view = Self::world(columns, rows, cell_aspect);
        let Some(bounds) = fitted.bounds() else {
            return view;
        };
        view.projection = fitted.wanted().unwrap_or_else(|| Fitted::best(bounds));
        let positions = fitted.positions(view.projection, bounds);
        view.centre = if view.projection == Projection::Globe {
            middle(&positions)
        } else {
            bounds.centre()
        };
        view.meridian = match view.projection {
            // One fix more or less does not turn the map.
            Projection::PolarNorth | Projection::PolarSouth => median_meridian(&positions),
            _ => view.centre.longitude,
        };
        let (width, height) = super::size(columns, rows, cell_aspect);
        // The plane of a globe moves with its centre: a second turn fits what
        // the first one has centred.
        for _ in 0..=u8::from(view.projection == Projection::Globe) {
            let plane = view.plane();
            let points = positions.iter().map(|position| Vector::new(*position));
            let points: Vec<(f64, f64)> = points.filter_map(|point| plane.forward(point)).collect();
            if points.is_empty() {
                return view;
            }
            let (x, across) = middle_and_size(points.iter().map(|point| point.0));
            let (y, down) = middle_and_size(points.iter().map(|point| point.1));
            if let Some(centre) = plane.inverse(x, y) {
                view.centre = centre;
            }
            let scale = view.projection.scale_at(view.centre.latitude);
            let needed = (across / width).max(down / height) * MEAN_RADIUS_M / scale;
            view.metres_a_column = needed / (1.0 - 2.0 * MARGIN);
        }
        if fitted.areas.is_empty() {
            view.metres_a_column = view.metres_a_column.max(LEAST_M / width.min(height));
        }
        let mut view = view.within_limits();
        let shown = height * view.metres_a_column / MEAN_RADIUS_M;
        if view.projection == Projection::Equirectangular && shown > std::f64::consts::PI {
            // The world fits from pole to pole and is centred.
            view.centre.latitude = 0.0;
        }
        view
    }
}

/// The meridian that has as many of the positions east of it as west.
fn median_meridian(positions: &[Position]) -> f64 {
    let of_all = middle(positions).longitude;
    let east_of_it = |position: &Position| wrap(position.longitude - of_all);
    let mut away: Vec<f64> = positions.iter().map(east_of_it).collect();
    away.sort_unstable_by(f64::total_cmp);
    wrap(of_all + away.get(away.len() / 2).copied().unwrap_or(0.0))
}

/// Positions on a circle, or on the edges of an area.
fn around(inside: &Inside) -> Vec<Position> {
    const STEPS: u32 = 36;
    match inside {
        Inside::Circle(circle) => (0..STEPS)
            .map(|step| {
                let course = 360.0 * f64::from(step) / f64::from(STEPS);
                direct(circle.centre, course, circle.radius_m)
            })
            .collect(),
        Inside::Area(area) => area.outline().flatten().copied().collect(),
    }
}

/// The mean of positions on the sphere.
pub(super) fn middle(positions: &[Position]) -> Position {
    let (x, y, z) = positions
        .iter()
        .map(|position| Vector::new(*position))
        .fold((0.0, 0.0, 0.0), |(x, y, z), v| (x + v.x, y + v.y, z + v.z));
    Vector { x, y, z }.unit().position()
}

/// The middle and the size of the range of some numbers.
fn middle_and_size(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let low = numbers.clone().fold(f64::INFINITY, f64::min);
    let high = numbers.fold(f64::NEG_INFINITY, f64::max);
    (f64::midpoint(low, high), high - low)
}

/// Positions all over a box, its edges included, which have the same extent in
/// the plane as the box.
pub(in crate::map) fn samples(bounds: &BoundingBox) -> impl Iterator<Item = Position> + use<> {
    const STEPS: u32 = 24;
    fn part(step: u32) -> f64 {
        f64::from(step) / f64::from(STEPS)
    }
    let bounds = *bounds;
    (0..=STEPS)
        .flat_map(|down| (0..=STEPS).map(move |right| (part(down), part(right))))
        .map(move |(down, right)| Position {
            latitude: bounds.south + (bounds.north - bounds.south) * down,
            longitude: wrap(bounds.west + bounds.width_deg() * right),
        })
}
