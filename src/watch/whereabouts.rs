//! All that is known of where a deployment is, and the same in words for a person.

use std::sync::Arc;

use super::Deployment;
use crate::geo::{CoordinateFormat, Notation, Position, geodesic, units};
use crate::text;
use crate::track::forecast::{
    Bearing, Course, FollowedNeighbour, Forecast, Jump, Moment, Neighbour, NoForecast, Path, Ship,
    WINDOW_S, forecast,
};
use crate::track::quality::reason;
use crate::track::{Fix, Flag, Track, time};

/// The mean drift is shown over these times, seconds: 6 and 24 h.
const DRIFTS_S: [f64; 2] = [6.0 * 3600.0, 24.0 * 3600.0];

/// The mean motion over a time up to the last good fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanDrift {
    /// The time, seconds.
    pub over_s: f64,
    /// Displacement over time, m/s.
    pub speed_m_s: f64,
    /// Course of the displacement at its end, degrees true.
    pub course_deg: f64,
}

/// `true` for a fix that is neither suspect nor failed.
fn is_good(fix: &Fix) -> bool {
    !matches!(fix.flag, Flag::Suspect | Flag::Fail)
}

/// All that is known of where a deployment is at a moment.
#[derive(Debug, Clone)]
pub(crate) struct Whereabouts {
    pub deployment: Deployment,
    /// The moment that is asked for.
    pub moment: Moment,
    /// The last included fix before it.
    pub fix: Option<Fix>,
    /// The jump that its record begins with, if that is of the last 30 days.
    jump: Option<Jump>,
    /// The number of fixes up to the moment that failed or are left out.
    left_out: usize,
    /// T, the reporting interval, seconds.
    pub interval_s: Option<f64>,
    /// The mean motions; none where data gaps leave the beginning open.
    pub drifts: Vec<MeanDrift>,
    /// The position with its circle, or why there is none.
    pub found: Result<Forecast, NoForecast>,
    /// The neighbour whose motion it follows.
    pub follows: Option<(Deployment, FollowedNeighbour)>,
    track: Arc<Track>,
    near: Vec<(Deployment, Arc<Track>)>,
}

/// The tracks near an instrument, for its forecast.
fn neighbours(near: &[(Deployment, Arc<Track>)]) -> Vec<Neighbour<'_>> {
    let near = near.iter();
    near.map(|(deployment, track)| Neighbour {
        deployment: deployment.id.uuid,
        track,
    })
    .collect()
}

/// A label and its text, for a card or a paragraph.
pub(crate) type Fact = (&'static str, String);

impl Whereabouts {
    /// The whereabouts of `deployment` by its track and the tracks `near` it.
    pub(crate) fn new(
        deployment: Deployment,
        track: Arc<Track>,
        near: Vec<(Deployment, Arc<Track>)>,
        moment: Moment,
    ) -> Self {
        let found = forecast(&track, &neighbours(&near), moment);
        let neighbour = found.as_ref().ok().and_then(|found| found.neighbour);
        let follows = neighbour.and_then(|neighbour| {
            let is_followed = |known: &&(Deployment, _)| known.0.id.uuid == neighbour.deployment;
            let (followed, _) = near.iter().find(is_followed)?;
            Some((followed.clone(), neighbour))
        });
        let until = moment.known_until;
        let fix = track.latest_at(until);
        let path = Path::new(&track, until);
        let is_recent =
            |jump: &Jump| fix.is_some_and(|fix| fix.time_stamp - jump.time_s <= WINDOW_S);
        let all = track.count_until(until);
        Self {
            fix,
            left_out: all - track.fixes_up_to(until).count(),
            interval_s: track.interval_s(),
            jump: path.jump.filter(is_recent),
            drifts: drifts(&path),
            deployment,
            moment,
            found,
            follows,
            track,
            near,
        }
    }

    /// The age of the last good fix at the moment until which fixes are known, seconds.
    pub(crate) fn age_s(&self, fix: &Fix) -> f64 {
        (self.moment.known_until - fix.time_stamp).max(0.0)
    }

    /// `true` if the last fix did not pass quality control.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.fix.is_some_and(|fix| !is_good(&fix))
    }

    /// Why the last fix may be wrong; `None` if it passed.
    fn doubt(&self, notation: Notation) -> Option<String> {
        let fix = self.fix.filter(|fix| !is_good(fix))?;
        let track = &self.track;
        let units = Some(notation.units);
        let finding = track.finding(fix.index);
        let why = reason::text(fix.reason, finding, track.speed_limit_m_s(), units);
        let passed = match track.fixes_up_to(fix.time_stamp).rev().find(is_good) {
            Some(fix) => format!(
                "the last that passed is at {}, {}",
                notation.position(fix.position),
                utc(fix.time_stamp)
            ),
            None => "none before it passed".to_owned(),
        };
        let is = match fix.flag {
            Flag::Fail => "failed",
            _ => "is suspect",
        };
        Some(format!("the last fix {is}: {why}; {passed}"))
    }

    /// The way of a ship to it, with the circle where they meet; without a forecast that to the
    /// last fix. It takes some times as long as the forecast itself.
    pub(crate) fn course(&self, ship: Ship) -> Option<Course> {
        let departs = self.moment.known_until;
        let Ok(found) = &self.found else {
            return Some(Course::to(self.fix?.position, ship, departs));
        };
        let mut course = Course::after(found, ship, departs);
        // Another motion may be the nearest one at that lead, which moves the meeting a little.
        for _ in 0..2 {
            let Some(at) = course.intercept.map(|meeting| meeting.at) else {
                break;
            };
            let moment = Moment { at, ..self.moment };
            let then = forecast(&self.track, &neighbours(&self.near), moment);
            let Ok(then) = then else {
                break;
            };
            course.intercept = Course::after(&then, ship, departs).intercept;
            if let Some(meeting) = &mut course.intercept {
                meeting.r90_m = Some(then.r90_m);
                meeting.r50_m = Some(then.r50_m);
            }
        }
        Some(course)
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

    /// Why no report is expected, why there is no forecast, and what limits it.
    pub(crate) fn note(&self, course: Option<&Course>, notation: Notation) -> Option<String> {
        let settled = self
            .deployment
            .settled(self.moment.known_until)
            .map(|why| format!("{why}: no report is expected"));
        let mut notes: Vec<String> = settled.into_iter().collect();
        match &self.found {
            Err(reason) => {
                notes.push(reason.to_string());
                if self.left_out > 0 {
                    let fixes = text::counted(self.left_out, "other fix", "other fixes");
                    notes.push(format!("{fixes} failed or left out"));
                }
            }
            Ok(found) if found.method.is_steered => {
                notes.push("a glider steers: only its last speed counts".to_owned())
            }
            Ok(found) if found.outruns_record => {
                notes.push("faster now than in its past: the circle is wider".to_owned())
            }
            Ok(_) => {}
        }
        notes.extend(self.jump.map(|jump| {
            let distance = notation.units.distance(jump.distance_m);
            let time = utc(jump.time_s);
            format!("it jumped {distance} at {time}: only the fixes after it count")
        }));
        notes.extend(self.doubt(notation));
        if let Some(course) = course
            && self.found.is_ok()
            && course.eta.is_some()
            && course.intercept.is_none()
        {
            notes.push("at this speed the ship does not meet it within 60 days".to_owned());
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Labels with their words, for a person, those first that a ship steers by: the
    /// position in these forms, the first of which is that of all other positions.
    pub(crate) fn facts(
        &self,
        notation: Notation,
        forms: &[CoordinateFormat],
        course: Option<&Course>,
    ) -> Vec<Fact> {
        let to = |bearing: Bearing, range_m| {
            let range = notation.units.distance(range_m);
            format!("{}, {range}", bearing.text(notation))
        };
        let mut facts = Vec::new();
        // Where to steer comes before where it is.
        if let Some(meeting) = course.and_then(|course| course.intercept) {
            facts.push(("meets it", notation.position(meeting.position)));
            facts.push(("", to(meeting.bearing, meeting.range_m)));
            facts.push(("", utc(meeting.at)));
            facts.extend(meeting.r90_m.map(|r90_m| {
                let r90 = notation.units.estimate(r90_m);
                ("", format!("9 in 10 within {r90} then"))
            }));
        }
        if let Ok(found) = &self.found {
            let forms = forms.iter().map(|form| Notation {
                coordinates: *form,
                ..notation
            });
            let labels = std::iter::once("forecast").chain(std::iter::repeat(""));
            let positions = forms.map(|form| form.position(found.position));
            facts.extend(labels.zip(positions));
            let radius = |metres| notation.units.estimate(metres);
            let [r90, r50] = [found.r90_m, found.r50_m].map(radius);
            facts.push(("9 in 10 within", format!("{r90}; half within {r50}")));
        }
        if let Some(course) = course {
            let label = match self.found {
                Ok(_) => "from the ship",
                Err(_) => "to the last fix",
            };
            let there = course.eta.map(|eta| format!("; there {}", utc(eta)));
            let way = to(course.bearing, course.range_m);
            facts.push((label, way + &there.unwrap_or_default()));
        }
        facts.extend(self.fix_facts(notation));
        facts.extend(self.note(course, notation).map(|note| ("note", note)));
        facts.extend(self.next_report());
        facts.extend(self.method_facts(notation));
        facts
    }

    /// The last fix with its age.
    fn fix_facts(&self, notation: Notation) -> Vec<Fact> {
        let Some(fix) = self.fix else {
            return Vec::new();
        };
        let (label, doubt) = if is_good(&fix) {
            ("last good fix", String::new())
        } else {
            ("last fix", format!("{}, ", fix.flag.word()))
        };
        let age = time::duration(self.age_s(&fix));
        vec![
            (label, format!("{doubt}{age} old, {}", utc(fix.time_stamp))),
            ("", notation.position(fix.position)),
        ]
    }

    /// When the next report is expected, or was; `None` if none is.
    fn next_report(&self) -> Option<Fact> {
        if self.deployment.settled(self.moment.known_until).is_some() {
            return None;
        }
        let due = self.fix?.time_stamp + self.interval_s?;
        let late_s = self.moment.known_until - due;
        let words = if late_s >= 60.0 {
            format!("missed {}, {} ago", utc(due), time::duration(late_s))
        } else {
            format!("expected {}", utc(due))
        };
        Some(("next report", words))
    }

    /// The motion that it is carried on by, with its record, and the mean drifts.
    fn method_facts(&self, notation: Notation) -> Vec<Fact> {
        let length = |metres: f64| notation.units.distance(metres);
        let mut facts = Vec::new();
        if let Some((neighbour, follows)) = &self.follows {
            let words = format!(
                "{}, {} away at the last good fix, last heard {}",
                text::excerpt(&neighbour.name(), 60),
                length(follows.distance_m),
                utc(follows.fix_time)
            );
            facts.push(("neighbour", words));
        }
        for drift in &self.drifts {
            let speed = notation.units.speed(drift.speed_m_s);
            // An instrument at rest has no course.
            let words = if speed == notation.units.speed(0.0) {
                speed
            } else {
                format!("{speed} towards {}", units::course(drift.course_deg))
            };
            let label = if drift.over_s < 43_200.0 {
                "drift of 6 h"
            } else {
                "drift of 24 h"
            };
            facts.push((label, words));
        }
        if let Ok(found) = &self.found {
            facts.push(("method", found.method.motion.to_owned()));
            let samples = match (found.method.mean_error_m, found.samples) {
                (Some(error_m), count) => format!(
                    "mean error {} in {count} forecasts of its last 30 days",
                    notation.units.estimate(error_m)
                ),
                (None, count) => {
                    let forecasts = text::counted(count, "earlier forecast", "earlier forecasts");
                    format!("{forecasts}: too few, so the circle is by its speed")
                }
            };
            facts.push(("", samples));
        }
        facts
    }
}

fn utc(time_s: f64) -> String {
    format!("{} UTC", time::table(time_s, None))
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
        // Over a pole the course at the start would be the way back.
        let line = geodesic::inverse(start, last.position);
        Some(MeanDrift {
            over_s,
            speed_m_s: line.distance_m / over_s,
            course_deg: line.final_course_deg,
        })
    };
    DRIFTS_S.into_iter().filter_map(drift).collect()
}
