//! The result of the check of a deployment: exit status, text and performance data.

use std::path::Path;

use uuid::Uuid;

use crate::alarm::{self, Alarm, FieldNow, Kind, Length, Rule};
use crate::cli::args::CheckArguments;
use crate::cli::{connect, track};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::{Inside, Notation, Units};
use crate::ops::store::Store;
use crate::settings::inside;
use crate::text;
use crate::track::{
    DeclaredState, Deployment, FieldLimit, Fix, Platform, State, Track, TrackOptions, time,
};

/// Text on one line without the bar `|`, which begins the performance data.
pub(super) fn plain(message: &str) -> String {
    text::excerpt(message, 400).replace('|', "/")
}

/// Says that the time for the check, in seconds, is over.
pub(super) fn no_verdict(deadline: f64) -> String {
    format!("no verdict within {}", time::duration(deadline))
}

/// The limits and the platform that the flags set for every checked deployment.
pub(super) struct Limits {
    max_age: Option<f64>,
    inside: Option<Inside>,
    platform: Option<Platform>,
    max_speed_m_s: Option<f64>,
    /// Of the words; the performance data are in SI units.
    pub(super) notation: Notation,
}

impl Limits {
    pub(super) fn of(arguments: &CheckArguments, notation: Notation) -> Result<Self, Failure> {
        let max_age = arguments
            .max_age
            .as_deref()
            .map(|age| connect::duration("--max-age", age))
            .transpose()?;
        Ok(Self {
            max_age,
            inside: arguments.inside.as_deref().map(place_to_stay).transpose()?,
            platform: arguments.speed.platform,
            max_speed_m_s: track::max_speed(arguments.speed.max_speed.as_deref())?,
            notation,
        })
    }

    /// The maximum age (seconds), and the watch circle or area of a deployment: of
    /// the flags, else of the watch list.
    fn for_entry<'a>(&'a self, entry: &'a Deployment) -> (Option<f64>, Option<&'a Inside>) {
        (
            self.max_age.or(entry.limits.max_age_s),
            self.inside.as_ref().or(entry.limits.inside.as_ref()),
        )
    }

    pub(super) fn options(&self, entry: &Deployment) -> TrackOptions {
        track::options(entry, self.platform, self.max_speed_m_s, unix_now())
    }
}

/// The result of the check of one deployment.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) status: u8,
    /// The deployment and why, without the bar `|`.
    pub(super) text: String,
    /// The performance data: names with values and thresholds.
    pub(super) figures: Vec<(&'static str, String)>,
    /// The last values of the fields with a limit.
    pub(super) fields: Vec<FieldNow>,
    /// The last included fix.
    pub(super) fix: Option<Fix>,
    /// Its age, or since when it should have one, seconds.
    pub(super) age_s: Option<f64>,
    /// The age from which on it is overdue, seconds.
    pub(super) limit_s: Option<f64>,
}

impl Verdict {
    pub(super) fn unknown(name: &str, why: &str) -> Self {
        Self {
            status: 3,
            text: plain(&format!("{name}: {why}")),
            ..Self::default()
        }
    }

    /// That nothing is known, of whatever deployment.
    pub(super) fn without_name(why: &str) -> Self {
        Self {
            status: 3,
            text: plain(why),
            ..Self::default()
        }
    }

    /// That nothing is expected of it any more, with the reason.
    pub(super) fn settled(name: &str, why: &str) -> Self {
        Self {
            status: 0,
            text: plain(&format!("{name}: {why}")),
            ..Self::default()
        }
    }

    /// The same with the last values of the fields that limits are about. A limit that
    /// cannot be judged makes it unknown, unless it is critical.
    fn with_limits(
        mut self,
        inside: Option<&Inside>,
        fields: &[FieldLimit],
        track: &Track,
    ) -> Self {
        self.fields = FieldNow::of_track(fields, track);
        let rules = inside.cloned().map(Rule::Outside).into_iter();
        let rules = rules.chain(fields.iter().cloned().map(Rule::Field));
        for why in rules.filter_map(|rule| alarm::why_unjudged(&rule, track)) {
            if self.status < 2 {
                self.status = 3;
            }
            self.text.push_str(", ");
            self.text.push_str(&plain(&why));
        }
        self
    }

    /// The same with the alarms that stand and that its last fix does not tell: a limit of
    /// a field that is exceeded is critical, how it moves leaves the status as it is. What
    /// is unknown stays so.
    pub(super) fn with_alarms(mut self, alarms: &[Alarm], deployment: Uuid, units: Units) -> Self {
        let own = alarms.iter().filter(|alarm| {
            alarm.deployment == Some(deployment)
                && alarm.cleared_at.is_none()
                && !matches!(alarm.kind, Kind::Overdue | Kind::Outside)
        });
        for alarm in own {
            let is_of_field = matches!(alarm.kind, Kind::Below | Kind::Above);
            if is_of_field && self.status < 2 {
                self.status = 2;
            }
            // The numbers are those of the fix that raised it; the last value follows.
            let at = alarm.fix_time.map_or_else(String::new, time::rfc3339);
            let words = alarm.words(None).at(at);
            let words = words.write(Length::Sentence, units);
            self.text.push_str(", ");
            self.text.push_str(&plain(&words));
            let now = self.fields.iter().find_map(|field| field.text(alarm));
            if let Some(now) = now {
                self.text.push_str("; ");
                self.text.push_str(&plain(&now));
            }
        }
        self
    }

    /// The same where its alarms cannot be read: a limit may be exceeded, so that what is
    /// not critical is unknown.
    pub(super) fn without_alarms(self, name: &str, failure: &Failure) -> Self {
        match self.status {
            0 | 1 => Self::unknown(name, &format!("its alarms are unknown: {failure}")),
            _ => self,
        }
    }

    /// The only line of a check of one deployment.
    pub(super) fn line(&self) -> String {
        let mut line = format!("DRIFTLINE {} - {}", word(self.status), self.text);
        for (count, (name, value)) in self.figures.iter().enumerate() {
            line.push_str(if count == 0 { " | " } else { " " });
            line.push_str(&format!("{name}={value}"));
        }
        line
    }
}

/// The word for an exit status.
pub(super) fn word(status: u8) -> &'static str {
    match status {
        0 => "OK",
        1 => "WARNING",
        2 => "CRITICAL",
        _ => "UNKNOWN",
    }
}

/// The verdict on a track, with the maximum age (seconds), and the watch circle or
/// area.
fn verdict(
    name: &str,
    track: &Track,
    (max_age, inside): (Option<f64>, Option<&Inside>),
    notation: Notation,
    now: f64,
) -> Verdict {
    let Some(fix) = track.latest() else {
        return Verdict::unknown(name, &without_fix(track, now));
    };
    let name = plain(name);
    let health = track.health(now);
    let age = health.age_s.unwrap_or(0.0);
    let over = inside.map(|inside| inside.over_m(fix.position));
    // Where the newest fixes are suspect, it may still be where the last good one was.
    let judged = inside.and_then(|inside| {
        let last = alarm::last_judged(&Rule::Outside(inside.clone()), track)?;
        Some(inside.over_m(last.position))
    });
    let outside = over.into_iter().chain(judged).any(|over| over > 0.0);
    let place = match inside {
        Some(Inside::Area(_)) => "outside the area",
        _ => "outside the watch circle",
    };
    let too_old = max_age.is_some_and(|limit| age > limit);
    let (status, why) = match health.state {
        _ if too_old => (2, "last fix over its maximum age"),
        State::OnTime => (0, "on time"),
        State::Recovered => (0, "recovered"),
        State::DeclaredLost => (0, "declared lost"),
        State::Ended => (0, "its time window ended"),
        // With a maximum age, the reporting interval is not used.
        _ if max_age.is_some() => (0, "within its maximum age"),
        State::Late => (1, "late"),
        State::Overdue => (2, "overdue"),
        State::Lost => (2, "lost"),
        State::Unknown => (
            3,
            "no reporting interval is known: it takes four fixes, and not over 45 days between them",
        ),
    };
    // Where it was last may be known to be outside while it is silent.
    let (status, why) = match (outside, status) {
        (false, _) => (status, why.to_owned()),
        (true, 0) => (2, place.to_owned()),
        (true, _) => (2, format!("{place}, and {why}")),
    };
    let leg = track.leg(fix.index);
    let speed = leg.and_then(|leg| leg.speed_m_s);
    let position = fix.position;
    let units = notation.units;
    let limit = track.limit_text(units);
    let speed_text = match speed {
        Some(speed) => format!(", {} ({limit})", units.speed(speed)),
        None => format!(", speed {limit}"),
    };
    // Of a circle the distance from its centre, of an area from its edge.
    let away = inside.zip(over).map(|(inside, over)| match inside {
        Inside::Circle(circle) => (
            over + circle.radius_m,
            circle.radius_m,
            format!(
                ", {} from the centre",
                units.distance(over + circle.radius_m)
            ),
        ),
        Inside::Area(_) => {
            let side = if over > 0.0 { "beyond" } else { "within" };
            (
                over,
                0.0,
                format!(
                    ", {} {side} the edge of {}",
                    units.distance(over.abs()),
                    inside.name()
                ),
            )
        }
    });
    let away_text = away.as_ref().map_or("", |(_, _, text)| text.as_str());
    let away_text = plain(away_text);
    let newer = track.newer_failed();
    let newer = newer.map(|newer| newer.text(units));
    let newer = newer.into_iter().chain(track::ahead(track, now));
    let newer: String = newer.map(|words| format!(", {words}")).collect();
    let absent = match track.is_absent_from_latest(fix.index) {
        true => " (not in the latest response)",
        false => "",
    };
    let thresholds = match (max_age, health.interval_s) {
        (Some(limit), _) => format!(";{limit:.0}"),
        (None, Some(interval)) => format!("{:.0};{:.0}", 1.5 * interval, 3.0 * interval),
        (None, None) => ";".to_owned(),
    };
    let mut figures = vec![("age", format!("{age:.0}s;{thresholds};0"))];
    if let Some(speed) = speed {
        figures.push(("speed", format!("{speed:.3};;;0")));
    }
    if let Some((away, limit, _)) = &away {
        figures.push(("distance", format!("{away:.0};;{limit:.0};0")));
    }
    figures.push(("fixes", format!("{};;;0", track.len())));
    Verdict {
        status,
        text: format!(
            "{name}: {why}, last fix {} at {}{absent}{speed_text}{away_text}{newer}",
            time::age(fix.time_stamp, now),
            notation.position(position)
        ),
        figures,
        fix: Some(fix),
        age_s: Some(age),
        limit_s: max_age.or(health.interval_s.map(|interval| 3.0 * interval)),
        ..Verdict::default()
    }
}

/// The status of a deployment by what the user declares it to be, or by the end of its
/// time window before `now` (UNIX seconds); none where it should report.
pub(super) fn settled(entry: &Deployment, now: f64) -> Option<String> {
    match (entry.state, entry.window.until) {
        (DeclaredState::Recovered, _) => Some("recovered".to_owned()),
        (DeclaredState::Lost, _) => Some("declared lost".to_owned()),
        (DeclaredState::Active, Some(until)) if until < now => Some(format!(
            "its time window ended {}",
            time::rfc3339(until.floor())
        )),
        (DeclaredState::Active, _) => None,
    }
}

/// Why a track has no last fix.
fn without_fix(track: &Track, now: f64) -> String {
    let why = if track.is_empty() && track.unusable().is_empty() {
        "no fixes yet"
    } else if !track.is_empty() && !track.has_fix_inside() {
        "no fix in its time window (from, until)"
    } else {
        "no fix, or all failed quality control"
    };
    track::ahead(track, now).unwrap_or_else(|| why.to_owned())
}

/// The verdict on a deployment that has no last fix, where its age counts from a time
/// (UNIX seconds): over its maximum age (seconds) it is overdue as one that fell silent.
fn never_sent(
    name: &str,
    track: &Track,
    (max_age, counted_from): (f64, f64),
    now: f64,
) -> Option<Verdict> {
    let age = now - counted_from;
    let text = format!(
        "{name}: no fix for {}, over its maximum age, {}",
        time::duration(age),
        without_fix(track, now)
    );
    (track.latest().is_none() && age > max_age).then(|| Verdict {
        status: 2,
        text: plain(&text),
        figures: vec![("age", format!("{age:.0}s;;{max_age:.0};0"))],
        age_s: Some(age),
        limit_s: Some(max_age),
        ..Verdict::default()
    })
}

/// The verdict on a deployment by its track, with the limits of its fields.
pub(super) async fn of_track(
    entry: &Deployment,
    track: &Track,
    limits: &Limits,
    store: &Store,
) -> Verdict {
    let (name, now) = (entry.name(), unix_now());
    let (max_age, inside) = limits.for_entry(entry);
    let counted_from = match (track.latest(), entry.window.from) {
        (Some(_), _) => None,
        (None, Some(from)) => Some(from),
        // Without an archive nothing is known of when it was added.
        (None, None) => {
            let uuid = entry.uuid;
            let added = store.read(move |archive| archive.added_at(uuid));
            added.await.ok().flatten()
        }
    };
    let silent = max_age.zip(counted_from);
    let silent = silent.and_then(|since| never_sent(&name, track, since, now));
    let verdict =
        silent.unwrap_or_else(|| verdict(&name, track, (max_age, inside), limits.notation, now));
    verdict.with_limits(inside, &entry.limits.fields, track)
}

/// Parses a watch circle, or reads the file of an area.
fn place_to_stay(typed: &str) -> Result<Inside, Failure> {
    inside::parse(typed, Path::new(""))
        .map_err(|fault| Failure::usage(format!("--inside: {fault}")))
}

#[cfg(test)]
mod tests;
