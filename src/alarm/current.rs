//! What is true now of an alarm that stands, where more is known than at its start.

use super::apart::{lengths, spans};
use super::kind::Kind;
use super::life::Alarm;
use crate::geo::{Inside, Position};

/// What is true now of an alarm that stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Current {
    /// No fix has come for longer than allowed.
    Silent {
        /// The age of the last fix, seconds.
        age_s: f64,
        /// The longest age allowed, seconds.
        limit_s: f64,
    },
    /// The last fix, with its watch circle.
    OfCircle {
        /// The distance from the centre, metres.
        from_centre_m: f64,
        /// The radius, metres.
        radius_m: f64,
    },
    /// The last fix, with its area.
    OfArea {
        /// How far it is beyond the edge, metres: negative within it.
        over_m: f64,
        /// What the area is called: "area north".
        name: String,
    },
}

impl Alarm {
    /// What is true of it at `now` (UNIX seconds), by the time (UNIX seconds) and
    /// position of the last fix and where the instrument should stay now. `None` where
    /// no more is known than at its start, and where it has ended.
    pub(crate) fn current(
        &self,
        last: Option<(f64, Position)>,
        inside: Option<&Inside>,
        now: f64,
    ) -> Option<Current> {
        if self.cleared_at.is_some() {
            return None;
        }
        match self.kind {
            Kind::Overdue => {
                let (fix, limit_s) = (self.fix_time?, self.limit?);
                let last = last.map_or(fix, |(time, _)| time.max(fix));
                let age_s = now - last;
                // A fix may have come that the alarm is not judged by yet.
                (age_s > limit_s).then_some(Current::Silent { age_s, limit_s })
            }
            Kind::Outside => {
                // The same fix, or a later one.
                let (_, position) = last.filter(|(time, _)| Some(*time) >= self.fix_time)?;
                let over_m = inside?.over_m(position);
                Some(match inside? {
                    Inside::Circle(circle) => Current::OfCircle {
                        from_centre_m: over_m + circle.radius_m,
                        radius_m: circle.radius_m,
                    },
                    Inside::Area(_) => Current::OfArea {
                        over_m,
                        name: inside?.name(),
                    },
                })
            }
            Kind::PickedUp | Kind::Stationary | Kind::Below | Kind::Above | Kind::Unreachable => {
                None
            }
        }
    }
}

impl Current {
    /// It in a sentence, in metric units.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Silent { age_s, limit_s } => {
                let (age, limit) = spans(*age_s, *limit_s);
                format!("no fix for {age}, limit {limit}")
            }
            Self::OfCircle {
                from_centre_m,
                radius_m,
            } => {
                let (distance, limit) = lengths(*from_centre_m, *radius_m);
                let place = match from_centre_m > radius_m {
                    true => "outside its watch circle: now",
                    false => "inside its watch circle again:",
                };
                format!("{place} {distance} from the centre, limit {limit}")
            }
            Self::OfArea { over_m, name } => {
                let (distance, _) = lengths(over_m.abs(), 0.0);
                match *over_m > 0.0 {
                    true => format!("outside its {name}: now {distance} beyond its edge"),
                    false => format!("inside its {name} again: {distance} within its edge"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::dashboard::alarm;

    const NOW: f64 = 1.8e9;

    #[test]
    fn an_age_is_counted_now_and_a_distance_is_that_of_the_last_fix() {
        let place = |north_m: f64| Position::new(60.0 + north_m / 111_415.0, 5.0).unwrap();
        // Raised a minute after the fix with an age of 3 h 30 min, limit 3 h.
        let overdue = alarm("a", None, Kind::Overdue, NOW, 900.0);
        let overdue = Alarm {
            fix_time: Some(NOW - 14_400.0),
            limit: Some(10_800.0),
            ..overdue
        };
        let silent = |age_s| {
            Some(Current::Silent {
                age_s,
                limit_s: 10_800.0,
            })
        };
        assert_eq!(overdue.current(None, None, NOW), silent(14_400.0));
        assert_eq!(overdue.current(None, None, NOW + 60.0), silent(14_460.0));
        // A fix that has come meanwhile.
        let come = Some((NOW, place(0.0)));
        assert_eq!(overdue.current(come, None, NOW + 60.0), None);

        let circle = Inside::from_stored("60,5,200").unwrap();
        let outside = Alarm {
            fix_time: Some(NOW - 900.0),
            ..alarm("b", None, Kind::Outside, NOW, 900.0)
        };
        for (time, north_m, expected) in [
            (NOW - 60.0, 3200.0, Some(3200.0)),
            (NOW - 60.0, 190.0, Some(190.0)),
            // Older than the fix that raised it: one that was failed since.
            (NOW - 1800.0, 3200.0, None),
        ] {
            let found = outside.current(Some((time, place(north_m))), Some(&circle), NOW);
            let found = found.map(|found| match found {
                Current::OfCircle { from_centre_m, .. } => from_centre_m.round(),
                other => panic!("{other:?}"),
            });
            assert_eq!(found, expected);
        }
        let ended = Alarm {
            cleared_at: Some(NOW),
            ..outside
        };
        let last = Some((NOW - 60.0, place(3200.0)));
        assert_eq!(ended.current(last, Some(&circle), NOW), None);
    }
}
