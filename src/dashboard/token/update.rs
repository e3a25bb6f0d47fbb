//! The token: refused, tested.

use uuid::Uuid;

use crate::dashboard::effect::Effect;
use crate::dashboard::event::{AcceptedToken, FetchId, FetchNews, RequestId};
use crate::dashboard::model::{Connection, Model};
use crate::failure::{Failure, FailureKind};

impl Model {
    /// A request was answered with 401 or 403, or there is no token.
    pub(crate) fn refused(&mut self, failure: Failure) {
        self.connection = if self.token.refused(&failure, self.now) {
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

    /// The test of a token failed although no dialog waits for it: the task ended early,
    /// after the token was accepted.
    pub(crate) fn test_ended_early(&mut self, request: RequestId, failure: Failure) -> Vec<Effect> {
        let mut awaiting = self.deployments.loading();
        let uuid = awaiting
            .find(|(_, loading)| loading.request == request)
            .map(|(known, _)| known.uuid());
        drop(awaiting);
        uuid.map_or_else(Vec::new, |uuid| {
            let fetch = FetchId {
                request,
                deployment: uuid,
            };
            let outcome = Err(failure);
            let track = None;
            self.fetch_news(fetch, FetchNews::Ended { outcome, track })
        })
    }

    /// A token was accepted. Failed deployments are fetched; the records that came with
    /// the test follow.
    pub(crate) fn token_accepted(
        &mut self,
        request: RequestId,
        accepted: AcceptedToken,
        answered: Option<Uuid>,
    ) -> Vec<Effect> {
        self.connection = Connection::Untried;
        self.token.forget_answers();
        let now = self.now;
        self.deployments.agenda.forget_failures(now);
        let mut effects = Vec::new();
        if let Some(one) = answered.and_then(|uuid| self.deployments.get_mut(uuid)) {
            effects.extend(one.track.cancel().map(Effect::Cancel));
            one.track.begin(request, now);
        }
        if let Some(uuid) = answered {
            self.deployments.agenda.begin(uuid, now);
        }
        self.notify(accepted_words(accepted));
        effects.extend(self.refresh_due());
        effects
    }
}

fn accepted_words(accepted: AcceptedToken) -> String {
    match accepted {
        AcceptedToken::InKeyring {
            environment_wins: false,
        } => "the service accepted the token; it is in the keyring".to_owned(),
        AcceptedToken::InKeyring {
            environment_wins: true,
        } => "the service accepted the token; it is in the keyring, but the next start uses DRIFTLINE_TOKEN".to_owned(),
        AcceptedToken::ForThisSession(reason) => {
            format!("the token is used for this session only: {reason}")
        }
    }
}
