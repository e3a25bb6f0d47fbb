//! The result of the check of a deployment: exit status, text and performance data.

use std::path::Path;

use uuid::Uuid;

use crate::alarm::{self, Alarm, FieldNow, Kind, Length, Rule};
use crate::cli::args::CheckArguments;
use crate::cli::{connect, track};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::{Inside, Notation, Units};
use crate::settings::inside;
use crate::text;
use crate::track::{
    DeclaredState, Deployment, FieldLimit, Fix, Platform, Track, TrackOptions, time,
};

/// Text on one line without the bar `|`, which begins the performance data.
pub(super) fn plain(message: &str) -> String {
    text::excerpt(message, 400).replace('|', "/")
}

/// Says that the time for the check, in seconds, is over.
pub(super) fn no_verdict(deadline: f64) -> String {
    format!("no verdict within {}", time::whole_duration(deadline))
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
    pub(super) fn for_entry<'a>(
        &'a self,
        entry: &'a Deployment,
    ) -> (Option<f64>, Option<&'a Inside>) {
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

    /// The warnings that its text does not have.
    pub(super) fn unsaid<'a>(&self, warnings: &'a [String]) -> impl Iterator<Item = &'a String> {
        warnings
            .iter()
            .filter(|warning| !self.text.contains(&plain(warning)))
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
    pub(super) fn with_limits(
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
    /// is unknown stays so: where nothing came, the last that was known is told.
    pub(super) fn with_alarms(mut self, alarms: &[Alarm], deployment: Uuid, units: Units) -> Self {
        let has_nothing = self.status == 3 && self.fix.is_none();
        let own = alarms.iter().filter(|alarm| {
            let is_of_last_fix = matches!(alarm.kind, Kind::Overdue | Kind::Outside);
            alarm.deployment == Some(deployment)
                && alarm.cleared_at.is_none()
                && (!is_of_last_fix || has_nothing)
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

/// Parses a watch circle, or reads the file of an area.
fn place_to_stay(typed: &str) -> Result<Inside, Failure> {
    inside::parse(typed, Path::new(""))
        .map_err(|fault| Failure::usage(format!("--inside: {fault}")))
}

#[cfg(test)]
mod tests;
