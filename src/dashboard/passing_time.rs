//! The start, and changes by time.

use uuid::Uuid;

use super::deployments::deployment::DeploymentState;
use super::effect::Effect;
use super::model::Model;
use super::tab::{Pane, Tab};
use crate::track::Deployment;

/// How often deployments are checked for silence, seconds.
const JUDGED_EVERY_S: f64 = 60.0;

impl Model {
    /// Loads the ledger and the archived tracks.
    pub(crate) fn started(&mut self) -> Vec<Effect> {
        if self.demo {
            self.say_first_keys();
        }
        if self.tab == Tab::Track {
            self.pane = Pane::first_of_track(self.width);
        }
        let list = &self.deployments.list;
        let wanted = list.iter();
        let wanted = wanted.map(|deployment| (deployment.uuid(), deployment.options(self.now)));
        let wanted: Vec<_> = wanted.collect();
        // Of a long list only the open track is read.
        let all = self.deployments.are_all_held();
        let held = list.iter().map(|deployment| deployment.uuid());
        let held = held.filter(|uuid| all || self.track.open == Some(*uuid));
        let stored: Vec<_> = held.filter_map(|uuid| self.load_stored(uuid)).collect();
        // The present state, to find later changes by other programs.
        let again = true;
        let mut effects = vec![
            Effect::LoadOverviews(wanted),
            Effect::LoadLedger,
            self.look_for_changes(),
            Effect::LoadAlarms { again },
        ];
        effects.extend(stored);
        effects
    }

    /// The effect that loads the archived track of a deployment.
    pub(crate) fn load_stored(&self, uuid: Uuid) -> Option<Effect> {
        let deployment = self.deployments.get(uuid)?;
        Some(Effect::LoadStored {
            deployment: uuid,
            options: deployment.options(self.now),
        })
    }

    pub(crate) fn time_passes(&mut self, now: f64) -> Vec<Effect> {
        // An alarm moves up again when its snooze ends.
        let snooze_end = self.alarms.next_change(self.now);
        self.deployments.is_unsorted |= snooze_end.is_some_and(|at| at <= now);
        self.now = now;
        self.deployments.time_passes(now);
        if self
            .notice
            .as_ref()
            .is_some_and(|notice| notice.until <= now)
        {
            self.notice = None;
        }
        self.play_on();
        let mut effects = self.announce_ended_snoozes();
        effects.extend(self.judge_by_clock());
        effects.extend(self.refresh_due());
        effects
    }

    /// Once a minute, the deployments without a fix for longer than allowed although
    /// they were fetched when due: they are overdue whatever the service says.
    fn judge_by_clock(&mut self) -> Option<Effect> {
        let now = self.now;
        if (self.judged_at..self.judged_at + JUDGED_EVERY_S).contains(&now) {
            return None;
        }
        self.judged_at = now;
        let is_silent = |deployment: &&DeploymentState| {
            let agenda = &self.deployments.agenda;
            let is_settled = agenda.is_settled(deployment.uuid(), JUDGED_EVERY_S, now);
            is_settled && deployment.is_active(now) && deployment.is_silent(now)
        };
        let silent = self.deployments.list.iter().filter(is_silent);
        let silent: Vec<Deployment> = silent
            .map(|deployment| deployment.deployment.clone())
            .collect();
        (!silent.is_empty()).then_some(Effect::JudgeByClock {
            list: silent,
            refresh_s: self.refresh_s,
        })
    }

    /// Deployments that became due during the pause are fetched.
    pub(crate) fn resumed(&mut self, now: f64) -> Vec<Effect> {
        self.now = now;
        self.refresh_due()
    }
}
