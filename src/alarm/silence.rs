//! The alarm `overdue`: no fix for longer than allowed. The clock raises it, whatever the
//! service answers.

use serde::{Deserialize, Serialize};

use super::life::{Alarm, Change, Episode};
use super::unjudged::Unjudged;
use crate::geo::Units;
use crate::text;
use crate::track::{Newer, ServiceClock, age_s, overdue_after_s};

/// A response that was stored less than this ago is the response that is judged, seconds.
const JUST_NOW_S: f64 = 60.0;

/// Why the fix that was due did not come; all empty if the service only did not send it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Cause {
    /// Why no fix counts, if none does.
    pub without_fix: Option<WithoutFix>,
    /// The reports after the last included fix.
    pub newer: Option<Newer>,
    /// The service has not answered since the fix was due.
    pub unanswered: Option<Unanswered>,
}

/// Why no fix of a deployment counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum WithoutFix {
    /// It never sent one.
    Never,
    /// It sent none that is good.
    NoneGood,
    /// It sent none since its time window began, UNIX seconds.
    SinceWindow(f64),
}

/// A service that has not answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unanswered {
    /// Its last answer, UNIX seconds; `None` if there was none.
    pub since: Option<f64>,
    /// Why the last request failed, if it is known.
    pub why: Option<String>,
}

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
    /// The included fixes since that of the open alarm, in order, UNIX seconds.
    pub since_open: Vec<f64>,
}

impl Silence {
    /// The changes of the alarm at `now` (UNIX seconds), with this limit in seconds;
    /// `None` for 3 T. A new fix ends it, and so does another limit, or a clock that was
    /// set back to before its start. What is silent again by now is another alarm.
    pub(crate) fn changes(&self, limit: Option<f64>, known: &[Alarm], now: f64) -> Vec<Change> {
        let open = known.iter().find(|alarm| alarm.cleared_at.is_none());
        let limit = overdue_after_s(limit, self.interval_s);
        let last = self.last_fix.or(self.window_from).unwrap_or(self.added_at);
        let age = age_s(last, now);
        let known_age = age_s(last, self.asked_until.map_or(now, |until| until.min(now)));
        let heard = open.and_then(|open| self.heard_again(open, limit?));
        let is_again = limit.is_some_and(|limit| known_age > limit) && !self.is_unreachable;
        match (open, limit) {
            (Some(open), Some(limit)) if heard.is_some() && is_again => {
                let ended = self.end(open, heard.unwrap_or(last), now);
                let raised = Change::Raised(self.episode(last, limit, now));
                ended.into_iter().chain([raised]).collect()
            }
            (Some(open), Some(limit)) if age > limit => {
                let episode = self.episode(last, limit, now);
                let is_other = self.is_changed || open.fix_time != Some(last);
                // A number may differ a little from what was stored.
                let words = |cause: &Option<Cause>| Some(cause.as_ref()?.text(Units::Si));
                let has_news = self.knows_cause(now) && words(&open.cause) != words(&episode.cause);
                let still = (is_other || has_news).then(|| Change::Still {
                    id: open.id.clone(),
                    episode,
                });
                still.into_iter().collect()
            }
            (None, Some(limit)) if is_again => {
                vec![Change::Raised(self.episode(last, limit, now))]
            }
            (Some(open), _) => {
                let ended = self.end(open, heard.unwrap_or(last), now);
                ended.into_iter().collect()
            }
            (None, _) => Vec::new(),
        }
    }

    /// The first fix after the silence of the open alarm, longer than `limit` (seconds): a late
    /// fix from within it only moves its start.
    fn heard_again(&self, open: &Alarm, limit: f64) -> Option<f64> {
        let before = open
            .fix_time
            .into_iter()
            .chain(self.since_open.iter().copied());
        let mut gaps = before.zip(&self.since_open);
        gaps.find_map(|(before, fix)| (fix - before > limit).then_some(*fix))
    }

    /// The doubt about a silence that cannot be judged at `now` by this computer's clock (UNIX
    /// seconds), with this limit in seconds or `None` for 3 T: the clock of the service was ahead,
    /// and that is long ago.
    pub(crate) fn doubt(
        &self,
        limit: Option<f64>,
        clock: ServiceClock,
        now: f64,
    ) -> Option<Unjudged> {
        let last = self.last_fix?;
        let limit_s = overdue_after_s(limit, self.interval_s)?;
        let why = clock.doubt(last, limit_s, now)?;
        Some(Unjudged::new(why, last + limit_s, self.interval_s))
    }

    fn episode(&self, last: f64, limit: f64, now: f64) -> Episode {
        Episode {
            at: (last + limit).max(self.since).min(now),
            fix_time: last,
            value: age_s(last, now),
            limit,
            text: String::new(),
            cause: Some(self.cause(last + limit)),
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

    /// Why the fix that was due at a time (UNIX seconds) did not come.
    fn cause(&self, due: f64) -> Cause {
        let without_fix = match self.window_from {
            _ if self.last_fix.is_some() => None,
            Some(from) => Some(WithoutFix::SinceWindow(from)),
            None if self.newer.is_some() => Some(WithoutFix::NoneGood),
            None => Some(WithoutFix::Never),
        };
        let why = self.failure.as_ref().map(|why| text::excerpt(why, 160));
        let unanswered = Unanswered {
            since: self.answered_at,
            why,
        };
        Cause {
            without_fix,
            newer: self.newer,
            unanswered: (!self.is_answered(due)).then_some(unanswered),
        }
    }

    /// The end of the open alarm; `None` if there is no new reason for it to end.
    fn end(&self, open: &Alarm, last: f64, now: f64) -> Option<Change> {
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
