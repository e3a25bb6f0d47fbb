//! Changes of the Model: only this module and its children, and the dashboard above it,
//! make them.

mod alarms;
mod archived;
mod copy;
mod deployments;
mod fetching;
mod fields;
mod map;
mod messages;
mod plants;
mod replies;
mod rows;
mod search;
mod service;
mod settings;
mod time_range;
mod token;
mod track;
mod undo;

use uuid::Uuid;

use super::effect::Effect;
use super::event::RequestId;
use super::state::Model;
use super::state::tab::Tab;
use crate::app::state::deployment::DeploymentState;
use crate::exchange::{Exchange, Progress};
use crate::track::Deployment;

/// How often deployments are held to the rule that the clock decides, seconds.
const JUDGED_EVERY_S: f64 = 60.0;
/// Maximum number of requests on the Activity tab.
const EXCHANGES_MAX: usize = 1000;

impl Model {
    /// Loads the ledger and the archived tracks.
    pub(crate) fn started(&mut self) -> Vec<Effect> {
        let list = &self.deployments.list;
        let wanted = list.iter();
        let wanted = wanted.map(|one| (one.deployment.uuid, one.options(self.now)));
        let wanted: Vec<_> = wanted.collect();
        // Of a long list the track is read that is opened.
        let all = self.deployments.are_all_held();
        let held = list.iter().map(|one| one.deployment.uuid);
        let held = held.filter(|uuid| all || self.track.open == Some(*uuid));
        let stored: Vec<_> = held.filter_map(|uuid| self.load_stored(uuid)).collect();
        // What is there now, to tell later what another program changed.
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
        let one = self.deployments.get(uuid)?;
        Some(Effect::LoadStored {
            deployment: uuid,
            options: one.options(self.now),
        })
    }

    pub(crate) fn time_passes(&mut self, now: f64) -> Vec<Effect> {
        // An alarm whose snooze ends stands above the others again.
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
        let mut effects = self.announce_ended_snoozes();
        effects.extend(self.judge_by_clock());
        effects.extend(self.refresh_due());
        effects
    }

    /// Once a minute, the deployments of which no fix came for longer than allowed, and
    /// that were asked for as they were due: they are overdue whatever was answered.
    fn judge_by_clock(&mut self) -> Option<Effect> {
        let now = self.now;
        if (self.judged_at..self.judged_at + JUDGED_EVERY_S).contains(&now) {
            return None;
        }
        self.judged_at = now;
        let is_silent = |one: &&DeploymentState| {
            let agenda = &self.deployments.agenda;
            let is_settled = agenda.is_settled(one.deployment.uuid, JUDGED_EVERY_S, now);
            is_settled && one.is_active(now) && one.is_silent(now)
        };
        let silent = self.deployments.list.iter().filter(is_silent);
        let silent: Vec<Deployment> = silent.map(|one| one.deployment.clone()).collect();
        (!silent.is_empty()).then_some(Effect::JudgeByClock(silent))
    }

    /// Deployments that became due during the pause are fetched.
    pub(crate) fn resumed(&mut self, now: f64) -> Vec<Effect> {
        self.now = now;
        self.refresh_due()
    }

    /// A request has begun or ended. The cursor stays on its request; on the
    /// first row it stays on the first row.
    pub(crate) fn exchange_reported(&mut self, exchange: Exchange) {
        let chosen = match self.activity.cursor {
            0 => None,
            cursor => self.shown_exchanges().nth(cursor).map(|one| one.id),
        };
        if exchange.is_under_way() {
            self.under_way.push((exchange, Progress::default()));
        } else {
            self.under_way.retain(|(one, _)| one.id != exchange.id);
            self.exchanges.push_back(exchange);
            if self.exchanges.len() > EXCHANGES_MAX {
                self.exchanges.pop_front();
            }
        }
        let row = chosen.and_then(|id| self.shown_exchanges().position(|one| one.id == id));
        if let Some(row) = row {
            self.activity.cursor = row;
        }
        self.settle();
    }

    /// A number for a new request.
    pub(crate) fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }

    /// Limits cursor and viewport of the shown table to its rows.
    pub(crate) fn settle(&mut self) {
        let (rows, height) = (self.rows(), usize::from(self.layout().rows.height));
        match self.tab {
            Tab::Deployments => self.deployments.table.settle(rows, height),
            Tab::Track => self.track.table.settle(rows, height),
            Tab::Plants => self.plants.table.settle(rows, height),
            Tab::Activity => self.activity.settle(rows, height),
        }
    }

    /// The filter of the list is kept: the deployment that is chosen in it by now stays
    /// chosen when it ends, since the next key may be about it.
    pub(crate) fn keep_filter(&mut self) {
        if self.tab == Tab::Deployments && self.deployments.selected().is_some() {
            self.deployments.before_filter = None;
            self.deployments.is_chosen = true;
        }
    }

    /// Sets the filter of this tab's rows.
    pub(crate) fn set_filter(&mut self, text: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        match self.tab {
            Tab::Deployments => {
                let selected = self.deployments.selected();
                let selected = selected.map(|one| one.deployment.uuid);
                if self.deployments.before_filter.is_none() {
                    self.deployments.before_filter = selected;
                }
                self.deployments.filter = text.to_owned();
                self.deployments.arrange(self.now);
                if text.is_empty()
                    && let Some(uuid) = self.deployments.before_filter.take()
                {
                    self.deployments.select(uuid);
                }
            }
            Tab::Track => {
                if self.track.arrangement.filter.is_empty() {
                    let follow = self.track.follow;
                    self.track.before_filter = self.track.at.map(|at| (at, follow));
                }
                self.track.arrangement.filter = text.to_owned();
                self.track.arrangement.wording = self.wording();
                let before = self.track.before_filter;
                effects = if text.is_empty()
                    && let Some((at, follow)) = before
                {
                    (self.track.at, self.track.follow) = (Some(at), follow);
                    self.track.before_filter = None;
                    self.open_track_changed()
                } else {
                    self.arrange_rows()
                };
            }
            Tab::Plants => self.plants.filter = text.to_owned(),
            Tab::Activity => self.activity_filter = text.to_owned(),
        }
        self.settle();
        effects
    }
}
