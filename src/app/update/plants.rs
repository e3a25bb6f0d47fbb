//! Actions on the Plants tab.

use crate::app::effect::Effect;
use crate::app::state::Model;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::plant::DeletePlant;
use crate::app::state::dialog::prompt::{Prompt, Purpose};
use crate::app::state::plants::PlantRequest;
use crate::plant::Draft;
use crate::plant::ledger::Operation;

impl Model {
    /// Opens the confirmation before the selected plant is deleted; without a
    /// selected plant, the prompt for an identifier.
    pub(super) fn ask_to_delete_plant(&mut self) {
        let dialog = match self.plants.selected() {
            Some(entry) => Dialog::DeletePlant(DeletePlant::new(&entry.id, entry.name.clone())),
            None => Dialog::Prompt(Prompt::new(Purpose::PlantToDelete, "")),
        };
        self.dialogs.push(dialog);
    }

    /// Creates the plant again whose create is unknown or that was deleted
    /// last.
    pub(super) fn create_again(&mut self) -> Vec<Effect> {
        match self.plants.creatable() {
            Ok(draft) => self.create_plant(draft),
            Err(reason) => {
                self.notify(reason);
                Vec::new()
            }
        }
    }

    /// Returns the effect that creates a plant.
    pub(super) fn create_plant(&mut self, draft: Draft) -> Vec<Effect> {
        let request = self.next_request();
        self.plants.in_progress.push(PlantRequest {
            request,
            operation: Operation::Create,
            id: draft.id.to_string(),
        });
        vec![Effect::CreatePlant { request, draft }]
    }
}
