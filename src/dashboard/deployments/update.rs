//! Actions on the watch list. Each stores the entry as it was and as it is, so
//! that an edit by another program stays.

use uuid::Uuid;

use super::deployment::{DeploymentState, Listing};
use crate::dashboard::effect::Effect;
use crate::dashboard::history::LocalChange;
use crate::dashboard::history::update::changed;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::widgets::table_state::cyclic;
use crate::dashboard::widgets::text::Text;
use crate::track::query::Query;
use crate::watch::Deployment;

impl Shell {
    /// Adds a deployment to the list, puts the cursor on it, and fetches it.
    pub(crate) fn add_deployment(&mut self, deployment: Deployment) {
        self.shared.watch(None, deployment.clone(), false);
        self.list_deployment(deployment);
    }

    /// Puts a deployment that the archive has on the list, with the cursor on
    /// it, and loads its archived data.
    pub(crate) fn list_deployment(&mut self, deployment: Deployment) {
        let uuid = deployment.id.uuid;
        let tab = &mut self.tabs.deployments;
        let shared = &mut self.shared;
        match shared.deployments.get_mut(uuid) {
            Some(shown) => shown.listing = Listing::Archived,
            None => shared.deployments.add(deployment, shared.now),
        }
        tab.arrange(&mut shared.deployments, shared.now);
        if tab.row(uuid).is_none() {
            tab.filter = Query::default();
            tab.arrange(&mut shared.deployments, shared.now);
            shared.notify("the filter is cleared: it would hide the new row");
        }
        tab.select(uuid);
        shared.load_entered(uuid)
    }

    /// Changes the entry of a deployment, with the cursor on it; stores nothing if it is
    /// unchanged.
    pub(crate) fn edit(&mut self, uuid: Uuid, change: impl FnOnce(&mut Deployment)) {
        self.tabs.deployments.select(uuid);
        self.shared.edit(uuid, change);
    }
}

impl Shared {
    /// Loads the archived data of a deployment that is new on the list.
    pub(crate) fn load_entered(&mut self, uuid: Uuid) {
        if self.deployments.are_all_held() || self.deployments.open == Some(uuid) {
            return self.load_stored(uuid);
        }
        if let Some(deployment) = self.deployments.get(uuid) {
            let wanted = vec![(uuid, deployment.options(self.now))];
            self.send(Effect::LoadOverviews(wanted));
        }
    }

    /// Stores an entry of the watch list.
    fn watch(&mut self, before: Option<Deployment>, after: Deployment, listed: bool) {
        self.deployments.edits += 1;
        self.send(Effect::Watch {
            before,
            after,
            listed,
        });
    }

    /// An edit was not stored, as another program has changed the same since: shows the
    /// archived entry instead.
    pub(crate) fn not_stored(&mut self, before: &Deployment, after: &Deployment) {
        let (member, _) = changed(before, after, self.settings.notation());
        let name = before.name();
        let said =
            format!("another program changed {member} of {name} since; shown now; do it again");
        self.warn(Text::from(said).or("another program changed it: do it again"));
        self.look_for_changes_again();
    }
}

impl Shared {
    /// Changes the entry of a deployment; stores nothing if it is unchanged.
    fn edit(&mut self, uuid: Uuid, change: impl FnOnce(&mut Deployment)) {
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        let was_archived = deployment.listing == Listing::Archived;
        let before = deployment.deployment.clone();
        let mut after = before.clone();
        change(&mut after);
        deployment.deployment = after.clone();
        let is_new = deployment.listing == Listing::Shown && before != after;
        if is_new {
            deployment.listing = Listing::Archived;
        }
        let max_age_s = after.limits.max_age_s;
        self.deployments.agenda.limit_age(uuid, max_age_s);
        self.deployments.entries_changed();
        // A message about a new name uses the old one, which the user knows.
        let name = before.name();
        if before == after {
            self.notify(Text::named(&name, |name| {
                format!("{name}: nothing changed")
            }));
            return;
        }
        let undo = self.key_of(Action::Undo);
        let (member, value) = changed(&before, &after, self.settings.notation());
        let listed = if is_new {
            "; it is on the watch list now"
        } else {
            ""
        };
        let said = Text::from(format!(
            "{undo} undo  {name}: {member} {}{listed}",
            value.long
        ));
        let short = |name: &str| format!("{undo} undo  {name}: {member} {}", value.shortest());
        self.notify(said.or(Text::named(&name, short).shortest()));
        self.deployments.history.push(LocalChange::Edited {
            before: Box::new(before.clone()),
            after: Box::new(after.clone()),
        });
        self.watch(Some(before), after, was_archived);
        self.reassemble(uuid);
    }
}

impl Shell {
    /// Opens the deployment `by` rows below the open one in the list; after the
    /// last comes the first.
    pub(crate) fn step_deployment(&mut self, by: isize) {
        let together = self.shared.together();
        let uuid = |deployment: &DeploymentState| deployment.uuid();
        // On a map of several deployments, goes to the next one of them.
        let shown: Vec<Uuid> = match together.len() {
            0 | 1 => {
                let shown = self.tabs.deployments.shown(&self.shared.deployments);
                shown.map(uuid).collect()
            }
            _ => together.into_iter().map(uuid).collect(),
        };
        let now = shown
            .iter()
            .position(|uuid| Some(*uuid) == self.shared.deployments.open);
        let next = now.map_or(0, |now| cyclic(now, by, shown.len()));
        match shown.get(next) {
            Some(uuid) if Some(*uuid) != self.shared.deployments.open => {
                self.shared.end_search();
                self.open_track(*uuid);
                let name = self
                    .shared
                    .deployments
                    .get(*uuid)
                    .map_or_else(String::new, |deployment| deployment.name());
                let place = format!("{} of {}", next + 1, shown.len());
                let said = Text::named(&name, |name| format!("{name}: {place}"));
                self.shared.notify(said);
            }
            _ => {
                self.shared.notify("the list shows no other deployment");
            }
        }
    }

    /// Removes a deployment from the list and cancels its fetch.
    pub(crate) fn remove_deployment(&mut self, uuid: Uuid) {
        let Some(mut removed) = self.shared.deployments.get(uuid).cloned() else {
            return;
        };
        self.shared
            .deployments
            .retain(|deployment| deployment.uuid() != uuid);
        self.shared.cancel(removed.track.cancel());
        let name = removed.name();
        let tab = &mut self.tabs.deployments;
        let shared = &mut self.shared;
        tab.arrange(&mut shared.deployments, shared.now);
        if self.shared.deployments.open == Some(uuid) {
            self.shared.deployments.open = None;
            self.tabs.track.forget(&mut self.shared);
        }
        if removed.listing == Listing::Shown {
            let said = |name: &str| format!("{name} was not on the watch list; it is closed");
            self.shared.notify(Text::named(&name, said));
            return;
        }
        let history = &mut self.shared.deployments.history;
        history.push(LocalChange::Removed(removed.deployment));
        let undo = self.shared.key_of(Action::Undo);
        let said = |name: &str| format!("{undo} restore  {name} removed from the list");
        self.shared.notify(Text::named(&name, said));
        self.shared.deployments.edits += 1;
        self.shared.send(Effect::Unwatch(uuid));
    }

    /// Opens the track of the selected deployment.
    pub(crate) fn open_selected(&mut self) {
        let found = self.tabs.deployments.selected(&self.shared.deployments);
        let search = self.shared.screen.search.as_ref();
        let compared = search.map_or_else(String::new, |search| search.query.of_fields.clone());
        match found.map(|deployment| deployment.uuid()) {
            Some(uuid) => {
                self.open_track(uuid);
                self.search_on_track(&compared);
            }
            None => {
                self.shared.notify("no deployment is selected");
            }
        }
    }
}
