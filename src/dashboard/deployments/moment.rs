//! A moment of the past that the list and its map show.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::deployment::DeploymentState;
use super::fetch_state::FetchState;
use crate::dashboard::effect::Effect;
use crate::dashboard::format;
use crate::dashboard::model::Model;
use crate::dashboard::tab::TabId;
use crate::track::agenda::Agenda;
use crate::track::{LAST_DAYS_S, Overview};

/// The steps of the span that is shown.
const STEPS: f64 = 48.0;
/// The time from one step to the next while they are played, seconds.
const PLAYED_EVERY_S: f64 = 0.1;

/// A moment of the past, with the overview of each deployment then.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// UNIX seconds.
    pub at: f64,
    /// The overviews of then.
    overviews: HashMap<Uuid, Arc<Overview>>,
    /// `true` while those of the tracks that are not in memory are read.
    is_reading: bool,
    /// When the next step is played, UNIX seconds; `None` if none is.
    pub(in crate::dashboard) plays_at: Option<f64>,
}

impl Moment {
    /// The text of the row of a deployment without an overview.
    pub(super) fn unread_words(&self) -> &'static str {
        if self.is_reading {
            "reading …"
        } else {
            "not known then"
        }
    }
}

impl Model {
    /// The moment of the past that the list and its map show, UNIX seconds; `None` on the
    /// other tabs, and for now.
    pub(crate) fn past_moment(&self) -> Option<f64> {
        let moment = self.deployments.moment.as_ref();
        let moment = moment.filter(|_| self.tab == TabId::Deployments);
        moment.map(|moment| moment.at)
    }

    /// The span that is shown, seconds: that of the time range of Track, else that of the
    /// lines on the map.
    fn shown_span(&self) -> f64 {
        let range = self.track.time_range.as_ref().map(|shown| shown.range);
        range.map_or(LAST_DAYS_S, |(from, to)| to - from)
    }

    /// A step of the moment, seconds: a part of the span, and no less than the shortest T.
    fn moment_step(&self) -> f64 {
        let overviews = self.deployments.list.iter();
        let intervals = overviews.filter_map(|deployment| deployment.overview()?.interval_s);
        let shortest = intervals.min_by(f64::total_cmp);
        (self.shown_span() / STEPS).max(shortest.unwrap_or(0.0))
    }

    /// Moves the moment of the list and its map by so many steps; it ends at now, and at
    /// the first fix of all.
    pub(crate) fn move_moment(&mut self, steps: f64) {
        let from = self.deployments.moment.as_ref();
        let from = from.map_or(self.now, |moment| moment.at);
        self.show_moment(from + steps * self.moment_step(), None)
    }

    /// Plays the steps up to now, from the begin of the span where the moment is now; stops
    /// where they are played.
    pub(crate) fn play_moments(&mut self) {
        let next = Some(self.now + PLAYED_EVERY_S);
        match &self.deployments.moment {
            Some(moment) if moment.plays_at.is_some() => self.show_moment(moment.at, None),
            Some(moment) => self.show_moment(moment.at, next),
            None => self.show_moment(self.now - STEPS * self.moment_step(), next),
        }
    }

    /// Plays the next step, if it is due.
    pub(crate) fn play_on(&mut self) {
        let moment = self.deployments.moment.as_ref();
        let due = moment.filter(|moment| moment.plays_at.is_some_and(|at| at <= self.now));
        let Some(from) = due.map(|moment| moment.at) else {
            return;
        };
        let next = Some(self.now + PLAYED_EVERY_S);
        self.show_moment(from + self.moment_step(), next)
    }

    /// Shows now again; `false` if that is shown.
    pub(crate) fn return_to_now(&mut self) -> bool {
        let was_past = self.deployments.moment.take().is_some();
        if was_past {
            self.notify("list and map show now".to_owned());
        }
        was_past
    }

    fn show_moment(&mut self, at: f64, plays_at: Option<f64>) {
        if at >= self.now {
            self.return_to_now();
            return;
        }
        let list = &self.deployments.list;
        let first = |deployment: &DeploymentState| Some(deployment.track.get()?.ends()?.0);
        let first = list.iter().filter_map(first).min_by(f64::total_cmp);
        let at = first.map_or(at, |first| at.max(first));
        let then = |one: &DeploymentState| match one.track.get() {
            Some(track) => Some(Arc::new(Overview::at(track.track(), at))),
            // The last fix of all was the last then, too.
            None => {
                let latest = |overview: &Overview| overview.latest.map(|fix| fix.time_stamp);
                let overview = one.track.overview();
                overview
                    .filter(|it| latest(it).is_none_or(|last| last <= at))
                    .cloned()
            }
        };
        let before = self.deployments.moment.as_ref();
        let mut overviews = HashMap::new();
        let mut unread = Vec::new();
        for one in list {
            let uuid = one.deployment.uuid;
            let known = then(one);
            if known.is_none() && one.track.has_data() {
                unread.push((uuid, one.options(self.now)));
            }
            // While steps are played, what was read for one before is near enough.
            let read = before.filter(|_| plays_at.is_some());
            let read = read.and_then(|before| before.overviews.get(&uuid).cloned());
            overviews.extend(known.or(read).map(|overview| (uuid, overview)));
        }
        // Steps may be faster than the archive: its answer asks for the next.
        let is_reading = before.is_some_and(|before| before.is_reading);
        let asks = !unread.is_empty() && !is_reading;
        self.notify(format!(
            "list and map show {}",
            format::short_moment(self, at)
        ));
        self.deployments.moment = Some(Moment {
            at,
            overviews,
            is_reading: is_reading || asks,
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
            let at = moment.at;
            let plays_at = moment.plays_at;
            self.show_moment(at, plays_at)
        }
    }

    /// The model as list and map show it at the moment of the past; `None` if they show
    /// now. The header always shows now.
    pub(crate) fn past(&self) -> Option<Self> {
        let moment = self.deployments.moment.as_ref()?;
        let mut past = self.clone();
        if self.tab == TabId::Deployments {
            // Keeps the view of the map.
            past.deployments.view = self.view();
        }
        past.now = moment.at;
        // The next request is not of the past.
        past.deployments.agenda = Agenda::new(self.refresh_s());
        for one in &mut past.deployments.list {
            let overview = moment.overviews.get(&one.deployment.uuid).cloned();
            let options = one.options(moment.at);
            one.track = overview
                .map(|overview| FetchState::of_then(overview, options, moment.at))
                .unwrap_or_default();
            one.alarms.retain(|alarm| alarm.raised_at <= moment.at);
            one.unjudged.clear();
        }
        Some(past)
    }
}
