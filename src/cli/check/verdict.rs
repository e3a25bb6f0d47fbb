//! The result of the check of a deployment: exit status, text and performance data.

use std::path::Path;

use uuid::Uuid;

use crate::alarm::{self, Alarm, FieldNow, Kind, Length, Rule};
use crate::cli::args::CheckArguments;
use crate::cli::run::duration;
use crate::cli::subject::max_speed;
use crate::failure::Failure;
use crate::geo::{Inside, Notation, Units};
use crate::settings::inside;
use crate::text;
use crate::track::{FieldLimit, Fix, Track, time};
use crate::watch::Deployment;

/// Text on one line without the bar `|`, which begins the performance data.
pub(super) fn plain(message: &str) -> String {
    text::excerpt(message, 400).replace('|', "/")
}

/// The limits that the flags set for every checked deployment.
pub(super) struct Limits {
    max_age: Option<f64>,
    inside: Option<Inside>,
    pub(super) max_speed_m_s: Option<f64>,
    /// Of the text; the performance data are in SI units.
    pub(super) notation: Notation,
}

impl Limits {
    /// The kinds of alarm whose limit the command line gives instead of that of the watch list.
    pub(super) fn given(&self) -> Vec<Kind> {
        let overdue = self.max_age.map(|_| Kind::Overdue);
        let outside = self.inside.as_ref().map(|_| Kind::Outside);
        overdue.into_iter().chain(outside).collect()
    }

    pub(super) fn new(arguments: &CheckArguments, notation: Notation) -> Result<Self, Failure> {
        let typed = arguments.max_age.as_deref();
        let max_age = typed.map(|age| duration("--max-age", age)).transpose()?;
        let inside = (arguments.inside.as_deref())
            .map(|typed| inside::parse(typed, Path::new("")))
            .transpose()
            .map_err(|fault| Failure::usage(format!("--inside: {fault}")))?;
        Ok(Self {
            max_age,
            inside,
            max_speed_m_s: max_speed(&arguments.speed)?,
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
}

/// The result of the check of a deployment.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) status: u8,
    /// The id, or the name of the track of a file; `None` for a word that names nothing.
    pub(super) deployment: Option<String>,
    pub(super) label: Option<String>,
    /// The deployment and why, without the bar `|`.
    pub(super) text: String,
    /// The performance data: names with values and thresholds.
    pub(super) figures: Vec<(&'static str, String)>,
    /// The last values of the fields with a limit.
    pub(super) fields: Vec<FieldNow>,
    /// The last included fix.
    pub(super) fix: Option<Fix>,
    /// Its age, or the time since which it should have a fix, seconds.
    pub(super) age_s: Option<f64>,
    /// The age from which on it is overdue, seconds.
    pub(super) limit_s: Option<f64>,
}

impl Verdict {
    /// A verdict with a status and a text alone.
    pub(super) fn new(status: u8, text: &str) -> Self {
        Self {
            status,
            text: plain(text),
            ..Self::default()
        }
    }

    /// Unknown, for this reason.
    pub(super) fn unknown(why: &str) -> Self {
        Self::new(3, why)
    }

    /// The warnings that its text does not have.
    pub(super) fn unsaid<'a>(&self, warnings: &'a [String]) -> impl Iterator<Item = &'a String> {
        warnings
            .iter()
            .filter(|warning| !self.text.contains(&plain(warning)))
    }

    fn add(&mut self, words: &str) {
        self.text.push_str(", ");
        self.text.push_str(&plain(words));
    }

    /// Makes it unknown unless it is critical, and says why, once.
    fn doubt(&mut self, why: &str) {
        if self.status < 2 {
            self.status = 3;
        }
        if !self.text.contains(&plain(why)) {
            self.add(why);
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
        let rules = [Rule::Overdue(None)]
            .into_iter()
            .chain(inside.cloned().map(Rule::Outside))
            .chain(fields.iter().cloned().map(Rule::Field));
        for limit in rules.filter_map(|rule| alarm::unjudged(&rule, track)) {
            self.doubt(&limit.why);
        }
        for note in (fields.iter()).filter_map(|limit| alarm::not_numbers(limit, track)) {
            self.add(&note);
        }
        self
    }

    /// The same if its response or its alarms could not be stored: an alarm may be missing, so
    /// the status is unknown unless it is critical.
    pub(super) fn with_unjudged(mut self, failure: Option<&Failure>) -> Self {
        if let Some(failure) = failure {
            self.doubt(&failure.message());
        }
        self
    }

    /// The same with its active alarms: an active one is critical, whatever the last fix is and
    /// a user has said of it, and a limit that is not judged is unknown. Without a response the
    /// status stays unknown. Its text may say that it is silent or outside already. Alarms of
    /// the kinds `given`, whose limit the command line replaces, are said and change nothing.
    pub(super) fn with_alarms(
        mut self,
        alarms: &[Alarm],
        given: &[Kind],
        deployment: Uuid,
        units: Units,
    ) -> Self {
        let has_nothing = self.status == 3 && self.fix.is_none();
        let is_of_last_fix = |alarm: &Alarm| matches!(alarm.kind, Kind::Overdue | Kind::Outside);
        let is_said = self.status == 2;
        let own = alarms
            .iter()
            .filter(|alarm| alarm.uuid() == Some(deployment) && alarm.cleared_at.is_none());
        for alarm in own {
            if alarm.kind == Kind::Unjudged {
                self.doubt(&alarm.text);
                continue;
            }
            if !has_nothing && !given.contains(&alarm.kind) {
                self.status = 2;
            }
            if is_said && is_of_last_fix(alarm) {
                continue;
            }
            // The numbers are those of the fix that raised it; the last value follows.
            let at = alarm.fix_time.map_or_else(String::new, time::rfc3339);
            let words = alarm.words(None).at(at).write(Length::Sentence, units);
            let is_sentence = self.text.ends_with('.');
            self.text.push_str(if is_sentence { " " } else { ", " });
            self.text.push_str(&plain(&words));
            if is_of_last_fix(alarm) && !has_nothing {
                self.text.push_str("; not cleared yet");
            }
            let now = self.fields.iter().find_map(|field| field.text(alarm));
            if let Some(now) = now {
                self.text.push_str("; ");
                self.text.push_str(&plain(&now));
            }
        }
        self
    }

    /// The same if its alarms cannot be read: a limit may be exceeded, so the status is unknown
    /// unless it is critical.
    pub(super) fn without_alarms(self, name: &str, failure: &Failure) -> Self {
        match self.status {
            0 | 1 => Self::unknown(&format!("{name}: its alarms are unknown: {failure}")),
            _ => self,
        }
    }

    /// The line of a check of a single deployment.
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

#[cfg(test)]
mod tests;
