//! The watch list of the collector, and when each deployment of it is due.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::Collector;
use crate::app::fleet::{last_answers, last_failures};
use crate::app::watch_list::listed;
use crate::failure::Failure;
use crate::os::clock::unix_now;

impl Collector<'_> {
    /// Reads the watch list if it has changed, without recovered and lost deployments. A
    /// deployment with a damaged entry is fetched all the same; its limits are not judged.
    /// If the archive was replaced, what is due follows from the last responses in the new one.
    pub(super) async fn read_list(&mut self) -> Result<(), Failure> {
        self.store.look_for_damage().await?;
        let state = self
            .store
            .read(|archive| archive.list_state().map(Some))
            .await?;
        for warning in self.store.warnings() {
            self.warn(warning);
        }
        self.tell_loss();
        if self.replacements != self.store.replacements() {
            self.replacements = self.store.replacements();
            self.listed = None;
            let asking: HashSet<Uuid> = self.agenda.asking().collect();
            self.agenda.retain(|uuid| asking.contains(&uuid));
        }
        if state.is_some() && state == self.listed {
            return Ok(());
        }
        let is_first = self.listed.is_none();
        // What is due follows from the last responses, also those of earlier runs. If
        // they cannot be read, all is due.
        let answers = if is_first {
            last_answers(self.store).await
        } else {
            HashMap::new()
        };
        let mut list = Vec::new();
        for read in listed(self.settings, self.store).await? {
            if let Some(damage) = read.damage {
                self.warn(damage);
            }
            list.extend(read.deployment.filter(|entry| entry.state.is_active()));
        }
        let now = unix_now();
        for entry in &list {
            let until = entry.window.until.unwrap_or(f64::INFINITY);
            self.agenda
                .put(entry.id.uuid, answers.get(&entry.id.uuid).copied(), now);
            self.agenda.counts_until(entry.id.uuid, until);
            self.agenda.limit_age(entry.id.uuid, entry.limits.max_age_s);
        }
        if is_first {
            let failed = last_failures(self.store, self.source.name()).await;
            self.agenda.failed_before(&failed, now);
            self.probes = self.agenda.probes_since(now);
        }
        self.list = list
            .into_iter()
            .map(|entry| (entry.id.uuid, entry))
            .collect();
        self.agenda.retain(|uuid| self.list.contains_key(&uuid));
        self.listed = state;
        Ok(())
    }
}
