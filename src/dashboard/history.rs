//! The local changes of this session, newest last, for undo.

use std::collections::VecDeque;

use uuid::Uuid;

use crate::alarm::Alarm;
use crate::geo::{Inside, Position};
use crate::track::{Deployment, Flag};

/// Maximum number of changes that can be undone.
const CHANGES_MAX: usize = 100;

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
        /// The deployment.
        deployment: Uuid,
        /// Its name at that time.
        name: String,
        /// Time of the fix, UNIX seconds.
        time_stamp: f64,
        /// Position of the fix.
        position: Position,
        /// The override before; `None` for none.
        before: Option<Flag>,
        /// The override after; `None` for none.
        after: Option<Flag>,
    },
}

impl LocalChange {
    /// The subject of the change, for a message.
    pub(crate) fn subject(&self) -> String {
        match self {
            Self::Edited { before, after } => {
                format!("{} of {}", changed_member(before, after), after.name())
            }
            Self::Removed(deployment) => format!("removal of {}", deployment.name()),
            Self::Replied { name, alarm } => {
                let kind = alarm.0.kind.word();
                match alarm.1.snoozed_until {
                    Some(_) => format!("snooze of {name}: {kind}"),
                    None => format!("acknowledgement of {name}: {kind}"),
                }
            }
            Self::Overridden { name, .. } => format!("flag override of {name}"),
        }
    }
}

impl LocalChange {
    /// `true` if it gives a fix the flag again that it had before another change.
    fn takes_back(&self, other: &Self) -> bool {
        let reversed = match self.clone() {
            Self::Overridden {
                deployment,
                name,
                time_stamp,
                position,
                before,
                after,
            } => Self::Overridden {
                deployment,
                name,
                time_stamp,
                position,
                before: after,
                after: before,
            },
            _ => return false,
        };
        reversed == *other
    }
}

/// The name of the member that differs between two entries of a deployment.
pub(crate) fn changed_member(before: &Deployment, after: &Deployment) -> &'static str {
    let (change, other) = (&before.limits, &after.limits);
    let members = [
        ("label", before.label != after.label),
        ("platform", before.platform != after.platform),
        ("watch circle", change.inside != other.inside),
        (
            "maximum age of last fix",
            change.max_age_s != other.max_age_s,
        ),
        ("limits of fields", change.fields != other.fields),
        ("speed limit", change.max_speed_m_s != other.max_speed_m_s),
        ("time window", before.window != after.window),
        ("state", before.state != after.state),
        ("notes", before.notes != after.notes),
        ("group", before.group != after.group),
    ];
    let mut changed = members.iter().filter(|(_, differs)| *differs);
    match (changed.next(), changed.next()) {
        (Some((member, _)), None) => member,
        _ => "entry",
    }
}

/// The value of the member that differs, for a message.
pub(crate) fn changed_value(before: &Deployment, after: &Deployment) -> String {
    let or_cleared = |value: Option<String>| {
        value.map_or_else(|| "cleared".to_owned(), |value| format!("set to {value}"))
    };
    match changed_member(before, after) {
        "label" => match (&before.label, &after.label) {
            (Some(before), Some(after)) => format!("set to {after} (was {before})"),
            _ => or_cleared(after.label.clone()),
        },
        "platform" => format!("set to {} (was {})", after.platform, before.platform),
        "watch circle" => or_cleared(after.limits.inside.as_ref().map(Inside::to_string)),
        "maximum age of last fix" => {
            or_cleared(after.limits.max_age_s.map(crate::track::time::duration))
        }
        "speed limit" => or_cleared(after.limits.max_speed_m_s.map(crate::geo::speed::text)),
        "notes" => or_cleared(after.notes.clone()),
        "group" => or_cleared(after.group.clone()),
        _ => "changed".to_owned(),
    }
}

/// The changes that can be undone; beyond a limit the oldest are dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    changes: VecDeque<LocalChange>,
}

impl History {
    /// Adds a change. If it reverts the previous override, both are dropped.
    pub(in crate::dashboard) fn push(&mut self, change: LocalChange) {
        let last = self.changes.back();
        if last.is_some_and(|last| change.takes_back(last)) {
            self.changes.pop_back();
            return;
        }
        if self.changes.len() == CHANGES_MAX {
            self.changes.pop_front();
        }
        self.changes.push_back(change);
    }

    /// Takes the last change.
    pub(in crate::dashboard) fn pop(&mut self) -> Option<LocalChange> {
        self.changes.pop_back()
    }

    /// Drops an edit that was not stored.
    pub(crate) fn not_stored(&mut self, before: &Deployment, after: &Deployment) {
        let is_it = |change: &LocalChange| matches!(change, LocalChange::Edited { before: from, after: to } if **from == *before && **to == *after);
        if let Some(place) = self.changes.iter().rposition(is_it) {
            self.changes.remove(place);
        }
    }

    /// Drops the removals of a deployment: it is on the list again.
    pub(in crate::dashboard) fn added_again(&mut self, uuid: Uuid) {
        self.changes.retain(
            |change| !matches!(change, LocalChange::Removed(removed) if removed.uuid == uuid),
        );
    }
}
