//! Distances and courses on the WGS84 ellipsoid, after Karney, "Algorithms for
//! geodesics", J. Geodesy 87 (2013), by geographiclib.

use std::sync::LazyLock;

use geographiclib_rs::{DirectGeodesic, Geodesic as Ellipsoid, InverseGeodesic};

use super::Position;

static WGS84: LazyLock<Ellipsoid> = LazyLock::new(Ellipsoid::wgs84);

/// The shortest line between two positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geodesic {
    /// Length in metres.
    pub distance_m: f64,
    /// Course at the start, degrees from true north, in [0, 360).
    pub initial_course_deg: f64,
    /// Course at the end, degrees from true north, in [0, 360).
    pub final_course_deg: f64,
}

/// The geodesic from `from` to `to`.
pub fn inverse(from: Position, to: Position) -> Geodesic {
    let (distance_m, initial, last, _arc): (f64, f64, f64, f64) =
        WGS84.inverse(from.latitude, from.longitude, to.latitude, to.longitude);
    Geodesic {
        distance_m,
        initial_course_deg: course(initial),
        final_course_deg: course(last),
    }
}

/// The position `distance_m` metres from `from` on the course `course_deg`.
pub fn direct(from: Position, course_deg: f64, distance_m: f64) -> Position {
    let (latitude, longitude): (f64, f64) =
        WGS84.direct(from.latitude, from.longitude, course_deg, distance_m);
    Position {
        latitude,
        longitude,
    }
}

/// An azimuth in [-180, 180] as a course in [0, 360).
fn course(azimuth: f64) -> f64 {
    let course = azimuth.rem_euclid(360.0) + 0.0;
    // rem_euclid of a tiny negative number rounds up to 360 itself.
    if course >= 360.0 { 0.0 } else { course }
}
