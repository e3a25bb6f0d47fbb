//! What is known of a deployment by the requests for it.

use uuid::Uuid;

use super::Agenda;

impl Agenda {
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

    /// `true` if the service was asked for a deployment, and that has ended.
    pub(crate) fn was_asked(&self, uuid: Uuid) -> bool {
        let entry = self.entries.get(&uuid);
        entry.is_some_and(|entry| entry.tried_at.is_finite()) && !self.is_asking(uuid)
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
