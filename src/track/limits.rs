//! What a person holds a deployment to, besides its usual interval.

use super::{FieldLimit, Fix, time};
use crate::geo::{Inside, Units};

/// Limits of a deployment, set by hand.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Limits {
    /// The last fix may be so old, seconds.
    pub max_age_s: Option<f64>,
    /// Where the instrument should stay.
    pub inside: Option<Inside>,
    /// The speed limit of the quality tests instead of the platform's, m/s.
    pub max_speed_m_s: Option<f64>,
    /// Limits of fields, in the order of their names.
    pub fields: Vec<FieldLimit>,
}

/// A limit that is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Alarm {
    /// So many metres outside the watch circle.
    Outside(f64),
    /// So many metres outside the area.
    OutsideArea(f64),
    /// The last fix is so many seconds over its maximum age.
    TooOld(f64),
}

impl Limits {
    /// Which limit the latest fix breaks at `now` (UNIX seconds), the graver
    /// first.
    pub(crate) fn exceeded(&self, latest: &Fix, now: f64) -> Option<Alarm> {
        let outside = self.inside.as_ref().and_then(|inside| {
            let over = inside.over_m(latest.position);
            (over > 0.0).then_some(match inside {
                Inside::Circle(_) => Alarm::Outside(over),
                Inside::Area(_) => Alarm::OutsideArea(over),
            })
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
            Self::OutsideArea(metres) => format!("{} outside its area", units.distance(metres)),
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
            inside: circle.map(|typed| Inside::Circle(typed.parse().unwrap())),
            ..Limits::default()
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
