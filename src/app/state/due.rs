//! Which deployments are asked for next: found in one pass over the list and then
//! taken one by one, however many answers arrive.

use uuid::Uuid;

use super::deployments::DeploymentsTab;

impl DeploymentsTab {
    /// The deployments to ask for at `now` (UNIX seconds), so that `at_once` are in
    /// progress, slow ones not counted: the open one first, then what has waited
    /// longest. During a pause only those that the user asks for.
    pub(in crate::app) fn take_due(
        &mut self,
        (now, paused): (f64, bool),
        open: Option<Uuid>,
        at_once: usize,
    ) -> Vec<Uuid> {
        let mut asked = std::mem::take(&mut self.queue.asked);
        asked.retain(|uuid| {
            self.get(*uuid)
                .is_some_and(|one| one.track.loading.is_some())
        });
        self.queue.asked = asked;
        // What hardly brings anything goes on beside the others.
        let in_progress = self.loading().filter(|(_, loading)| !loading.is_slow);
        let free = at_once.saturating_sub(in_progress.count());
        let mut due = Vec::new();
        if free == 0 {
            return due;
        }
        let is_due = |tab: &Self, uuid: Uuid| {
            tab.get(uuid).is_some_and(|one| {
                let schedule = &one.schedule;
                one.track.loading.is_none()
                    && schedule.due <= now
                    && (!paused || schedule.is_asked_for)
            })
        };
        if self.queue.waiting.is_empty() && self.queue.next.is_none_or(|next| next <= now) {
            self.scan((now, paused));
        }
        due.extend(open.filter(|uuid| is_due(self, *uuid)));
        while due.len() < free {
            let Some(uuid) = self.queue.waiting.pop_front() else {
                break;
            };
            if Some(uuid) != open && is_due(self, uuid) {
                due.push(uuid);
            }
        }
        due
    }

    /// Finds those that are due, and when the next one is.
    fn scan(&mut self, (now, paused): (f64, bool)) {
        let mut waiting: Vec<(f64, usize)> = Vec::new();
        let mut next = f64::INFINITY;
        for (place, one) in self.list.iter().enumerate() {
            let schedule = &one.schedule;
            if one.track.loading.is_some() || paused && !schedule.is_asked_for {
                continue;
            }
            if schedule.due <= now {
                waiting.push((schedule.due, place));
            } else {
                next = next.min(schedule.due);
            }
        }
        waiting.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let uuids = waiting
            .into_iter()
            .filter_map(|(_, place)| self.list.get(place));
        self.queue.waiting = uuids.map(|one| one.deployment.uuid).collect();
        self.queue.next = Some(next);
    }
}
