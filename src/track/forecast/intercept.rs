//! The way of a ship to a position that drifts on.

use super::precision::RECEIVER_M;
use super::{Forecast, LONGEST_LEAD_S};
use crate::geo::format::{last_amount, parse_position};
use crate::geo::{Notation, Position, geodesic, speed, units};

/// The search for a meeting goes in steps of this share of the longest time.
const STEPS: u32 = 1440;
/// Halvings of a step: from an hour to below a second.
const HALVINGS: u32 = 16;

/// The own ship.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ship {
    pub position: Position,
    /// Its speed in m/s, if it is known.
    pub speed_m_s: Option<f64>,
}

impl Ship {
    /// Parses a position with a speed behind it or without: `81.5,-20.25 10kn`, `57S 50W 10 kn`.
    pub(crate) fn parse(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        let with_speed = || {
            let (position, speed) = last_amount(typed)?;
            Some((position, speed::parse(&speed).ok()?))
        };
        let (position, speed_m_s) = match with_speed() {
            Some((position, speed_m_s)) => (position, Some(speed_m_s)),
            None => (typed, None),
        };
        Some(Self {
            position: parse_position(position).ok()?,
            speed_m_s,
        })
    }
}

/// The way of a ship to where an instrument is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Course {
    /// Distance to the position, metres.
    pub range_m: f64,
    /// The direction of the position.
    pub bearing: Bearing,
    /// When the ship arrives at the position, UNIX seconds; `None` without a speed.
    pub eta: Option<f64>,
    /// The point where the ship meets the drifting instrument; `None` without a speed, or if it does not
    /// within 60 days.
    pub intercept: Option<Intercept>,
}

/// The direction from a ship to a position. Within the error of a receiver of the position
/// itself, or of a pole, a bearing in degrees says nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bearing {
    /// Degrees true.
    Degrees(f64),
    /// From the North Pole, south along the meridian of this position.
    South(Position),
    /// From the South Pole, north along the meridian of this position.
    North(Position),
    /// The ship is at the position.
    Here,
}

impl Bearing {
    /// Degrees true, where they say anything.
    pub(crate) fn degrees(self) -> Option<f64> {
        match self {
            Self::Degrees(degrees) => Some(degrees),
            Self::South(_) | Self::North(_) | Self::Here => None,
        }
    }

    /// "bearing 012°T", "due south along 020.25000°W".
    pub(crate) fn text(self, notation: Notation) -> String {
        let along = |position| notation.coordinates.pair(position).1;
        match self {
            Self::Degrees(degrees) => format!("bearing {}", units::course(degrees)),
            Self::South(position) => format!("due south along {}", along(position).trim()),
            Self::North(position) => format!("due north along {}", along(position).trim()),
            Self::Here => "the ship is there".to_owned(),
        }
    }
}

/// The position and the time at which a ship meets a drifting instrument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Intercept {
    pub position: Position,
    /// Its distance from where the ship departs, metres, and its direction from there.
    pub range_m: f64,
    pub bearing: Bearing,
    /// UNIX seconds.
    pub at: f64,
    /// The radius of the circle that holds nine of ten positions at that time, metres: more has
    /// passed by then than now.
    pub r90_m: Option<f64>,
    /// The radius of that of half of them, metres.
    pub r50_m: Option<f64>,
}

impl Course {
    /// The way of a ship that departs at a time, UNIX seconds, to a position.
    pub(crate) fn to(position: Position, ship: Ship, departs: f64) -> Self {
        let (range_m, course_deg) = geodesic::leg(ship.position, position);
        let is_at = |latitude| {
            let pole = Position {
                latitude,
                longitude: 0.0,
            };
            geodesic::length_m(ship.position, pole) < RECEIVER_M
        };
        let bearing = if range_m < RECEIVER_M {
            Bearing::Here
        } else if is_at(90.0) {
            Bearing::South(position)
        } else if is_at(-90.0) {
            Bearing::North(position)
        } else {
            Bearing::Degrees(course_deg)
        };
        Self {
            range_m,
            bearing,
            eta: ship.speed_m_s.map(|speed| departs + range_m / speed),
            intercept: None,
        }
    }

    /// The way to what drifts on.
    pub(crate) fn after(forecast: &Forecast, ship: Ship, departs: f64) -> Self {
        Self {
            intercept: meet(ship, forecast, departs),
            ..Self::to(forecast.position, ship, departs)
        }
    }
}

/// The first time at which the ship could have come as far as the instrument is away.
fn meet(ship: Ship, forecast: &Forecast, departs: f64) -> Option<Intercept> {
    let speed_m_s = ship.speed_m_s?;
    let lacks_m = |after_s: f64| {
        let position = forecast.position_at(departs + after_s);
        geodesic::length_m(ship.position, position) - speed_m_s * after_s
    };
    let step_s = LONGEST_LEAD_S / f64::from(STEPS);
    let mut early_s = 0.0;
    let mut late_s = (0..=STEPS)
        .map(|step| f64::from(step) * step_s)
        .find(|after_s| {
            let meets = lacks_m(*after_s) <= 0.0;
            if !meets {
                early_s = *after_s;
            }
            meets
        })?;
    for _ in 0..HALVINGS {
        let middle_s = f64::midpoint(early_s, late_s);
        if lacks_m(middle_s) <= 0.0 {
            late_s = middle_s
        } else {
            early_s = middle_s
        }
    }
    let position = forecast.position_at(departs + late_s);
    let Course {
        range_m, bearing, ..
    } = Course::to(position, ship, departs);
    Some(Intercept {
        position,
        range_m,
        bearing,
        at: departs + late_s,
        r90_m: None,
        r50_m: None,
    })
}
