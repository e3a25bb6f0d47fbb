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
    known: HashMap<Uuid, (Unanswered, Sort)>,
    /// `true` if it fails: from the refusal that says so to the next usable answer.
    fails: bool,
    /// `true` if it fails as it may fail for any deployment: then one request tries it for
    /// all. A refusal of a deployment that was never readable does not concern the others.
    is_down: bool,
    /// The failed deployments and all deployments, if they fail in several ways.
    mixed: Option<(usize, usize)>,
}

/// The kind of a failure with the status of the service.
type Sort = (FailureKind, Option<u16>);

impl ServiceState {
    /// `true` if the service fails by its last answers.
    pub(crate) fn fails(&self) -> bool {
        self.fails
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

    /// The service gave a usable answer for a deployment; returns whether it was down.
    pub(super) fn answered(&mut self, uuid: Uuid) -> bool {
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

    /// A request for a deployment failed that `was_readable`, one of these `active` ones
    /// that are asked for; returns whether the service was down and is reached by it.
    pub(super) fn failed(
        &mut self,
        uuid: Uuid,
        failure: &Failure,
        was_readable: bool,
        active: &[Uuid],
    ) -> bool {
        if was_readable && failure.means_no_fix() {
            return self.answered(uuid);
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
        let status = failure.service.as_ref().map(|said| said.status);
        let before = self.known.get(&uuid).map(|(known, _)| *known);
        let after = Unanswered::after(refusal, before);
        self.known.insert(uuid, (after, (failure.kind, status)));
        let of_active = active.iter().filter_map(|uuid| self.known.get(uuid));
        let (known, sorts): (Vec<Unanswered>, Vec<Sort>) = of_active.copied().unzip();
        let fails = service_fails(refusal, &known, active.len());
        self.fails |= fails;
        self.is_down |= fails && (refusal == Refusal::Withdrawn || !failure.is_refusal());
        let differ = sorts.iter().any(|sort| Some(sort) != sorts.first());
        self.mixed = differ.then_some((known.len(), active.len()));
        false
    }
}
