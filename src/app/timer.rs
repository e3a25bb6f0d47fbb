//! Time of the next redraw without input: an idle dashboard sleeps until then.

use super::state::Model;
use super::state::tab::Tab;
use crate::track::schedule::Why;
use crate::track::time;

/// Interval at which the progress sign turns, seconds.
pub(crate) const TURN_S: f64 = 0.125;

/// Interval at which another program's changes are looked for, seconds.
pub(crate) const LOOK_S: f64 = 5.0;

impl Model {
    /// The next time (UNIX seconds) at which the screen changes without an
    /// event or a fetch falls due; `None` if neither happens.
    pub(crate) fn next_wake(&self) -> Option<f64> {
        let mut next: Option<f64> = None;
        let mut at = |moment: f64| {
            // Not more often than a screen can be redrawn.
            let moment = moment.max(self.now + 0.02);
            next = Some(next.map_or(moment, |known: f64| known.min(moment)));
        };
        if let Some(notice) = &self.notice
            && notice.until.is_finite()
        {
            at(notice.until);
        }
        if let Some(moment) = self.look_at {
            at(moment);
        }
        if let Some(moment) = self.alarms.next_change(self.now) {
            at(moment);
        }
        let busy = self
            .deployments
            .list
            .iter()
            .any(|d| d.track.loading.is_some())
            || !self.under_way.is_empty()
            || !self.plants.in_progress.is_empty();
        if busy {
            at(self.now + TURN_S);
        }
        if let Some(moment) = self.asks_for_token_at() {
            at(moment);
        }
        if !self.paused && !self.token.is_wanted() {
            // A fetch that is due already waits for a free slot: a reply frees
            // one.
            for deployment in self
                .deployments
                .list
                .iter()
                .filter(|d| d.track.loading.is_none())
            {
                if deployment.schedule.due > self.now {
                    at(deployment.schedule.due);
                }
            }
        }
        for deployment in &self.deployments.list {
            let seen = match self.tab {
                Tab::Deployments => true,
                Tab::Track => self.track.open == Some(deployment.deployment.uuid),
                Tab::Plants | Tab::Activity => false,
            };
            if !seen {
                continue;
            }
            // The words of when the next fix is expected count minutes.
            if let Some(Why::Expected) = deployment.schedule.why
                && deployment.schedule.due > self.now
            {
                at(self.now + (deployment.schedule.due - self.now) % 60.0 + 0.01);
            }
            let Some(track) = deployment.track.get() else {
                continue;
            };
            if let Some(fix) = track.latest() {
                at(time::next_change(fix.time_stamp, self.now));
                if let Some(change) = track.health(self.now).next_change(fix.time_stamp)
                    && change > self.now
                {
                    // A status holds up to its limit and changes just after it.
                    at(change + 0.001);
                }
            }
        }
        next
    }
}
