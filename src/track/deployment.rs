//! A deployment on the watch list, with what the user set for it.

use uuid::Uuid;

use super::{Limits, Platform};

/// A deployment on the watch list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deployment {
    /// Its identifier at the service.
    pub uuid: Uuid,
    /// The user's name for it.
    pub label: Option<String>,
    /// The kind of platform: it sets the speed limit of quality control.
    pub platform: Platform,
    /// The alarm limits.
    pub limits: Limits,
    /// The user's notes.
    pub notes: Option<String>,
}

impl Deployment {
    /// A deployment with nothing set.
    pub(crate) fn new(uuid: Uuid) -> Self {
        Self {
            uuid,
            label: None,
            platform: Platform::default(),
            limits: Limits::default(),
            notes: None,
        }
    }

    /// The label, or the UUID where there is none.
    pub(crate) fn name(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.uuid.to_string())
    }

    /// This deployment with every member of `after` that differs from
    /// `before`: an edit of one member leaves what another process changed of
    /// the others.
    #[must_use]
    pub(crate) fn with_changes(mut self, before: &Self, after: &Self) -> Self {
        if after.label != before.label {
            self.label.clone_from(&after.label);
        }
        if after.platform != before.platform {
            self.platform = after.platform;
        }
        if after.limits.max_age_s != before.limits.max_age_s {
            self.limits.max_age_s = after.limits.max_age_s;
        }
        if after.limits.circle != before.limits.circle {
            self.limits.circle = after.limits.circle;
        }
        if after.notes != before.notes {
            self.notes.clone_from(&after.notes);
        }
        self
    }
}
