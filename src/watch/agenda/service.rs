//! The state of the service by the answers for all deployments: the same rule as the alarm
//! `unreachable`.

use std::collections::HashMap;

use uuid::Uuid;

use crate::failure::refusal::{Refusal, Unanswered, service_fails};
use crate::failure::{Failure, FailureKind};

/// The state of the service by its answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceState {
    /// The deployments without a usable answer since their last one.
    known: HashMap<Uuid, (Unanswered, Option<Sort>)>,
    /// `true` if it fails: from the refusal that says so to the next usable answer.
    fails: bool,
    /// `true` if it fails as it may fail for any deployment: then one request tries it for
    /// all. A refusal of a deployment that was never readable does not concern the others.
    is_down: bool,
    /// When the last usable answer came, UNIX seconds; `None` before the first.
    answered_at: Option<f64>,
    /// The failed deployments and all deployments, if they fail in several ways.
    mixed: Option<(usize, usize)>,
}

/// The last failure for a deployment without a usable answer since.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LastFailure {
    /// When it came, UNIX seconds.
    pub at: f64,
    /// The state of the service that follows from it.
    pub state: Unanswered,
    /// Before then the service asked for no other request, UNIX seconds.
    pub again_at: f64,
}

/// The kind of a failure with the status of the service.
type Sort = (FailureKind, Option<u16>);

/// A request that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed<'f> {
    pub uuid: Uuid,
    pub failure: &'f Failure,
    /// `true` if the deployment had a usable answer before.
    pub was_readable: bool,
    /// When the request began, UNIX seconds.
    pub began: f64,
    /// When it failed, UNIX seconds.
    pub now: f64,
}

impl ServiceState {
    /// `true` if the service fails by its last answers.
    pub(crate) fn fails(&self) -> bool {
        self.fails
    }

    /// `true` if it has answered, and never what was of use.
    pub(super) fn answers_without_use(&self) -> bool {
        let mut states = self.known.values().map(|(state, _)| state);
        self.answered_at.is_none() && states.all(|state| *state == Unanswered::NoUse)
    }

    /// `true` if a deployment is refused by itself, and not with the others.
    pub(super) fn refuses_alone(&self, uuid: Uuid) -> bool {
        match self.known.get(&uuid) {
            Some((Unanswered::Refused, _)) => true,
            Some((Unanswered::Alone, Some((_, status)))) => {
                matches!(status, Some(401 | 403 | 404 | 410))
            }
            _ => false,
        }
    }

    /// `true` if one request tries it for all deployments.
    pub(super) fn is_down(&self) -> bool {
        self.is_down
    }

    /// The failed deployments and all deployments, if their failures differ: then no failure
    /// represents all.
    pub(crate) fn mixed(&self) -> Option<(usize, usize)> {
        self.mixed
    }

    /// The service gave a usable answer for a deployment at a time (UNIX seconds); returns
    /// whether it was down.
    pub(super) fn answered(&mut self, uuid: Uuid, at: f64) -> bool {
        self.answered_at = Some(self.answered_at.map_or(at, |before| before.max(at)));
        self.mixed = None;
        self.known.remove(&uuid);
        for (known, _) in self.known.values_mut() {
            *known = Unanswered::Alone;
        }
        self.fails = false;
        std::mem::take(&mut self.is_down)
    }

    /// A deployment is no longer requested: its failure does not count any more.
    pub(super) fn remove(&mut self, uuid: Uuid) {
        self.known.remove(&uuid);
    }

    /// Takes the failures that another program had, of these `active` deployments that are
    /// asked for.
    pub(super) fn failed_before(&mut self, failed: &HashMap<Uuid, LastFailure>, active: &[Uuid]) {
        let failed = failed.iter().filter(|(uuid, _)| active.contains(uuid));
        for (uuid, failure) in failed {
            self.known.insert(*uuid, (failure.state, None));
        }
        let known: Vec<Unanswered> = self.known.values().map(|(known, _)| *known).collect();
        let is_refused = known.iter().all(|known| *known == Unanswered::Refused);
        let ways = [
            Refusal::Unconnected,
            Refusal::Unreached,
            Refusal::Useless,
            Refusal::Withdrawn,
            Refusal::BrokeOff,
        ];
        let fails = |way: &Refusal| service_fails(*way, &known, active.len());
        self.is_down = !is_refused && ways.iter().any(fails);
        self.fails |= self.is_down;
    }

    /// The archived part of these failures.
    #[cfg(test)]
    pub(super) fn stored(
        &self,
        entries: &HashMap<Uuid, super::Entry>,
    ) -> HashMap<Uuid, LastFailure> {
        let known = self.known.iter();
        let of_entry = known.filter_map(|(uuid, (state, _))| {
            let at = entries.get(uuid)?.tried_at;
            let failure = LastFailure {
                at,
                state: *state,
                again_at: 0.0,
            };
            Some((*uuid, failure))
        });
        of_entry.collect()
    }

    /// The clock shows `now` (UNIX seconds): no answer came later.
    pub(super) fn set_back(&mut self, now: f64) {
        self.answered_at = self.answered_at.map(|at| at.min(now));
    }

    /// A request failed for one of these `active` deployments that are asked for; returns
    /// whether the service was down and is reached by it.
    pub(super) fn failed(&mut self, request: &Failed<'_>, active: &[Uuid]) -> bool {
        let &Failed {
            uuid,
            failure,
            was_readable,
            began,
            now,
        } = request;
        if was_readable && failure.means_no_fix() {
            return self.answered(uuid, now);
        }
        let refusal = if was_readable {
            Refusal::of_readable(failure)
        } else {
            Refusal::from_failure(failure)
        };
        let Some(refusal) = refusal else {
            self.mixed = None;
            return false;
        };
        if !active.contains(&uuid) {
            return false;
        }
        let is_withdrawn = refusal == Refusal::Withdrawn;
        let refusal = match self.answered_at {
            Some(answered_at) => refusal.beside_answer(began, answered_at),
            None => refusal,
        };
        let status = failure.service.as_ref().map(|said| said.status);
        let before = self.known.get(&uuid).map(|(known, _)| *known);
        let after = Unanswered::after(refusal, before);
        self.known
            .insert(uuid, (after, Some((failure.kind, status))));
        let of_active = active.iter().filter_map(|uuid| self.known.get(uuid));
        let (known, sorts): (Vec<Unanswered>, Vec<Option<Sort>>) = of_active.copied().unzip();
        let fails = service_fails(refusal, &known, active.len());
        self.fails |= fails;
        self.is_down |= fails && (is_withdrawn || !failure.is_refusal());
        let sorts: Vec<Sort> = sorts.into_iter().flatten().collect();
        let differ = sorts.iter().any(|sort| Some(sort) != sorts.first());
        self.mixed = differ.then_some((known.len(), active.len()));
        false
    }
}
