//! The way of a ship to a position that drifts on.

use super::{Forecast, LONGEST_LEAD_S};
use crate::geo::{Position, geodesic};

/// The search for a meeting goes in steps of this share of the longest time.
const STEPS: u32 = 1440;
/// Halvings of a step: from an hour to below a second.
const HALVINGS: u32 = 16;

/// The way of a ship to where an instrument is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Course {
    /// Distance to the position, metres.
    pub range_m: f64,
    /// Bearing of the position, degrees true.
    pub bearing_deg: f64,
    /// When the ship arrives at the position, UNIX seconds; `None` without a speed.
    pub eta: Option<f64>,
    /// Where the ship meets what drifts on; `None` without a speed, or where it does not
    /// within 60 days.
    pub intercept: Option<Intercept>,
}

/// The place and the time at which a ship meets a drifting instrument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Intercept {
    pub position: Position,
    /// UNIX seconds.
    pub at: f64,
}

/// The way of a ship that leaves `from` at `departs` (UNIX seconds) with a speed in m/s,
/// if one is known.
pub(crate) fn course_from(
    from: Position,
    speed_m_s: Option<f64>,
    forecast: &Forecast,
    departs: f64,
) -> Course {
    let (range_m, bearing_deg) = geodesic::leg(from, forecast.position);
    Course {
        range_m,
        bearing_deg,
        eta: speed_m_s.map(|speed| departs + range_m / speed),
        intercept: speed_m_s.and_then(|speed| meet(from, speed, forecast, departs)),
    }
}

/// The first time at which the ship could have come as far as the instrument is away.
fn meet(from: Position, speed_m_s: f64, forecast: &Forecast, departs: f64) -> Option<Intercept> {
    let lacks_m = |after_s: f64| {
        let position = forecast.position_at(departs + after_s);
        geodesic::length_m(from, position) - speed_m_s * after_s
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
        match lacks_m(middle_s) <= 0.0 {
            true => late_s = middle_s,
            false => early_s = middle_s,
        }
    }
    Some(Intercept {
        position: forecast.position_at(departs + late_s),
        at: departs + late_s,
    })
}
