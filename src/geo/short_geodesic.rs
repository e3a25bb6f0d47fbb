//! Geodesics so short that the chord and its curvature give their length.
//! Nearly every leg of a track is short; this takes a fifth of the time of the
//! general solution.

use super::Position;

/// Semi-major axis of WGS84, metres.
const A_M: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// First eccentricity, squared.
const E2: f64 = FLATTENING * (2.0 - FLATTENING);
/// Longest chord computed here, metres. The truncation error of the series
/// grows with the fourth power of length over radius; up to this length it is
/// less than the rounding error.
const LONGEST_M: f64 = 10_000.0;
/// Difference in degrees of latitude, or of longitude times the cosine, above
/// which a line is certainly longer.
const WIDEST_DEG: f64 = 0.1;

/// Length in metres and initial course in degrees from true north, in [-180,
/// 180], of the geodesic between two positions; `None` if it is not short.
///
/// The chord is exact. The arc follows from the curvature of the normal section
/// at the midpoint (s = c + c³κ²/24 + 3c⁵κ⁴/640, the arc of a circle). The
/// course is that of the normal section at the start less the angle between it
/// and the geodesic (e² s² cos²φ sin 2α / 12 N², after Clarke, Geodesy, 1880).
pub(super) fn line(from: Position, to: Position) -> Option<(f64, f64)> {
    let short = measure(from, to)?;
    if short.distance_m == 0.0 {
        return Some((0.0, 0.0));
    }
    let course = (short.east.atan2(short.north) - short.aside).to_degrees();
    Some((short.distance_m, course))
}

/// The length only, which needs no arctangent.
pub(super) fn length_m(from: Position, to: Position) -> Option<f64> {
    measure(from, to).map(|short| short.distance_m)
}

/// A short geodesic.
struct Short {
    distance_m: f64,
    /// Components of the chord in the horizontal plane at the start, metres.
    east: f64,
    north: f64,
    /// Angle from the normal section to the geodesic, radians.
    aside: f64,
}

#[inline]
fn measure(from: Position, to: Position) -> Option<Short> {
    let north_deg = to.latitude - from.latitude;
    let mut east_deg = to.longitude - from.longitude;
    if east_deg > 180.0 {
        east_deg -= 360.0;
    } else if east_deg < -180.0 {
        east_deg += 360.0;
    }
    // A pole has no meridian.
    let at_pole = from.latitude.abs() >= 90.0 || to.latitude.abs() >= 90.0;
    if north_deg.abs() > WIDEST_DEG || at_pole {
        return None;
    }
    let (sin_middle, cos_middle) = f64::midpoint(from.latitude, to.latitude)
        .to_radians()
        .sin_cos();
    if east_deg.abs() * cos_middle > 2.0 * WIDEST_DEG {
        return None;
    }
    let (sin_rise, cos_rise) = (north_deg.to_radians() / 2.0).sin_cos();
    let (sin_half, cos_half) = (east_deg.to_radians() / 2.0).sin_cos();
    let sin_from = sin_middle * cos_rise - cos_middle * sin_rise;
    let cos_from = cos_middle * cos_rise + sin_middle * sin_rise;
    let sin_to = sin_middle * cos_rise + cos_middle * sin_rise;
    let cos_to = cos_middle * cos_rise - sin_middle * sin_rise;
    // Differences of nearly equal numbers are computed as products, so that a
    // leg of a centimetre has as many correct digits as one of a kilometre.
    let sin_gain = 2.0 * cos_middle * sin_rise;
    let cos_gain = -2.0 * sin_middle * sin_rise;
    let w_from = w(sin_from);
    let w_to = w(sin_to);
    let n_to = A_M / w_to;
    let n_gain = A_M * E2 * sin_gain * (sin_from + sin_to) / ((w_from + w_to) * w_from * w_to);
    // Longitudes are counted from the meridian of the start.
    let out = n_to * cos_to;
    let x = n_to * cos_gain + n_gain * cos_from - 2.0 * out * sin_half * sin_half;
    let y = 2.0 * out * sin_half * cos_half;
    let z = (1.0 - E2) * (n_to * sin_gain + n_gain * sin_from);
    let chord2 = x * x + y * y + z * z;
    if chord2 > LONGEST_M * LONGEST_M {
        return None;
    }
    let east = y;
    let north = z * cos_from - x * sin_from;
    let level2 = east * east + north * north;
    if level2 == 0.0 {
        return Some(Short {
            distance_m: 0.0,
            east,
            north,
            aside: 0.0,
        });
    }
    let sin2_course = east * east / level2;
    // 1/N and 1/M at the midpoint, combined by Euler's theorem.
    let w_middle = w(sin_middle);
    let across = w_middle / A_M;
    let along = across * w_middle * w_middle / (1.0 - E2);
    let curvature = across * sin2_course + along * (1.0 - sin2_course);
    let bend = chord2 * curvature * curvature;
    let distance_m = chord2.sqrt() * (1.0 + bend * (1.0 / 24.0 + bend * (3.0 / 640.0)));
    // sin 2α = 2 sin α cos α.
    let twice = 2.0 * east * north / level2;
    let aside = E2 * chord2 * across * across * cos_from * cos_from * twice / 12.0;
    Some(Short {
        distance_m,
        east,
        north,
        aside,
    })
}

/// The semi-major axis over the radius of curvature in the prime vertical.
fn w(sin_latitude: f64) -> f64 {
    (1.0 - E2 * sin_latitude * sin_latitude).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::geodesic;
    use crate::testing::at;

    /// Errors of distance, and of course as metres at the end.
    fn errors(from: Position, course: f64, length: f64) -> Option<(f64, f64)> {
        let to = geodesic::direct(from, course, length);
        let (distance, azimuth) = line(from, to)?;
        let known = geodesic::inverse(from, to);
        let turned = (azimuth - known.initial_course_deg + 180.0).rem_euclid(360.0) - 180.0;
        Some((distance - known.distance_m, turned.to_radians() * length))
    }

    #[test]
    fn it_is_the_general_solution_wherever_it_answers() {
        let (mut worst, mut aside, mut answered) = (0.0f64, 0.0f64, 0);
        for latitude in [
            -89.999, -85.0, -45.0, -0.01, 0.0, 10.0, 45.0, 60.0, 80.0, 89.5, 89.9999,
        ] {
            for course in (0..360).step_by(15) {
                for length in [0.01, 1.0, 30.0, 1e3, 5e3, 9.9e3, 30e3] {
                    for longitude in [0.0, 179.999, -180.0] {
                        let Some((far, turned)) =
                            errors(at(latitude, longitude), f64::from(course), length)
                        else {
                            continue;
                        };
                        answered += 1;
                        worst = worst.max(far.abs());
                        aside = aside.max(turned.abs());
                    }
                }
            }
        }
        assert!(worst < 1e-8 && aside < 2e-7, "{worst:e} m, {aside:e} m");
        assert!(answered > 4000);
    }

    #[test]
    fn what_is_one_point_has_no_length_and_what_is_far_is_left_to_the_other() {
        assert_eq!(line(at(10.0, 180.0), at(10.0, -180.0)), Some((0.0, 0.0)));
        assert_eq!(line(at(10.0, 5.0), at(10.0, 5.0)), Some((0.0, 0.0)));
        assert_eq!(line(at(90.0, 5.0), at(90.0, 50.0)), None);
        // Across the pole.
        let over = (at(89.9999, 0.0), at(89.9999, 180.0));
        let far = line(over.0, over.1).map_or(0.0, |(far, _)| far);
        assert!((far - geodesic::inverse(over.0, over.1).distance_m).abs() < 1e-8);
        assert_eq!(line(at(0.0, 0.0), at(0.0, 0.0899)), None);
        assert!(line(at(0.0, 0.0), at(0.0, 0.0898)).is_some());
    }
}
