//! Alarms held in memory, of deployments whose responses no archive takes: the
//! same rules, judged and kept until the program ends. Only the dashboard shows
//! them: the program of `on_alarm` is told of what the archive has, as each later
//! program would tell these once more.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::alarm::Alarm;
use crate::archive::{Archive, ArchiveError};
use crate::track::{Answer, Deployment};

/// The deployments whose alarms are held in memory, and these alarms.
#[derive(Debug, Default)]
pub(super) struct HeldAlarms {
    /// An archive in memory; `None` before the first response.
    archive: Option<Archive>,
    /// Entries of the watch list that no archive has taken.
    entries: HashMap<Uuid, Deployment>,
    /// The deployments whose last response was not stored.
    deployments: HashSet<Uuid>,
}

impl HeldAlarms {
    /// Remembers an entry of the watch list that no archive has taken.
    pub(super) fn remember(&mut self, entry: Deployment) {
        self.entries.insert(entry.uuid, entry);
    }

    /// The entry that was remembered of a deployment.
    pub(super) fn entry(&self, uuid: Uuid) -> Option<Deployment> {
        self.entries.get(&uuid).cloned()
    }

    /// The archive in memory with a response that was not stored, to be judged by the
    /// limits of an entry.
    ///
    /// # Errors
    /// When the response is damaged, or the memory fails.
    pub(super) fn take_in(
        &mut self,
        entry: Deployment,
        answer: &Answer,
    ) -> Result<&mut Archive, ArchiveError> {
        let archive = match self.archive.take() {
            Some(archive) => archive,
            None => Archive::in_memory()?,
        };
        let archive = self.archive.insert(archive);
        let uuid = entry.uuid;
        self.entries.insert(uuid, entry);
        archive.watch_also(self.entries.values().cloned().collect());
        archive.ingest(uuid, answer)?;
        self.deployments.insert(uuid);
        Ok(archive)
    }

    /// Forgets the alarms of a deployment: the archive has them from now on.
    pub(super) fn stored(&mut self, uuid: Uuid) {
        self.deployments.remove(&uuid);
        self.entries.remove(&uuid);
    }

    /// The archive in memory, where it holds an alarm.
    pub(super) fn holding(&mut self, id: &str) -> Result<Option<&mut Archive>, ArchiveError> {
        let Some(archive) = self.archive.as_mut() else {
            return Ok(None);
        };
        let held = archive.alarms(true)?;
        let is_held = |one: &Alarm| one.id == id && self.deployments.contains(&of(one));
        Ok(held.iter().any(is_held).then_some(archive))
    }

    /// The alarms of the archive with those held in memory in the place of its own
    /// for the same deployments. What was said of one there counts.
    pub(super) fn merged(
        &self,
        archived: Vec<Alarm>,
        since: f64,
    ) -> Result<Vec<Alarm>, ArchiveError> {
        let Some(archive) = self
            .archive
            .as_ref()
            .filter(|_| !self.deployments.is_empty())
        else {
            return Ok(archived);
        };
        let mut all = archive.recent_alarms(since)?;
        all.retain(|one| self.deployments.contains(&of(one)));
        for held in &mut all {
            let known = archived.iter().find(|one| one.id == held.id);
            if let Some(known) = known.filter(|_| held.acknowledged_at.is_none()) {
                held.acknowledged_at = known.acknowledged_at;
                held.snoozed_until = held.snoozed_until.or(known.snoozed_until);
            }
        }
        all.extend(archived.into_iter().filter(|one| {
            one.deployment
                .is_none_or(|uuid| !self.deployments.contains(&uuid))
        }));
        all.sort_by(|a, b| b.raised_at.total_cmp(&a.raised_at));
        Ok(all)
    }
}

/// The deployment of an alarm; that of no deployment where it is about a service.
fn of(alarm: &Alarm) -> Uuid {
    alarm.deployment.unwrap_or(Uuid::nil())
}
