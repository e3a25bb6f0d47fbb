//! The metadata of an exported track, and the texts about its method and its invalid records.

use crate::geo::Notation;
use crate::text;
use crate::track::Track;
use crate::track::quality::method;

/// The deployment of an exported track, with its times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The deployment's UUID.
    pub deployment: &'a str,
    /// The user's name for it.
    pub label: Option<&'a str>,
    /// When it was fetched, UNIX seconds.
    pub fetched_at: f64,
    /// The current time, UNIX seconds, to which the reporting status refers.
    pub now: f64,
    /// Units and coordinates of the table; the other formats have SI units.
    pub notation: Notation,
}

impl Subject<'_> {
    /// The label, or the UUID without one.
    pub(super) fn name(&self) -> &str {
        self.label.unwrap_or(self.deployment)
    }
}

/// The quality tests with the limits in force.
pub(super) fn tests(track: &Track) -> String {
    method::method_text(track.platform(), track.speed_limit_m_s())
}

/// The index and the fault of the first invalid record.
pub(super) fn first_unusable(track: &Track) -> Option<String> {
    let record = track.unusable().first()?;
    let reason = format!("{}: {}", record.place(), record.fault);
    Some(text::clean(&reason).into_owned())
}

/// The method and the count of invalid records, for formats with a single text.
pub(super) fn description(track: &Track) -> String {
    let summary = track.summary();
    let unusable = match first_unusable(track) {
        Some(first) => format!(
            "{} {} not in this file, the first: {first}",
            summary.unusable,
            match summary.unusable {
                1 => "record is invalid and",
                _ => "records are invalid and",
            }
        ),
        None => "No record was invalid".to_owned(),
    };
    format!(
        "{} fixes, {} suspect, {} failed. {unusable}. {}",
        summary.fixes,
        summary.suspect,
        summary.fail,
        tests(track)
    )
}
