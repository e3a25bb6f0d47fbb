//! Great circles on a sphere: for rules that are written for one.

use super::Position;

/// Mean radius R1 of the Earth in metres (Moritz 2000, Geodetic Reference
/// System 1980).
pub const MEAN_RADIUS_M: f64 = 6_371_008.8;

/// The great-circle distance between two positions in metres, by the haversine
/// formula, which keeps its digits for short distances.
pub fn distance_m(from: Position, to: Position) -> f64 {
    let (lat1, lat2) = (from.latitude.to_radians(), to.latitude.to_radians());
    let half_lat = (lat2 - lat1) / 2.0;
    let half_lon = (to.longitude - from.longitude).to_radians() / 2.0;
    let haversine = half_lat.sin().powi(2) + lat1.cos() * lat2.cos() * half_lon.sin().powi(2);
    2.0 * MEAN_RADIUS_M * haversine.sqrt().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::geodesic;

    proptest::proptest! {
        #[test]
        fn the_sphere_is_within_0_6_percent_of_the_ellipsoid(lat1 in -90.0f64..90.0, lon1 in -180.0f64..180.0, lat2 in -90.0f64..90.0, lon2 in -180.0f64..180.0) {
            let from = Position { latitude: lat1, longitude: lon1 };
            let to = Position { latitude: lat2, longitude: lon2 };
            let geodesic = geodesic::inverse(from, to).distance_m;
            assert!((distance_m(from, to) - geodesic).abs() <= 0.006 * geodesic + 1e-6);
        }
    }
}
