//! The created plants.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::service::wire::{PlantEcho, PlantRequest};

/// Plants by id.
#[derive(Debug, Default)]
pub(super) struct Plants {
    all: Mutex<BTreeMap<i64, PlantEcho>>,
    /// The plant of whose next create the answer is lost.
    unanswered: Mutex<Option<i64>>,
}

impl Plants {
    /// Loses the answer to the next create of a plant.
    pub(super) fn lose_answer(&self, id: i64) {
        *self
            .unanswered
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(id);
    }

    /// `true` if the answer to the create of a plant is lost; once.
    pub(super) fn loses_answer(&self, id: i64) -> bool {
        let unanswered = self.unanswered.lock();
        let mut lost = unanswered.unwrap_or_else(PoisonError::into_inner);
        lost.take_if(|lost| *lost == id).is_some()
    }

    /// Creates a plant and returns the body of the response; `None`, and nothing changes, if its
    /// id exists.
    pub(super) fn create(&self, plant: PlantRequest) -> Option<PlantEcho> {
        let mut plants = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if plants.contains_key(&plant.id) {
            return None;
        }
        let echo = PlantEcho {
            name: plant.name,
            tag: plant.tag,
        };
        plants.insert(plant.id, echo.clone());
        Some(echo)
    }

    /// Deletes the plant named by a path segment, spelt as a create spells it
    /// (`7`, not `+7` or `007`). Returns whether it existed.
    pub(super) fn delete(&self, id: &str) -> bool {
        let Ok(number) = id.parse::<i64>() else {
            return false;
        };
        let mut plants = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        number.to_string() == id && plants.remove(&number).is_some()
    }

    /// All plants by id.
    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<PlantRequest> {
        let plants = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let request = |(id, plant): (&i64, &PlantEcho)| PlantRequest {
            name: plant.name.clone(),
            id: *id,
            tag: plant.tag.clone(),
        };
        plants.iter().map(request).collect()
    }
}
