//! A moment of the past that the list and its map show.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::deployment::DeploymentState;
use super::fetch_state::FetchState;
use crate::dashboard::format;
use crate::dashboard::model::Model;
use crate::dashboard::tab::Tab;
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
    /// The overviews at that moment; a deployment whose track is not in memory may have
    /// none.
    overviews: HashMap<Uuid, Arc<Overview>>,
    /// When the next step is played, UNIX seconds; `None` while paused.
    pub(in crate::dashboard) plays_at: Option<f64>,
}

impl Model {
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

    /// Moves the moment of the list and its map by a number of steps, between the first
    /// of all fixes and now.
    pub(crate) fn move_moment(&mut self, steps: f64) {
        let from = self.deployments.moment.as_ref();
        let from = from.map_or(self.now, |moment| moment.at);
        self.show_moment(from + steps * self.moment_step(), None);
    }

    /// Plays the steps up to now, from the begin of the span where the moment is now; stops
    /// where they are played.
    pub(crate) fn play_moments(&mut self) {
        let next = Some(self.now + PLAYED_EVERY_S);
        match &mut self.deployments.moment {
            Some(moment) if moment.plays_at.is_some() => moment.plays_at = None,
            Some(moment) => moment.plays_at = next,
            None => {
                let begin = self.now - STEPS * self.moment_step();
                self.show_moment(begin, next);
            }
        }
    }

    /// Plays the next step when it is due.
    pub(crate) fn play_on(&mut self) {
        let moment = self.deployments.moment.as_ref();
        let due = moment.filter(|moment| moment.plays_at.is_some_and(|at| at <= self.now));
        let Some(from) = due.map(|moment| moment.at) else {
            return;
        };
        let next = Some(self.now + PLAYED_EVERY_S);
        self.show_moment(from + self.moment_step(), next);
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
        let first =
            |deployment: &DeploymentState| deployment.track.get()?.time_stamps().first().copied();
        let first = list.iter().filter_map(first).min_by(f64::total_cmp);
        let at = first.map_or(at, |first| at.max(first));
        let then = |deployment: &DeploymentState| {
            let overview = match deployment.track.get() {
                Some(track) => Arc::new(Overview::at(track.track(), at)),
                // The last fix of now was the last then, too.
                None => {
                    let latest = |overview: &Overview| overview.latest.map(|fix| fix.time_stamp);
                    let overview = deployment.track.overview();
                    overview
                        .filter(|it| latest(it).is_none_or(|last| last <= at))?
                        .clone()
                }
            };
            Some((deployment.uuid(), overview))
        };
        let overviews: HashMap<_, _> = list.iter().filter_map(then).collect();
        let unknown = list.len() - overviews.len();
        let words = format!("list and map show {}", format::short_moment(self, at));
        self.notify(match unknown {
            0 => words,
            _ => format!("{words}; {unknown} are not known then: their tracks are not loaded"),
        });
        self.deployments.moment = Some(Moment {
            at,
            overviews,
            plays_at,
        });
    }

    /// The model as list and map show it at the moment of the past; `None` if they show
    /// now. The header always shows now.
    pub(crate) fn past(&self) -> Option<Self> {
        let moment = self.deployments.moment.as_ref()?;
        let mut past = self.clone();
        if self.tab == Tab::Deployments {
            // Keeps the view of the map.
            past.deployments.view = self.view();
        }
        past.now = moment.at;
        // The next request is not of the past.
        past.deployments.agenda = Agenda::new(self.refresh_s);
        for deployment in &mut past.deployments.list {
            let overview = moment.overviews.get(&deployment.uuid()).cloned();
            let options = deployment.options(moment.at);
            deployment.track =
                FetchState::of_then(overview.unwrap_or_default(), options, moment.at);
            deployment
                .alarms
                .retain(|alarm| alarm.raised_at <= moment.at);
        }
        Some(past)
    }
}
