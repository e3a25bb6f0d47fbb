//! The state of the service, by failed requests.

use uuid::Uuid;

use super::model::{Connection, Model};
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};

impl Model {
    /// A request for a deployment failed: updates the state of the service.
    pub(crate) fn failed(&mut self, uuid: Uuid, failure: Failure) {
        self.deployments.count_active(self.now);
        self.deployments.agenda.failed(uuid, &failure, self.now);
        match failure.kind {
            FailureKind::NotAuthenticated | FailureKind::Forbidden => {
                return self.refused(failure);
            }
            FailureKind::Service | FailureKind::NotUnderstood => self.token.let_in(),
            _ => {}
        }
        // A service that responds works where its other answers say so.
        let works = !self.deployments.agenda.service().fails()
            && match Refusal::of(&failure) {
                Some(Refusal::OfDeployment | Refusal::Withdrawn) => true,
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
}
