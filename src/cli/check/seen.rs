//! The verdict of a check on a track, by the age and the position of its last fix, and by the
//! clocks.

use super::verdict::{Limits, Verdict, plain};
use crate::alarm::{self, Rule};
use crate::app::store::Store;
use crate::cli::subject;
use crate::geo::{Inside, Notation};
use crate::os::clock::unix_now;
use crate::track::{Fix, Flag, Health, Newer, State, Track, late_after_s, overdue_after_s, time};
use crate::watch::Deployment;

/// The verdict on a deployment by its track, with the limits of its fields.
pub(super) async fn of_track(
    entry: &Deployment,
    track: &Track,
    limits: &Limits,
    store: &Store,
    judged_at: Option<f64>,
) -> Verdict {
    let name = entry.name();
    let (max_age_s, inside) = limits.for_entry(entry);
    let here = unix_now();
    let seen = Seen {
        track,
        max_age_s,
        inside,
        notation: limits.notation,
        here,
        now: track.clock().later(here),
        as_of: track.clock().later(judged_at.unwrap_or(here)),
    };
    let counted_from = match (track.latest(), entry.window.from) {
        (Some(_), _) => None,
        (None, Some(from)) => Some(from),
        // Without an archive nothing is known of when it was added.
        (None, None) => {
            let uuid = entry.id.uuid;
            let added = store.read(move |archive| archive.added_at(uuid));
            added.await.ok().flatten()
        }
    };
    let silent = counted_from.and_then(|from| seen.never_sent(&name, from));
    let verdict = silent.unwrap_or_else(|| seen.verdict(&name));
    verdict.with_limits(inside, &entry.limits.fields, track)
}

/// A track at a time, with its limits.
struct Seen<'a> {
    track: &'a Track,
    max_age_s: Option<f64>,
    inside: Option<&'a Inside>,
    notation: Notation,
    /// Now by this computer's clock, UNIX seconds.
    here: f64,
    /// Now by the later of both clocks, UNIX seconds.
    now: f64,
    /// The time as of which it is silent or not, by the same, UNIX seconds.
    as_of: f64,
}

/// Why it cannot be judged at `now` (UNIX seconds) by a track whether its instrument is silent: the
/// clock of the service was ahead of this computer's, and that is long ago.
pub(super) fn doubt(track: &Track, max_age_s: Option<f64>, now: f64) -> Option<String> {
    let last = track.heard_at()?;
    let limit_s = overdue_after_s(max_age_s, track.interval_s())?;
    track.clock().doubt(last, limit_s, now)
}

/// The distance of a fix from a circle or an area.
struct Away {
    /// Of a circle from its centre, of an area from its edge, metres.
    metres: f64,
    limit_m: f64,
    /// The distance in a sentence: "312 m from the centre".
    words: String,
}

impl Seen<'_> {
    /// The verdict on the deployment of this name.
    fn verdict(&self, name: &str) -> Verdict {
        let Some(fix) = self.track.latest() else {
            let why = without_fix(self.track, self.now);
            return Verdict::unknown(&format!("{name}: {why}{}", self.clocks()));
        };
        let name = plain(name);
        let now = self.now;
        let health = self.track.health_at(now);
        let asked = self.track.health_at(self.as_of);
        let (status, mut why) = self.status(&asked);
        // What an answer costs may put the next one off by an hour.
        if asked.state != health.state && now - self.as_of > 60.0 {
            why.push_str(&format!(
                " as of the last answer {}",
                time::age(self.as_of, now)
            ));
        }
        let (status, why) = match (self.is_outside(&fix), status) {
            (false, _) => (status, why),
            // A silent instrument may have been outside at its last fix.
            (true, 0) => (2, self.outside_text().to_owned()),
            (true, _) => (2, format!("{}, and {why}", self.outside_text())),
        };
        let absent = if self.track.is_absent_from_latest(fix.index) {
            " (not in the latest response)"
        } else {
            ""
        };
        let leg = self.track.leg_from_before(fix.index);
        let speed_m_s = leg.and_then(|leg| leg.speed_m_s);
        let away = self.away(&fix);
        let text = format!(
            "{name}: {why}, last fix {} at {}{absent}, {}{}{}{}",
            time::age(fix.time_stamp, now),
            self.notation.position(fix.position),
            self.speed(speed_m_s),
            plain(
                &away
                    .as_ref()
                    .map_or_else(String::new, |away| format!(", {}", away.words))
            ),
            self.newer(),
            self.clocks(),
        );
        Verdict {
            status,
            text,
            figures: self.figures(&health, speed_m_s, away.as_ref()),
            fix: Some(fix),
            age_s: Some(health.age_s.unwrap_or(0.0)),
            limit_s: self.limit_s(&health),
            ..Verdict::default()
        }
    }

    /// The exit status by the age of the last fix, and why. An old difference of the clocks makes
    /// nothing late; if it would be by that, the status is unknown.
    fn status(&self, health: &Health) -> (u8, String) {
        let (status, why) = self.by_age(health);
        let is_settled = matches!(
            health.state,
            State::Recovered | State::DeclaredLost | State::Ended | State::Read
        );
        match doubt(self.track, self.max_age_s, self.here) {
            Some(doubt) if status < 2 && !is_settled => (3, doubt),
            _ => (status, why),
        }
    }

    /// The age of the last fix in seconds that is too great; a file has one only if it is given.
    fn limit_s(&self, health: &Health) -> Option<f64> {
        let interval_s = health.interval_s.filter(|_| !self.track.is_of_file());
        overdue_after_s(self.max_age_s, interval_s)
    }

    /// The exit status by the age of the last fix, and why.
    fn by_age(&self, health: &Health) -> (u8, String) {
        let age_s = health.age_s.unwrap_or(0.0);
        let limit = self.max_age_s.map_or_else(String::new, max_age);
        let (status, why) = match health.state {
            _ if self.max_age_s.is_some_and(|limit| age_s > limit) => {
                return (2, format!("last fix over its {limit}"));
            }
            State::OnTime => (0, "on time"),
            State::Recovered => (0, "recovered"),
            State::DeclaredLost => (0, "declared lost"),
            State::Ended if self.track.is_of_file() => {
                let last = self.track.latest().map_or(0.0, |fix| fix.time_stamp);
                return (0, format!("ended {}", time::day(last)));
            }
            State::Ended => (0, "its time window ended"),
            // With a maximum age, the reporting interval is not used.
            _ if self.max_age_s.is_some() => return (0, format!("within its {limit}")),
            State::Read => (0, "read"),
            State::Late => return (1, format!("late{}", interval_limit(health))),
            State::Overdue => return (2, format!("overdue{}", interval_limit(health))),
            State::Lost => return (2, format!("lost{}", interval_limit(health))),
            State::Unknown => (
                3,
                "no reporting interval is known: it takes four fixes, and not over 45 days between them",
            ),
        };
        (status, why.to_owned())
    }

    /// `true` if the last fix is outside the circle or area, or, if the newest fixes are
    /// suspect, the last good fix.
    fn is_outside(&self, last: &Fix) -> bool {
        let Some(inside) = self.inside else {
            return false;
        };
        let judged = alarm::last_judged(&Rule::Outside(inside.clone()), self.track);
        let mut fixes = std::iter::once(*last).chain(judged);
        fixes.any(|fix| inside.over_m(fix.position) > 0.0)
    }

    fn outside_text(&self) -> &'static str {
        match self.inside {
            Some(Inside::Area(_)) => "outside the area",
            _ => "outside the watch circle",
        }
    }

    /// How far a fix is from the centre of the circle or the edge of the area.
    fn away(&self, fix: &Fix) -> Option<Away> {
        let inside = self.inside?;
        let units = self.notation.units;
        let over_m = inside.over_m(fix.position);
        Some(match inside {
            Inside::Circle(circle) => {
                let metres = over_m + circle.radius_m;
                let (away, limit) = alarm::distances(metres, circle.radius_m, units);
                Away {
                    metres,
                    limit_m: circle.radius_m,
                    words: format!("{away} from the centre (limit {limit})"),
                }
            }
            Inside::Area(_) => {
                let side = if over_m > 0.0 { "beyond" } else { "within" };
                let by = units.distance(over_m.abs());
                Away {
                    metres: over_m,
                    limit_m: 0.0,
                    words: format!("{by} {side} the edge of {}", inside.name()),
                }
            }
        })
    }

    /// The speed of the last leg (m/s) with its limit.
    fn speed(&self, speed_m_s: Option<f64>) -> String {
        let units = self.notation.units;
        let limit = self.track.limit_text(units);
        match speed_m_s {
            Some(speed) => format!("{} ({limit})", units.speed(speed)),
            None => format!("speed {limit}"),
        }
    }

    /// Notes on a suspect last fix, on newer fixes, and on fixes ahead of the clock.
    fn newer(&self) -> String {
        let newer = (self.track.newer().map(Newer::without_ahead))
            .and_then(|newer| newer.text(self.notation.units));
        let last = self.track.latest();
        let suspect = last
            .filter(|fix| fix.flag == Flag::Suspect)
            .map(|fix| format!("suspect ({})", fix.reason.text()));
        let ahead = subject::ahead(self.track, self.now);
        let early = last
            .filter(|fix| self.track.is_early(fix.index))
            .map(|_| "received before its time".to_owned());
        let words = suspect.into_iter().chain(early).chain(newer).chain(ahead);
        words.map(|words| format!(", {words}")).collect()
    }

    /// The note on clocks that differ: ages are counted by the later of both.
    fn clocks(&self) -> String {
        let differ = self.track.clock().differs();
        differ.map_or_else(String::new, |differ| format!(", {differ}"))
    }

    /// The performance data.
    fn figures(
        &self,
        health: &Health,
        speed_m_s: Option<f64>,
        away: Option<&Away>,
    ) -> Vec<(&'static str, String)> {
        let age_s = health.age_s.unwrap_or(0.0);
        let late = health
            .interval_s
            .filter(|_| self.max_age_s.is_none() && !self.track.is_of_file());
        let threshold = |age_s: Option<f64>| age_s.map_or_else(String::new, |s| format!("{s:.0}"));
        let warning = threshold(late.map(late_after_s));
        let critical = threshold(self.limit_s(health));
        let mut figures = vec![("age", format!("{age_s:.0}s;{warning};{critical};0"))];
        if let Some(speed) = speed_m_s {
            figures.push(("speed", format!("{speed:.3};;;0")));
        }
        if let Some(Away {
            metres, limit_m, ..
        }) = away
        {
            figures.push(("distance", format!("{metres:.0};;{limit_m:.0};0")));
        }
        figures.push(("fixes", format!("{};;;0", self.track.len())));
        figures
    }

    /// The verdict on the deployment of this name without a last fix, if its age counts from a
    /// time (UNIX seconds): over its maximum age it is overdue.
    fn never_sent(&self, name: &str, counted_from: f64) -> Option<Verdict> {
        let age = self.now - counted_from;
        let max_age = self.max_age_s?;
        let text = format!(
            "{name}: no fix for {}, over its {}, {}{}",
            time::duration(age),
            self::max_age(max_age),
            without_fix(self.track, self.now),
            self.clocks()
        );
        (self.track.latest().is_none() && age > max_age).then(|| Verdict {
            status: 2,
            text: plain(&text),
            figures: vec![("age", format!("{age:.0}s;;{max_age:.0};0"))],
            age_s: Some(age),
            limit_s: Some(max_age),
            ..Verdict::default()
        })
    }
}

/// The age from which on it is overdue, by its reporting interval.
fn interval_limit(health: &Health) -> String {
    let limit_s = overdue_after_s(None, health.interval_s);
    let limit = limit_s.map(|limit_s| format!(" (limit {})", time::duration(limit_s)));
    limit.unwrap_or_default()
}

/// A maximum age, seconds, in words.
fn max_age(limit_s: f64) -> String {
    format!("maximum age of {}", time::whole_duration(limit_s))
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
    subject::ahead(track, now).unwrap_or_else(|| why.to_owned())
}

#[cfg(test)]
mod tests;
