//! How water and ice move: a mean flow, tides, inertial loops and eddies, each
//! a sum of circles. A position is a function of the time alone, so that a
//! track is the same however often it is asked for.

use std::f64::consts::TAU;

use crate::geo::{Position, geodesic};

/// Sidereal day in seconds.
const SIDEREAL_DAY_S: f64 = 86_164.1;
/// Period of the principal lunar tide M2 in seconds.
const M2_S: f64 = 44_714.0;

/// Numbers between 0 and 1 from a seed (SplitMix64: Steele, Lea and Flood,
/// OOPSLA 2014).
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        #[allow(clippy::cast_precision_loss)] // 53 bits are kept
        let share = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
        share
    }
}

/// A turning current.
#[derive(Debug, Clone, Copy)]
struct Loop {
    /// Speed along it in m/s.
    speed: f64,
    /// Time once round in seconds; negative turns with the clock.
    period: f64,
    /// Where on it time 0 lies, radians.
    phase: f64,
    /// Breadth over length.
    roundness: f64,
}

impl Loop {
    /// Offset in metres, east and north, at a time.
    fn offset(&self, time: f64) -> (f64, f64) {
        let angle = TAU * time / self.period + self.phase;
        let radius = self.speed * self.period.abs() / TAU;
        (radius * angle.cos(), radius * self.roundness * angle.sin())
    }
}

/// The water or ice at a place.
#[derive(Debug, Clone)]
pub(super) struct Current {
    /// Mean flow in m/s, east and north.
    mean: (f64, f64),
    loops: Vec<Loop>,
}

impl Current {
    /// A current with a mean flow, inertial loops for the latitude, tides of so
    /// many m/s and slow eddies.
    pub(super) fn new(
        dice: &mut Dice,
        latitude: f64,
        mean: (f64, f64),
        inertial: f64,
        tide: f64,
        eddy: f64,
    ) -> Self {
        // Inertial motion turns with the clock in the north, once in half a
        // pendulum day.
        let half_pendulum_day = SIDEREAL_DAY_S / 2.0 / latitude.to_radians().sin();
        let mut turn = |speed, period, roundness| Loop {
            speed,
            period,
            phase: dice.roll() * TAU,
            roundness,
        };
        let loops = vec![
            turn(inertial, -half_pendulum_day, 1.0),
            turn(inertial * 0.4, -half_pendulum_day * 1.07, 1.0),
            turn(tide, M2_S, 0.4),
            turn(eddy, 6.3 * 86_400.0, 0.8),
            turn(eddy * 0.6, 2.7 * 86_400.0, -0.7),
        ];
        Self { mean, loops }
    }

    /// Offset in metres, east and north, after a time in seconds, counted from
    /// where it was at time 0.
    pub(super) fn offset(&self, time: f64) -> (f64, f64) {
        let start = (self.mean.0 * time, self.mean.1 * time);
        self.loops.iter().fold(start, |sum, one| {
            let (then, now) = (one.offset(0.0), one.offset(time));
            (sum.0 + now.0 - then.0, sum.1 + now.1 - then.1)
        })
    }
}

/// The position some metres east and north of another.
pub(super) fn shifted(from: Position, (east, north): (f64, f64)) -> Position {
    geodesic::direct(from, east.atan2(north).to_degrees(), east.hypot(north))
}

/// The position some metres from the North Pole: `right` along 90° E and `down`
/// along 0°. Near the pole east and north turn under one's feet; these do not.
pub(super) fn from_pole(right: f64, down: f64) -> Position {
    let pole = Position {
        latitude: 90.0,
        longitude: 0.0,
    };
    // From the pole every course leads south: the course 180° minus a meridian
    // follows that meridian.
    geodesic::direct(
        pole,
        180.0 - right.atan2(down).to_degrees(),
        right.hypot(down),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plane_about_the_pole_has_its_meridians_where_they_belong() {
        let east = from_pole(10_000.0, 0.0);
        let greenwich = from_pole(0.0, 10_000.0);
        assert!((east.longitude - 90.0).abs() < 1e-9 && greenwich.longitude.abs() < 1e-9);
        assert!((90.0 - east.latitude - 10_000.0 / 111_694.0).abs() < 1e-5);
    }

    #[test]
    fn a_current_starts_at_nothing_and_its_speed_stays_believable() {
        let current = Current::new(&mut Dice::new(1), 60.0, (0.1, 0.05), 0.15, 0.1, 0.1);
        assert_eq!(current.offset(0.0), (0.0, 0.0));
        for minute in 0..10_000 {
            let time = f64::from(minute) * 600.0;
            let (a, b) = (current.offset(time), current.offset(time + 600.0));
            let speed = (b.0 - a.0).hypot(b.1 - a.1) / 600.0;
            assert!(speed < 0.9, "{speed}");
        }
    }
}
