//! The search area of a deployment, and the own ship.

mod update;

use uuid::Uuid;

use crate::dashboard::tab::Pane;
use crate::failure::Failure;
use crate::geo::projection::Projection;
use crate::geo::{Notation, Position, speed};
use crate::map::View;
use crate::track::forecast::{Course, Moment, Ship};
use crate::track::time;
use crate::watch::Whereabouts;

/// A position by gpsd is no longer, or not yet, one of the ship when its time is this far from now,
/// seconds.
const OLDEST_S: f64 = 3600.0;
/// Clocks that differ by less are the same, seconds.
const NOW_S: f64 = 60.0;

/// The last answer to where a deployment is, and the own ship.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sought {
    /// The last result or failure, and its deployment.
    pub answer: Option<(Uuid, Result<Whereabouts, Failure>)>,
    /// The way of the own ship to it.
    course: Option<Course>,
    /// The moment of the last question.
    asked: Option<Moment>,
    /// The same, if it was one of the past; `None` if it was now.
    pub past: Option<f64>,
    /// The time of the last fix when that question was asked.
    latest: Option<f64>,
    /// The typed position and speed of the own ship.
    pub typed: TypedShip,
    /// The own ship by gpsd, and the time of its fix, UNIX seconds.
    reported: Option<(Ship, f64)>,
    /// Why gpsd reports no position.
    fault: Option<String>,
    /// The picture, while it is shown.
    pub picture: Option<Picture>,
}

/// The picture of a search: the map of Track, fitted to it, with the card next to the map.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// The pane on a screen that has room for one: the card, or the map.
    pub shown: Pane,
    /// View and projection of the map before.
    before: (Option<View>, Option<Projection>),
}

/// The typed position and speed of the own ship; empty without any.
#[derive(Debug, Clone, Default)]
pub(crate) struct TypedShip {
    pub text: String,
    position: Option<Position>,
    speed_m_s: Option<f64>,
}

impl TypedShip {
    /// Reads a position, a position and a speed, or a speed for the position of gpsd.
    ///
    /// # Errors
    /// The accepted forms.
    pub(in crate::dashboard) fn parse(text: &str) -> Result<Self, String> {
        let (position, speed_m_s) = match (Ship::parse(text), speed::parse(text)) {
            _ if text.is_empty() => (None, None),
            (Some(ship), _) => (Some(ship.position), ship.speed_m_s),
            (None, Ok(speed_m_s)) => (None, Some(speed_m_s)),
            (None, Err(_)) => {
                let forms = "give latitude and longitude, and a speed such as 10kn, 5m/s or 18km/h";
                return Err(forms.to_owned());
            }
        };
        Ok(Self {
            text: text.to_owned(),
            position,
            speed_m_s,
        })
    }
}

impl Sought {
    /// gpsd has reported the own ship, or does so no longer. The last position stays.
    pub(in crate::dashboard) fn ship_reported(&mut self, ship: Result<(Ship, f64), String>) {
        match ship {
            Ok(reported) => (self.reported, self.fault) = (Some(reported), None),
            Err(why) => self.fault = Some(why),
        }
        self.steer();
    }

    /// The user has typed the own ship.
    pub(in crate::dashboard) fn ship_typed(&mut self, typed: TypedShip) {
        self.typed = typed;
        self.steer();
    }

    /// The way of the own ship to the deployment at `now`, UNIX seconds.
    pub(in crate::dashboard) fn course(&self, now: f64) -> Option<&Course> {
        self.course.as_ref().filter(|_| self.ship(now).is_some())
    }

    /// Computes the way, once for each ship and answer: a frame has no time for it.
    fn steer(&mut self) {
        let answer = self.answer.as_ref();
        let found = answer.and_then(|(_, answer)| answer.as_ref().ok());
        let ship = self.ship_with(self.reported);
        self.course = found.zip(ship).and_then(|(found, ship)| found.course(ship));
    }

    /// The last position by gpsd while it is one of the ship now: no clock that is right has the
    /// time of the fix an hour away from it.
    fn reported(&self, now: f64) -> Option<(Ship, f64)> {
        let is_present = |(_, at): &(Ship, f64)| (now - at).abs() <= OLDEST_S;
        self.reported.filter(is_present)
    }

    /// The own ship at `now`, UNIX seconds: typed values precede those of gpsd.
    pub(in crate::dashboard) fn ship(&self, now: f64) -> Option<Ship> {
        self.ship_with(self.reported(now))
    }

    fn ship_with(&self, reported: Option<(Ship, f64)>) -> Option<Ship> {
        let reported = reported.map(|(ship, _)| ship);
        Some(Ship {
            position: self.typed.position.or(reported.map(|ship| ship.position))?,
            speed_m_s: self.typed.speed_m_s.or_else(|| {
                reported
                    .filter(|_| self.typed.position.is_none())?
                    .speed_m_s
            }),
        })
    }

    /// The own ship as text, or how to enter it.
    pub(in crate::dashboard) fn ship_words(&self, now: f64, notation: Notation) -> String {
        // Without a speed there is no time of arrival and no meeting point.
        let add = "; s: add its speed for when and where you meet";
        let speed = |speed_m_s: Option<f64>| match speed_m_s {
            Some(speed) => (format!(", {}", notation.units.speed(speed)), ""),
            None => (String::new(), add),
        };
        let ask = "s: type its position and speed";
        let reported = self.reported(now);
        let is_old = self.reported.is_some() && reported.is_none();
        match (self.ship(now), self.typed.position, reported, &self.fault) {
            (Some(ship), Some(position), ..) => {
                let (speed, add) = speed(ship.speed_m_s);
                format!("{}{speed}, as typed{add}", notation.position(position))
            }
            (Some(ship), None, Some((_, at)), fault) => {
                let fault = fault
                    .as_ref()
                    .map_or_else(String::new, |why| format!("; {why}"));
                let (speed, add) = speed(ship.speed_m_s);
                let position = notation.position(ship.position);
                let at = if at - now < NOW_S { at.min(now) } else { at };
                let age = time::age(at, now);
                format!("{position}{speed}, by gpsd {age}{fault}{add}")
            }
            (_, _, _, None) if is_old => {
                let at = self.reported.map(|(_, at)| time::table(at, None));
                let fix_at = at.unwrap_or_default();
                format!("gpsd has no position of this hour: its fix is of {fix_at} UTC; {ask}")
            }
            (_, _, _, Some(why)) => format!("{why}; {ask}"),
            _ => ask.to_owned(),
        }
    }
}
