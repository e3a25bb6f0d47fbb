//! Undo of local changes: first in the archive, unless something else has changed the
//! same since, then in the dashboard.

use super::effect::Effect;
use super::history::{LocalChange, changed_member, changed_value};
use super::model::Model;
use crate::failure::Failure;

impl Model {
    /// Undoes the last local change.
    pub(crate) fn undo(&mut self) -> Vec<Effect> {
        match self.history.pop() {
            Some(change) => {
                self.deployments.edits += 1;
                vec![Effect::Undo(Box::new(change))]
            }
            None => {
                self.notify("nothing to undo in this session");
                Vec::new()
            }
        }
    }

    /// The archive has undone a change, or another program has changed the same since.
    pub(crate) fn undone(
        &mut self,
        change: LocalChange,
        outcome: Result<bool, Failure>,
    ) -> Vec<Effect> {
        match outcome {
            Err(failure) => {
                self.warn(format!("{} not undone: {failure}", change.subject()));
                self.history.push(change);
                Vec::new()
            }
            Ok(false) => {
                let why = match change {
                    LocalChange::Replied { .. } => "the alarm has ended or was changed since",
                    _ => "another program has changed it since",
                };
                self.warn(format!("{} not undone: {why}", change.subject()));
                Vec::new()
            }
            Ok(true) => self.take_back(change),
        }
    }

    fn take_back(&mut self, change: LocalChange) -> Vec<Effect> {
        match change {
            LocalChange::Replied { name, alarm } => {
                let kind = alarm.0.kind.word();
                self.notify(format!("undone: {name}: {kind} as before"));
                Vec::new()
            }
            LocalChange::Edited { before, after } => {
                let uuid = after.uuid;
                let Some(known) = self.deployments.get_mut(uuid) else {
                    return Vec::new();
                };
                known.set(known.deployment.clone().with_changes(&after, &before));
                let name = after.name();
                self.notify(format!(
                    "undone: {name}: {} {}",
                    changed_member(&after, &before),
                    changed_value(&after, &before)
                ));
                self.deployments.arrange(self.now);
                self.reassemble(uuid)
            }
            LocalChange::Removed(deployment) => {
                let (uuid, name) = (deployment.uuid, deployment.name());
                if self.deployments.get(uuid).is_some() {
                    return Vec::new();
                }
                self.notify(format!("undone: {name} is on the list again"));
                let stored = self.list_deployment(deployment);
                stored.into_iter().chain(self.refresh_due()).collect()
            }
            LocalChange::Overridden {
                deployment: uuid,
                name,
                time_stamp,
                position,
                before,
                ..
            } => {
                let Some(known) = self.deployments.get_mut(uuid) else {
                    return Vec::new();
                };
                let overrides = &mut known.choices.overrides;
                match before {
                    Some(flag) => overrides.set(time_stamp, position, flag),
                    None => overrides.clear(time_stamp, position),
                }
                let count = overrides.len();
                let flag = before.map_or_else(
                    || "flag restored".to_owned(),
                    |flag| format!("flag overridden to {}", flag.word()),
                );
                let at = self.time_of_day(time_stamp);
                self.notify(format!(
                    "undone: {name}: fix {at}: {flag}; {count} overridden"
                ));
                self.reassemble(uuid)
            }
        }
    }
}
