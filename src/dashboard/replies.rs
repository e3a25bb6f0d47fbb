//! Replies that a dialog waits for: of a create or delete, of the test of a token, of an
//! export.

use uuid::Uuid;

use super::Dashboard;
use super::dialogs::Dialog;
use super::dialogs::export::Existing;
use super::dialogs::page::Message;
use super::dialogs::quit::Quit;
use super::effect::Effect;
use super::event::RequestId;
use crate::exchange::AcceptedToken;
use crate::failure::{Failure, FailureKind, WriteError};
use crate::formats::{FileFormat, WrittenFile};
use crate::plant::log::Operation;
use crate::text;
use crate::track::listed::DeploymentList;

/// The dialog that waits for the reply to a request.
fn waiting(dialogs: &mut [Dialog], request: RequestId) -> Option<&mut Dialog> {
    let mut dialogs = dialogs.iter_mut();
    dialogs.find(|dialog| dialog.awaits() == Some(request))
}

impl Dashboard {
    /// Closes the dialog that waits for the reply to a request.
    fn close_waiting(&mut self, request: RequestId) {
        let waits = |dialog: &Dialog| dialog.awaits() == Some(request);
        self.dialogs.retain(|dialog| !waits(dialog));
    }

    /// A create or delete has ended; `outcome` has a note on an unusual response.
    pub(super) fn plant_ended(
        &mut self,
        request: RequestId,
        outcome: Result<Option<String>, Failure>,
    ) {
        let model = &mut self.model;
        let mut known = model.plants.in_progress.iter();
        let index = known.position(|known| known.request == request);
        let ended = index.map(|index| model.plants.in_progress.remove(index));
        match outcome {
            Ok(note) => {
                self.close_waiting(request);
                let model = &mut self.model;
                model.token.accept();
                if let Some(ended) = ended {
                    let done = match ended.operation {
                        Operation::Create => "created",
                        _ => "deleted",
                    };
                    model.notify(match note {
                        Some(note) => format!("plant {} {done}: {note}", ended.id),
                        None => format!("plant {} {done}", ended.id),
                    });
                    model.cursor_to_plant(&ended.id);
                }
            }
            Err(failure) => {
                let is_unknown = failure.kind == FailureKind::OutcomeUnknown;
                match waiting(&mut self.dialogs, request) {
                    // The form would send it again with the next Enter.
                    Some(Dialog::PlantForm(_)) if is_unknown => {
                        self.close_waiting(request);
                        self.dialogs.push(Message(failure.to_string()).into());
                    }
                    Some(Dialog::PlantForm(form)) => form.failed(failure.to_string()),
                    _ => model.warn(failure.to_string()),
                }
                let model = &mut self.model;
                // The user waits for this response: the program continues.
                let waits = |dialog: &Dialog| matches!(dialog, Dialog::Quit(Quit::Waiting));
                self.dialogs.retain(|dialog| !waits(dialog));
                match failure.kind {
                    FailureKind::NotAuthenticated => model.refused(failure),
                    // 403 is about the plant: a token may allow reading only.
                    FailureKind::Forbidden => {}
                    FailureKind::Service | FailureKind::NotUnderstood => model.token.accept(),
                    _ => {}
                }
            }
        }
        self.quit_if_nothing_is_in_progress()
    }

    /// The list of the service was read, or could not be.
    pub(super) fn list_read(
        &mut self,
        request: RequestId,
        outcome: Result<DeploymentList, Failure>,
    ) {
        match &outcome {
            Ok(_) => self.model.token.accept(),
            Err(failure) if failure.kind == FailureKind::NotAuthenticated => {
                self.model.refused(failure.clone());
            }
            Err(_) => {}
        }
        if let Some(Dialog::Listed(dialog)) = waiting(&mut self.dialogs, request) {
            dialog.answered(outcome, &self.model);
        }
    }

    fn quit_if_nothing_is_in_progress(&mut self) {
        if !self.model.plants.in_progress.is_empty() {
            return;
        }
        let waits = |dialog: &Dialog| matches!(dialog, Dialog::Quit(Quit::Waiting));
        let quits = self.dialogs.iter().any(waits);
        self.dialogs
            .retain(|dialog| !matches!(dialog, Dialog::Quit(_)));
        if quits {
            self.model.send(Effect::Quit);
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
                self.model.token_accepted(request, accepted, answered)
            }
            Err(failure) => match waiting(&mut self.dialogs, request) {
                Some(Dialog::Token(form)) => form.refused(&failure),
                _ => self.model.test_ended_early(request, failure),
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
        let (failure, existing) = match outcome {
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
                    "" => format!("{count} to {path} ({size})"),
                    _ => format!("{count} to {file} in {folder} ({size})"),
                };
                self.model.notify(told);
                return;
            }
            Err(WriteError::Exists(failure)) => (failure, Existing::Replaced),
            Err(WriteError::Failed(failure)) => (failure, Existing::Kept),
        };
        match form {
            Some(Dialog::Export(form)) => form.failed(&failure, existing),
            _ => self.model.warn(failure.to_string()),
        }
    }
}
