//! How far requests are, and the results of creates and deletes.

use crate::app::effect::Effect;
use crate::app::event::RequestId;
use crate::app::state::Model;
use crate::app::state::dialog::Dialog;
use crate::app::state::tab::Tab;
use crate::exchange::Progress;
use crate::failure::{Failure, FailureKind};
use crate::plant::ledger::Operation;

impl Model {
    /// Shows how far a request is. When it turns slow, the next one begins.
    pub(super) fn progressed(&mut self, request: RequestId, progress: Progress) -> Vec<Effect> {
        let under_way = self.under_way.iter_mut();
        for (_, known) in under_way.filter(|(one, _)| one.id == progress.exchange) {
            *known = progress;
        }
        let mut asked = self.deployments.loading();
        let uuid = asked
            .find(|(_, loading)| loading.request == request)
            .map(|(one, _)| one.deployment.uuid);
        drop(asked);
        let loading = uuid
            .and_then(|uuid| self.deployments.get_mut(uuid))
            .and_then(|one| one.track.loading.as_mut());
        let Some(loading) = loading else {
            return Vec::new();
        };
        let turned_slow = progress.is_slow && !loading.is_slow;
        (loading.bytes, loading.is_slow) = (progress.bytes, progress.is_slow);
        loading.total = progress.total;
        if turned_slow {
            self.refresh_due()
        } else {
            Vec::new()
        }
    }

    /// A create or delete has ended; `outcome` has a note on an unusual
    /// response.
    pub(super) fn plant_ended(
        &mut self,
        request: RequestId,
        outcome: Result<Option<String>, Failure>,
    ) -> Vec<Effect> {
        let index = self
            .plants
            .in_progress
            .iter()
            .position(|one| one.request == request);
        let ended = index.map(|index| self.plants.in_progress.remove(index));
        let form = self.dialogs.iter().position(
            |dialog| matches!(dialog, Dialog::PlantForm(form) if form.sending == Some(request)),
        );
        match outcome {
            Ok(note) => {
                self.token.let_in();
                if let Some(form) = form {
                    self.dialogs.remove(form);
                }
                if let Some(ended) = ended {
                    let done = match ended.operation {
                        Operation::Create => "created",
                        Operation::Delete => "deleted",
                    };
                    self.notify(match note {
                        Some(note) => format!("plant {} {done}: {note}", ended.id),
                        None => format!("plant {} {done}", ended.id),
                    });
                    self.cursor_to_plant(&ended.id);
                }
            }
            Err(failure) => {
                // Who waits for the answer is to see it: the program goes on.
                self.dialogs
                    .retain(|dialog| !matches!(dialog, Dialog::Quit(quit) if quit.waiting));
                if let Some(Dialog::PlantForm(form)) =
                    form.and_then(|form| self.dialogs.get_mut(form))
                {
                    form.sending = None;
                    form.failure = failure.to_string();
                } else {
                    self.warn(failure.to_string());
                }
                match failure.kind {
                    FailureKind::NotAuthenticated => self.refused(failure),
                    // 403 is about the plant: a token may read and not create.
                    FailureKind::Forbidden => {}
                    FailureKind::Service | FailureKind::NotUnderstood => self.token.let_in(),
                    _ => {}
                }
            }
        }
        self.quit_if_nothing_is_in_progress()
    }

    /// Puts the cursor on the latest line of a plant, where the filter shows it.
    fn cursor_to_plant(&mut self, id: &str) {
        let shown = self.plants.shown();
        let lines = shown.iter().enumerate().filter(|(_, one)| one.id == id);
        let latest = lines.max_by_key(|(_, one)| one.sequence);
        if let Some((row, _)) = latest {
            self.plants.table.cursor = row;
            if self.tab == Tab::Plants {
                self.settle();
            }
        }
    }

    fn quit_if_nothing_is_in_progress(&mut self) -> Vec<Effect> {
        if !self.plants.in_progress.is_empty() {
            return Vec::new();
        }
        let waiting = self
            .dialogs
            .iter()
            .any(|dialog| matches!(dialog, Dialog::Quit(quit) if quit.waiting));
        self.dialogs
            .retain(|dialog| !matches!(dialog, Dialog::Quit(_)));
        if waiting {
            vec![Effect::Quit]
        } else {
            Vec::new()
        }
    }
}
