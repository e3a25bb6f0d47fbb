//! The answers of the service: what they say about the connection.

use crate::dashboard::connection::Connection;
use crate::dashboard::shared::Shared;
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};
use uuid::Uuid;

impl Shared {
    /// A request for a deployment failed: updates the state of the service.
    pub(crate) fn failed(&mut self, uuid: Uuid, failure: Failure) {
        self.deployments.count_active(self.now);
        self.deployments.agenda.failed(uuid, &failure, self.now);
        self.deployments.look_at_service();
        match failure.kind {
            // Another token would not help: this one reads the other deployments.
            FailureKind::Forbidden if self.deployments.agenda.only_others_were_readable(uuid) => {}
            FailureKind::NotAuthenticated | FailureKind::Forbidden => {
                return self.refused(failure);
            }
            FailureKind::Service | FailureKind::NotUnderstood => self.service.token.accept(),
            _ => {}
        }
        // A service that responds works where its other answers say so.
        let works = !self.deployments.agenda.service().fails()
            && match Refusal::from_failure(&failure) {
                Some(Refusal::OfDeployment | Refusal::Withdrawn | Refusal::AmongAnswers) => true,
                Some(Refusal::Useless | Refusal::BrokeOff | Refusal::OfProgram) => {
                    let mut all = self.deployments.list.iter();
                    all.any(|deployment| deployment.track.is_answered)
                }
                Some(Refusal::Unconnected | Refusal::Unreached) | None => false,
            };
        self.service.connection = if works {
            Connection::Good(self.now)
        } else {
            Connection::Failing(failure, self.now)
        };
    }

    /// A request was answered with 401 or 403, or there is no token.
    pub(crate) fn refused(&mut self, failure: Failure) {
        self.service.connection = if self.service.token.refused(&failure, self.now) {
            Connection::Refused(failure)
        } else if failure.kind == FailureKind::Forbidden
            && !self.deployments.agenda.service().fails()
        {
            // It is about the request: the service works.
            Connection::Good(self.now)
        } else {
            Connection::Failing(failure, self.now)
        };
    }
}
