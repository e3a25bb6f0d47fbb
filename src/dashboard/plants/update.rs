//! Actions on the Plants tab.

use super::state::PlantRequest;
use crate::dashboard::effect::Effect;
use crate::dashboard::model::Model;
use crate::plant::Draft;
use crate::plant::ledger::Operation;

impl Model {
    /// Returns the effect that creates a plant, or creates the plant of a line
    /// of the ledger again.
    pub(crate) fn create_plant(&mut self, draft: Draft, again: Option<i64>) -> Vec<Effect> {
        let request = self.next_request();
        self.plants.in_progress.push(PlantRequest {
            request,
            operation: Operation::Create,
            id: draft.id.to_string(),
        });
        vec![Effect::CreatePlant {
            request,
            draft,
            again,
        }]
    }
}
