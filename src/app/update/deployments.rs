//! Actions on the watch list. Each stores the entry as it was and as it is, so
//! that an edit by another program stays.

use uuid::Uuid;

use crate::app::effect::Effect;
use crate::app::keymap::Action;
use crate::app::state::Model;
use crate::app::state::deployment::DeploymentState;
use crate::app::state::deployments::DeploymentSort;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::prompt::{Prompt, Purpose};
use crate::app::state::tab::Tab;
use crate::choice;
use crate::geo::speed;
use crate::track::Deployment;

impl Model {
    /// Adds a deployment to the list, puts the cursor on it, and fetches it.
    pub(super) fn add_deployment(&mut self, deployment: Deployment) -> Vec<Effect> {
        let uuid = deployment.uuid;
        // One that is on the list again is not restored a second time.
        self.deployments.removed.retain(|one| one.uuid != uuid);
        self.deployments.add(deployment.clone(), self.now);
        self.deployments.arrange(self.now);
        self.deployments.select(uuid);
        let options = self.deployments.get(uuid).map(|one| one.options(self.now));
        let mut effects = vec![Effect::Watch {
            before: None,
            after: deployment,
        }];
        effects.extend(options.map(|options| Effect::LoadStored {
            deployment: uuid,
            options,
        }));
        effects
    }

    /// Changes the entry of a deployment; nothing is stored where it stays the
    /// same.
    pub(super) fn edit(&mut self, uuid: Uuid, change: impl FnOnce(&mut Deployment)) -> Vec<Effect> {
        let Some(one) = self.deployments.get_mut(uuid) else {
            return Vec::new();
        };
        let before = one.deployment.clone();
        change(&mut one.deployment);
        let after = one.deployment.clone();
        self.deployments.arrange(self.now);
        if before == after {
            return Vec::new();
        }
        let mut effects = vec![Effect::Watch {
            before: Some(before),
            after,
        }];
        effects.extend(self.reassemble(uuid));
        effects
    }

    /// Removes the selected deployment from the list and cancels its fetch.
    pub(super) fn remove_deployment(&mut self) -> Vec<Effect> {
        let Some(selected) = self.deployments.selected() else {
            return Vec::new();
        };
        let (uuid, name) = (selected.deployment.uuid, selected.name());
        let index = self
            .deployments
            .list
            .iter()
            .position(|one| one.deployment.uuid == uuid);
        let mut effects = Vec::new();
        if let Some(index) = index {
            let mut removed = self.deployments.list.remove(index);
            effects.extend(removed.track.cancel().map(Effect::Cancel));
            self.deployments.removed.push(removed.deployment);
        }
        self.deployments.arrange(self.now);
        if self.track.open == Some(uuid) {
            self.track.open = None;
            self.track.forget();
        }
        self.notify(format!("{name} removed from the list; U restores it"));
        effects.push(Effect::Unwatch(uuid));
        effects
    }

    /// Puts the deployment that was removed last back on the list.
    pub(super) fn restore_deployment(&mut self) -> Vec<Effect> {
        let Some(deployment) = self.deployments.removed.pop() else {
            self.notify("nothing to restore: no deployment was removed");
            return Vec::new();
        };
        let mut effects = self.add_deployment(deployment);
        effects.extend(self.refresh_due());
        effects
    }

    /// Sets the next platform for the selected deployment.
    pub(super) fn next_platform(&mut self) -> Vec<Effect> {
        let Some(selected) = self.deployments.selected() else {
            return Vec::new();
        };
        let (uuid, platform) = (selected.deployment.uuid, selected.deployment.platform);
        let next = choice::next(platform);
        self.notify(format!("platform: {next}"));
        self.edit(uuid, |deployment| deployment.platform = next)
    }

    /// The next column to sort the list by.
    pub(super) fn next_deployment_sort(&mut self) {
        let all = DeploymentSort::ALL;
        let index = all
            .iter()
            .position(|sort| *sort == self.deployments.sort)
            .unwrap_or(0);
        self.deployments.sort = all
            .get((index + 1) % all.len())
            .copied()
            .unwrap_or_default();
        self.deployments.arrange(self.now);
    }

    /// Opens the prompt that edits one member of the selected deployment.
    pub(super) fn prompt_for_selected(&mut self, action: Action) {
        let Some(selected) = self.deployments.selected() else {
            return;
        };
        let prompt = prompt(action, selected);
        self.dialogs.push(Dialog::Prompt(prompt));
    }

    /// Opens the selected deployment's track.
    pub(super) fn open_selected(&mut self) -> Vec<Effect> {
        match (self.tab, self.deployments.selected()) {
            (Tab::Deployments, Some(selected)) => {
                let uuid = selected.deployment.uuid;
                self.open_track(uuid)
            }
            _ => Vec::new(),
        }
    }
}

/// The prompt of an action, filled with what is set.
fn prompt(action: Action, selected: &DeploymentState) -> Prompt {
    let (uuid, limits) = (selected.deployment.uuid, selected.deployment.limits);
    match action {
        Action::SetCircle => {
            let circle = limits.circle.map(|circle| circle.to_string());
            Prompt::new(Purpose::Circle(uuid), &circle.unwrap_or_default())
        }
        Action::SetMaxAge => {
            let age = limits.max_age_s.map(|age| format!("{age}s"));
            Prompt::new(Purpose::MaxAge(uuid), &age.unwrap_or_default())
        }
        Action::SetMaxSpeed => {
            let limit = limits.max_speed_m_s.map(speed::text);
            Prompt::new(Purpose::MaxSpeed(uuid), &limit.unwrap_or_default())
        }
        Action::SetNotes => {
            let notes = selected.deployment.notes.as_deref().unwrap_or_default();
            Prompt::new(Purpose::Notes(uuid), notes)
        }
        _ => {
            let label = selected.deployment.label.as_deref().unwrap_or_default();
            Prompt::new(Purpose::Label(uuid), label)
        }
    }
}
