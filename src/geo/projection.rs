//! From the globe to the plane and back: spherical forms, which is what a
//! picture needs. Lengths in the plane are in Earth radii.
//!
//! Formulas: Snyder, "Map Projections: A Working Manual", USGS Professional
//! Paper 1395 (1987): Mercator section 7, stereographic 21, orthographic 20,
//! equirectangular 12.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use super::{Position, Vector};

/// A way to flatten the globe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Projection {
    /// Courses are straight: below 70 degrees of latitude.
    Mercator,
    /// Polar stereographic about the North Pole.
    North,
    /// Polar stereographic about the South Pole.
    South,
    /// The Earth as seen from far off: one half of it.
    Globe,
    /// Longitude and latitude as they are: the whole world at once.
    Plain,
}

/// Mercator ends here: the square world of web maps, degrees.
pub const MERCATOR_END: f64 = 85.051_129;
/// A polar chart ends at this latitude of the other hemisphere, degrees.
const POLAR_END: f64 = -60.0;
/// Its sine, and that of Mercator's end.
const POLAR_END_SIN: f64 = -0.866_025_403_784_438_6;
const MERCATOR_END_SIN: f64 = 0.996_272_076_552_281_7;

impl Projection {
    /// The projection for a place: Mercator below 70 degrees, polar
    /// stereographic above.
    pub fn for_place(latitude: f64) -> Self {
        if latitude >= 70.0 {
            Self::North
        } else if latitude <= -70.0 {
            Self::South
        } else {
            Self::Mercator
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mercator => "Mercator",
            Self::North => "polar stereographic, north",
            Self::South => "polar stereographic, south",
            Self::Globe => "globe",
            Self::Plain => "equirectangular",
        }
    }

    /// How much longer than on the globe lengths are at a latitude.
    pub fn scale_at(self, latitude: f64) -> f64 {
        match self {
            Self::Mercator => {
                1.0 / latitude
                    .clamp(-MERCATOR_END, MERCATOR_END)
                    .to_radians()
                    .cos()
            }
            Self::North => 2.0 / (1.0 + latitude.to_radians().sin()).max(0.05),
            Self::South => 2.0 / (1.0 - latitude.to_radians().sin()).max(0.05),
            Self::Globe | Self::Plain => 1.0,
        }
    }

    /// Whether the plane has a seam opposite its meridian where lines must be
    /// cut.
    pub fn has_seam(self) -> bool {
        matches!(self, Self::Mercator | Self::Plain)
    }
}

/// A projection with its centre: the globe's is the point that is looked at,
/// of the others only the meridian counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    projection: Projection,
    longitude: f64,
    sin_lon: f64,
    cos_lon: f64,
    sin_lat: f64,
    cos_lat: f64,
}

impl Plane {
    /// The plane of a projection about a centre.
    pub fn new(projection: Projection, centre: Position) -> Self {
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

    /// A point of the sphere in the plane, x to the right and y up, or none
    /// where this projection does not show it.
    pub fn forward(&self, point: Vector) -> Option<(f64, f64)> {
        // The sphere turned so that the centre's meridian is the first.
        let x = point.x * self.cos_lon + point.y * self.sin_lon;
        let y = point.y * self.cos_lon - point.x * self.sin_lon;
        let z = point.z;
        match self.projection {
            Projection::Mercator => (z.abs() <= MERCATOR_END_SIN).then(|| (y.atan2(x), z.atanh())),
            Projection::Plain => Some((y.atan2(x), z.atan2(x.hypot(y)))),
            // The double angle of Snyder's radius, 2 tan(45° - latitude / 2),
            // in terms of the vector.
            Projection::North => (z >= POLAR_END_SIN).then(|| {
                let radius = 2.0 / (1.0 + z);
                (radius * y, -radius * x)
            }),
            Projection::South => (-z >= POLAR_END_SIN).then(|| {
                let radius = 2.0 / (1.0 - z);
                (radius * y, radius * x)
            }),
            Projection::Globe => {
                let depth = self.sin_lat * z + self.cos_lat * x;
                (depth >= 0.0).then_some((y, self.cos_lat * z - self.sin_lat * x))
            }
        }
    }

    /// The position at a point of the plane, or none off the map.
    pub fn inverse(&self, x: f64, y: f64) -> Option<Position> {
        let (latitude, east) = match self.projection {
            Projection::Mercator => (x.abs() <= PI).then(|| (y.sinh().atan(), x))?,
            Projection::Plain => (x.abs() <= PI && y.abs() <= FRAC_PI_2).then_some((y, x))?,
            Projection::North => (FRAC_PI_2 - 2.0 * (x.hypot(y) / 2.0).atan(), x.atan2(-y)),
            Projection::South => (2.0 * (x.hypot(y) / 2.0).atan() - FRAC_PI_2, x.atan2(y)),
            Projection::Globe => {
                let radius = x.hypot(y);
                if radius > 1.0 {
                    return None;
                }
                let depth = ((1.0 - radius) * (1.0 + radius)).sqrt();
                let (north, front) = (
                    depth * self.sin_lat + y * self.cos_lat,
                    depth * self.cos_lat - y * self.sin_lat,
                );
                (north.atan2(front.hypot(x)), x.atan2(front))
            }
        };
        let latitude = latitude.to_degrees();
        // A hair beyond the end, for what digits leave of the end itself.
        let shown = match self.projection {
            Projection::Mercator => latitude.abs() <= MERCATOR_END + 1e-9,
            Projection::North => latitude >= POLAR_END - 1e-9,
            Projection::South => -latitude >= POLAR_END - 1e-9,
            Projection::Globe | Projection::Plain => true,
        };
        shown.then(|| Position {
            latitude,
            longitude: wrap(self.longitude + east.to_degrees()),
        })
    }

    /// Whether nothing within `radius` (radians) of a point is shown.
    pub fn hides(&self, point: Vector, radius: f64) -> bool {
        match self.projection {
            Projection::Mercator => {
                point.z.abs().min(1.0).asin() - radius > MERCATOR_END.to_radians()
            }
            Projection::Plain => false,
            Projection::North => point.z.clamp(-1.0, 1.0).asin() + radius < POLAR_END.to_radians(),
            Projection::South => -point.z.clamp(-1.0, 1.0).asin() + radius < POLAR_END.to_radians(),
            Projection::Globe => {
                let x = point.x * self.cos_lon + point.y * self.sin_lon;
                let depth = self.sin_lat * point.z + self.cos_lat * x;
                depth < -radius
            }
        }
    }

    /// How much longer than on the globe lengths are at most within `radius`
    /// (radians) of a point; infinite where they have no bound.
    pub fn greatest_scale(&self, point: Vector, radius: f64) -> f64 {
        let latitude = point.z.clamp(-1.0, 1.0).asin();
        let farthest = latitude.abs() + radius;
        match self.projection {
            Projection::Mercator => 1.0 / farthest.min(MERCATOR_END.to_radians()).cos(),
            Projection::Plain if farthest >= FRAC_PI_2 => f64::INFINITY,
            Projection::Plain => 1.0 / farthest.cos(),
            Projection::North => 2.0 / (1.0 + (latitude - radius).max(-FRAC_PI_3).sin()),
            Projection::South => 2.0 / (1.0 - (latitude + radius).min(FRAC_PI_3).sin()),
            Projection::Globe => 1.0,
        }
    }
}

/// A longitude in [-180, 180).
pub fn wrap(degrees: f64) -> f64 {
    let wrapped = (degrees + 180.0).rem_euclid(360.0) - 180.0;
    if wrapped >= 180.0 { -180.0 } else { wrapped }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Projection; 5] = [
        Projection::Mercator,
        Projection::North,
        Projection::South,
        Projection::Globe,
        Projection::Plain,
    ];

    fn at(latitude: f64, longitude: f64) -> Position {
        Position {
            latitude,
            longitude,
        }
    }

    fn forward(projection: Projection, centre: Position, place: Position) -> Option<(f64, f64)> {
        Plane::new(projection, centre).forward(Vector::of(place))
    }

    #[test]
    fn the_published_numbers_come_out() {
        // Snyder, p. 266: Mercator of 35° N, 75° W about 180°, radius 1.
        let (x, y) = forward(Projection::Mercator, at(0.0, 180.0), at(35.0, -75.0)).unwrap();
        assert!((x - 1.832_595_7).abs() < 1e-6 && (y - 0.652_836_6).abs() < 1e-6);
        // The centre of the globe is its own, what lies behind it is not seen.
        let (x, y) = forward(Projection::Globe, at(10.0, 20.0), at(10.0, 20.0)).unwrap();
        assert!(x.hypot(y) < 1e-15);
        assert_eq!(
            forward(Projection::Globe, at(0.0, 0.0), at(0.0, 91.0)),
            None
        );
        // The pole is the middle of its chart; the equator lies at radius 2.
        let (x, y) = forward(Projection::North, at(90.0, 0.0), at(90.0, 50.0)).unwrap();
        assert!(x.hypot(y) < 1e-12);
        let (x, y) = forward(Projection::South, at(-90.0, 0.0), at(0.0, 90.0)).unwrap();
        assert!((x - 2.0).abs() < 1e-12 && y.abs() < 1e-12);
    }

    #[test]
    fn the_ends_are_where_they_are_said_to_be() {
        assert!((MERCATOR_END.to_radians().sin() - MERCATOR_END_SIN).abs() < 1e-12);
        assert!((POLAR_END.to_radians().sin() - POLAR_END_SIN).abs() < 1e-15);
        let shown = |projection, latitude| forward(projection, at(0.0, 0.0), at(latitude, 0.0));
        assert!(shown(Projection::Mercator, 85.05).is_some());
        assert!(shown(Projection::Mercator, -85.06).is_none());
        assert!(
            shown(Projection::North, -59.9).is_some() && shown(Projection::North, -60.1).is_none()
        );
        assert!(
            shown(Projection::South, 59.9).is_some() && shown(Projection::South, 60.1).is_none()
        );
    }

    proptest::proptest! {
        #[test]
        fn there_and_back_is_the_same_place(
            lat0 in -85.0f64..85.0, lon0 in -180.0f64..180.0, latitude in -84.9f64..84.9, longitude in -180.0f64..180.0,
        ) {
            let (centre, place) = (at(lat0, lon0), at(latitude, longitude));
            for projection in ALL {
                let plane = Plane::new(projection, centre);
                let Some((x, y)) = plane.forward(Vector::of(place)) else { continue };
                // At the limb of the globe a hair in the plane is a mile: there
                // no inverse can do better, whatever its formula.
                if projection == Projection::Globe && x.hypot(y) > 0.999 {
                    continue;
                }
                let back = plane.inverse(x, y).unwrap();
                proptest::prop_assert!((back.latitude - latitude).abs() < 1e-9, "{projection:?} {back:?}");
                proptest::prop_assert!(wrap(back.longitude - longitude).abs() < 1e-9, "{projection:?} {back:?}");
            }
        }

        #[test]
        fn what_is_hidden_is_not_shown_and_no_length_is_stretched_beyond_the_bound(
            lat0 in -89.0f64..89.0, lon0 in -180.0f64..180.0, latitude in -89.9f64..89.9, longitude in -180.0f64..180.0,
            radius in 0.0001f64..0.3, course in 0.0f64..std::f64::consts::TAU, share in 0.0f64..1.0,
        ) {
            let middle = Vector::of(at(latitude, longitude));
            // A point and a neighbour of it within the radius.
            let beside = |far: f64| Vector::of(at(
                (latitude + (far * course.cos()).to_degrees()).clamp(-90.0, 90.0),
                longitude + (far * course.sin()).to_degrees() / latitude.to_radians().cos(),
            ));
            let (near, next) = (beside(radius * share * 0.9), beside(radius * share * 0.9 + 1e-7));
            if near.angle(middle) > radius || next.angle(middle) > radius {
                return Ok(());
            }
            for projection in ALL {
                let plane = Plane::new(projection, at(lat0, lon0));
                let (a, b) = (plane.forward(near), plane.forward(next));
                proptest::prop_assert!(!plane.hides(middle, radius) || a.is_none(), "{projection:?}");
                if let (Some(a), Some(b)) = (a, b) {
                    let length = (a.0 - b.0).hypot(a.1 - b.1);
                    let most = plane.greatest_scale(middle, radius) * near.angle(next);
                    proptest::prop_assert!(length <= most * 1.01 + 1e-12 || length > 3.0, "{projection:?} {length} {most}");
                }
            }
        }
    }
}
