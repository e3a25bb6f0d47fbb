//! Map projections and their inverses, in spherical form, which is accurate
//! enough for drawing. Lengths in the plane are in Earth radii.
//!
//! Formulas: Snyder, "Map Projections: A Working Manual", USGS Professional
//! Paper 1395 (1987): Mercator section 7, stereographic 21, orthographic 20,
//! equirectangular 12.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use super::{Position, Vector};

/// A map projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Projection {
    /// Mercator, on which rhumb lines are straight; for what lies within its limits
    /// and not around a pole.
    Mercator,
    /// Polar stereographic about the North Pole.
    PolarNorth,
    /// Polar stereographic about the South Pole.
    PolarSouth,
    /// Orthographic: one half of the Earth as seen from a great distance.
    Globe,
    /// Equirectangular: the whole world, with longitude and latitude as
    /// coordinates.
    Equirectangular,
}

/// Highest latitude of Mercator, degrees: that of the square web map.
pub(crate) const MERCATOR_END: f64 = 85.051_129;
/// Latitude in the other hemisphere at which a polar map ends, degrees.
const POLAR_END: f64 = -60.0;
/// The sines of that latitude and of [`MERCATOR_END`].
const POLAR_END_SIN: f64 = -0.866_025_403_784_438_6;
const MERCATOR_END_SIN: f64 = 0.996_272_076_552_281_7;

impl Projection {
    /// The name shown to the user.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mercator => "Mercator",
            Self::PolarNorth => "polar stereographic, north",
            Self::PolarSouth => "polar stereographic, south",
            Self::Globe => "globe",
            Self::Equirectangular => "equirectangular",
        }
    }

    /// Ratio of a length in the plane to that on the globe, at a latitude.
    pub(crate) fn scale_at(self, latitude: f64) -> f64 {
        match self {
            Self::Mercator => {
                1.0 / latitude
                    .clamp(-MERCATOR_END, MERCATOR_END)
                    .to_radians()
                    .cos()
            }
            Self::PolarNorth => 2.0 / (1.0 + latitude.to_radians().sin()).max(0.05),
            Self::PolarSouth => 2.0 / (1.0 - latitude.to_radians().sin()).max(0.05),
            Self::Globe | Self::Equirectangular => 1.0,
        }
    }

    /// `true` if the plane has a seam, opposite its meridian, at which lines must
    /// be cut.
    pub(crate) fn has_seam(self) -> bool {
        matches!(self, Self::Mercator | Self::Equirectangular)
    }
}

/// A projection with its centre. Only the globe uses the whole centre; the
/// others use its meridian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    projection: Projection,
    longitude: f64,
    sin_lon: f64,
    cos_lon: f64,
    sin_lat: f64,
    cos_lat: f64,
}

impl Plane {
    /// The plane of a projection about a centre.
    pub(crate) fn new(projection: Projection, centre: Position) -> Self {
        let (sin_lon, cos_lon) = centre.longitude.to_radians().sin_cos();
        let (sin_lat, cos_lat) = centre.latitude.to_radians().sin_cos();
        Self {
            projection,
            longitude: centre.longitude,
            sin_lon,
            cos_lon,
            sin_lat,
            cos_lat,
        }
    }

    /// Projects a point of the sphere, x to the right and y up; `None` if this
    /// projection does not show it.
    pub(crate) fn forward(&self, point: Vector) -> Option<(f64, f64)> {
        // Rotates the sphere so that the centre's meridian has longitude 0.
        let x = point.x * self.cos_lon + point.y * self.sin_lon;
        let y = point.y * self.cos_lon - point.x * self.sin_lon;
        let z = point.z;
        match self.projection {
            Projection::Mercator => (z.abs() <= MERCATOR_END_SIN).then(|| (y.atan2(x), z.atanh())),
            Projection::Equirectangular => Some((y.atan2(x), z.atan2(x.hypot(y)))),
            // Snyder's radius 2 tan(45° - latitude / 2), by the double-angle
            // formula, from the vector.
            Projection::PolarNorth => (z >= POLAR_END_SIN).then(|| {
                let radius = 2.0 / (1.0 + z);
                (radius * y, -radius * x)
            }),
            Projection::PolarSouth => (-z >= POLAR_END_SIN).then(|| {
                let radius = 2.0 / (1.0 - z);
                (radius * y, radius * x)
            }),
            Projection::Globe => {
                let depth = self.sin_lat * z + self.cos_lat * x;
                (depth >= 0.0).then_some((y, self.cos_lat * z - self.sin_lat * x))
            }
        }
    }

    /// The position at a point of the plane; `None` outside the map.
    pub(crate) fn inverse(&self, x: f64, y: f64) -> Option<Position> {
        let (latitude, east) = match self.projection {
            Projection::Mercator => (x.abs() <= PI).then(|| (y.sinh().atan(), x))?,
            Projection::Equirectangular => {
                (x.abs() <= PI && y.abs() <= FRAC_PI_2).then_some((y, x))?
            }
            Projection::PolarNorth => (FRAC_PI_2 - 2.0 * (x.hypot(y) / 2.0).atan(), x.atan2(-y)),
            Projection::PolarSouth => (2.0 * (x.hypot(y) / 2.0).atan() - FRAC_PI_2, x.atan2(y)),
            Projection::Globe => {
                let radius = x.hypot(y);
                if radius > 1.0 {
                    return None;
                }
                let depth = ((1.0 - radius) * (1.0 + radius)).sqrt();
                let north = depth * self.sin_lat + y * self.cos_lat;
                let front = depth * self.cos_lat - y * self.sin_lat;
                (north.atan2(front.hypot(x)), x.atan2(front))
            }
        };
        let latitude = latitude.to_degrees();
        // Slightly beyond the end, to allow for rounding at the end itself.
        let shown = match self.projection {
            Projection::Mercator => latitude.abs() <= MERCATOR_END + 1e-9,
            Projection::PolarNorth => latitude >= POLAR_END - 1e-9,
            Projection::PolarSouth => -latitude >= POLAR_END - 1e-9,
            Projection::Globe | Projection::Equirectangular => true,
        };
        shown.then(|| Position {
            latitude,
            longitude: wrap(self.longitude + east.to_degrees()),
        })
    }

    /// `true` if all within `radius` (radians) of a point is hidden.
    pub(crate) fn hides(&self, point: Vector, radius: f64) -> bool {
        match self.projection {
            Projection::Mercator => {
                point.z.abs().min(1.0).asin() - radius > MERCATOR_END.to_radians()
            }
            Projection::Equirectangular => false,
            Projection::PolarNorth => {
                point.z.clamp(-1.0, 1.0).asin() + radius < POLAR_END.to_radians()
            }
            Projection::PolarSouth => {
                -point.z.clamp(-1.0, 1.0).asin() + radius < POLAR_END.to_radians()
            }
            Projection::Globe => {
                let x = point.x * self.cos_lon + point.y * self.sin_lon;
                let depth = self.sin_lat * point.z + self.cos_lat * x;
                depth < -radius
            }
        }
    }

    /// Largest [`Projection::scale_at`] within `radius` (radians) of a point;
    /// infinite if it is unbounded.
    pub(crate) fn greatest_scale(&self, point: Vector, radius: f64) -> f64 {
        let latitude = point.z.clamp(-1.0, 1.0).asin();
        let farthest = latitude.abs() + radius;
        match self.projection {
            Projection::Mercator => 1.0 / farthest.min(MERCATOR_END.to_radians()).cos(),
            Projection::Equirectangular if farthest >= FRAC_PI_2 => f64::INFINITY,
            Projection::Equirectangular => 1.0 / farthest.cos(),
            Projection::PolarNorth => 2.0 / (1.0 + (latitude - radius).max(-FRAC_PI_3).sin()),
            Projection::PolarSouth => 2.0 / (1.0 - (latitude + radius).min(FRAC_PI_3).sin()),
            Projection::Globe => 1.0,
        }
    }
}

/// A longitude in [-180, 180).
pub(crate) fn wrap(degrees: f64) -> f64 {
    let wrapped = (degrees + 180.0).rem_euclid(360.0) - 180.0;
    if wrapped >= 180.0 { -180.0 } else { wrapped }
}

#[cfg(test)]
mod tests;
