//! A platform to choose for a deployment.

use strum::VariantArray;
use uuid::Uuid;

use crate::app::state::table::{Step, TableState};
use crate::track::Platform;

/// The list of platforms, the cursor on one of them.
#[derive(Debug, Clone)]
pub(crate) struct PlatformList {
    /// The deployment.
    pub deployment: Uuid,
    /// The platform that it has.
    pub now: Platform,
    /// Cursor over all platforms.
    pub table: TableState,
}

impl PlatformList {
    /// The platforms for a deployment, the cursor on the one that it has.
    pub(in crate::app) fn new(deployment: Uuid, now: Platform) -> Self {
        let mut list = Self {
            deployment,
            now,
            table: TableState::default(),
        };
        let here = Platform::VARIANTS.iter().position(|one| *one == now);
        let count = Platform::VARIANTS.len();
        list.table.go(here.unwrap_or(0), count, count);
        list
    }

    /// Moves the cursor.
    pub(in crate::app) fn step(&mut self, step: Step) {
        let count = Platform::VARIANTS.len();
        self.table.step(step, count, count);
    }

    /// The platform under the cursor.
    pub(crate) fn chosen(&self) -> Platform {
        let chosen = Platform::VARIANTS.get(self.table.cursor);
        chosen.copied().unwrap_or(self.now)
    }
}
