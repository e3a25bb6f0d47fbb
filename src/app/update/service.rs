//! What failed requests say of the service.

use uuid::Uuid;

use crate::app::state::deployment::DeploymentState;
use crate::app::state::{Connection, Model};
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};

impl Model {
    /// A request for a deployment failed: what that says of the service.
    pub(super) fn failed(&mut self, uuid: Uuid, failure: Failure) {
        let active = self.asked_for();
        self.service.failed(uuid, &failure, &active);
        match failure.kind {
            FailureKind::NotAuthenticated | FailureKind::Forbidden => {
                return self.refused(failure);
            }
            FailureKind::Service | FailureKind::NotUnderstood => self.token.let_in(),
            _ => {}
        }
        // A service that responds works where its other answers say so.
        let works = !self.service.fails()
            && match Refusal::of(&failure) {
                Some(Refusal::OfDeployment) => true,
                Some(Refusal::Useless) => {
                    let mut all = self.deployments.list.iter();
                    all.any(|one| one.track.is_answered)
                }
                Some(Refusal::Unreached) | None => false,
            };
        self.connection = match works {
            true => Connection::Good(self.now),
            false => Connection::Failing(failure, self.now),
        };
    }

    /// The deployments that the service is judged by: those that alarms are raised for,
    /// where there are any, else all.
    fn asked_for(&self) -> Vec<Uuid> {
        let uuids = |is_active: &dyn Fn(&DeploymentState) -> bool| -> Vec<Uuid> {
            let list = self.deployments.list.iter();
            let active = list.filter(|one| is_active(one));
            active.map(|one| one.deployment.uuid).collect()
        };
        let active = uuids(&|one| one.is_active(self.now));
        match active.is_empty() {
            true => uuids(&|_| true),
            false => active,
        }
    }
}
