//! Rhumb lines on the WGS84 ellipsoid: lines of constant course, straight on a
//! Mercator chart.
//!
//! The isometric latitude is that of the ellipsoid (Snyder, USGS Professional
//! Paper 1395, equation 15-9). Distances along a meridian are geodesics,
//! because a meridian is a geodesic.

use std::f64::consts::FRAC_PI_2;

use super::projection::wrap;
use super::{Position, geodesic};

/// Semi-major axis of WGS84 in metres, and its first eccentricity.
const SEMI_MAJOR_M: f64 = 6_378_137.0;
const ECCENTRICITY: f64 = 0.081_819_190_842_621_49;

/// The rhumb line between two positions, the shorter way round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rhumb {
    /// Length in metres.
    pub distance_m: f64,
    /// Course, degrees from true north in [0, 360).
    pub course_deg: f64,
}

/// The rhumb line from `from` to `to`.
pub(crate) fn inverse(from: Position, to: Position) -> Rhumb {
    /// Difference of isometric latitude below which the line counts as a part
    /// of a parallel, because the quotient loses its digits.
    const LEVEL: f64 = 1e-7;
    let east = wrap(to.longitude - from.longitude).to_radians();
    let up = isometric(to.latitude) - isometric(from.latitude);
    let pole = |latitude: f64| Position {
        latitude,
        longitude: 0.0,
    };
    let meridian_m = geodesic::inverse(pole(from.latitude), pole(to.latitude)).distance_m;
    if !up.is_finite() {
        // To or from a pole, where all longitudes are the same point.
        return Rhumb {
            distance_m: meridian_m,
            course_deg: if up > 0.0 { 0.0 } else { 180.0 },
        };
    }
    // Metres per unit of isometric latitude, averaged along the line.
    let metres = if up.abs() > LEVEL {
        meridian_m / up.abs()
    } else {
        let (sin, cos) = f64::midpoint(from.latitude, to.latitude)
            .to_radians()
            .sin_cos();
        SEMI_MAJOR_M * cos / (1.0 - (ECCENTRICITY * sin).powi(2)).sqrt()
    };
    let course = east.atan2(up).to_degrees().rem_euclid(360.0);
    Rhumb {
        distance_m: east.hypot(up) * metres,
        course_deg: if course >= 360.0 { 0.0 } else { course },
    }
}

fn isometric(latitude: f64) -> f64 {
    let latitude = latitude.to_radians();
    if latitude.abs() >= FRAC_PI_2 {
        return f64::INFINITY.copysign(latitude);
    }
    latitude.tan().asinh() - ECCENTRICITY * (ECCENTRICITY * latitude.sin()).atanh()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_geographiclib() {
        // From RhumbSolve -i -p 6 of GeographicLib: latitudes and longitudes of
        // both ends, course in degrees, distance in metres.
        let known = [
            (
                35.7,
                139.8,
                37.8,
                -122.4,
                88.471_355_140_04,
                8_735_830.023_928,
            ),
            (10.0, 20.0, 10.0, 60.0, 90.0, 4_385_574.562_726),
            (
                -33.0,
                151.0,
                34.0,
                -118.0,
                52.132_077_050_11,
                12_081_925.570_008,
            ),
            (
                60.0,
                170.0,
                61.0,
                -170.0,
                84.211_002_782_32,
                1_104_649.370_447,
            ),
            (0.0, 0.0, 0.0, 90.0, 90.0, 10_018_754.171_395),
            (
                45.0,
                0.0,
                45.000_000_1,
                1.0,
                89.999_991_924_36,
                78_846.835_025,
            ),
            (
                89.0,
                10.0,
                -89.0,
                20.0,
                178.944_073_153_45,
                19_783_903.363_766,
            ),
            (54.0, 7.9, 54.001, 7.901, 30.504_327_849_59, 129.185_467),
        ];
        for (lat1, lon1, lat2, lon2, course, distance) in known {
            let at = |latitude, longitude| Position {
                latitude,
                longitude,
            };
            let line = inverse(at(lat1, lon1), at(lat2, lon2));
            assert!((line.course_deg - course).abs() < 1e-6, "{line:?} {course}");
            assert!(
                (line.distance_m - distance).abs() < 1e-3,
                "{line:?} {distance}"
            );
        }
    }

    #[test]
    fn to_the_pole_it_runs_along_the_meridian() {
        let at = |latitude, longitude| Position {
            latitude,
            longitude,
        };
        let line = inverse(at(89.0, 30.0), at(90.0, -100.0));
        assert!(
            line.course_deg == 0.0 && (line.distance_m - 111_694.0).abs() < 1.0,
            "{line:?}"
        );
        assert_eq!(inverse(at(5.0, 5.0), at(5.0, 5.0)).distance_m, 0.0);
    }
}
