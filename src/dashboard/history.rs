//! The local changes of this session, newest last, and their undo: first in the archive,
//! unless something else has changed the same since, then in the dashboard.

pub(super) mod update;

use uuid::Uuid;

use crate::alarm::Alarm;
use crate::track::{Flag, Transmission};
use crate::watch::Deployment;

/// A change on this computer that can be undone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LocalChange {
    /// An entry of the watch list was changed.
    Edited {
        /// The entry before.
        before: Box<Deployment>,
        /// The entry after.
        after: Box<Deployment>,
    },
    /// A deployment was removed from the watch list.
    Removed(Deployment),
    /// An alarm was acknowledged or snoozed.
    Replied {
        /// The name of its deployment, or of the service.
        name: String,
        /// The alarm before and after.
        alarm: Box<(Alarm, Alarm)>,
    },
    /// The override of a fix's flag was set or cleared.
    Overridden {
        deployment: Uuid,
        /// Its name at that time.
        name: String,
        fix: Transmission,
        /// The override before; `None` for none.
        before: Option<Flag>,
        /// The override after; `None` for none.
        after: Option<Flag>,
    },
}

/// The changes that can be undone; beyond a limit the oldest are dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    changes: Vec<LocalChange>,
}

impl History {
    /// Adds a change.
    pub(in crate::dashboard) fn push(&mut self, change: LocalChange) {
        self.changes.push(change);
    }

    /// Takes the last change.
    pub(in crate::dashboard) fn pop(&mut self) -> Option<LocalChange> {
        self.changes.pop()
    }

    /// Drops an edit that was not stored.
    pub(crate) fn not_stored(&mut self, before: &Deployment, after: &Deployment) {
        let is_it = |change: &LocalChange| matches!(change, LocalChange::Edited { before: from, after: to } if **from == *before && **to == *after);
        if let Some(index) = self.changes.iter().rposition(is_it) {
            self.changes.remove(index);
        }
    }

    /// Drops the removals of a deployment: it is on the list again.
    pub(in crate::dashboard) fn added_again(&mut self, uuid: Uuid) {
        self.changes.retain(
            |change| !matches!(change, LocalChange::Removed(removed) if removed.id.uuid == uuid),
        );
    }
}
