//! Replies that a dialog waits for: of a create or delete, of the test of a token, of an
//! export.

use uuid::Uuid;

use super::Dashboard;
use super::dialogs::Dialog;
use super::dialogs::export::{Existing, ExportForm};
use super::dialogs::file_format::FileFormat;
use super::dialogs::quit::Quit;
use super::effect::Effect;
use super::event::{AcceptedToken, ExportOutcome, RequestId};
use super::notice::{Message, Short};
use crate::failure::{Failure, FailureKind};
use crate::plant::ledger::Operation;
use crate::text;
use crate::track::listed::ListedDeployment;

impl Dashboard {
    /// A create or delete has ended; `outcome` has a note on an unusual response.
    pub(super) fn plant_ended(
        &mut self,
        request: RequestId,
        outcome: Result<Option<String>, Failure>,
    ) -> Vec<Effect> {
        let model = &mut self.model;
        let mut known = model.plants.in_progress.iter();
        let place = known.position(|known| known.request == request);
        let ended = place.map(|place| model.plants.in_progress.remove(place));
        let place = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::PlantForm(form) if form.sending == Some(request)),
        );
        match outcome {
            Ok(note) => {
                model.token.let_in();
                place.map(|place| self.dialogs.remove(place));
                if let Some(ended) = ended {
                    let done = match ended.operation {
                        Operation::Create => "created",
                        Operation::Delete => "deleted",
                    };
                    model.notify(match note {
                        Some(note) => format!("plant {} {done}: {note}", ended.id),
                        None => format!("plant {} {done}", ended.id),
                    });
                    model.cursor_to_plant(&ended.id);
                }
            }
            Err(failure) => {
                match place.and_then(|place| self.dialogs.get_mut(place)) {
                    Some(Dialog::PlantForm(form)) => form.failed(failure.to_string()),
                    _ => model.warn(failure.to_string()),
                }
                // Who waits for the answer is to see it: the program goes on.
                let waits = |dialog: &Dialog| matches!(dialog, Dialog::Quit(Quit::Waiting));
                self.dialogs.retain(|dialog| !waits(dialog));
                match failure.kind {
                    FailureKind::NotAuthenticated => model.refused(failure),
                    // 403 is about the plant: a token may read and not create.
                    FailureKind::Forbidden => {}
                    FailureKind::Service | FailureKind::NotUnderstood => model.token.let_in(),
                    _ => {}
                }
            }
        }
        self.quit_if_nothing_is_in_progress()
    }

    /// The deployments that the service lists were read, or were not.
    pub(super) fn list_read(
        &mut self,
        request: RequestId,
        outcome: Result<Vec<ListedDeployment>, Failure>,
    ) {
        match &outcome {
            Ok(_) => self.model.token.let_in(),
            Err(failure) if failure.kind == FailureKind::NotAuthenticated => {
                self.model.refused(failure.clone());
            }
            Err(_) => {}
        }
        let mut dialogs = self.dialogs.iter_mut();
        let waiting = dialogs.find_map(|dialog| match dialog {
            Dialog::Listed(dialog) if dialog.asking == Some(request) => Some(dialog),
            _ => None,
        });
        if let Some(dialog) = waiting {
            dialog.answered(outcome, &self.model);
        }
    }

    fn quit_if_nothing_is_in_progress(&mut self) -> Vec<Effect> {
        if !self.model.plants.in_progress.is_empty() {
            return Vec::new();
        }
        let waits = |dialog: &Dialog| matches!(dialog, Dialog::Quit(Quit::Waiting));
        let quits = self.dialogs.iter().any(waits);
        self.dialogs
            .retain(|dialog| !matches!(dialog, Dialog::Quit(_)));
        quits.then_some(Effect::Quit).into_iter().collect()
    }

    /// A token was tested. If it is accepted, failed deployments are fetched; the
    /// records that came with the test follow.
    pub(super) fn token_tested(
        &mut self,
        request: RequestId,
        outcome: Result<AcceptedToken, Failure>,
        answered: Option<Uuid>,
    ) -> Vec<Effect> {
        let place = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::Token(form) if form.trying == Some(request)),
        );
        match outcome {
            Ok(accepted) => {
                place.map(|place| self.dialogs.remove(place));
                self.model.token_accepted(request, accepted, answered)
            }
            Err(failure) => {
                let form = place.and_then(|place| self.dialogs.get_mut(place));
                if let Some(Dialog::Token(form)) = form {
                    form.refused(&failure);
                    return Vec::new();
                }
                self.model.test_ended_early(request, failure)
            }
        }
    }

    /// An export has ended.
    pub(super) fn exported(&mut self, request: RequestId, outcome: ExportOutcome) {
        let place = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::Export(form) if form.writing == Some(request)),
        );
        let (failure, existing) = match outcome {
            ExportOutcome::Written { path, fixes, bytes } => {
                let form = place.map(|place| self.dialogs.remove(place));
                let mut count = text::counted(fixes, "fix", "fixes");
                if let Some(Dialog::Export(ExportForm {
                    format: FileFormat::Map(_),
                    ..
                })) = form
                {
                    count.insert_str(0, "map of ");
                }
                let size = text::bytes(bytes);
                self.model.notify(Message {
                    text: format!("{count} written to {path} ({size})"),
                    short: Some(Short::of_path(format!("{count} to "), &path)),
                });
                return;
            }
            ExportOutcome::Exists(failure) => (failure, Existing::Replaced),
            ExportOutcome::Failed(failure) => (failure, Existing::Kept),
        };
        match place.and_then(|place| self.dialogs.get_mut(place)) {
            Some(Dialog::Export(form)) => form.failed(&failure, existing),
            _ => self.model.warn(failure.to_string()),
        }
    }
}
