//! How ice and water move an instrument: mean flow, tides, eddies, and storms
//! with the inertial oscillations that follow. All in closed form: an offset
//! depends on the time only, so two requests get the same track.
//!
//! Times are seconds from the simulation's midnight (see [`super::world`]);
//! offsets are metres on a plane that touches the Earth at one point.

use std::f64::consts::TAU;

use serde::Deserialize;

use super::random::Chance;
use crate::geo::{Position, geodesic};

/// Metres on the plane. Seen from above, the second axis is 90° anticlockwise
/// of the first: east and north.
pub(super) type Offset = (f64, f64);

/// Rotation of the Earth in radians per second (IERS Conventions 2010).
const EARTH_ROTATION: f64 = 7.292_115e-5;
/// Period of the principal lunar tide M2, 12.4206 h, in seconds.
const M2_S: f64 = 44_714.2;
/// The first simulated storm, counted from the simulation's midnight.
const FIRST_STORM: i64 = -24;

/// The Coriolis parameter 2 Ω sin φ in radians per second, negative in the
/// south.
fn coriolis(latitude: f64) -> f64 {
    2.0 * EARTH_ROTATION * latitude.to_radians().sin()
}

/// The sum of two offsets.
pub(super) fn sum(a: Offset, b: Offset) -> Offset {
    (a.0 + b.0, a.1 + b.1)
}

/// The plane that touches the Earth at a point: azimuthal equidistant on the
/// ellipsoid, also valid near the poles.
///
/// Its latitude and longitude. At the North Pole the first axis is the meridian
/// 0°, the second 90° E.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Plane(f64, f64);

impl Plane {
    /// The position at an offset.
    pub(super) fn position(self, (first, second): Offset) -> Position {
        let distance_m = first.hypot(second);
        let Self(latitude, longitude) = self;
        if latitude >= 90.0 {
            // At the pole every direction is south: the meridian gives the
            // course.
            let meridian = Position {
                latitude: 90.0,
                longitude: second.atan2(first).to_degrees(),
            };
            return geodesic::direct(meridian, 180.0, distance_m);
        }
        let origin = Position {
            latitude,
            longitude,
        };
        geodesic::direct(origin, first.atan2(second).to_degrees(), distance_m)
    }
}

/// A rotating current: it moves water on an ellipse at a uniform rate. Each has the number of
/// its phase at the simulation's midnight, which is random.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ellipse {
    /// The M2 tide with this maximum speed in m/s and this angle of the major axis,
    /// anticlockwise from the first axis, radians; the axes have the ratio 3:1.
    Tide(f64, f64, i64),
    /// An eddy: a circle with this speed in m/s and period in days,
    /// anticlockwise, or clockwise for a negative period.
    Eddy(f64, f64, i64),
    /// The half axes in metres, the angle, and the period in seconds.
    Axes(f64, f64, f64, f64, i64),
}

impl Ellipse {
    fn offset(self, time: f64, chance: Chance) -> Offset {
        let (major_m, minor_m, tilt, period_s, phase) = match self {
            Self::Tide(speed_m_s, tilt, phase) => {
                let major_m = speed_m_s * M2_S / TAU;
                (major_m, -major_m / 3.0, tilt, M2_S, phase)
            }
            Self::Eddy(speed_m_s, days, phase) => {
                let period_s = days.abs() * 86_400.0;
                let radius = speed_m_s * period_s / TAU;
                (radius, radius.copysign(days), 0.0, period_s, phase)
            }
            Self::Axes(major_m, minor_m, tilt, period_s, phase) => {
                (major_m, minor_m, tilt, period_s, phase)
            }
        };
        let angle = TAU * time / period_s + TAU * chance.unit(30, phase);
        let along = major_m * angle.cos();
        let across = minor_m * angle.sin();
        let (sin, cos) = tilt.sin_cos();
        (along * cos - across * sin, along * sin + across * cos)
    }
}

/// Storms: each pushes the surface for some hours and starts an oscillation at
/// the inertial period of the latitude, clockwise in the north.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Storms {
    /// Latitude in degrees, which gives the inertial period.
    latitude: f64,
    /// Mean interval between two, days.
    every_days: f64,
    /// Maximum drift in the strongest, m/s.
    drift_m_s: f64,
    /// Speed of the oscillation after the strongest, m/s.
    inertial_m_s: f64,
}

/// Half the duration of a storm, in seconds.
const PUSH_S: f64 = 10.0 * 3600.0;
/// Growth time of inertial oscillations, in seconds.
const BUILD_UP_S: f64 = 6.0 * 3600.0;
/// Decay time of inertial oscillations (to 1/e), in seconds.
const DECAY_S: f64 = 2.5 * 86_400.0;

impl Storms {
    fn offset(&self, time: f64, chance: Chance) -> Offset {
        // Storms up to the present.
        let last = (time / (self.every_days * 86_400.0)).floor() as i64 + 2;
        (FIRST_STORM..=last).fold((0.0, 0.0), |so_far, number| {
            sum(so_far, self.one(number, time, chance))
        })
    }

    /// The offset from the `number`-th storm at a time.
    fn one(&self, number: i64, time: f64, chance: Chance) -> Offset {
        let every_s = self.every_days * 86_400.0;
        let strength = 0.4 + 0.6 * chance.unit(1, number);
        let towards = TAU * chance.unit(2, number);
        let height = (number as f64 + 0.15 + 0.7 * chance.unit(3, number)) * every_s;
        let since = time - height;
        // The integral of drift * sech²: a push that grows and decays.
        let pushed = strength * self.drift_m_s * PUSH_S * (1.0 + (since / PUSH_S).tanh());
        let push = (pushed * towards.cos(), pushed * towards.sin());
        if since <= 0.0 {
            return push;
        }
        let f = coriolis(self.latitude);
        let grown = 1.0 - (-since / BUILD_UP_S).exp();
        let left = (-since / DECAY_S).exp();
        let radius = strength * self.inertial_m_s / f.abs() * grown * left;
        let angle = towards - f * since;
        sum(push, (radius * angle.cos(), radius * angle.sin()))
    }
}

/// All motion that moves an instrument.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Motion {
    /// Mean flow in m/s along the two axes.
    #[serde(default)]
    mean: Offset,
    /// Tides, eddies, meanders.
    #[serde(default)]
    ellipses: Vec<Ellipse>,
    /// Storms, where the surface feels them.
    storms: Option<Storms>,
}

impl Motion {
    /// The offset at a time. Only differences are meaningful.
    pub(super) fn offset(&self, time: f64, chance: Chance) -> Offset {
        let mean = (self.mean.0 * time, self.mean.1 * time);
        let turned = self.ellipses.iter().fold(mean, |so_far, ellipse| {
            sum(so_far, ellipse.offset(time, chance))
        });
        match &self.storms {
            Some(storms) => sum(turned, storms.offset(time, chance)),
            None => turned,
        }
    }

    /// The offset from one time to another.
    pub(super) fn between(&self, from: f64, to: f64, chance: Chance) -> Offset {
        let start = self.offset(from, chance);
        let end = self.offset(to, chance);
        (end.0 - start.0, end.1 - start.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: f64 = 3600.0;

    fn chance() -> Chance {
        Chance::new(7, "storms")
    }

    fn storms(latitude: f64) -> Storms {
        Storms {
            latitude,
            every_days: 6.0,
            drift_m_s: 0.2,
            inertial_m_s: 0.15,
        }
    }

    #[test]
    fn the_plane_at_the_pole_has_its_meridians_where_they_belong() {
        let pole = Plane(90.0, 0.0);
        for (offset, longitude) in [
            ((10_000.0, 0.0), 0.0),
            ((0.0, 10_000.0), 90.0),
            ((0.0, -10_000.0), -90.0),
            ((-7_000.0, 7_000.0), 135.0),
        ] {
            let position = pole.position(offset);
            assert!(
                (position.longitude - longitude).abs() < 1e-9,
                "{position:?}"
            );
            // A degree of latitude at the pole of WGS84 is 111.694 km.
            let south = offset.0.hypot(offset.1) / 111_694.0;
            assert!((90.0 - position.latitude - south).abs() < 1e-5);
        }
        assert!((pole.position((0.0, 0.0)).latitude - 90.0).abs() < 1e-12);
    }

    #[test]
    fn the_plane_elsewhere_keeps_distance_and_direction_from_its_origin() {
        let origin = crate::testing::at(33.0, 180.0);
        let position = Plane(33.0, 180.0).position((30_000.0, 40_000.0));
        let line = geodesic::inverse(origin, position);
        assert!((line.distance_m - 50_000.0).abs() < 1e-3);
        assert!((line.initial_course_deg - 36.869_897_6).abs() < 1e-6);
        assert!((-180.0..-179.0).contains(&position.longitude));
    }

    #[test]
    fn inertial_loops_turn_with_the_clock_in_the_north_and_against_it_in_the_south() {
        for (latitude, period_h) in [(90.0, 11.967), (33.0, 21.973), (-57.0, 14.269)] {
            assert!((TAU / coriolis(latitude).abs() / HOUR - period_h).abs() < 1e-3);
            let storms = Storms {
                drift_m_s: 0.0,
                ..storms(latitude)
            };
            // A single storm, long after its maximum.
            let at = |hours: f64| storms.one(0, 144.0 * HOUR + hours * HOUR, chance());
            let (a, b) = (at(0.0), at(1.0));
            let turned = a.0 * b.1 - a.1 * b.0;
            assert!(turned * latitude < 0.0, "{latitude}: {turned}");
        }
    }

    #[test]
    fn speeds_are_those_that_were_asked_for() {
        let eddy = Ellipse::Eddy(0.3, -8.0, 1);
        let tide = Ellipse::Tide(0.2, 0.5, 2);
        let speed = |ellipse: &Ellipse, time: f64| {
            let (a, b) = (
                ellipse.offset(time, chance()),
                ellipse.offset(time + 1.0, chance()),
            );
            (b.0 - a.0).hypot(b.1 - a.1)
        };
        let mut fastest_tide = 0.0_f64;
        for step in 0..500 {
            let time = f64::from(step) * 1000.0;
            assert!((speed(&eddy, time) - 0.3).abs() < 1e-4);
            fastest_tide = fastest_tide.max(speed(&tide, time));
        }
        assert!((fastest_tide - 0.2).abs() < 1e-3, "{fastest_tide}");
    }

    #[test]
    fn storms_come_and_go_without_a_jump() {
        let storms = storms(85.0);
        let mut fastest = 0.0_f64;
        let mut before = storms.offset(-60.0 * 24.0 * HOUR, chance());
        for step in 1..(80 * 24 * 6) {
            let offset = storms.offset((f64::from(step) / 6.0 - 60.0 * 24.0) * HOUR, chance());
            fastest = fastest.max((offset.0 - before.0).hypot(offset.1 - before.1) / 600.0);
            before = offset;
        }
        assert!((0.1..0.6).contains(&fastest), "{fastest}");
    }
}
