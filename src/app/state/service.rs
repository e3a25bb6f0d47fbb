//! What the answers for all deployments say of the service, by the rule of the alarm
//! that it gives no usable answer.

use std::collections::HashMap;

use uuid::Uuid;

use crate::failure::refusal::{Refusal, Unanswered, service_fails};
use crate::failure::{Failure, FailureKind};

/// What the answers say of the service.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceState {
    /// The deployments without a usable answer since their last one.
    known: HashMap<Uuid, (Unanswered, Sort)>,
    /// Whether it fails: from the refusal that says so to the next usable answer.
    fails: bool,
    /// How many deployments failed of how many, where they fail in several ways.
    mixed: Option<(usize, usize)>,
}

/// The kind of a failure with the status of the service.
type Sort = (FailureKind, Option<u16>);

impl ServiceState {
    /// Whether the service fails by its last answers.
    pub(in crate::app) fn fails(&self) -> bool {
        self.fails
    }

    /// How many deployments failed of how many, where their failures differ: then none
    /// of them speaks for the others.
    pub(crate) fn mixed(&self) -> Option<(usize, usize)> {
        self.mixed
    }

    /// The service gave a usable answer for a deployment.
    pub(in crate::app) fn answered(&mut self, uuid: Uuid) {
        self.fails = false;
        self.mixed = None;
        self.known.remove(&uuid);
        self.known.retain(|_, (known, _)| {
            let after = known.after_answer();
            *known = after.unwrap_or(*known);
            after.is_some()
        });
    }

    /// Another token may be in use: what was answered to the last one says nothing.
    pub(in crate::app) fn forget(&mut self) {
        *self = Self::default();
    }

    /// A request for a deployment failed, one of these `active` ones that are asked for.
    pub(in crate::app) fn failed(&mut self, uuid: Uuid, failure: &Failure, active: &[Uuid]) {
        let Some(refusal) = Refusal::of(failure) else {
            self.mixed = None;
            return;
        };
        if !active.contains(&uuid) {
            return;
        }
        let status = failure.service.as_ref().map(|said| said.status);
        let before = self.known.get(&uuid).map(|(known, _)| *known);
        let after = Unanswered::after(refusal, before);
        self.known.insert(uuid, (after, (failure.kind, status)));
        let of_active = active.iter().filter_map(|one| self.known.get(one));
        let (known, sorts): (Vec<Unanswered>, Vec<Sort>) = of_active.copied().unzip();
        self.fails |= service_fails(refusal, &known, active.len());
        let differ = sorts.iter().any(|sort| Some(sort) != sorts.first());
        self.mixed = differ.then_some((known.len(), active.len()));
    }
}
