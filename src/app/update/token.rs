//! The token: refused, asked for, tested.

use uuid::Uuid;

use crate::app::effect::Effect;
use crate::app::event::{AcceptedToken, RequestId};
use crate::app::state::deployment::DeploymentState;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::token::TokenForm;
use crate::app::state::{Connection, Model};
use crate::failure::{Failure, FailureKind};
use crate::track::TrackOptions;

/// Deployments that a token is tested on at most.
const TESTED_ON: usize = 4;

impl Model {
    /// A request was answered with 401 or 403, or there is no token.
    pub(super) fn refused(&mut self, failure: Failure) {
        self.connection = if self.token.refused(&failure, self.now) {
            Connection::Refused(failure)
        } else if failure.kind == FailureKind::Forbidden && !self.service.fails() {
            // It is about what was asked for: the service is there.
            Connection::Good(self.now)
        } else {
            Connection::Failing(failure, self.now)
        };
    }

    /// Opens the dialog that asks for a token, where it is due and no other is
    /// open.
    pub(super) fn ask_for_token_when_due(&mut self) {
        let due = self.asks_for_token_at();
        if due.is_some_and(|at| at <= self.now) {
            let why = self.token.ask();
            self.dialogs.push(Dialog::Token(TokenForm {
                why,
                is_unasked: true,
                ..TokenForm::default()
            }));
        }
    }

    /// What a typed token is tested on: what has answered before comes first,
    /// then what was never answered, then what failed; of equals, the open one.
    pub(super) fn token_test(&self) -> Vec<(Uuid, TrackOptions)> {
        let rank = |one: &DeploymentState| {
            let failed = one.track.failure.as_ref().is_some_and(|(failure, _)| {
                matches!(failure.kind, FailureKind::Forbidden | FailureKind::Service)
            });
            let is_open = Some(one.deployment.uuid) == self.track.open;
            (failed, !one.track.has_data(), !is_open)
        };
        let mut all: Vec<&DeploymentState> = self.deployments.list.iter().collect();
        all.sort_by_key(|one| rank(one));
        all.into_iter()
            .take(TESTED_ON)
            .map(|one| (one.deployment.uuid, one.options(self.now)))
            .collect()
    }

    /// A token was tested. Where it is used from now on, what has failed is
    /// fetched; the records that came with the test follow.
    pub(super) fn token_tested(
        &mut self,
        request: RequestId,
        outcome: Result<AcceptedToken, Failure>,
        answered: Option<Uuid>,
    ) -> Vec<Effect> {
        let form = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::Token(form) if form.trying == Some(request)),
        );
        let accepted = match outcome {
            Ok(accepted) => accepted,
            Err(failure) => {
                if let Some(Dialog::Token(form)) = form.and_then(|form| self.dialogs.get_mut(form))
                {
                    form.trying = None;
                    form.secret.clear();
                    form.error = failure.to_string();
                    return Vec::new();
                }
                // The task ended early, after the token was accepted.
                let mut awaiting = self.deployments.loading();
                let uuid = awaiting
                    .find(|(_, loading)| loading.request == request)
                    .map(|(one, _)| one.deployment.uuid);
                drop(awaiting);
                return uuid.map_or_else(Vec::new, |uuid| {
                    self.fetch_ended(request, uuid, Err(failure))
                });
            }
        };
        if let Some(form) = form {
            self.dialogs.remove(form);
        }
        self.connection = Connection::Untried;
        self.token.forget_answers();
        self.service.forget();
        let now = self.now;
        for one in &mut self.deployments.list {
            if one.track.failure.is_some() || !one.track.has_data() {
                one.schedule.failures = 0;
                one.schedule.due = now;
            }
        }
        let mut effects = Vec::new();
        if let Some(one) = answered.and_then(|uuid| self.deployments.get_mut(uuid)) {
            effects.extend(one.track.cancel().map(Effect::Cancel));
            one.track.begin(request, now);
        }
        self.deployments.queue.scan_again();
        if let Some(uuid) = answered {
            self.deployments.queue.begun(uuid);
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
