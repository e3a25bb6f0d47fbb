//! A token was tested.

use crate::dashboard::connection::Connection;
use crate::dashboard::event::RequestId;
use crate::dashboard::shared::Shared;
use crate::dashboard::widgets::text::Text;
use crate::exchange::AcceptedToken;
use uuid::Uuid;

impl Shared {
    /// A token was accepted. Failed deployments are fetched; the records that came with
    /// the test follow.
    pub(crate) fn token_accepted(
        &mut self,
        request: RequestId,
        accepted: AcceptedToken,
        answered: Option<Uuid>,
    ) {
        self.service.connection = Connection::Untried;
        self.service.token.forget_answers();
        let now = self.now;
        self.deployments.agenda.forget_failures(now);
        self.deployments.look_at_service();
        if let Some(deployment) = answered.and_then(|uuid| self.deployments.get_mut(uuid)) {
            let superseded = deployment.track.cancel();
            deployment.track.begin(request, now);
            self.cancel(superseded);
        }
        if let Some(uuid) = answered {
            self.deployments.agenda.begin(uuid, now);
        }
        self.notify(accepted_words(accepted));
        self.refresh_due();
    }
}

fn accepted_words(accepted: AcceptedToken) -> Text {
    match accepted {
        AcceptedToken::InKeyring {
            environment_wins: false,
        } => Text::from("the service accepted the token; it is in the keyring")
            .or("the token is accepted and in the keyring"),
        AcceptedToken::InKeyring {
            environment_wins: true,
        } => Text::from("the service accepted the token; it is in the keyring, but the next start uses DRIFTLINE_TOKEN")
            .or("accepted; the next start uses DRIFTLINE_TOKEN"),
        AcceptedToken::ForThisSession(reason) => {
            let short = "the token is used for this session only";
            Text::from(format!("{short}: {reason}")).or(short)
        }
    }
}
