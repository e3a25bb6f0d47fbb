//! Changes that another program made in the archive: looked for when the file has
//! changed, on a refresh, and when the tab changes.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::deployment::Listing;
use crate::dashboard::connection::Connection;
use crate::dashboard::effect::Effect;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::map::LoadedTrack;
use crate::track::FlagOverrides;
use crate::watch::Deployment;

impl Shared {
    /// Looks for another program's changes.
    pub(crate) fn look_for_changes(&mut self) {
        let edits = self.deployments.edits;
        let again = false;
        self.send(Effect::LookForChanges { edits, again });
    }

    /// Reads watch list, flags and plant log again, changed or not.
    pub(crate) fn look_for_changes_again(&mut self) {
        let edits = self.deployments.edits;
        let again = true;
        self.send(Effect::LookForChanges { edits, again });
    }

    /// Loads what another program has stored; what this program has stored is shown
    /// already.
    pub(crate) fn received_by_any(&mut self, received: &[(Uuid, f64)]) {
        for (uuid, at) in received {
            match self.deployments.get(*uuid).map(|known| &known.track) {
                // The same number, or another program's.
                Some(track) if track.fetched_at() == Some(*at) => {}
                Some(track) if track.is_held() => self.load_stored(*uuid),
                Some(_) => self.load_entered(*uuid),
                None => {}
            }
        }
    }

    /// Waits for the turn of a deployment that another program fetches or has fetched.
    pub(super) fn not_due(&mut self, uuid: Uuid, wait_s: f64) {
        let now = self.now;
        let deployment = self.deployments.get(uuid);
        if deployment.is_some_and(|known| known.track.has_data()) {
            self.deployments.answered_to_another(uuid, now);
        }
        self.deployments.agenda.later(uuid, now + wait_s);
        self.refresh_due()
    }
}

impl Shared {
    /// Shows a track that another program has fetched. It counts as fetched: when it
    /// is due follows from it.
    pub(crate) fn take_of_another(&mut self, uuid: Uuid, loaded: LoadedTrack) {
        let fetched_at = loaded.fetched_at.min(self.now);
        if self.service.connection == Connection::Untried {
            self.service.connection = Connection::Good(fetched_at);
        }
        if let Some(deployment) = self.deployments.get_mut(uuid) {
            let track = deployment.track.newest();
            let before = track.map_or(0, |shown| shown.track.len());
            let new = loaded.track.len().saturating_sub(before);
            deployment.of_another(new);
        }
        self.take(uuid, loaded);
        self.deployments.answered_to_another(uuid, fetched_at);
    }

    /// Takes over watch list and flags of the archive. If the user has edited
    /// something since they were read, they are read again.
    pub(crate) fn changed_by_another(
        &mut self,
        edits: u64,
        watched: Vec<Deployment>,
        overrides: &HashMap<Uuid, FlagOverrides>,
    ) {
        self.deployments.unread = None;
        if edits != self.deployments.edits {
            return self.look_for_changes_again();
        }
        self.forget_unlisted(&watched);
        for entry in watched {
            self.take_entry(entry);
        }
        let mut changed = Vec::new();
        let none = FlagOverrides::default();
        for deployment in &mut self.deployments.list {
            let uuid = deployment.uuid();
            let now = overrides.get(&uuid).unwrap_or(&none);
            if deployment.overrides != *now {
                deployment.overrides.clone_from(now);
                changed.push(uuid);
            }
        }
        for uuid in changed {
            self.reassemble(uuid);
        }
        self.deployments.entries_changed();
        self.refresh_due();
    }

    /// Takes the deployments off that another program took off the watch list. The
    /// open one stays, shown only, where its track was on the screen.
    fn forget_unlisted(&mut self, watched: &[Deployment]) {
        let listed: HashSet<Uuid> = watched
            .iter()
            .map(|deployment| deployment.id.uuid)
            .collect();
        // The first deployment is open from the start, before the user has seen it.
        let is_seen =
            |uuid: &Uuid| self.screen.tab == TabId::Track || self.deployments.opened.contains(uuid);
        let seen = self.deployments.open.filter(is_seen);
        let mut cancelled = Vec::new();
        self.deployments.retain(|deployment| {
            let uuid = deployment.uuid();
            if deployment.listing != Listing::Archived || listed.contains(&uuid) {
                return true;
            }
            if seen == Some(uuid) {
                deployment.listing = Listing::Shown;
                return true;
            }
            cancelled.extend(deployment.track.cancel());
            false
        });
        for request in cancelled {
            self.cancel(Some(request));
        }
        let open = self.deployments.open;
        if open.is_some_and(|uuid| self.deployments.get(uuid).is_none()) {
            self.deployments.open = None;
        }
    }

    /// Takes over an entry of the watch list: new, or with other values.
    fn take_entry(&mut self, entry: Deployment) {
        let uuid = entry.id.uuid;
        let now = self.now;
        match self.deployments.get_mut(uuid) {
            Some(deployment) => {
                if deployment.listing == Listing::Shown {
                    deployment.listing = Listing::Archived;
                }
                if deployment.deployment == entry {
                    return;
                }
                deployment.deployment = entry;
                self.reassemble(uuid)
            }
            None => {
                self.deployments.add(entry, now);
                self.load_entered(uuid);
            }
        }
    }
}
