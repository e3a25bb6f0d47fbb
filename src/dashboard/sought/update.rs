//! Where a deployment is looked for.

use crate::dashboard::effect::{Effect, Search};
use crate::dashboard::shared::Shared;
use crate::failure::Failure;
use crate::track::forecast::{Moment, Whereabouts};
use uuid::Uuid;

impl Shared {
    /// Computes the search area of a deployment at the moment that list and map show.
    pub(in crate::dashboard) fn look_for(&mut self, uuid: Uuid) {
        let past = self.past_moment();
        let clock = self.deployments.get(uuid).map(|known| known.track.clock());
        let now = clock.unwrap_or_default().as_kept(self.now);
        let moment = Moment::new(past.unwrap_or(now), now);
        // The answer to an earlier question may be of another moment.
        self.map.sought.answer = None;
        (self.map.sought.asked, self.map.sought.past) = (Some(moment), past);
        let Some(known) = self.deployments.get(uuid) else {
            return;
        };
        let others = self.deployments.list.iter();
        let others = others.filter(|other| other.deployment.uuid != uuid);
        self.send(Effect::LookFor(Box::new(Search {
            deployment: known.deployment.clone(),
            options: known.options(self.now),
            track: known.track.get().map(|held| held.track().clone()),
            others: others.map(|other| other.deployment.clone()).collect(),
            moment,
        })))
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

    /// The answer for a deployment at the moment that is shown, as long as no later fix
    /// has come. At a moment of the past none comes.
    pub(in crate::dashboard) fn whereabouts(&self, uuid: Uuid) -> Option<&Whereabouts> {
        let (of, answer) = self.map.sought.answer.as_ref()?;
        let past = self.past_moment();
        let is_shown = *of == uuid && self.map.sought.past == past;
        let found = answer.as_ref().ok().filter(|_| is_shown)?;
        let latest = self.deployments.get(uuid)?.latest();
        let latest = latest.filter(|_| past.is_none());
        let is_last = |time: f64| latest.is_none_or(|latest| latest.time_stamp <= time);
        found
            .fix
            .is_some_and(|fix| is_last(fix.time_stamp))
            .then_some(found)
    }
}
