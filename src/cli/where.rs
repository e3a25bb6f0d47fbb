//! Where a deployment is to be looked for: now or at a moment, how sure that is, and the
//! way of a ship to it.

use serde::Serialize;

use super::args::printed::Form;
use super::args::{Global, WhereArguments};
use super::output::{Out, note};
use super::track::{known, offline, online};
use super::{alarms, connect};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::format::parse_position;
use crate::geo::{Notation, Position, speed, units};
use crate::intake::archived::Fields;
use crate::intake::neighbours;
use crate::intake::update::Assembled;
use crate::ops::blocking::blocking;
use crate::ops::store::Store;
use crate::ops::watch_list;
use crate::settings::Settings;
use crate::text;
use crate::track::forecast::{
    Course, FollowedNeighbour, Forecast, Moment, Neighbour, NoForecast, course_from, forecast,
};
use crate::track::{Deployment, Fix, Track, TrackOptions, time};

/// The longest line of `--short`: that of a text message.
const SHORT: usize = 160;
/// The characters of a label in it.
const NAME: usize = 20;

pub(super) async fn run(global: &Global, arguments: WhereArguments) -> Result<u8, Failure> {
    let ship = Ship::of(&arguments)?;
    let now = unix_now();
    let moment = Moment::new(at(arguments.at.as_deref(), now)?, now);
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let uuid = connect::deployment(&arguments.deployment, &settings, &store).await?;
    let known = known(uuid, &settings, &store).await;
    let entry = known.entry.unwrap_or_else(|| Deployment::new(uuid));
    let options = TrackOptions {
        overrules: known.overrides,
        ..entry.options(now)
    };
    let got = match arguments.offline {
        true => offline(&store, uuid, options, Fields::Without).await,
        false => asked(global, &settings, &store, &entry, options).await,
    };
    if !arguments.offline {
        alarms::tell(&settings, &store).await;
    }
    let track = got?.track;
    let near = neighbours(&settings, &store, &entry, moment, &track).await;
    let answered = blocking(move || {
        let others: Vec<Neighbour<'_>> = near
            .iter()
            .map(|(deployment, track)| Neighbour {
                deployment: deployment.uuid,
                track,
            })
            .collect();
        let found = forecast(&track, &others, moment);
        let course = ship.zip(found.as_ref().ok()).map(|(ship, found)| {
            let course = course_from(ship.position, ship.speed_m_s, found, moment.known_until);
            (ship, course)
        });
        let follows = found.as_ref().ok().and_then(|found| found.neighbour);
        let follows = follows.and_then(|follows| {
            let named = near.iter().find(|(one, _)| one.uuid == follows.deployment);
            named.map(|(one, _)| (one.name(), follows))
        });
        Answer {
            fix: track.latest_until(moment.known_until),
            deployment: entry,
            moment,
            found,
            follows,
            course,
        }
    });
    let answer = answered.await?;
    match (arguments.printed.form() == Form::Json, arguments.short) {
        (true, _) => Out::new().json(&answer.object()),
        (false, true) => Out::new().text(&format!("{}\n", answer.short())),
        (false, false) => Out::new().text(&answer.text(settings.notation())),
    }
}

/// The track as the service has it now; where the service fails, as the archive has it,
/// which is said.
async fn asked(
    global: &Global,
    settings: &Settings,
    store: &Store,
    entry: &Deployment,
    options: TrackOptions,
) -> Result<Assembled, Failure> {
    let failure = match online(global, settings, store, entry.uuid, options.clone()).await {
        Ok(got) => return Ok(got),
        Err(failure) => failure,
    };
    match offline(store, entry.uuid, options, Fields::Without).await {
        Ok(stored) => {
            note(&format!("driftline: {failure}"));
            note(&format!(
                "driftline: the answer is from the archive, fetched {}",
                time::age(stored.fetched_at, unix_now())
            ));
            Ok(stored)
        }
        Err(_) => Err(failure),
    }
}

/// The deployments of the watch list that may be near and have reported since. Where the
/// archive cannot be read, that is said, and there are none.
async fn neighbours(
    settings: &Settings,
    store: &Store,
    entry: &Deployment,
    moment: Moment,
    track: &Track,
) -> Vec<neighbours::Near> {
    let Some(fix) = track.latest_until(moment.known_until) else {
        return Vec::new();
    };
    let near = async {
        let list = watch_list::watched(settings, store).await?;
        let others = list.into_iter().filter(|one| one.uuid != entry.uuid);
        neighbours::near(store, others.collect(), &fix).await
    };
    near.await.unwrap_or_else(|failure| {
        note(&format!(
            "driftline: what is near on the watch list is not known, because {failure}"
        ));
        Vec::new()
    })
}

/// The moment that is asked for, UNIX seconds: a time, an age, or `+` and a duration.
fn at(typed: Option<&str>, now: f64) -> Result<f64, Failure> {
    let Some(typed) = typed else {
        return Ok(now);
    };
    let parsed = match typed.trim().strip_prefix('+') {
        Some(ahead) => time::parse_duration(ahead).map(|ahead| now + ahead),
        None => time::parse(typed, now),
    };
    parsed.map_err(|error| Failure::usage(format!("--at: {error}")))
}

/// The own ship.
#[derive(Debug, Clone, Copy)]
struct Ship {
    position: Position,
    speed_m_s: Option<f64>,
}

impl Ship {
    fn of(arguments: &WhereArguments) -> Result<Option<Self>, Failure> {
        let Some(from) = &arguments.from else {
            return Ok(None);
        };
        let position = parse_position(from).ok_or_else(|| {
            Failure::usage(format!(
                "--from {}: give LAT,LON, such as 81.5,-20.25 or 81°30.0′N 20°15.0′W",
                text::excerpt(from, 40)
            ))
        })?;
        let speed = arguments.speed.as_deref().map(|typed| {
            speed::parse(typed).map_err(|error| {
                Failure::usage(format!("--speed {}: {error}", text::excerpt(typed, 40)))
            })
        });
        Ok(Some(Self {
            position,
            speed_m_s: speed.transpose()?,
        }))
    }
}

/// All that is known of where a deployment is.
struct Answer {
    deployment: Deployment,
    moment: Moment,
    fix: Option<Fix>,
    found: Result<Forecast, NoForecast>,
    /// The neighbour whose motion it follows, with its name.
    follows: Option<(String, FollowedNeighbour)>,
    course: Option<(Ship, Course)>,
}

#[derive(Serialize)]
struct Object {
    deployment: String,
    fix: Option<FixObject>,
    at: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    r50_m: Option<f64>,
    r90_m: Option<f64>,
    samples: Option<usize>,
    method: Option<String>,
    neighbour: Option<NeighbourObject>,
    from: Option<FromObject>,
    note: Option<String>,
}

#[derive(Serialize)]
struct FixObject {
    time: String,
    latitude: f64,
    longitude: f64,
    age_s: f64,
}

#[derive(Serialize)]
struct NeighbourObject {
    deployment: String,
    distance_m: f64,
    fix_time: String,
}

#[derive(Serialize)]
struct FromObject {
    latitude: f64,
    longitude: f64,
    range_m: f64,
    bearing_deg: f64,
    eta: Option<String>,
    intercept: Option<InterceptObject>,
}

#[derive(Serialize)]
struct InterceptObject {
    latitude: f64,
    longitude: f64,
    at: String,
}

impl Answer {
    fn age_s(&self, fix: &Fix) -> f64 {
        (self.moment.known_until - fix.time_stamp).max(0.0)
    }

    /// Why there is no forecast, or what limits it.
    fn note(&self) -> Option<String> {
        match &self.found {
            Err(reason) => Some(reason.to_string()),
            Ok(found) if found.method.is_steered() => {
                Some("a glider steers: the position is carried on by its last leg alone".to_owned())
            }
            Ok(_) => match &self.course {
                Some((ship, course)) if ship.speed_m_s.is_some() && course.intercept.is_none() => {
                    Some("at this speed the ship does not meet it within 60 days".to_owned())
                }
                _ => None,
            },
        }
    }

    fn object(&self) -> Object {
        let found = self.found.as_ref().ok();
        Object {
            deployment: self.deployment.uuid.to_string(),
            fix: self.fix.map(|fix| FixObject {
                time: time::rfc3339(fix.time_stamp),
                latitude: fix.position.latitude,
                longitude: fix.position.longitude,
                age_s: self.age_s(&fix),
            }),
            at: time::rfc3339(self.moment.at),
            latitude: found.map(|found| found.position.latitude),
            longitude: found.map(|found| found.position.longitude),
            r50_m: found.map(|found| found.r50_m),
            r90_m: found.map(|found| found.r90_m),
            samples: found.map(|found| found.samples),
            method: found.map(|found| found.method.to_string()),
            neighbour: self.follows.as_ref().map(|(_, follows)| NeighbourObject {
                deployment: follows.deployment.to_string(),
                distance_m: follows.distance_m,
                fix_time: time::rfc3339(follows.fix_time),
            }),
            from: self.course.map(|(ship, course)| FromObject {
                latitude: ship.position.latitude,
                longitude: ship.position.longitude,
                range_m: course.range_m,
                bearing_deg: course.bearing_deg,
                eta: course.eta.map(time::rfc3339),
                intercept: course.intercept.map(|meeting| InterceptObject {
                    latitude: meeting.position.latitude,
                    longitude: meeting.position.longitude,
                    at: time::rfc3339(meeting.at),
                }),
            }),
            note: self.note(),
        }
    }

    /// The paragraph for people.
    fn text(&self, notation: Notation) -> String {
        let utc = |time_s: f64| format!("{} UTC", time::table(time_s, None));
        let length = |metres: f64| notation.units.distance(metres);
        let mut lines = vec![format!(
            "{}, {}",
            text::excerpt(&self.deployment.name(), 100),
            utc(self.moment.at)
        )];
        let mut row = |name: &str, value: String| lines.push(format!("  {name:<16}{value}"));
        if let Ok(found) = &self.found {
            row("position", notation.position(found.position));
            row("half within", length(found.r50_m));
            row("9 in 10 within", length(found.r90_m));
            row("carried on by", found.method.motion().to_owned());
            let samples = match (found.method.mean_error_m(), found.samples) {
                (Some(error_m), count) => format!(
                    "mean error {} in {count} forecasts of its last 30 days",
                    length(error_m)
                ),
                (None, count) => {
                    format!("{count} earlier forecasts: too few, so the circle is by its speed")
                }
            };
            row("", samples);
        }
        if let Some((name, follows)) = &self.follows {
            row(
                "neighbour",
                format!(
                    "{}, {} away at the last good fix, last heard {}",
                    text::excerpt(name, 60),
                    length(follows.distance_m),
                    utc(follows.fix_time)
                ),
            );
        }
        if let Some(fix) = self.fix {
            row("last good fix", notation.position(fix.position));
            let age = time::duration(self.age_s(&fix));
            row("", format!("{}, {age} old", utc(fix.time_stamp)));
        }
        if let Some((_, course)) = self.course {
            row(
                "from the ship",
                format!(
                    "bearing {}, {}",
                    units::course(course.bearing_deg),
                    length(course.range_m)
                ),
            );
            if let Some(eta) = course.eta {
                row("", format!("there {}", utc(eta)));
            }
            if let Some(meeting) = course.intercept {
                row("meets it", notation.position(meeting.position));
                row("", utc(meeting.at));
            }
        }
        if let Some(note) = self.note() {
            row("note", note);
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// A line of at most 160 ASCII characters, for a text message.
    fn short(&self) -> String {
        let minute = |time_s: f64| time::written(time_s, None, "%m-%d %H:%MZ");
        let position =
            |position: Position| format!("{:.4},{:.4}", position.latitude, position.longitude);
        let name = match &self.deployment.label {
            Some(label) => label.chars().take(NAME).collect(),
            None => self.deployment.uuid.to_string().chars().take(8).collect(),
        };
        let mut parts: Vec<String> = vec![name];
        match (&self.found, self.fix) {
            (Ok(found), Some(fix)) => {
                parts.push(minute(self.moment.at));
                parts.push(position(found.position));
                parts.push(format!("R50 {}", short_length(found.r50_m)));
                parts.push(format!("R90 {}", short_length(found.r90_m)));
                let age = time::duration(self.age_s(&fix)).replace(' ', "");
                parts.push(format!("fix {age} old"));
            }
            (Err(_), Some(fix)) => parts.push(format!(
                "no forecast, last fix {} {}",
                time::rfc3339(fix.time_stamp),
                position(fix.position)
            )),
            (_, None) => parts.push("no good fix".to_owned()),
        }
        if let Some((_, course)) = self.course {
            parts.push(format!(
                "brg {:03.0}T {}",
                course.bearing_deg.round().rem_euclid(360.0),
                short_length(course.range_m)
            ));
            if let Some(meeting) = course.intercept {
                let meets = position(meeting.position);
                parts.push(format!("meet {} {meets}", minute(meeting.at)));
            }
        }
        let line = parts.join(" ");
        let ascii = line.chars().map(|one| match one {
            ' '..='~' => one,
            _ => '?',
        });
        ascii.take(SHORT).collect()
    }
}

/// A length with three digits: `850m`, `2.21km`, `41.3km`.
fn short_length(metres: f64) -> String {
    match metres {
        _ if metres < 1000.0 => format!("{metres:.0}m"),
        _ if metres < 10_000.0 => format!("{:.2}km", metres / 1000.0),
        _ if metres < 100_000.0 => format!("{:.1}km", metres / 1000.0),
        _ => format!("{:.0}km", metres / 1000.0),
    }
}
