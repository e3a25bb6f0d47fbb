//! The watch circle that a track suggests.

use crate::geo::circle::WatchCircle;
use crate::geo::projection::wrap;
use crate::geo::{Position, Units, geodesic};
use crate::track::interval::median;
use crate::track::{Flag, Track};

/// The fixes of this time before the last fix count, seconds.
const SPAN_S: f64 = 48.0 * 3600.0;
/// The share of them within the radius without its margin.
const SHARE: f64 = 0.99;
/// The margin, as a factor.
const MARGIN: f64 = 1.5;
/// No smaller radius is proposed, metres.
const LEAST_M: f64 = 100.0;

/// The median of the latitudes and of the longitudes, which are counted from that of the first
/// position: right across the antimeridian too.
pub(crate) fn median_position(positions: &[Position]) -> Option<Position> {
    let around = positions.first()?.longitude;
    let easts = positions.iter().map(|at| wrap(at.longitude - around));
    Some(Position {
        latitude: median(positions.iter().map(|at| at.latitude).collect())?,
        longitude: wrap(around + median(easts.collect())?),
    })
}

impl Track {
    /// A watch circle about the median of the good fixes of the last 48 h: its
    /// radius is the larger of 100 m and 1.5 times the distance that 99 % of them
    /// stay within. With it, what it is of, for the user. `None` without a good fix.
    pub(crate) fn proposed_circle(&self, units: Units) -> Option<(WatchCircle, String)> {
        let last = self.latest()?;
        let positions: Vec<Position> = self
            .included_fixes()
            .rev()
            .take_while(|fix| fix.time_stamp >= last.time_stamp - SPAN_S)
            .filter(|fix| fix.flag != Flag::Suspect)
            .map(|fix| fix.position)
            .collect();
        let median = median_position(&positions)?;
        // To a metre, which is more than the radius means.
        let rounded = |degrees: f64| (degrees * 1e5).round() / 1e5;
        let centre = Position::new(rounded(median.latitude), rounded(median.longitude))?;
        let mut distances: Vec<f64> = positions
            .iter()
            .map(|position| geodesic::length_m(centre, *position))
            .collect();
        distances.sort_by(f64::total_cmp);
        // A share of the number of fixes.
        let inside = (SHARE * distances.len() as f64).ceil() as usize;
        let share_m = *distances.get(inside.checked_sub(1)?)?;
        let radius_m = (MARGIN * share_m).max(LEAST_M).ceil();
        let text = match distances.len() {
            1 => "about the latest fix, the only good one of 48 h".to_owned(),
            count => {
                let within = units.distance(share_m);
                format!("median of {count} fixes of 48 h, 99 % within {within}")
            }
        };
        Some((WatchCircle { centre, radius_m }, text))
    }
}

#[cfg(test)]
mod tests {
    use crate::geo::Units;
    use crate::testing::track::track;
    use crate::track::Platform;

    #[test]
    fn the_median_of_48_hours_and_what_99_of_100_stay_within_make_the_circle() {
        // Hourly on the antimeridian, far off before the last 48 h; the last fixes
        // are 1 to 49 units of 10 m east of it.
        let unit = 10.0 / 111_319.49;
        let fixes = (0..100).map(|hour: i32| {
            let longitude = match hour {
                ..51 => 170.0,
                hour => 180.0 + unit * f64::from(hour - 50),
            };
            (
                3600.0 * f64::from(hour),
                0.0,
                if longitude > 180.0 {
                    longitude - 360.0
                } else {
                    longitude
                },
            )
        });
        let all = track(Platform::Mooring, 1e6, fixes);
        let (circle, text) = all.proposed_circle(Units::Si).unwrap();
        assert_eq!(circle.centre.latitude, 0.0);
        let east_m = (circle.centre.longitude + 180.0) * 111_319.49;
        assert!((east_m - 250.0).abs() < 0.6, "{east_m}");
        // 240 m to either end.
        assert!(
            (360.0..363.0).contains(&circle.radius_m),
            "{}",
            circle.radius_m
        );
        assert_eq!(text, "median of 49 fixes of 48 h, 99 % within 240 m");
        // An instrument that does not move: 100 m.
        let still = (0..5).map(|hour| (3600.0 * f64::from(hour), -89.9, 179.999));
        let (circle, _) = track(Platform::Mooring, 1e6, still)
            .proposed_circle(Units::Si)
            .unwrap();
        assert_eq!((circle.radius_m, circle.centre.longitude), (100.0, 179.999));
        let one = [(0.0, 16.07, -15.910_000_000_000_002)];
        let (circle, text) = track(Platform::Mooring, 1e6, one)
            .proposed_circle(Units::Si)
            .unwrap();
        assert_eq!(circle.to_string(), "16.07,-15.91,100");
        assert_eq!(text, "about the latest fix, the only good one of 48 h");
        assert_eq!(
            track(Platform::Mooring, 1e6, []).proposed_circle(Units::Si),
            None
        );
    }
}
