//! Time of the next redraw without input: an idle dashboard sleeps until then.

use super::deployments::deployment::DeploymentState;
use super::model::Model;
use super::tab::Tab;
use crate::track::agenda::Why;
use crate::track::time;

/// Interval at which the progress sign turns, seconds.
pub(crate) const TURN_S: f64 = 0.125;

impl Model {
    /// The next time (UNIX seconds) at which time changes the screen or a fetch is due;
    /// `None` if neither happens.
    pub(crate) fn next_wake(&self) -> Option<f64> {
        let mut next: Option<f64> = None;
        let mut at = |moment: f64| {
            // Not more often than a screen can be redrawn.
            let moment = moment.max(self.now + 0.02);
            next = Some(next.map_or(moment, |known: f64| known.min(moment)));
        };
        if let Some(notice) = &self.notice {
            if notice.until.is_finite() {
                at(notice.until);
            }
            if let Some(waiting) = &self.waiting {
                at(waiting.shown_at(notice));
            }
        }
        if let Some(moment) = &self.deployments.moment {
            moment.plays_at.into_iter().for_each(&mut at);
        }
        if let Some(moment) = self.alarms.next_change(self.now) {
            at(moment);
        }
        let busy = self.deployments.loading().next().is_some()
            || !self.under_way.is_empty()
            || !self.plants.in_progress.is_empty();
        if busy {
            at(self.now + TURN_S);
        }
        if !self.paused && !self.token.is_wanted() {
            // A fetch that is due already waits for a free slot: a reply frees
            // one.
            let due = self.deployments.agenda.soonest();
            if let Some(due) = due.filter(|due| *due > self.now && due.is_finite()) {
                at(due);
            }
        }
        // The clock of the header shows minutes.
        at((self.now / 60.0).floor() * 60.0 + 60.0);
        // A status lasts up to its limit and changes just after it; the header counts
        // them on every tab.
        if let Some(change) = self.deployments.next_status {
            at(change + 0.001);
        }
        match self.tab {
            Tab::Deployments => {
                // Only the ages that are seen count.
                let seen = usize::from(self.layout().rows.height);
                let rows = self.deployments.shown().skip(self.deployments.table.top);
                for deployment in rows.take(seen).chain(self.deployments.selected()) {
                    self.ages_change(deployment).for_each(&mut at);
                }
            }
            Tab::Track => {
                let open = self.open_deployment();
                if let Some(deployment) = open {
                    self.ages_change(deployment).for_each(&mut at);
                }
            }
            Tab::Plants => {
                if let Some(entry) = self.plants.selected() {
                    at(time::next_change(entry.at, self.now));
                }
            }
            Tab::Activity => {}
        }
        next
    }

    /// When the texts about a deployment change by time only, UNIX seconds.
    fn ages_change(&self, deployment: &DeploymentState) -> impl Iterator<Item = f64> + use<> {
        let now = self.now;
        // The text about the next fix counts minutes.
        let next = self.deployments.agenda.next(deployment.uuid());
        let is_counted = |why| matches!(why, Some(Why::Expected | Why::Costly(_)));
        let expected = next.filter(|next| is_counted(next.why) && next.at > now);
        let expected = expected.map(|next| now + (next.at - now) % 60.0 + 0.01);
        let latest = deployment.latest();
        let age = latest.map(|fix| time::next_change(fix.time_stamp, now));
        let failure = deployment.track.failure.as_ref();
        let failure = failure.map(|(_, at)| time::next_change(*at, now));
        let alarms: Vec<f64> = (deployment.alarms.iter())
            .map(|alarm| time::next_change(alarm.raised_at, now))
            .collect();
        let status = latest.and_then(|fix| deployment.health(now).next_change(fix.time_stamp));
        let status = status.filter(|change| *change > now);
        (expected.into_iter())
            .chain(age)
            .chain(failure)
            .chain(alarms)
            .chain(status.map(|change| change + 0.001))
    }
}
