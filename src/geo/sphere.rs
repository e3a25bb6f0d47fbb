//! Great-circle distances on a sphere, for rules defined on one.

use super::Position;

/// Mean radius R1 of the Earth in metres (Moritz 2000, Geodetic Reference
/// System 1980).
pub(crate) const MEAN_RADIUS_M: f64 = 6_371_008.8;

/// The great-circle distance between two positions in metres, by the haversine
/// formula, which is accurate for short distances.
pub(crate) fn distance_m(from: Position, to: Position) -> f64 {
    let lat1 = from.latitude.to_radians();
    let lat2 = to.latitude.to_radians();
    let half_lat = (lat2 - lat1) / 2.0;
    let half_lon = (to.longitude - from.longitude).to_radians() / 2.0;
    let haversine = half_lat.sin().powi(2) + lat1.cos() * lat2.cos() * half_lon.sin().powi(2);
    2.0 * MEAN_RADIUS_M * haversine.sqrt().min(1.0).asin()
}

/// An upper bound of the great-circle distance in metres, close to it for near
/// positions: the length of the straight line on a map whose scale along every
/// parallel is that of the parallel nearest to the equator.
pub(crate) fn at_most_m(from: Position, to: Position) -> f64 {
    let north = (to.latitude - from.latitude).to_radians();
    let mut east_deg = (to.longitude - from.longitude).abs();
    if east_deg > 180.0 {
        east_deg = 360.0 - east_deg;
    }
    let least = if from.latitude * to.latitude < 0.0 {
        0.0
    } else {
        from.latitude.abs().min(to.latitude.abs())
    };
    // More than it is rounded by.
    let east = east_deg.to_radians() * (least.to_radians().cos() + 1e-13);
    MEAN_RADIUS_M * (north * north + east * east).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::geodesic;

    proptest::proptest! {
        #[test]
        fn the_quick_bound_is_never_short_and_near_where_it_is_near(lat in -90.0f64..90.0, lon in -180.0f64..180.0, north in -3.0f64..3.0, east in -360.0f64..360.0, small in 1e-6f64..1e-2) {
            let from = Position { latitude: lat, longitude: lon };
            let to = Position { latitude: (lat + north).clamp(-90.0, 90.0), longitude: (lon + east).clamp(-180.0, 180.0) };
            assert!(at_most_m(from, to) >= distance_m(from, to) * (1.0 - 1e-12));
            let near = Position { latitude: (lat + small).min(90.0), longitude: lon };
            assert!(at_most_m(from, near) <= distance_m(from, near) * 1.01 + 1e-6);
        }
    }

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
