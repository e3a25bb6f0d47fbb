//! Undo.

use crate::dashboard::dialogs::edit;
use crate::dashboard::effect::Effect;
use crate::dashboard::history::LocalChange;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::track::update::is_excluded;
use crate::dashboard::widgets::text::Text;
use crate::failure::Failure;
use crate::geo::Notation;
use crate::watch::Deployment;

impl Shared {
    /// Undoes the last local change.
    pub(crate) fn undo(&mut self) {
        match self.deployments.history.pop() {
            Some(change) => {
                self.deployments.edits += 1;
                self.send(Effect::Undo(Box::new(change)))
            }
            None => {
                self.notify("nothing to undo in this session");
            }
        }
    }
}

impl Shell {
    /// The archive has undone a change, or another program has changed the same since.
    pub(crate) fn undone(&mut self, change: LocalChange, outcome: Result<bool, Failure>) {
        let subject = change.subject(self.shared.settings.notation());
        match outcome {
            Err(failure) => {
                let failed = self.shared.failure_text(&failure);
                let short = format!("not undone: {}", failed.shortest());
                let said = Text::from(format!("{subject} not undone: {failure}"));
                self.shared.warn(said.or(short));
                self.shared.deployments.history.push(change);
            }
            Ok(false) => {
                let why = match change {
                    LocalChange::Replied { .. } => "the alarm has ended or was changed since",
                    _ => "another program has changed it since",
                };
                let said = Text::from(format!("{subject} not undone: {why}"));
                self.shared.warn(said.or(format!("not undone: {why}")));
            }
            Ok(true) => self.take_back(change),
        }
    }

    fn take_back(&mut self, change: LocalChange) {
        match change {
            LocalChange::Replied { name, alarm } => {
                let kind = alarm.0.kind.word();
                let said = |name: &str| format!("undone: {name}: {kind} as before");
                self.shared.notify(Text::named(&name, said));
            }
            LocalChange::Edited { before, after } => {
                let uuid = after.id.uuid;
                let Some(known) = self.shared.deployments.get_mut(uuid) else {
                    return;
                };
                known.deployment = known.deployment.clone().with_changes(&after, &before);
                let name = after.name();
                let (member, value) = changed(&after, &before, self.shared.settings.notation());
                let said = Text::from(format!("undone: {name}: {member} {}", value.long));
                let short = |name: &str| format!("undone: {name}: {member} {}", value.shortest());
                self.shared
                    .notify(said.or(Text::named(&name, short).shortest()));
                self.shared.deployments.entries_changed();
                self.shared.reassemble(uuid)
            }
            LocalChange::Removed(deployment) => {
                let uuid = deployment.id.uuid;
                let name = deployment.name();
                if self.shared.deployments.get(uuid).is_some() {
                    return;
                }
                let said = |name: &str| format!("undone: {name} is on the list again");
                self.shared.notify(Text::named(&name, said));
                self.list_deployment(deployment);
                self.shared.refresh_due();
            }
            LocalChange::Overridden {
                deployment: uuid,
                name,
                fix,
                before,
                after,
            } => {
                let Some(known) = self.shared.deployments.get_mut(uuid) else {
                    return;
                };
                let overrides = &mut known.overrides;
                overrides.put(fix.time_stamp, fix.position, before);
                let count = overrides.len();
                let word = if is_excluded(before, after) {
                    "excluded"
                } else {
                    "included"
                };
                let at = self.shared.times().clock(fix.time_stamp);
                let fix = format!("fix {at} {word}; {count} by hand");
                let said = Text::from(format!("undone: {name}: {fix}"));
                self.shared.notify(said.or(format!("undone: {fix}")));
                self.shared.reassemble(uuid)
            }
        }
    }
}

impl LocalChange {
    /// The subject of the change, for a message.
    pub(crate) fn subject(&self, notation: Notation) -> String {
        match self {
            Self::Edited { before, after } => {
                let (member, _) = changed(before, after, notation);
                format!("{member} of {}", after.name())
            }
            Self::Removed(deployment) => format!("removal of {}", deployment.name()),
            Self::Replied { name, alarm } => {
                let kind = alarm.0.kind.word();
                match alarm.1.snoozed_until {
                    Some(_) => format!("snooze of {name}: {kind}"),
                    None => format!("acknowledgement of {name}: {kind}"),
                }
            }
            Self::Overridden { name, .. } => format!("fix of {name}"),
        }
    }
}

/// The name of what differs between two entries of a deployment and its new value, for a
/// message: "platform", "float (was drifter)".
pub(crate) fn changed(
    before: &Deployment,
    after: &Deployment,
    notation: Notation,
) -> (&'static str, Text) {
    let Some((label, was, value)) = edit::changed(before, after, notation) else {
        return ("entry", "changed".into());
    };
    let value = match (was.as_str(), value.as_str()) {
        (_, "") => "cleared".into(),
        ("", _) => value.into(),
        _ => Text::from(format!("{value} (was {was})")).or(value),
    };
    (label, value)
}
