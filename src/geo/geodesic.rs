//! Distances and courses on the WGS84 ellipsoid, after Karney, "Algorithms for
//! geodesics", J. Geodesy 87 (2013), by the crate geographiclib-rs.

use std::sync::LazyLock;

use geographiclib_rs::{DirectGeodesic, Geodesic as Ellipsoid, InverseGeodesic};

use super::{Position, short_geodesic};

static WGS84: LazyLock<Ellipsoid> = LazyLock::new(Ellipsoid::wgs84);

/// The shortest line between two positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Geodesic {
    /// Length in metres.
    pub distance_m: f64,
    /// Course at the start, degrees from true north, in [0, 360).
    pub initial_course_deg: f64,
    /// Course at the end, degrees from true north, in [0, 360).
    pub final_course_deg: f64,
}

/// The geodesic from `from` to `to`.
pub(crate) fn inverse(from: Position, to: Position) -> Geodesic {
    let (distance_m, initial, last, _arc): (f64, f64, f64, f64) =
        WGS84.inverse(from.latitude, from.longitude, to.latitude, to.longitude);
    Geodesic {
        distance_m,
        initial_course_deg: course(initial),
        final_course_deg: course(last),
    }
}

/// Length in metres of the geodesic from `from` to `to`, and its initial course
/// in degrees, [0, 360). Agrees with [`inverse`] to 1e-8 m, and is several
/// times faster for short lines.
pub(crate) fn leg(from: Position, to: Position) -> (f64, f64) {
    match short_geodesic::line(from, to) {
        Some((distance_m, azimuth)) => (distance_m, course(azimuth)),
        None => {
            let line = inverse(from, to);
            (line.distance_m, line.initial_course_deg)
        }
    }
}

/// The position `distance_m` metres from `from` on the course `course_deg`.
pub(crate) fn direct(from: Position, course_deg: f64, distance_m: f64) -> Position {
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
    // rem_euclid of a tiny negative number rounds up to 360.
    if course >= 360.0 { 0.0 } else { course }
}

/// The length in metres of the geodesic between two positions.
pub(crate) fn length_m(from: Position, to: Position) -> f64 {
    #[cfg(test)]
    MEASURED.with(|count| count.set(count.get() + 1));
    short_geodesic::length_m(from, to).unwrap_or_else(|| inverse(from, to).distance_m)
}

#[cfg(test)]
thread_local! {
    static MEASURED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many lengths a piece of work measures on its thread.
#[cfg(test)]
pub(crate) fn measured_by(work: impl FnOnce()) -> usize {
    let before = MEASURED.get();
    work();
    MEASURED.get() - before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;
    use crate::testing::recorded;

    /// From Karney's published test set: lat1 lon1 azi1 lat2 lon2 azi2 s12.
    #[test]
    fn distances_and_courses_agree_with_karneys_test_set() {
        let text = String::from_utf8(recorded::unpacked("geodesics.txt")).unwrap();
        let mut lines = 0;
        for row in text.lines() {
            let f: Vec<f64> = row
                .split_ascii_whitespace()
                .map(|field| field.parse().unwrap())
                .collect();
            let [lat1, lon1, azi1, lat2, lon2, azi2, s12] = f[..] else {
                panic!("{row}")
            };
            let from = at(lat1, lon1);
            let line = inverse(from, at(lat2, lon2));
            assert!(
                (line.distance_m - s12).abs() <= 1e-6 * s12.max(1e-3),
                "{f:?}"
            );
            // Azimuths of nearly antipodal lines are accurate to 4e-4 degrees
            // only; those of lines of millimetres are not meaningful.
            if s12 > 1.0 {
                let tolerance = if s12 > 19.9e6 { 5e-4 } else { 1e-7 };
                let apart = |a: f64, b: f64| ((a - b + 180.0).rem_euclid(360.0) - 180.0).abs();
                assert!(
                    apart(line.initial_course_deg, azi1) < tolerance,
                    "{f:?} {line:?}"
                );
                assert!(
                    apart(line.final_course_deg, azi2) < tolerance,
                    "{f:?} {line:?}"
                );
            }
            lines += 1;
        }
        assert_eq!(lines, 2_000);
    }
}
