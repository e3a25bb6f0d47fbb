//! Replies that a dialog waits for: of the test of a token, of an export.

use uuid::Uuid;

use super::Dashboard;
use super::connection::Connection;
use super::dialogs::Dialog;
use super::dialogs::quit::Quit;
use super::effect::Effect;
use super::event::{FetchNews, RequestId};
use super::tabs::Tab;
use crate::dashboard::widgets::text::Text;
use crate::exchange::AcceptedToken;
use crate::failure::{Failure, FailureKind, WriteError};
use crate::formats::{FileFormat, WrittenFile};
use crate::text;
use crate::watch::listed::DeploymentList;

/// The dialog that waits for the reply to a request.
pub(super) fn waiting(dialogs: &mut [Dialog], request: RequestId) -> Option<&mut Dialog> {
    let mut dialogs = dialogs.iter_mut();
    dialogs.find(|dialog| dialog.awaits() == Some(request))
}

impl Dashboard {
    /// Closes the dialog that waits for the reply to a request.
    pub(super) fn close_waiting(&mut self, request: RequestId) {
        let waits = |dialog: &Dialog| dialog.awaits() == Some(request);
        self.dialogs.retain(|dialog| !waits(dialog));
    }

    /// The list of the service was read, or could not be.
    pub(super) fn list_read(
        &mut self,
        request: RequestId,
        outcome: Result<DeploymentList, Failure>,
    ) {
        let service = &mut self.shell.shared.service;
        match &outcome {
            Ok(_) => {
                service.token.accept();
                // Of one that fails for the deployments this answer says nothing.
                if service.connection == Connection::Untried {
                    service.connection = Connection::Good(self.shell.shared.now);
                }
            }
            Err(failure) if failure.kind == FailureKind::NotAuthenticated => {
                self.shell.shared.refused(failure.clone());
            }
            Err(_) => {}
        }
        if let Some(Dialog::Listed(dialog)) = waiting(&mut self.dialogs, request) {
            dialog.answered(outcome, &self.shell);
        }
    }

    pub(super) fn quit_if_nothing_is_in_progress(&mut self) {
        if self.shell.tabs.plants.is_busy() {
            return;
        }
        let waits = |dialog: &Dialog| matches!(dialog, Dialog::Quit(Quit::Waiting));
        let quits = self.dialogs.iter().any(waits);
        self.dialogs
            .retain(|dialog| !matches!(dialog, Dialog::Quit(_)));
        if quits {
            self.shell.shared.send(Effect::Quit);
        }
    }

    /// A token was tested. If it is accepted, failed deployments are fetched; the
    /// records that came with the test follow.
    pub(super) fn token_tested(
        &mut self,
        request: RequestId,
        outcome: Result<AcceptedToken, Failure>,
        answered: Option<Uuid>,
    ) {
        match outcome {
            Ok(accepted) => {
                self.close_waiting(request);
                let shared = &mut self.shell.shared;
                shared.service.connection = Connection::Untried;
                shared.service.token.forget_answers();
                let (deployments, now) = (&mut shared.deployments, shared.now);
                deployments.agenda.forget_failures(now);
                deployments.look_at_service();
                if let Some(uuid) = answered {
                    deployments.agenda.begin(uuid, now);
                    if let Some(deployment) = deployments.get_mut(uuid) {
                        let superseded = deployment.track.cancel();
                        deployment.track.begin(request, now);
                        shared.cancel(superseded);
                    }
                }
                shared.notify(accepted_words(accepted));
                shared.refresh_due();
            }
            Err(failure) => match waiting(&mut self.dialogs, request) {
                Some(Dialog::Token(form)) => form.refused(&failure),
                // The task ended early, after the token was accepted.
                _ => {
                    let outcome = Err(failure);
                    let track = None;
                    let ended = FetchNews::Ended { outcome, track };
                    self.shell.shared.fetch_news(request, ended);
                }
            },
        }
    }

    /// An export has ended.
    pub(super) fn exported(
        &mut self,
        request: RequestId,
        outcome: Result<WrittenFile, WriteError>,
    ) {
        let form = waiting(&mut self.dialogs, request);
        let (failure, is_there) = match outcome {
            Ok(WrittenFile { path, fixes, bytes }) => {
                let mut count = text::counted(fixes, "fix", "fixes");
                if let Some(Dialog::Export(form)) = form
                    && let FileFormat::Map(_) = form.format
                {
                    count.insert_str(0, "map of ");
                }
                self.close_waiting(request);
                let size = text::bytes(bytes);
                let (folder, file) = path.rsplit_once(['/', '\\']).unwrap_or_default();
                let told = match folder {
                    "" => format!("{path}: {count} ({size})").into(),
                    _ => {
                        let short = |folder: &str| format!("{file}: {count} in {folder}");
                        let named = Text::named(folder, short);
                        Text::from(format!("{} ({size})", named.long)).or(named.shortest())
                    }
                };
                self.shell.shared.notify(told);
                return;
            }
            Err(WriteError::Exists(failure)) => (failure, true),
            Err(WriteError::Failed(failure)) => (failure, false),
        };
        match form {
            Some(Dialog::Export(form)) => form.failed(&failure, is_there),
            _ => self
                .shell
                .shared
                .warn(self.shell.shared.failure_text(&failure)),
        }
    }
}

fn accepted_words(accepted: AcceptedToken) -> Text {
    match accepted {
        AcceptedToken::InKeyring {
            environment_wins: false,
        } => "the token is accepted and in the keyring".into(),
        AcceptedToken::InKeyring {
            environment_wins: true,
        } => "accepted; the next start uses DRIFTLINE_TOKEN".into(),
        AcceptedToken::ForThisSession(reason) => {
            let short = "the token is used for this session only";
            Text::from(format!("{short}: {reason}")).or(short)
        }
    }
}
