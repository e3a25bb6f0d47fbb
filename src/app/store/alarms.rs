//! Alarms in the archive, and those in memory of deployments whose responses could not be
//! stored: by the same rules, until the program ends.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard};

use tokio::sync::watch;
use uuid::Uuid;

use super::{Store, WhereRemoved, broken};
use crate::alarm::{Alarm, AlarmEvent, AlarmReply};
use crate::archive::{Archive, ArchiveError, Transition};
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::watch::agenda::LastAnswer;
use crate::watch::{Answer, Deployment};

/// The outcome of the last requests for a deployment, as far as the archive does not have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastRequest {
    /// Why the last request failed; `None` if it was answered.
    pub failure: Option<String>,
    /// The last response, if it could not be stored.
    pub unstored: Option<LastAnswer>,
}

/// The last requests for deployments, and the alarms of those whose response could not be
/// stored.
#[derive(Debug, Default)]
pub(super) struct Unstored {
    /// A store in memory, which records the alarms as the user's does; `None` before the first
    /// response.
    store: Option<Store>,
    /// Entries of the watch list, also those that could not be stored.
    entries: HashMap<Uuid, Deployment>,
    /// The last requests that failed, or whose response was not stored.
    requests: HashMap<Uuid, LastRequest>,
}

impl Unstored {
    /// Forgets a deployment: the user's archive has its response and alarms from now on.
    fn forget(&mut self, uuid: Uuid) {
        self.requests.remove(&uuid);
        self.entries.remove(&uuid);
    }

    /// `true` if an alarm is of a deployment whose last response was not stored.
    fn has(&self, alarm: &Alarm) -> bool {
        let request = alarm.uuid().and_then(|uuid| self.requests.get(&uuid));
        request.is_some_and(|request| request.unstored.is_some())
    }

    /// The alarms of the archive, of which those of these deployments are replaced by `own`,
    /// those in memory.
    fn merged(&self, archived: Vec<Alarm>, mut own: Vec<Alarm>) -> Vec<Alarm> {
        own.retain(|alarm| self.has(alarm));
        own.extend(archived.into_iter().filter(|alarm| !self.has(alarm)));
        own.sort_by(|a, b| b.raised_at.total_cmp(&a.raised_at));
        own
    }
}

/// An alarm that has ended is shown for this long, seconds.
const SHOWN_S: f64 = 7.0 * 86_400.0;

impl Store {
    /// Ends the claim on notifications that were interrupted, without a wait. Where it cannot be
    /// written, the claim ends by its time.
    pub(crate) fn release_notifications(&self, numbers: Vec<i64>) {
        let inner = Arc::clone(&self.inner);
        let release = move |archive: &mut Archive| archive.release(&numbers);
        let _ = self.pool.submit(Box::new(move |slot| {
            let _ = inner.write(slot, WhereRemoved::Reset, release);
        }));
    }

    /// The active alarms and those that have ended in the last 7 days, the latest first.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn recent_alarms(&self) -> Result<Vec<Alarm>, Failure> {
        let since = unix_now() - SHOWN_S;
        let recent = move |archive: &Archive| archive.recent_alarms(since);
        let archived = self.read(recent).await;
        let Some(held) = self.held() else {
            return archived;
        };
        let own = held.read(recent).await?;
        let unstored = self.unstored()?;
        match archived {
            Ok(archived) => Ok(unstored.merged(archived, own)),
            // Without an archive there are those in memory.
            Err(failure) => match unstored.merged(Vec::new(), own) {
                none if none.is_empty() => Err(failure),
                alarms => Ok(alarms),
            },
        }
    }

    fn unstored(&self) -> Result<MutexGuard<'_, Unstored>, Failure> {
        self.inner.unstored.lock().map_err(|_| broken())
    }

    /// Adds a response that could not be stored to a store in memory, on what the archive has of
    /// the deployment; returns that store, in which it is to be judged. `None` if the deployment
    /// is not watched.
    pub(crate) async fn hold_unstored(
        &self,
        uuid: Uuid,
        answer: Answer,
        last: LastAnswer,
    ) -> Option<Self> {
        let stored = self.entry(uuid).await.ok().flatten();
        let known = if self.has_unstored(uuid) {
            None
        } else {
            let known = self.read(move |archive| archive.to_take_over(uuid));
            known.await.ok().flatten()
        };
        let (held, id, all) = {
            let mut unstored = self.unstored().ok()?;
            let mut listed = self.inner.configured.iter();
            let configured = || listed.find(|entry| entry.id.uuid == uuid).cloned();
            let remembered = unstored.entries.get(&uuid).cloned();
            let entry = remembered.or(stored).or_else(configured)?;
            let id = entry.id.clone();
            unstored.entries.insert(uuid, entry);
            let request = LastRequest {
                failure: None,
                unstored: Some(last),
            };
            unstored.requests.insert(uuid, request);
            let held = unstored.store.get_or_insert_with(Self::in_memory).clone();
            let all: Vec<Deployment> = unstored.entries.values().cloned().collect();
            (held, id, all)
        };
        let ingested = held.write(move |archive| {
            archive.watch_also(all.clone());
            if let Some(known) = known.clone() {
                archive.take_over(&id, known, &answer.source)?;
            }
            archive.ingest(id.clone(), &answer).map(drop)
        });
        // The caller reports that the response is not stored.
        ingested.await.ok()?;
        Some(held)
    }

    /// `true` if the last response for a deployment could not be stored.
    fn has_unstored(&self, uuid: Uuid) -> bool {
        let unstored = self.unstored();
        unstored.is_ok_and(|unstored| {
            let request = unstored.requests.get(&uuid);
            request.is_some_and(|request| request.unstored.is_some())
        })
    }

    /// Gives back the alarms in memory of a deployment whose response was stored, and forgets
    /// its last request.
    pub(crate) async fn response_stored(&self, uuid: Uuid) {
        if let Some(held) = self.held().filter(|_| self.has_unstored(uuid)) {
            let alarms = held.read(move |archive| archive.held_alarms(uuid)).await;
            let alarms = alarms.unwrap_or_default();
            // Without them it is judged again.
            let _ = self
                .write(move |archive| archive.take_back(uuid, &alarms))
                .await;
        }
        if let Ok(mut unstored) = self.unstored() {
            unstored.forget(uuid);
        }
    }

    /// The store in memory, if an alarm is only there, because it could not be stored.
    async fn unstored_with(&self, id: &str) -> Result<Option<Self>, Failure> {
        let Some(held) = self.held() else {
            return Ok(None);
        };
        let all = held.read(Archive::alarms).await?;
        let unstored = self.unstored()?;
        let is_it = |alarm: &Alarm| alarm.id == id && unstored.has(alarm);
        Ok(all.iter().any(is_it).then_some(held))
    }

    /// `true` if an alarm is in memory only, because it could not be stored.
    pub(crate) async fn is_unstored(&self, id: &str) -> bool {
        matches!(self.unstored_with(id).await, Ok(Some(_)))
    }

    /// Remembers an entry of the watch list that could not be stored, to judge alarms by it.
    pub(crate) fn remember_entry(&self, entry: Deployment) {
        if let Ok(mut unstored) = self.unstored() {
            unstored.entries.insert(entry.id.uuid, entry);
        }
    }

    /// The last requests that failed, or whose response could not be stored.
    pub(crate) fn last_requests(&self) -> HashMap<Uuid, LastRequest> {
        let unstored = self.unstored();
        unstored.map_or_else(|_| HashMap::new(), |unstored| unstored.requests.clone())
    }

    /// Undoes a reply to an alarm; returns whether it was done: not if the alarm has ended,
    /// or has another reply since.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn undo_reply(&self, before: Alarm, after: Alarm) -> Result<bool, Failure> {
        self.with_alarm(before.id.clone(), move |archive| {
            archive.undo_reply(&before, &after)
        })
        .await
    }

    /// Runs `act` on the archive that has an alarm or a message, that in memory or else the
    /// user's; nothing if there is none with this id.
    async fn with_alarm<T: Default + Send + 'static>(
        &self,
        id: String,
        act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        if let Some(held) = self.unstored_with(&id).await? {
            return held.write(act).await;
        }
        // No archive is created for it.
        if !self.read(move |archive| archive.has_alarm(&id)).await? {
            return Ok(T::default());
        }
        self.write(act).await
    }

    /// Records at `now` (UNIX seconds) a reply of the user to the alarm with this id, or to all
    /// that were notified in the message with it; returns them as they were before.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn reply(
        &self,
        id: String,
        reply: AlarmReply,
        now: f64,
    ) -> Result<Vec<Alarm>, Failure> {
        self.with_alarm(id.clone(), move |archive| archive.reply(&id, reply, now))
            .await
    }

    /// Remembers why a request for a deployment failed, until a response is stored.
    pub(crate) fn remember_failure(&self, uuid: Uuid, reason: String) {
        if let Ok(mut unstored) = self.unstored() {
            unstored.requests.entry(uuid).or_default().failure = Some(reason);
        }
    }

    /// `true` if the settings file lists a deployment.
    pub(crate) fn is_configured(&self, uuid: Uuid) -> bool {
        self.inner
            .configured
            .iter()
            .any(|entry| entry.id.uuid == uuid)
    }

    /// Notifies all that follow the alarms that these may have changed.
    pub(crate) fn alarms_may_differ(&self) {
        self.inner.alarm_changes.send_replace(());
    }

    /// A receiver that changes whenever alarms may have changed.
    pub(crate) fn alarm_changes(&self) -> watch::Receiver<()> {
        self.inner.alarm_changes.subscribe()
    }

    /// How many deployments are watched, by the archive or the settings file, and
    /// neither recovered nor lost; those whose time window has ended are left out.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn count_active(&self) -> Result<usize, Failure> {
        let configured = self.inner.configured.clone();
        self.read(move |archive| archive.count_active(&configured, unix_now()))
            .await
    }

    /// The store in memory of alarms that could not be stored, if there is one.
    pub(crate) fn held(&self) -> Option<Self> {
        self.unstored().ok()?.store.clone()
    }

    /// The transitions in memory that the archive does not have.
    pub(crate) async fn not_archived(&self, mut held: Vec<Transition>) -> Vec<Transition> {
        let since = unix_now() - SHOWN_S;
        let read = self.read(move |archive| archive.recent_alarms(since)).await;
        let archived = read.unwrap_or_default();
        let Ok(unstored) = self.unstored() else {
            return Vec::new();
        };
        held.retain(|transition| {
            let mut known = archived.iter();
            let is_known = |known: &Alarm| {
                let is_end = transition.event == AlarmEvent::Cleared;
                known.id == transition.alarm.id && !(is_end && known.cleared_at.is_none())
            };
            unstored.has(&transition.alarm) && !known.any(is_known)
        });
        held
    }
}
