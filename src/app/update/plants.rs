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
    /// Asks before the selected plant is deleted; without one, for its
    /// identifier.
    pub(super) fn ask_to_delete_plant(&mut self) {
        let dialog = match self.plants.selected() {
            Some(entry) => {
                let service = &self.plants.service;
                let name = entry.name.clone();
                Dialog::DeletePlant(DeletePlant {
                    not_recorded: entry.service.is_none(),
                    ..DeletePlant::new(&entry.id, name, service, self.now)
                })
            }
            None => Dialog::Prompt(Prompt::new(Purpose::PlantToDelete, "")),
        };
        self.dialogs.push(dialog);
    }

    /// Creates the last deleted plant again.
    pub(super) fn create_again(&mut self) -> Vec<Effect> {
        match self.plants.creatable() {
            Some(draft) => self.create_plant(draft),
            None => {
                self.notify("nothing to undo: no deleted plant with a known name");
                Vec::new()
            }
        }
    }

    /// Asks for a create.
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
