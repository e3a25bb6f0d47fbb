//! Actions on the Plants tab.

use super::state::{PlantRequest, PlantsTab};
use crate::dashboard::effect::Effect;
use crate::dashboard::event::RequestId;
use crate::dashboard::model::Model;
use crate::plant::ledger::Operation;
use crate::plant::{Draft, PlantId};

impl Model {
    /// Returns the effect that creates a plant, or creates the plant of a line
    /// of the ledger again.
    pub(crate) fn create_plant(&mut self, draft: Draft, again: Option<i64>) -> Vec<Effect> {
        let request = self.begin_plant(Operation::Create, draft.id.to_string());
        vec![Effect::CreatePlant {
            request,
            draft,
            again,
        }]
    }

    /// Returns the effect that deletes a plant.
    ///
    /// # Errors
    /// A description of the fault in the identifier; when a request for the plant is in
    /// progress.
    pub(crate) fn delete_plant(&mut self, typed: &str) -> Result<Vec<Effect>, String> {
        let id = PlantId::parse(typed).map_err(|error| error.to_string())?;
        if self.plants.is_in_progress(typed) {
            return Err(PlantsTab::IN_PROGRESS.to_owned());
        }
        let request = self.begin_plant(Operation::Delete, typed.to_owned());
        Ok(vec![Effect::DeletePlant { request, id }])
    }

    fn begin_plant(&mut self, operation: Operation, id: String) -> RequestId {
        let request = self.next_request();
        self.plants.in_progress.push(PlantRequest {
            request,
            operation,
            id,
        });
        request
    }
}
