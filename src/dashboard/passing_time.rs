//! The start, and changes by time.

use uuid::Uuid;

use super::deployments::deployment::DeploymentState;
use super::effect::Effect;
use super::shared::TrackSource;
use super::tab::{Pane, TabId};
use crate::dashboard::shared::Shared;
use crate::watch::Deployment;

/// How often deployments are checked for silence, seconds.
const JUDGED_EVERY_S: f64 = 60.0;

impl Shared {
    pub(crate) fn time_passes(&mut self, now: f64) {
        self.now = now;
        self.deployments.time_passes(now);
        let notice = self.messages.notice.as_ref();
        if notice.is_some_and(|notice| notice.until <= now) {
            self.messages.notice = None;
        }
        self.play_on();
        self.announce_ended_snoozes();
        self.judge_by_clock();
        self.refresh_due();
    }

    /// Loads the plant log and the archived tracks.
    pub(crate) fn started(&mut self) {
        if self.service.source == TrackSource::Demo {
            self.say_first_keys();
        }
        if self.screen.tab == TabId::Track {
            self.screen.pane = Pane::first_of_track(self.screen.width);
        }
        let list = &self.deployments.list;
        let requests = list
            .iter()
            .map(|deployment| (deployment.uuid(), deployment.options(self.now)));
        let wanted = requests.collect();
        // Of a long list only the open track is read.
        let all = self.deployments.are_all_held();
        let held: Vec<Uuid> = (list.iter().map(|deployment| deployment.uuid()))
            .filter(|uuid| all || self.deployments.open == Some(*uuid))
            .collect();
        self.send(Effect::LoadOverviews(wanted));
        self.send(Effect::LoadPlantLog);
        // The present state, to find later changes by other programs.
        self.look_for_changes();
        self.send(Effect::LoadAlarms);
        for uuid in held {
            self.load_stored(uuid);
        }
    }

    /// Loads the archived track of a deployment.
    pub(crate) fn load_stored(&mut self, deployment: Uuid) {
        if let Some(known) = self.deployments.get(deployment) {
            let options = known.options(self.now);
            self.send(Effect::LoadStored {
                deployment,
                options,
            });
        }
    }

    /// Once a minute, the deployments without a fix for longer than allowed although
    /// they were fetched when due, or nothing is fetched since the user has paused: they are
    /// overdue whatever the service says. And those with a limit that cannot be judged.
    fn judge_by_clock(&mut self) {
        let now = self.now;
        if (self.deployments.judged_at..self.deployments.judged_at + JUDGED_EVERY_S).contains(&now)
        {
            return;
        }
        self.deployments.judged_at = now;
        let may_differ = |deployment: &&DeploymentState| {
            let agenda = &self.deployments.agenda;
            let is_settled = agenda.is_settled(deployment.uuid(), JUDGED_EVERY_S, now);
            let is_silent = (self.deployments.paused || is_settled) && deployment.is_silent(now);
            deployment.is_active(now) && (is_silent || !deployment.unjudged.is_empty())
        };
        let list = self.deployments.list.iter().filter(may_differ);
        let list: Vec<Deployment> = list
            .map(|deployment| deployment.deployment.clone())
            .collect();
        if !list.is_empty() {
            self.send(Effect::JudgeByClock {
                list,
                refresh_s: self.refresh_s(),
            });
        }
    }
}
