//! All that is known of where a deployment is, and the same in words for a person.

use std::sync::Arc;

use super::path::Path;
use super::{
    Course, FollowedNeighbour, Forecast, Moment, Neighbour, NoForecast, course_from, forecast,
};
use crate::geo::format::{CoordinateFormat, parse_position};
use crate::geo::{Notation, Position, geodesic, speed, units};
use crate::text;
use crate::track::{Deployment, Fix, Track, time};

/// The mean drift is told over these times, seconds: 6 and 24 h.
const DRIFTS_S: [f64; 2] = [6.0 * 3600.0, 24.0 * 3600.0];

/// The own ship.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ship {
    /// Its position.
    pub position: Position,
    /// Its speed in m/s, where it is known.
    pub speed_m_s: Option<f64>,
}

impl Ship {
    /// Parses a position with a speed behind it or without: `81.5,-20.25 10kn`.
    pub(crate) fn parse(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        let parted = typed.rsplit_once([' ', ',']);
        let with_speed =
            parted.and_then(|(position, speed)| Some((position, speed::parse(speed).ok()?)));
        let (position, speed_m_s) = match with_speed {
            Some((position, speed_m_s)) => (position.trim_end_matches([' ', ',']), Some(speed_m_s)),
            None => (typed, None),
        };
        Some(Self {
            position: parse_position(position)?,
            speed_m_s,
        })
    }
}

/// The mean motion over a time up to the last good fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanDrift {
    /// The time, seconds.
    pub over_s: f64,
    /// Displacement over time, m/s.
    pub speed_m_s: f64,
    /// Course of the displacement, degrees true.
    pub course_deg: f64,
}

/// All that is known of where a deployment is at a moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Whereabouts {
    /// The deployment.
    pub deployment: Deployment,
    /// The moment that is asked for.
    pub moment: Moment,
    /// The last good fix before it.
    pub fix: Option<Fix>,
    /// T, the reporting interval, seconds.
    pub interval_s: Option<f64>,
    /// The mean motions; none where data gaps leave the beginning open.
    pub drifts: Vec<MeanDrift>,
    /// The position with its circle, or why there is none.
    pub found: Result<Forecast, NoForecast>,
    /// The neighbour whose motion it follows, with its name.
    pub follows: Option<(String, FollowedNeighbour)>,
}

impl Whereabouts {
    /// Where `deployment` is by its track and by those `near` it.
    pub(crate) fn of(
        deployment: Deployment,
        track: &Track,
        near: &[(Deployment, Arc<Track>)],
        moment: Moment,
    ) -> Self {
        let neighbours: Vec<Neighbour<'_>> = near
            .iter()
            .map(|(deployment, track)| Neighbour {
                deployment: deployment.uuid,
                track,
            })
            .collect();
        let found = forecast(track, &neighbours, moment);
        let follows = found.as_ref().ok().and_then(|found| found.neighbour);
        let follows = follows.and_then(|follows| {
            let is_followed = |known: &&(Deployment, _)| known.0.uuid == follows.deployment;
            let (followed, _) = near.iter().find(is_followed)?;
            Some((followed.name(), follows))
        });
        Self {
            fix: track.latest_until(moment.known_until),
            interval_s: track.interval_s(),
            drifts: drifts(&Path::of(track, moment.known_until)),
            deployment,
            moment,
            found,
            follows,
        }
    }

    /// The age of the last good fix at the moment until which fixes are known, seconds.
    pub(crate) fn age_s(&self, fix: &Fix) -> f64 {
        (self.moment.known_until - fix.time_stamp).max(0.0)
    }

    /// The way of a ship to it; `None` without a forecast.
    pub(crate) fn course(&self, ship: Ship) -> Option<Course> {
        let found = self.found.as_ref().ok()?;
        let departs = self.moment.known_until;
        Some(course_from(ship.position, ship.speed_m_s, found, departs))
    }

    /// The positions by the same motion from the last good fix to the moment.
    pub(crate) fn way(&self) -> Vec<Position> {
        const STEPS: u32 = 48;
        let (Some(fix), Ok(found)) = (self.fix, &self.found) else {
            return Vec::new();
        };
        let lead_s = self.moment.at - fix.time_stamp;
        let after = |step: u32| fix.time_stamp + lead_s * f64::from(step) / f64::from(STEPS);
        let later = (1..=STEPS).map(|step| found.position_at(after(step)));
        std::iter::once(fix.position).chain(later).collect()
    }

    /// Why there is no forecast, or what limits it.
    pub(crate) fn note(&self, ship: Option<Ship>) -> Option<String> {
        match &self.found {
            Err(reason) => Some(reason.to_string()),
            Ok(found) if found.method.is_steered() => {
                Some("a glider steers: the position is carried on by its last leg alone".to_owned())
            }
            Ok(_) => {
                let course = ship.and_then(|ship| self.course(ship));
                let is_missed =
                    course.is_some_and(|course| course.eta.is_some() && course.intercept.is_none());
                is_missed
                    .then(|| "at this speed the ship does not meet it within 60 days".to_owned())
            }
        }
    }

    /// Labels with their words, for a person: the position in these forms, the first
    /// of which is that of all other positions.
    pub(crate) fn facts(
        &self,
        notation: Notation,
        forms: &[CoordinateFormat],
        ship: Option<Ship>,
    ) -> Vec<(&'static str, String)> {
        let utc = |time_s: f64| format!("{} UTC", time::table(time_s, None));
        let length = |metres: f64| notation.units.distance(metres);
        let mut facts: Vec<(&'static str, String)> = Vec::new();
        if let Ok(found) = &self.found {
            for (place, form) in forms.iter().enumerate() {
                let label = if place == 0 { "position" } else { "" };
                let notation = Notation {
                    coordinates: *form,
                    ..notation
                };
                facts.push((label, notation.position(found.position)));
            }
            facts.push(("half within", length(found.r50_m)));
            facts.push(("9 in 10 within", length(found.r90_m)));
            facts.push(("carried on by", found.method.motion().to_owned()));
            let samples = match (found.method.mean_error_m(), found.samples) {
                (Some(error_m), count) => format!(
                    "mean error {} in {count} forecasts of its last 30 days",
                    length(error_m)
                ),
                (None, count) => {
                    format!("{count} earlier forecasts: too few, so the circle is by its speed")
                }
            };
            facts.push(("", samples));
        }
        if let Some((name, follows)) = &self.follows {
            let words = format!(
                "{}, {} away at the last good fix, last heard {}",
                text::excerpt(name, 60),
                length(follows.distance_m),
                utc(follows.fix_time)
            );
            facts.push(("neighbour", words));
        }
        if let Some(fix) = self.fix {
            facts.push(("last good fix", notation.position(fix.position)));
            let age = time::duration(self.age_s(&fix));
            facts.push(("", format!("{}, {age} old", utc(fix.time_stamp))));
            let due = self
                .interval_s
                .map(|interval_s| fix.time_stamp + interval_s);
            if let Some(due) = due {
                let late_s = self.moment.known_until - due;
                let late = match late_s >= 60.0 {
                    true => format!(", {} ago", time::duration(late_s)),
                    false => String::new(),
                };
                facts.push(("next report", format!("expected {}{late}", utc(due))));
            }
        }
        for drift in &self.drifts {
            let speed = notation.units.speed(drift.speed_m_s);
            // What stands has no course.
            let words = match speed == notation.units.speed(0.0) {
                true => speed,
                false => format!("{speed} towards {}", units::course(drift.course_deg)),
            };
            let label = if drift.over_s < 43_200.0 {
                "drift of 6 h"
            } else {
                "drift of 24 h"
            };
            facts.push((label, words));
        }
        if let Some(course) = ship.and_then(|ship| self.course(ship)) {
            let words = format!(
                "bearing {}, {}",
                units::course(course.bearing_deg),
                length(course.range_m)
            );
            facts.push(("from the ship", words));
            if let Some(eta) = course.eta {
                facts.push(("", format!("there {}", utc(eta))));
            }
            if let Some(meeting) = course.intercept {
                facts.push(("meets it", notation.position(meeting.position)));
                facts.push(("", utc(meeting.at)));
            }
        }
        if let Some(note) = self.note(ship) {
            facts.push(("note", note));
        }
        facts
    }
}

/// The mean motions up to the last fix of a path.
fn drifts(path: &Path) -> Vec<MeanDrift> {
    let Some(index) = path.len().checked_sub(1) else {
        return Vec::new();
    };
    let Some(last) = path.get(index) else {
        return Vec::new();
    };
    let longest_gap_s = path.longest_gap_s(index);
    let drift = |over_s: f64| {
        let start = path.position_at(last.time_s - over_s, longest_gap_s)?;
        let (distance_m, course_deg) = geodesic::leg(start, last.position);
        Some(MeanDrift {
            over_s,
            speed_m_s: distance_m / over_s,
            course_deg,
        })
    };
    DRIFTS_S.into_iter().filter_map(drift).collect()
}
