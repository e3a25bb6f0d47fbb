//! Steps to another moment.

use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::deployments::fetch_state::FetchState;
use crate::dashboard::deployments::moment::Moment;
use crate::dashboard::effect::Effect;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::watch::Overview;
use crate::watch::agenda::Agenda;
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// The steps of the span that is shown.
const STEPS: f64 = 48.0;

/// The time from one step to the next while they are played, seconds.
pub(in crate::dashboard) const PLAYED_EVERY_S: f64 = 0.1;

impl Shared {
    /// The moment of the past that the list and its map show, UNIX seconds; `None` on the
    /// other tabs, and for now.
    pub(crate) fn past_moment(&self) -> Option<f64> {
        let moment = self.deployments.moment.as_ref()?;
        (self.screen.tab == TabId::Deployments).then_some(moment.at)
    }

    /// Shows now again; `false` if that is shown.
    pub(crate) fn return_to_now(&mut self) -> bool {
        let was_past = self.deployments.moment.take().is_some();
        if was_past {
            self.notify("list and map show now".to_owned());
        }
        was_past
    }

    /// Shows the moment at `at`, with steps of so many seconds and the time when the next is played.
    fn show_moment(&mut self, at: f64, step_s: f64, plays_at: Option<f64>) {
        if at >= self.now {
            self.return_to_now();
            return;
        }
        let list = &self.deployments.list;
        let start = |deployment: &DeploymentState| Some(deployment.track.get()?.ends()?.0);
        let first = list.iter().filter_map(start).min_by(f64::total_cmp);
        let at = first.map_or(at, |first| at.max(first));
        let then = |deployment: &DeploymentState| match deployment.track.get() {
            Some(track) => Some(Arc::new(Overview::at(track.track(), at))),
            // The last fix of all was the last then, too.
            None => {
                let latest = |overview: &Overview| overview.latest.map(|fix| fix.time_stamp);
                let overview = deployment.track.overview();
                overview
                    .filter(|it| latest(it).is_none_or(|last| last <= at))
                    .cloned()
            }
        };
        let before = self.deployments.moment.as_ref();
        let mut overviews = HashMap::new();
        let mut unread = Vec::new();
        for deployment in list {
            let uuid = deployment.uuid();
            let known = then(deployment);
            if known.is_none() && deployment.track.has_data() {
                unread.push((uuid, deployment.options(self.now)));
            }
            // While steps are played, what was read for one before is near enough.
            let near = before.filter(|_| plays_at.is_some());
            let read = near.and_then(|before| before.overviews.get(&uuid).cloned());
            overviews.extend(known.or(read).map(|overview| (uuid, overview)));
        }
        // Steps may be faster than the archive: its answer asks for the next.
        let is_reading = before.is_some_and(|before| before.is_reading);
        let asks = !unread.is_empty() && !is_reading;
        self.notify(format!(
            "list and map show {}",
            self.times().short_moment(at)
        ));
        self.deployments.moment = Some(Moment {
            at,
            overviews,
            is_reading: is_reading || asks,
            step_s,
            plays_at,
        });
        if asks {
            self.send(Effect::LoadPast { at, wanted: unread });
        }
    }

    /// Overviews at a moment were read: shows them, or asks for those of the moment that is
    /// shown by now.
    pub(in crate::dashboard) fn past_read(
        &mut self,
        at: f64,
        overviews: Vec<(Uuid, Arc<Overview>)>,
    ) {
        let Some(moment) = &mut self.deployments.moment else {
            return;
        };
        moment.is_reading = false;
        if moment.at == at || moment.plays_at.is_some() {
            moment.overviews.extend(overviews);
        }
        if moment.at != at {
            let Moment {
                at,
                step_s,
                plays_at,
                ..
            } = *moment;
            self.show_moment(at, step_s, plays_at)
        }
    }
}

impl Shared {
    /// A step of the moment, seconds: a part of the shown span, and no less than the shortest T.
    fn moment_step(&self, span_s: f64) -> f64 {
        let overviews = self.deployments.list.iter();
        let intervals = overviews.filter_map(|deployment| deployment.overview()?.interval_s);
        let shortest = intervals.min_by(f64::total_cmp);
        (span_s / STEPS).max(shortest.unwrap_or(0.0))
    }

    /// Moves the moment of the list and its map by so many steps; it ends at now, and at
    /// the first fix of all.
    pub(crate) fn move_moment(&mut self, steps: f64, span_s: f64) {
        let shown = self.deployments.moment.as_ref();
        let from = shown.map_or(self.now, |moment| moment.at);
        let step_s = self.moment_step(span_s);
        self.show_moment(from + steps * step_s, step_s, None)
    }

    /// Plays the steps up to now, from the begin of the span where the moment is now; stops
    /// where they are played.
    pub(crate) fn play_moments(&mut self, span_s: f64) {
        let step_s = self.moment_step(span_s);
        let shown = self.deployments.moment.as_ref();
        let is_played = shown.is_some_and(|moment| moment.plays_at.is_some());
        let plays_at = (!is_played).then_some(self.now + PLAYED_EVERY_S);
        let at = shown.map_or(self.now - STEPS * step_s, |moment| moment.at);
        self.show_moment(at, step_s, plays_at)
    }

    /// Plays the next step, if it is due.
    pub(crate) fn play_on(&mut self) {
        let moment = self.deployments.moment.as_ref();
        let is_due = |moment: &&Moment| moment.plays_at.is_some_and(|at| at <= self.now);
        if let Some(&Moment { at, step_s, .. }) = moment.filter(is_due) {
            self.show_moment(at + step_s, step_s, Some(self.now + PLAYED_EVERY_S));
        }
    }

    /// The state as list and map show it at the moment of the past; `None` if they show
    /// now. The header always shows now.
    pub(crate) fn past(&self) -> Option<Self> {
        let moment = self.deployments.moment.as_ref()?;
        let mut past = self.clone();
        past.now = moment.at;
        // The next request is not of the past.
        past.deployments.agenda = Agenda::new(self.refresh_s());
        for deployment in &mut past.deployments.list {
            let overview = moment.overviews.get(&deployment.uuid()).cloned();
            let options = deployment.options(moment.at);
            deployment.track = overview
                .map(|overview| FetchState::of_then(overview, options, moment.at))
                .unwrap_or_default();
            deployment
                .alarms
                .retain(|alarm| alarm.raised_at <= moment.at);
            deployment.unjudged.clear();
        }
        Some(past)
    }
}
