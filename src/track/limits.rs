//! What a person holds a deployment to, besides its usual interval.

use super::{Fix, time};
use crate::geo::Units;
use crate::geo::circle::WatchCircle;

/// Limits of a deployment, set by hand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Limits {
    /// The last fix may be so old, seconds.
    pub max_age_s: Option<f64>,
    /// Where the instrument should stay.
    pub circle: Option<WatchCircle>,
    /// The speed limit of the quality tests instead of the platform's, m/s.
    pub max_speed_m_s: Option<f64>,
}

/// A limit that is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Alarm {
    /// So many metres outside the watch circle.
    Outside(f64),
    /// The last fix is so many seconds over its maximum age.
    TooOld(f64),
}

impl Limits {
    /// Which limit the latest fix breaks at `now` (UNIX seconds), the graver
    /// first.
    pub(crate) fn exceeded(&self, latest: &Fix, now: f64) -> Option<Alarm> {
        let outside = self.circle.and_then(|circle| {
            let over = circle.distance_m(latest.position) - circle.radius_m;
            (over > 0.0).then_some(Alarm::Outside(over))
        });
        let too_old = self.max_age_s.and_then(|limit| {
            let over = now - latest.time_stamp - limit;
            (over > 0.0).then_some(Alarm::TooOld(over))
        });
        outside.or(too_old)
    }
}

impl Alarm {
    /// How far the limit is exceeded, such as `1.20 nm outside its watch circle`.
    pub(crate) fn text(self, units: Units) -> String {
        match self {
            Self::Outside(metres) => {
                format!("{} outside its watch circle", units.distance(metres))
            }
            Self::TooOld(seconds) => {
                format!("last fix {} over its maximum age", time::duration(seconds))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;
    use crate::track::{Flag, Reason};

    #[test]
    fn the_text_of_an_alarm_is_in_the_units_that_are_shown() {
        let outside = Alarm::Outside(62_000.0);
        let beside = "outside its watch circle";
        for (units, distance) in [(Units::Nautical, "33.48 nm"), (Units::Metric, "62.000 km")] {
            assert_eq!(outside.text(units), format!("{distance} {beside}"));
        }
    }

    #[test]
    fn a_limit_is_broken_by_the_latest_fix_alone() {
        let fix = Fix {
            index: 0,
            time_stamp: 1000.0,
            position: Position {
                latitude: 0.0,
                longitude: 0.0,
            },
            flag: Flag::Pass,
            reason: Reason::None,
        };
        let limits = |circle: Option<&str>, max_age_s| Limits {
            max_age_s,
            circle: circle.map(|typed| typed.parse().unwrap()),
            max_speed_m_s: None,
        };
        assert_eq!(limits(None, None).exceeded(&fix, 1e9), None);
        assert_eq!(limits(None, Some(60.0)).exceeded(&fix, 1060.0), None);
        assert_eq!(
            limits(None, Some(60.0)).exceeded(&fix, 1061.0),
            Some(Alarm::TooOld(1.0))
        );
        assert_eq!(limits(Some("0,0.001,200"), None).exceeded(&fix, 0.0), None);
        let outside = limits(Some("0,0.001,100"), Some(1.0)).exceeded(&fix, 1e9);
        assert!(matches!(outside, Some(Alarm::Outside(over)) if (over - 11.32).abs() < 0.01));
    }
}
