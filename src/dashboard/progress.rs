//! How far requests are.

use super::effect::Effect;
use super::event::RequestId;
use super::model::Model;
use super::tab::Tab;
use crate::exchange::Progress;

impl Model {
    /// Shows how far a request is. When it turns slow, the next one begins.
    pub(crate) fn progressed(&mut self, request: RequestId, progress: Progress) -> Vec<Effect> {
        let under_way = self.under_way.iter_mut();
        for (_, known) in under_way.filter(|(one, _)| one.id == progress.exchange) {
            *known = progress;
        }
        let mut asked = self.deployments.loading();
        let uuid = asked
            .find(|(_, loading)| loading.request == request)
            .map(|(one, _)| one.uuid());
        drop(asked);
        let loading = uuid
            .and_then(|uuid| self.deployments.get_mut(uuid))
            .and_then(|one| one.track.loading.as_mut());
        let Some(loading) = loading else {
            return Vec::new();
        };
        let turned_slow = progress.is_slow && !loading.progress.is_slow;
        loading.progress = progress;
        if turned_slow {
            self.refresh_due()
        } else {
            Vec::new()
        }
    }

    /// Puts the cursor on the latest line of a plant, where the filter shows it.
    pub(crate) fn cursor_to_plant(&mut self, id: &str) {
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
}
