//! The requests: how many there may be at once, and what is known of a deployment by those for it.

use uuid::Uuid;

use super::{Agenda, Entry};

/// How long a request keeps its place, seconds. If it takes longer, it goes on in addition to
/// others.
pub(crate) const HOLDS_UP_S: f64 = 5.0;

/// How many requests may keep their places where `late` others are in progress that no longer
/// do.
// More with each of them: where a hundred hang, those after them would wait for minutes.
pub(crate) fn places(places: usize, late: usize) -> usize {
    places + late / 2
}

impl Agenda {
    /// How many requests may begin at `now` (UNIX seconds) where `at_once` keep their places.
    pub(crate) fn room(&self, now: f64, at_once: usize) -> usize {
        let recent = self.began_within(HOLDS_UP_S, now);
        places(at_once, self.asking.len() - recent).saturating_sub(recent)
    }

    /// How many of the requests in progress began at most `within_s` seconds before `now` (UNIX
    /// seconds).
    pub(crate) fn began_within(&self, within_s: f64, now: f64) -> usize {
        let recent = self.asking.iter().filter(|(_, at)| now - at < within_s);
        recent.count()
    }

    /// `true` if the service was asked for a deployment as the agenda has it: it is not due,
    /// or its request has brought nothing for `longest_s` seconds at `now` (UNIX seconds), in
    /// which this computer was not suspended, or is the next one after a failure within them:
    /// between requests that fail by a long wait there may be none in which it is not asked for.
    pub(crate) fn is_settled(&self, uuid: Uuid, longest_s: f64, now: f64) -> bool {
        let Some(entry) = self.entries.get(&uuid) else {
            return false;
        };
        match self.asking.iter().find(|(asked, _)| *asked == uuid) {
            Some((_, since)) => {
                let has_failed = entry.failures > 0 && now - entry.failed_at <= longest_s;
                (has_failed || now - since > longest_s) && now - self.now <= longest_s
            }
            None => entry.next.at > now,
        }
    }

    /// `true` if the last request for a deployment failed.
    pub(crate) fn has_failed(&self, uuid: Uuid) -> bool {
        self.entries
            .get(&uuid)
            .is_some_and(|entry| entry.failures > 0)
    }

    /// `true` while the first request for a deployment is due at `now` (UNIX seconds), or is being
    /// answered.
    pub(crate) fn is_awaited(&self, uuid: Uuid, now: f64) -> bool {
        let is_due = |entry: &Entry| entry.tried_at.is_infinite() && entry.next.at <= now;
        self.entries.get(&uuid).is_some_and(is_due) || self.is_asking(uuid)
    }

    /// The shortest wait after the last answer for a deployment, seconds; `None` without one.
    pub(crate) fn shortest_wait_s(&self, uuid: Uuid) -> Option<f64> {
        let answer = self.entries.get(&uuid)?.answer?;
        Some(answer.shortest_wait_s(self.refresh_s))
    }

    /// As [`judged_at`](super::LastAnswer::judged_at), of a deployment; `now` without an answer.
    pub(crate) fn judged_at(&self, uuid: Uuid, now: f64) -> f64 {
        let answer = self.entries.get(&uuid).and_then(|entry| entry.answer);
        answer.map_or(now, |answer| answer.judged_at(self.refresh_s, now))
    }
}
