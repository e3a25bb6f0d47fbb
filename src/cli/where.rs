//! The area to search for a deployment, now or at a moment, how sure that is, and the way of
//! a ship to it.

use std::sync::Arc;

use super::args::{Global, WhereArguments};
use super::output::{Out, warn};
use super::run::Run;
use super::subject::{Ask, Subject, Unread};
use crate::app::alarms::neighbours;
use crate::app::update::prepare::Fields;
use crate::app::watch_list;
use crate::failure::Failure;
use crate::formats::Format;
use crate::geo::format::parse_position;
use crate::geo::{CoordinateFormat, Notation, Position, Units, speed};
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::text;
use crate::text::json::{Object, object};
use crate::track::forecast::{Bearing, Course, Moment, Ship};
use crate::track::{Fix, Health, State, time};
use crate::watch::{Deployment, Whereabouts};

/// The longest line of `--short`: that of a text message.
const SHORT: usize = 160;
/// The characters of a label in it.
const NAME: usize = 20;
/// Units and coordinates in JSON.
const IN_FILES: Notation = Notation {
    units: Units::Si,
    coordinates: CoordinateFormat::Dd,
};

pub(super) async fn run(global: &Global, arguments: WhereArguments) -> Result<u8, Failure> {
    let ship = ship(&arguments)?;
    // A wrong one is refused before anything is asked.
    at(arguments.at.as_deref(), unix_now())?;
    let run = Run::new(global)?;
    let answered = answer(&run, &arguments, ship);
    run.then_notify(answered).await
}

/// Fetches the deployment, and prints where it is.
async fn answer(run: &Run, arguments: &WhereArguments, ship: Option<Ship>) -> Result<u8, Failure> {
    let id = run.deployment(&arguments.deployment).await?;
    let mut subject = run.entry(id, Unread::IsNoted).await?;
    let ask = Ask::unless(arguments.offline);
    let fetched = run
        .fetch(vec![&mut subject], ask, Fields::Without, None)
        .await;
    if let Err(failure) = fetched {
        subject.failure = Some(failure);
    }
    if ask == Ask::All {
        run.read_instead(vec![&mut subject], Fields::Without).await;
    }
    let track = Arc::clone(&subject.got()?.track);
    if let Some(failure) = &subject.failure {
        warn(failure);
    }
    subject.note_all();
    let now = track.clock().as_kept(unix_now());
    let moment = Moment::new(at(arguments.at.as_deref(), now)?, now);
    let fix = track.latest_at(moment.known_until);
    let due = fix.zip(track.interval_s());
    let is_silent =
        due.is_some_and(|(fix, interval_s)| fix.time_stamp + interval_s < moment.known_until);
    // While it reports, its own fix is the newer one.
    let ask = if subject.failure.is_none() && is_silent && ask == Ask::All {
        Ask::Due
    } else {
        Ask::Nothing
    };
    let near = match fix {
        Some(fix) => neighbours(run, ask, &subject.entry, &fix, moment.known_until).await,
        None => Vec::new(),
    };
    let answer = move || {
        let found = Whereabouts::new(subject.entry, track, near, moment);
        let course = ship.and_then(|ship| found.course(ship));
        Answer {
            now,
            found,
            ship,
            course,
        }
    };
    let answer = blocking(answer).await?;
    match (arguments.printed.form() == Format::Json, arguments.short) {
        (true, _) => Out::new().json(&answer.object()),
        (false, true) => Out::new().text(&format!("{}\n", answer.short())),
        (false, false) => Out::new().text(&answer.text(run.settings.notation())),
    }
}

/// The deployments of the watch list that may be near `fix` and have reported since; `ask`
/// says if those that are due are fetched before. Failures are printed.
async fn neighbours(
    run: &Run,
    ask: Ask,
    entry: &Deployment,
    fix: &Fix,
    known_until: f64,
) -> Vec<neighbours::Near> {
    let near = async {
        let list = watch_list::watched(&run.settings, &run.store).await?;
        let others = list
            .into_iter()
            .filter(|other| other.id.uuid != entry.id.uuid);
        let others: Vec<Deployment> = others.collect();
        if ask == Ask::Due {
            let asked = neighbours::worth_asking(&run.store, others.clone(), fix).await?;
            let mut asked: Vec<Subject> = asked.into_iter().map(Subject::new).collect();
            let (due, _) = run.due(asked.iter_mut().collect()).await;
            run.request(due, None).await?;
            for subject in asked {
                if let Some(failure) = &subject.failure {
                    subject.note(&failure.to_string());
                }
            }
        }
        neighbours::near(&run.store, others, fix, known_until).await
    };
    near.await.unwrap_or_else(|failure| {
        warn(format_args!(
            "neighbours on the watch list are not known, because {failure}"
        ));
        Vec::new()
    })
}

/// The time of `--at`, UNIX seconds: a time, an age, or `+` and a duration.
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

/// The own ship, if it is given.
fn ship(arguments: &WhereArguments) -> Result<Option<Ship>, Failure> {
    let Some(from) = &arguments.from else {
        return Ok(None);
    };
    let position = parse_position(from)
        .map_err(|error| Failure::usage(format!("--from {}: {error}", text::excerpt(from, 40))))?;
    let speed = arguments.speed.as_deref().map(|typed| {
        speed::parse(typed).map_err(|error| {
            Failure::usage(format!("--speed {}: {error}", text::excerpt(typed, 40)))
        })
    });
    Ok(Some(Ship {
        position,
        speed_m_s: speed.transpose()?,
    }))
}

/// The answer to be printed.
struct Answer {
    /// Now by the later of both clocks, UNIX seconds.
    now: f64,
    found: Whereabouts,
    ship: Option<Ship>,
    /// The way of the ship.
    course: Option<Course>,
}

impl Answer {
    fn object(&self) -> Object {
        let known = &self.found;
        let found = known.found.as_ref().ok();
        let course = self.ship.zip(self.course);
        let no_bearing = course
            .map(|(_, course)| course.bearing)
            .filter(|bearing| bearing.degrees().is_none())
            .map(|bearing| format!("no bearing: {}", bearing.text(IN_FILES)));
        let notes: Vec<String> = known
            .note(self.course.as_ref(), IN_FILES)
            .into_iter()
            .chain(no_bearing)
            .collect();
        object! {
            deployment: known.deployment.id.to_string(),
            fix: known.fix.map(|fix| object! {
                time: time::rfc3339(fix.time_stamp),
                latitude: fix.position.latitude,
                longitude: fix.position.longitude,
                age_s: known.age_s(&fix),
            }),
            at: time::rfc3339(known.moment.at),
            latitude: found.map(|found| found.position.latitude),
            longitude: found.map(|found| found.position.longitude),
            r50_m: found.map(|found| found.r50_m),
            r90_m: found.map(|found| found.r90_m),
            samples: found.map(|found| found.samples),
            method: found.map(|found| found.method.to_string()),
            neighbour: known.follows.as_ref().map(|(neighbour, follows)| object! {
                deployment: neighbour.id.to_string(),
                distance_m: follows.distance_m,
                fix_time: time::rfc3339(follows.fix_time),
            }),
            from: course.map(|(ship, course)| object! {
                latitude: ship.position.latitude,
                longitude: ship.position.longitude,
                range_m: course.range_m,
                bearing_deg: course.bearing.degrees(),
                eta: course.eta.map(time::rfc3339),
                intercept: course.intercept.map(|meeting| object! {
                    latitude: meeting.position.latitude,
                    longitude: meeting.position.longitude,
                    at: time::rfc3339(meeting.at),
                    r50_m: meeting.r50_m,
                    r90_m: meeting.r90_m,
                }),
            }),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }

    /// The paragraph for people.
    fn text(&self, notation: Notation) -> String {
        let found = &self.found;
        let mut lines = vec![format!(
            "{}, {} UTC{}",
            text::excerpt(&found.deployment.name(), 100),
            time::table(found.moment.at, None),
            from_now(found.moment.at, self.now)
        )];
        let facts = found.facts(notation, &[notation.coordinates], self.course.as_ref());
        lines.extend(
            facts
                .iter()
                .map(|(label, words)| format!("  {label:<16}{words}")),
        );
        lines.push(String::new());
        lines.join("\n")
    }

    /// A line of at most 160 ASCII characters, for a text message.
    fn short(&self) -> String {
        let known = &self.found;
        let year = |time_s: f64| time::written(time_s, None, "%Y");
        let this_year = year(known.moment.known_until);
        let minute = |time_s: f64| {
            let has_year = year(time_s) != this_year;
            let pattern = if has_year {
                "%Y-%m-%d %H:%MZ"
            } else {
                "%m-%d %H:%MZ"
            };
            time::written(time_s, None, pattern)
        };
        let position = |position: Position| {
            let [latitude, longitude] = [position.latitude, position.longitude].map(degrees);
            format!("{latitude},{longitude}")
        };
        // A name of question marks alone names nothing.
        let has_letters =
            |label: &&String| label.contains(|letter: char| letter.is_ascii_alphanumeric());
        let (name, cells) = match known.deployment.label.as_ref().filter(has_letters) {
            Some(label) => (label.clone(), NAME),
            None => (known.deployment.id.to_string(), 8),
        };
        let ascii = name.replace(|letter| !matches!(letter, ' '..='~'), "?");
        let mut parts: Vec<String> = vec![ascii.chars().take(cells).collect()];
        let entry = &known.deployment;
        let until = known.moment.known_until;
        let health = Health::default().declared(entry.state);
        let state = health.in_window(&entry.window, until).state;
        if state != State::Unknown {
            parts.push(state.word().to_uppercase());
        }
        match (&known.found, known.fix) {
            (Ok(found), Some(fix)) => {
                parts.push(minute(known.moment.at));
                parts.push(position(found.position));
                parts.push(format!("R50 {}", short_length(found.r50_m)));
                parts.push(format!("R90 {}", short_length(found.r90_m)));
                let age = time::duration(known.age_s(&fix)).replace(' ', "");
                parts.push(format!("fix {age} old"));
            }
            (Err(reason), Some(fix)) => {
                let full = time::written(fix.time_stamp, None, "%Y-%m-%d %H:%MZ");
                parts.push(format!(
                    "no forecast, last fix {full} {}",
                    position(fix.position)
                ));
                parts.push(format!("({})", reason.brief()));
            }
            (_, None) => parts.push("no good fix".to_owned()),
        }
        if known.is_doubtful() {
            parts.push("SUSPECT".to_owned());
        }
        if let Some(course) = self.course {
            let range = short_length(course.range_m);
            parts.push(match course.bearing {
                Bearing::Degrees(degrees) => {
                    format!("brg {:03.0}T {range}", degrees.round().rem_euclid(360.0))
                }
                Bearing::South(to) => format!("S along {} {range}", degrees(to.longitude)),
                Bearing::North(to) => format!("N along {} {range}", degrees(to.longitude)),
                Bearing::Here => format!("there, {range}"),
            });
            if let Some(meeting) = course.intercept {
                let meets = position(meeting.position);
                parts.push(format!("meet {} {meets}", minute(meeting.at)));
                let within = meeting.r90_m.map(short_length);
                parts.extend(within.map(|r90| format!("R90 then {r90}")));
            }
        }
        // Cut off, a number would be another one.
        let mut line = String::new();
        for part in parts {
            let blank = if line.is_empty() { "" } else { " " };
            if line.len() + blank.len() + part.len() <= SHORT {
                line = line + blank + &part;
            }
        }
        line
    }
}

/// The time from now to a moment: `, 6 h ago`; empty for now.
fn from_now(at: f64, now: f64) -> String {
    match at - now {
        ahead if ahead >= 60.0 => format!(", in {}", time::interval(ahead)),
        ahead if ahead <= -60.0 => format!(", {} ago", time::interval(ahead)),
        _ => String::new(),
    }
}

/// Degrees with four decimals, never `-0.0000`.
fn degrees(degrees: f64) -> String {
    format!("{:.4}", (degrees * 1e4).round() / 1e4 + 0.0)
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
