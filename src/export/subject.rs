//! Whose track a file holds.

/// Whose track it is, and as of when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The deployment's UUID.
    pub deployment: &'a str,
    /// The user's name for it.
    pub label: Option<&'a str>,
    /// When it was fetched, UNIX seconds.
    pub fetched_at: f64,
    /// The current time, UNIX seconds: the reporting status is as of it.
    pub now: f64,
}

impl Subject<'_> {
    /// The label, or the UUID where there is none.
    pub(super) fn name(&self) -> &str {
        self.label.unwrap_or(self.deployment)
    }
}
