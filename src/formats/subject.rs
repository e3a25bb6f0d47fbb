//! Metadata of an exported track.

use crate::geo::Notation;

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
