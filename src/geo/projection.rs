//! From the globe to the plane and back: spherical forms, which is what a
//! picture needs. Lengths in the plane are in Earth radii.
//!
//! Formulas: Snyder, "Map Projections: A Working Manual", USGS Professional
//! Paper 1395 (1987): Mercator section 7, stereographic 21, orthographic 20,
//! equirectangular 12.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::Position;

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

    /// A position in the plane, x to the right and y up, or none where this
    /// projection does not show it. The plane is centred on `centre` for the
    /// globe, on its meridian otherwise.
    pub fn forward(self, centre: Position, position: Position) -> Option<(f64, f64)> {
        let latitude = position.latitude.to_radians();
        let east = wrap(position.longitude - centre.longitude).to_radians();
        match self {
            Self::Mercator => {
                let end = MERCATOR_END.to_radians();
                (latitude.abs() <= end).then(|| (east, latitude.tan().asinh()))
            }
            Self::Plain => Some((east, latitude)),
            Self::North => (position.latitude >= POLAR_END).then(|| {
                let radius = 2.0 * (FRAC_PI_4 - latitude / 2.0).tan();
                (radius * east.sin(), -radius * east.cos())
            }),
            Self::South => (-position.latitude >= POLAR_END).then(|| {
                let radius = 2.0 * (FRAC_PI_4 + latitude / 2.0).tan();
                (radius * east.sin(), radius * east.cos())
            }),
            Self::Globe => {
                let (sin0, cos0) = centre.latitude.to_radians().sin_cos();
                let (sin1, cos1) = latitude.sin_cos();
                let depth = sin0 * sin1 + cos0 * cos1 * east.cos();
                (depth >= 0.0).then(|| (cos1 * east.sin(), cos0 * sin1 - sin0 * cos1 * east.cos()))
            }
        }
    }

    /// The position at a point of the plane, or none off the map.
    pub fn inverse(self, centre: Position, x: f64, y: f64) -> Option<Position> {
        let (latitude, east) = match self {
            Self::Mercator => (x.abs() <= PI).then(|| (y.sinh().atan(), x))?,
            Self::Plain => (x.abs() <= PI && y.abs() <= FRAC_PI_2).then_some((y, x))?,
            Self::North => (FRAC_PI_2 - 2.0 * (x.hypot(y) / 2.0).atan(), x.atan2(-y)),
            Self::South => (2.0 * (x.hypot(y) / 2.0).atan() - FRAC_PI_2, x.atan2(y)),
            Self::Globe => {
                let radius = x.hypot(y);
                if radius > 1.0 {
                    return None;
                }
                let (sin0, cos0) = centre.latitude.to_radians().sin_cos();
                let cos = (1.0 - radius * radius).sqrt();
                let latitude = (cos * sin0 + y * cos0).clamp(-1.0, 1.0).asin();
                (latitude, x.atan2(cos * cos0 - y * sin0))
            }
        };
        Some(Position {
            latitude: latitude.to_degrees(),
            longitude: wrap(centre.longitude + east.to_degrees()),
        })
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

/// A longitude in [-180, 180).
pub fn wrap(degrees: f64) -> f64 {
    let wrapped = (degrees + 180.0).rem_euclid(360.0) - 180.0;
    if wrapped >= 180.0 { -180.0 } else { wrapped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers_come_out() {
        let at = |latitude, longitude| Position {
            latitude,
            longitude,
        };
        // Snyder, p. 266: Mercator of 35° N, 75° W about 180°, radius 1.
        let (x, y) = Projection::Mercator
            .forward(at(0.0, 180.0), at(35.0, -75.0))
            .unwrap();
        assert!((x - 1.832_595_7).abs() < 1e-6 && (y - 0.652_836_6).abs() < 1e-6);
        // The centre and the limb of the globe are exact.
        assert_eq!(
            Projection::Globe.forward(at(10.0, 20.0), at(10.0, 20.0)),
            Some((0.0, 0.0))
        );
        assert_eq!(Projection::Globe.forward(at(0.0, 0.0), at(0.0, 91.0)), None);
        // The pole is the middle of its chart; the equator lies at radius 2.
        let (x, y) = Projection::North
            .forward(at(90.0, 0.0), at(90.0, 50.0))
            .unwrap();
        assert!(x.hypot(y) < 1e-12);
        let (x, y) = Projection::South
            .forward(at(-90.0, 0.0), at(0.0, 90.0))
            .unwrap();
        assert!((x - 2.0).abs() < 1e-12 && y.abs() < 1e-12);
    }

    proptest::proptest! {
        #[test]
        fn there_and_back_is_the_same_place(
            lat0 in -85.0f64..85.0, lon0 in -180.0f64..180.0, latitude in -84.9f64..84.9, longitude in -180.0f64..180.0,
        ) {
            let centre = Position { latitude: lat0, longitude: lon0 };
            let place = Position { latitude, longitude };
            for projection in [Projection::Mercator, Projection::North, Projection::South, Projection::Globe, Projection::Plain] {
                let Some((x, y)) = projection.forward(centre, place) else { continue };
                let Some(back) = projection.inverse(centre, x, y) else {
                    proptest::prop_assert!(projection == Projection::Globe && x.hypot(y) > 1.0 - 1e-9);
                    continue;
                };
                // Near the limb of the globe a hair in the plane is a mile.
                let tolerance = if projection == Projection::Globe { 1e-4 } else { 1e-8 };
                proptest::prop_assert!((back.latitude - latitude).abs() < tolerance, "{projection:?} {back:?}");
                proptest::prop_assert!(wrap(back.longitude - longitude).abs() < tolerance / latitude.to_radians().cos(), "{projection:?} {back:?}");
            }
        }
    }
}
