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
