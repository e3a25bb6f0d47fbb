//! The motions that compete, in the azimuthal equidistant plane about a fix: geodesic
//! distance and course from it, which is right at the poles and over the antimeridian.

use crate::geo::{Position, geodesic};
use crate::track::Platform;

/// The last velocity decays with this time, seconds: 48 h. Both times were fitted on 74
/// tracks of drifters (the manual's page on finding an instrument has the figures).
const DECAY_S: f64 = 48.0 * 3600.0;
/// The part of the last velocity beyond the mean of 12 h decays with this time, seconds: 6 h.
const INERTIAL_DECAY_S: f64 = 6.0 * 3600.0;
/// Angular velocity of the Earth, rad/s (IERS Conventions 2010, table 1.1).
const EARTH_RAD_S: f64 = 7.292_115e-5;

/// A displacement, or a velocity, in the plane about a position: east and north in metres,
/// or metres a second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Displacement {
    pub east: f64,
    pub north: f64,
}

impl Displacement {
    pub(super) fn between(from: Position, to: Position) -> Self {
        let (distance_m, course_deg) = geodesic::leg(from, to);
        let (east, north) = course_deg.to_radians().sin_cos();
        Self { east, north }.scaled(distance_m)
    }

    pub(super) fn from(self, start: Position) -> Position {
        let course_deg = self.east.atan2(self.north).to_degrees();
        geodesic::direct(start, course_deg, self.length_m())
    }

    pub(super) fn scaled(self, by: f64) -> Self {
        Self {
            east: self.east * by,
            north: self.north * by,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            east: self.east + other.east,
            north: self.north + other.north,
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.plus(other.scaled(-1.0))
    }

    pub(super) fn length_m(self) -> f64 {
        self.east.hypot(self.north)
    }

    /// The scalar product.
    pub(super) fn dot(self, other: Self) -> f64 {
        self.east * other.east + self.north * other.north
    }

    /// Turned clockwise by an angle in degrees.
    pub(super) fn turned(self, clockwise_deg: f64) -> Self {
        let (sin, cos) = clockwise_deg.to_radians().sin_cos();
        Self {
            east: self.east * cos + self.north * sin,
            north: self.north * cos - self.east * sin,
        }
    }
}

/// The motion of a path at a fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct State {
    /// UNIX seconds.
    pub time_s: f64,
    pub position: Position,
    /// Velocity of the last leg, over at least an hour.
    pub last: Displacement,
    /// Mean velocity of the last 12 h.
    pub mean_12h: Displacement,
    /// The greatest of the last leg's speed, that since it began to move within the hour,
    /// and the mean of 24 h, m/s.
    pub speed_m_s: f64,
    pub is_after_gap: bool,
}

/// A motion by which a fix is carried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidate {
    /// The last leg, as pack ice goes on.
    LastLeg,
    /// The mean of 12 h and the inertial rest of the last velocity, as in water.
    MeanAndInertial,
    /// The mean of 12 h alone.
    Mean,
    /// No motion: fast in ice, aground, moored.
    Rest,
}

impl Candidate {
    pub(super) const ALL: [Self; 4] =
        [Self::LastLeg, Self::MeanAndInertial, Self::Mean, Self::Rest];

    /// The motions that compete for a platform: a glider steers, so that only its last leg
    /// counts.
    pub(super) fn for_platform(platform: Platform) -> &'static [Self] {
        match platform {
            Platform::Glider => &[Self::LastLeg],
            _ => &Self::ALL,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::LastLeg => "last speed, slowing over 48 h",
            Self::MeanAndInertial => {
                "mean speed of 12 h, slowing over 48 h, and the rest of the last speed, turning and slowing over 6 h"
            }
            Self::Mean => "mean speed of 12 h, slowing over 48 h",
            Self::Rest => "no motion",
        }
    }

    /// The displacement after `lead_s` seconds from a state.
    pub(super) fn displacement(self, state: &State, lead_s: f64) -> Displacement {
        let decayed =
            |velocity: Displacement| velocity.scaled(DECAY_S * -(-lead_s / DECAY_S).exp_m1());
        match self {
            Self::LastLeg => decayed(state.last),
            Self::Mean => decayed(state.mean_12h),
            Self::Rest => Displacement::default(),
            Self::MeanAndInertial => {
                let rest = state.last.minus(state.mean_12h);
                decayed(state.mean_12h).plus(inertial(rest, state.position.latitude, lead_s))
            }
        }
    }
}

/// The displacement of a velocity that turns with the Coriolis parameter f = 2Ω sin φ and
/// decays: with east + i north, u (1 − e^(−kt)) / k, where k = 1/6 h + i f.
fn inertial(velocity: Displacement, latitude: f64, lead_s: f64) -> Displacement {
    let rate = 1.0 / INERTIAL_DECAY_S;
    let turn = 2.0 * EARTH_RAD_S * latitude.to_radians().sin();
    let left = (-rate * lead_s).exp();
    let (sin, cos) = (turn * lead_s).sin_cos();
    // (1 − e^(−kt)) · conj(k) / |k|².
    let real = 1.0 - left * cos;
    let imaginary = left * sin;
    let square = rate * rate + turn * turn;
    let (real, imaginary) = (
        (real * rate + imaginary * turn) / square,
        (imaginary * rate - real * turn) / square,
    );
    Displacement {
        east: velocity.east * real - velocity.north * imaginary,
        north: velocity.east * imaginary + velocity.north * real,
    }
}

/// A fix carried on by a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Drift {
    pub state: State,
    pub candidate: Candidate,
}

impl Drift {
    /// The position at a time, UNIX seconds; before the fix, the fix.
    pub(super) fn position_at(&self, time_s: f64) -> Position {
        let lead_s = (time_s - self.state.time_s).max(0.0);
        let displacement = self.candidate.displacement(&self.state, lead_s);
        displacement.from(self.state.position)
    }
}
