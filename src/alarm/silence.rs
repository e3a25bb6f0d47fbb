//! The alarm `overdue`: no fix for longer than allowed. The clock raises it, whatever the
//! service answers.

use super::episode::{Change, Episode, Known};
use crate::geo::Units;
use crate::text;
use crate::track::{Newer, time};

/// A response that was stored less than this ago is the response that is judged, seconds.
const JUST_NOW_S: f64 = 60.0;

/// The data from which the alarm of a silence follows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Silence {
    /// The time of the last included fix, UNIX seconds.
    pub last_fix: Option<f64>,
    /// When its time window began, UNIX seconds; without a fix the age counts from then on.
    pub window_from: Option<f64>,
    /// When it was put on the watch list, UNIX seconds; without a fix and a time window the
    /// age counts from then on.
    pub added_at: f64,
    /// T of the health rule, seconds.
    pub interval_s: Option<f64>,
    /// The reports after the last included fix.
    pub newer: Option<Newer>,
    /// When the last response came, UNIX seconds; `None` before the first.
    pub answered_at: Option<f64>,
    /// Why the last request failed; `None` if it was answered.
    pub failure: Option<String>,
    /// `true` if the service gives no usable answer: nothing is known of the deployment.
    pub is_unreachable: bool,
    /// When the service was last asked, UNIX seconds: later fixes are not known. `None` if
    /// it is being asked now.
    pub asked_until: Option<f64>,
    /// When the limit was set, UNIX seconds.
    pub since: f64,
    /// `true` if it was another limit when the alarm was last judged.
    pub is_changed: bool,
}

impl Silence {
    /// The changes of the alarm at `now` (UNIX seconds), with this limit in seconds;
    /// `None` for 3 T. A new fix ends it, and so does another limit, or a clock that was
    /// set back to before its start.
    pub(crate) fn changes(&self, limit: Option<f64>, known: &[Known], now: f64) -> Vec<Change> {
        let open = known.iter().find(|alarm| alarm.cleared_at.is_none());
        let limit = limit.or_else(|| self.interval_s.map(|t| 3.0 * t));
        let last = self.last_fix.or(self.window_from);
        let last = last.unwrap_or(self.added_at);
        let age = now - last;
        let known_age = self.asked_until.map_or(now, |until| until.min(now)) - last;
        match (open, limit) {
            (Some(open), Some(limit)) if age > limit => {
                let episode = self.episode(last, limit, now);
                let is_other = self.is_changed || open.fix_time != Some(last);
                let has_news = self.knows_cause(now) && open.text != episode.text;
                let still = (is_other || has_news).then(|| Change::Still {
                    id: open.id.clone(),
                    episode,
                });
                still.into_iter().collect()
            }
            (None, Some(limit)) if known_age > limit && !self.is_unreachable => {
                vec![Change::Raised(self.episode(last, limit, now))]
            }
            (Some(open), _) => self.end(open, last, now).into_iter().collect(),
            (None, _) => Vec::new(),
        }
    }

    fn episode(&self, last: f64, limit: f64, now: f64) -> Episode {
        Episode {
            at: (last + limit).max(self.since).min(now),
            fix_time: last,
            value: now - last,
            limit,
            text: self.cause(last + limit),
            until: None,
        }
    }

    /// `true` if a response after the fix was due (UNIX seconds) did not have it.
    fn is_answered(&self, due: f64) -> bool {
        self.failure.is_none() && self.answered_at.is_some_and(|at| at >= due)
    }

    /// `true` if the cause is known at `now` (UNIX seconds): a request has failed, or its
    /// response has just been stored. A program that sent no request does not know of later
    /// failures.
    fn knows_cause(&self, now: f64) -> bool {
        let is_new = |at: f64| (0.0..JUST_NOW_S).contains(&(now - at));
        self.failure.is_some() || self.answered_at.is_some_and(is_new)
    }

    /// Why the fix that was due at a time (UNIX seconds) did not come; empty if the service
    /// only did not send it.
    fn cause(&self, due: f64) -> String {
        let mut causes = Vec::new();
        if self.last_fix.is_none() {
            causes.push(match self.window_from {
                Some(from) => {
                    let from = time::rfc3339(from.floor());
                    format!("no fix since its time window began {from}")
                }
                None if self.newer.is_some() => "it never sent a good fix".to_owned(),
                None => "it never sent a fix".to_owned(),
            });
        }
        causes.extend(self.newer.and_then(|newer| newer.text(Units::Metric)));
        if !self.is_answered(due) {
            let since = match self.answered_at {
                Some(at) => format!("no answer since {}", time::rfc3339(at.floor())),
                None => "never an answer".to_owned(),
            };
            let why = self.failure.as_ref();
            let why = why.map_or_else(String::new, |why| format!(": {}", text::excerpt(why, 160)));
            causes.push(since + &why);
        }
        causes.join("; ")
    }

    /// The end of the open alarm; `None` if there is no new reason for it to end.
    fn end(&self, open: &Known, last: f64, now: f64) -> Option<Change> {
        let is_new = open.fix_time.is_none_or(|fix| last > fix);
        // It was raised while the clock was ahead. A clock behind the last fix proves nothing.
        let is_in_future = now < open.raised_at && last <= now;
        (is_new || self.is_changed || is_in_future).then(|| Change::Ended {
            id: open.id.clone(),
            at: if last > open.raised_at { last } else { now },
            why: None,
        })
    }
}
