//! Alarms in memory, of deployments whose responses could not be stored: by the
//! same rules, until the program ends. Only the dashboard shows
//! them. The program of `on_alarm` is not notified of them, since it would be notified again
//! when they are stored.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::alarm::Alarm;
use crate::archive::{Archive, ArchiveError};
use crate::track::{Answer, Deployment};

/// The deployments whose last response could not be stored, and their alarms.
#[derive(Debug, Default)]
pub(super) struct Unstored {
    /// An archive in memory; `None` before the first response.
    archive: Option<Archive>,
    /// Entries of the watch list, also those that could not be stored.
    entries: HashMap<Uuid, Deployment>,
    /// The deployments whose last response was not stored.
    deployments: HashSet<Uuid>,
}

impl Unstored {
    /// Remembers an entry of the watch list.
    pub(super) fn remember(&mut self, entry: Deployment) {
        self.entries.insert(entry.uuid, entry);
    }

    /// The remembered entry of a deployment.
    pub(super) fn entry(&self, uuid: Uuid) -> Option<Deployment> {
        self.entries.get(&uuid).cloned()
    }

    /// The archive in memory, after it has stored a response to be judged by the limits of an
    /// entry.
    ///
    /// # Errors
    /// When the response is damaged, or the memory fails.
    pub(super) fn ingested(
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

    /// Forgets the alarms of a deployment: the user's archive has them from now on.
    pub(super) fn forget(&mut self, uuid: Uuid) {
        self.deployments.remove(&uuid);
        self.entries.remove(&uuid);
    }

    /// The archive in memory, if it has an alarm.
    pub(super) fn archive_of(&mut self, id: &str) -> Result<Option<&mut Archive>, ArchiveError> {
        let Some(archive) = self.archive.as_mut() else {
            return Ok(None);
        };
        let is_it = |alarm: &Alarm| alarm.id == id && self.deployments.contains(&of(alarm));
        let has_it = archive.alarms(true)?.iter().any(is_it);
        Ok(has_it.then_some(archive))
    }

    /// The alarms of the archive, of which those of these deployments are replaced by the
    /// alarms in memory, with the replies that the archive has.
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
        all.retain(|alarm| self.deployments.contains(&of(alarm)));
        for alarm in &mut all {
            let known = archived.iter().find(|known| known.id == alarm.id);
            if let Some(known) = known.filter(|_| alarm.acknowledged_at.is_none()) {
                alarm.acknowledged_at = known.acknowledged_at;
                alarm.snoozed_until = alarm.snoozed_until.or(known.snoozed_until);
            }
        }
        all.extend(archived.into_iter().filter(|alarm| {
            alarm
                .deployment
                .is_none_or(|uuid| !self.deployments.contains(&uuid))
        }));
        all.sort_by(|a, b| b.raised_at.total_cmp(&a.raised_at));
        Ok(all)
    }
}

/// The deployment of an alarm; the nil UUID if it is about a service.
fn of(alarm: &Alarm) -> Uuid {
    alarm.deployment.unwrap_or(Uuid::nil())
}
