//! Positions, geodesics, boxes, projections and coordinate formats. Pure
//! functions of numbers: no time, no I/O.

pub(crate) mod area;
pub(crate) mod bounds;
pub(crate) mod circle;
pub(crate) mod format;
pub(crate) mod geodesic;
pub(crate) mod inside;
pub(crate) mod projection;
mod short_geodesic;
pub(crate) mod speed;
pub(crate) mod sphere;
pub(crate) mod units;
pub(crate) mod vector;

pub(crate) use area::Area;
pub(crate) use bounds::BoundingBox;
pub(crate) use format::{CoordinateFormat, Notation};
pub(crate) use inside::Inside;
pub(crate) use units::Units;
pub(crate) use vector::Vector;

/// A point on the WGS84 ellipsoid.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// Geodetic latitude in degrees, north positive, in [-90, 90].
    pub latitude: f64,
    /// Longitude in degrees, east positive, in [-180, 180].
    pub longitude: f64,
}

impl Position {
    /// A position from degrees; `None` outside the ranges of a record: latitude
    /// [-90, 90], longitude [-180, 360]. A longitude over 180 is normalised to
    /// [-180, 180]; negative zero becomes zero.
    pub fn new(latitude: f64, longitude: f64) -> Option<Self> {
        if !(-90.0..=90.0).contains(&latitude) || !(-180.0..=360.0).contains(&longitude) {
            return None;
        }
        let longitude = if longitude > 180.0 {
            longitude - 360.0
        } else {
            longitude
        };
        // Adding zero changes -0.0 to 0.0 and nothing else.
        Some(Self {
            latitude: latitude + 0.0,
            longitude: longitude + 0.0,
        })
    }

    /// `true` if two positions are the same point: ±180° is one meridian.
    pub fn same_point(self, other: Self) -> bool {
        let east = |longitude: f64| {
            if longitude == 180.0 {
                -180.0
            } else {
                longitude
            }
        };
        self.latitude == other.latitude && east(self.longitude) == east(other.longitude)
    }
}
