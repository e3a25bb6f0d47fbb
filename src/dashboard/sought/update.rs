//! The search area of a deployment.

use super::Picture;
use crate::dashboard::effect::{Effect, Search};
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::{Pane, TabId};
use crate::failure::Failure;
use crate::track::forecast::Moment;
use crate::watch::Whereabouts;
use uuid::Uuid;

impl Shell {
    /// Shows the map of a deployment with its card, whatever the tab.
    pub(in crate::dashboard) fn open_picture(&mut self, uuid: Uuid) {
        let Self { shared, tabs, .. } = self;
        let track = &mut tabs.track;
        if shared.deployments.open != Some(uuid) {
            track.open_another(shared, uuid);
            shared.bring_track(uuid);
        }
        shared.map.sought.picture = Some(Picture {
            shown: Pane::Summary,
            before: (track.view.take(), track.projection.take()),
        });
    }

    /// Shows again what was shown before the picture, if that is there.
    pub(in crate::dashboard) fn close_picture(&mut self) {
        let track = &mut self.tabs.track;
        if let Some(picture) = self.shared.map.sought.picture.take() {
            (track.view, track.projection) = picture.before;
            self.shared.map.sought.answer = None;
        }
    }
}

impl Shared {
    /// The tab whose panes are drawn.
    pub(in crate::dashboard) fn tab_drawn(&self) -> TabId {
        match self.map.sought.picture {
            Some(_) => TabId::Track,
            None => self.screen.tab,
        }
    }

    /// Computes the search area of a deployment at the moment that list and map show.
    pub(in crate::dashboard) fn look_for(&mut self, uuid: Uuid) {
        let past = self.past_moment();
        let clock = self.deployments.get(uuid).map(|known| known.track.clock());
        let now = clock.unwrap_or_default().as_kept(self.now);
        let moment = Moment::new(past.unwrap_or(now), now);
        let Some(known) = self.deployments.get(uuid) else {
            return;
        };
        let sought = &mut self.map.sought;
        (sought.asked, sought.past) = (Some(moment), past);
        sought.latest = known.latest().map(|latest| latest.time_stamp);
        let all = self.deployments.list.iter();
        let others = all.filter(|other| other.deployment.id.uuid != uuid);
        self.send(Effect::LookFor(Box::new(Search {
            deployment: known.deployment.clone(),
            options: known.options(self.now),
            track: known.track.get().map(|held| held.track().clone()),
            others: others.map(|other| other.deployment.clone()).collect(),
            moment,
        })))
    }

    /// Computes it again for the picture after a later fix; at a moment of the past none comes.
    pub(in crate::dashboard) fn look_again(&mut self) {
        let sought = &self.map.sought;
        let Some(uuid) = self.deployments.open.filter(|_| sought.past.is_none()) else {
            return;
        };
        let latest = self.deployments.get(uuid).and_then(|known| known.latest());
        if latest.map(|latest| latest.time_stamp) != sought.latest {
            self.look_for(uuid);
        }
    }

    /// A search area was computed, or could not be.
    pub(in crate::dashboard) fn whereabouts_known(
        &mut self,
        deployment: Uuid,
        outcome: Result<Whereabouts, Failure>,
    ) {
        // An answer to an earlier question may come last.
        let is_asked = |found: &Whereabouts| self.map.sought.asked == Some(found.moment);
        if outcome.as_ref().map_or(true, is_asked) {
            self.map.sought.answer = Some((deployment, outcome));
            self.map.sought.steer();
        }
    }

    /// The last answer for a deployment.
    pub(in crate::dashboard) fn whereabouts(&self, uuid: Uuid) -> Option<&Whereabouts> {
        let (deployment, answer) = self.map.sought.answer.as_ref()?;
        answer.as_ref().ok().filter(|_| *deployment == uuid)
    }
}
