//! Alarms in the archive, and those in memory of deployments whose responses could not be
//! stored: by the same rules, until the program ends.

use std::collections::HashMap;

use tokio::sync::watch;
use uuid::Uuid;

use super::{Store, broken};
use crate::alarm::{Alarm, AlarmEvent, AlarmReply};
use crate::archive::{Archive, ArchiveError, Transition};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::track::agenda::LastAnswer;
use crate::track::{Answer, Deployment};

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
    /// An archive in memory; `None` before the first response.
    archive: Option<Archive>,
    /// Entries of the watch list, also those that could not be stored.
    entries: HashMap<Uuid, Deployment>,
    /// The last requests that failed, or whose response was not stored.
    requests: HashMap<Uuid, LastRequest>,
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

    /// Stores a response in the archive in memory, to be judged by the limits of an entry.
    ///
    /// # Errors
    /// When the response is damaged, or the memory fails.
    fn ingest(
        &mut self,
        entry: Deployment,
        answer: &Answer,
        last: LastAnswer,
    ) -> Result<(), ArchiveError> {
        let uuid = entry.uuid;
        self.entries.insert(uuid, entry);
        let all = self.entries.values().cloned().collect();
        let archive = in_memory(&mut self.archive)?;
        archive.watch_also(all);
        archive.ingest(uuid, answer)?;
        let request = LastRequest {
            failure: None,
            unstored: Some(last),
        };
        self.requests.insert(uuid, request);
        Ok(())
    }

    /// Claims the pending notifications of the alarms in memory, in a round that began at
    /// `round`, at `now` (both UNIX seconds). `archived` are the alarms that the archive has: of
    /// these was notified.
    fn claim(
        &mut self,
        archived: &[Alarm],
        round: Option<f64>,
        now: f64,
    ) -> Result<Vec<Transition>, ArchiveError> {
        let Some(archive) = &mut self.archive else {
            return Ok(Vec::new());
        };
        let claimed = archive.claim(round, now)?;
        let is_news = |one: &Transition| {
            let alarm = &one.alarm;
            let is_same = |known: &&Alarm| known.id == alarm.id;
            let is_alike = |known: &&Alarm| {
                let subject = |alarm: &Alarm| (alarm.deployment, alarm.kind, alarm.field.clone());
                known.cleared_at.is_none() && subject(known) == subject(alarm)
            };
            let same = archived.iter().find(is_same);
            match same.or_else(|| archived.iter().find(is_alike)) {
                None => true,
                Some(known) => {
                    let is_end = one.event == AlarmEvent::Cleared && known.id == alarm.id;
                    is_end && known.cleared_at.is_none()
                }
            }
        };
        let (news, known): (Vec<Transition>, Vec<Transition>) =
            claimed.into_iter().partition(is_news);
        let known: Vec<i64> = known.iter().map(|one| one.number).collect();
        archive.notified(&known, now)?;
        Ok(news
            .into_iter()
            .filter(|one| self.has(&one.alarm))
            .collect())
    }

    /// Remembers why a request for a deployment failed.
    pub(super) fn failed(&mut self, uuid: Uuid, reason: String) {
        self.requests.entry(uuid).or_default().failure = Some(reason);
    }

    /// The last requests that failed, or whose response was not stored.
    pub(super) fn requests(&self) -> HashMap<Uuid, LastRequest> {
        self.requests.clone()
    }

    /// Forgets a deployment: the user's archive has its response and alarms from now on.
    pub(super) fn forget(&mut self, uuid: Uuid) {
        self.requests.remove(&uuid);
        self.entries.remove(&uuid);
    }

    /// `true` if an alarm is of a deployment whose last response was not stored.
    fn has(&self, alarm: &Alarm) -> bool {
        let request = alarm.deployment.and_then(|uuid| self.requests.get(&uuid));
        request.is_some_and(|request| request.unstored.is_some())
    }

    /// The archive in memory, if it has an alarm.
    pub(super) fn archive_of(&mut self, id: &str) -> Result<Option<&mut Archive>, ArchiveError> {
        let Some(archive) = self.archive.as_ref() else {
            return Ok(None);
        };
        let all = archive.alarms(true)?;
        let has_it = all.iter().any(|alarm| alarm.id == id && self.has(alarm));
        Ok(self.archive.as_mut().filter(|_| has_it))
    }

    /// The alarms of the archive, of which those of these deployments are replaced by the
    /// alarms in memory, with the replies that the archive has.
    pub(super) fn merged(
        &self,
        archived: Vec<Alarm>,
        since: f64,
    ) -> Result<Vec<Alarm>, ArchiveError> {
        let Some(archive) = &self.archive else {
            return Ok(archived);
        };
        let mut all = archive.recent_alarms(since)?;
        all.retain(|alarm| self.has(alarm));
        for alarm in &mut all {
            let known = archived.iter().find(|known| known.id == alarm.id);
            if let Some(known) = known.filter(|_| alarm.acknowledged_at.is_none()) {
                alarm.acknowledged_at = known.acknowledged_at;
                alarm.snoozed_until = alarm.snoozed_until.or(known.snoozed_until);
            }
        }
        all.extend(archived.into_iter().filter(|alarm| !self.has(alarm)));
        all.sort_by(|a, b| b.raised_at.total_cmp(&a.raised_at));
        Ok(all)
    }
}

/// The archive in memory, which is made at its first use.
fn in_memory(archive: &mut Option<Archive>) -> Result<&mut Archive, ArchiveError> {
    let made = match archive.take() {
        Some(archive) => archive,
        None => Archive::in_memory()?,
    };
    Ok(archive.insert(made))
}

/// Which alarms are read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AlarmsOf {
    /// Alarms of the user's archive.
    Archive,
    /// Alarms in memory.
    Memory,
}

/// An alarm that has ended is shown for this long, seconds.
const SHOWN_S: f64 = 7.0 * 86_400.0;

impl Store {
    /// The active alarms and those that have ended in the last 7 days, the latest first.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn recent_alarms(&self) -> Result<Vec<Alarm>, Failure> {
        let since = unix_now() - SHOWN_S;
        let archived = self.read(move |archive| archive.recent_alarms(since)).await;
        self.at_door(move |inner, _| {
            let unstored = inner.unstored.lock().map_err(|_| broken())?;
            match archived {
                Ok(archived) => Ok(unstored.merged(archived, since)?),
                // Without an archive there are those in memory.
                Err(failure) => match unstored.merged(Vec::new(), since)? {
                    none if none.is_empty() => Err(failure),
                    alarms => Ok(alarms),
                },
            }
        })
        .await
    }

    /// Adds a response that could not be stored to an archive in memory, to be judged there;
    /// does nothing if the deployment is not watched.
    pub(crate) async fn hold_unstored(&self, uuid: Uuid, answer: Answer, last: LastAnswer) {
        let stored = self.entry(uuid).await.ok().flatten();
        let held = self.at_door(move |inner, _| {
            let mut unstored = inner.unstored.lock().map_err(|_| broken())?;
            let mut configured = inner.configured.iter();
            let configured = configured.find(|entry| entry.uuid == uuid);
            let entry = unstored.entry(uuid).or(stored).or(configured.cloned());
            if let Some(entry) = entry {
                unstored.ingest(entry, &answer, last)?;
            }
            Ok(())
        });
        // The caller reports that the response is not stored.
        let _ = held.await;
    }

    /// Forgets the last request and the alarms in memory of a deployment whose response was
    /// stored.
    pub(crate) fn response_stored(&self, uuid: Uuid) {
        if let Ok(mut unstored) = self.inner.unstored.lock() {
            unstored.forget(uuid);
        }
    }

    /// `true` if an alarm is in memory only, because it could not be stored.
    pub(crate) fn is_unstored(&self, id: &str) -> bool {
        let mut unstored = self.inner.unstored.lock();
        (unstored.as_mut()).is_ok_and(|unstored| matches!(unstored.archive_of(id), Ok(Some(_))))
    }

    /// Remembers an entry of the watch list that could not be stored, to judge alarms by it.
    pub(crate) fn remember_entry(&self, entry: Deployment) {
        if let Ok(mut unstored) = self.inner.unstored.lock() {
            unstored.remember(entry);
        }
    }

    /// The last requests that failed, or whose response could not be stored.
    pub(crate) fn last_requests(&self) -> HashMap<Uuid, LastRequest> {
        let unstored = self.inner.unstored.lock();
        unstored.map_or_else(|_| HashMap::new(), |unstored| unstored.requests())
    }

    /// Records a reply of the user to one alarm; returns it as it was before and as it is,
    /// `None` if there is none with this id.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn reply_to_alarm(
        &self,
        id: String,
        reply: AlarmReply,
    ) -> Result<Option<(Alarm, Alarm)>, Failure> {
        let now = unix_now();
        let before = self
            .with_alarm(id.clone(), move |archive| {
                Ok(archive.reply(&id, reply, now)?.pop())
            })
            .await?;
        Ok(before.map(|before| {
            let mut after = before.clone();
            if before.cleared_at.is_none() {
                (after.acknowledged_at, after.snoozed_until) = match reply {
                    AlarmReply::SnoozedUntil(until) => (None, Some(until)),
                    AlarmReply::Acknowledged if before.acknowledged_at.is_some() => {
                        (before.acknowledged_at, before.snoozed_until)
                    }
                    AlarmReply::Acknowledged => (Some(now), None),
                };
            }
            (before, after)
        }))
    }

    /// Undoes a reply to an alarm; returns whether it was done: not if the alarm has ended,
    /// or has another reply since.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn undo_reply(&self, before: Alarm, after: Alarm) -> Result<bool, Failure> {
        self.with_alarm(before.id.clone(), move |archive| {
            archive.undo_reply(&before, &after, unix_now())
        })
        .await
    }

    /// Runs `act` on the archive that has an alarm, that in memory or else the
    /// user's; nothing if there is none with this id.
    async fn with_alarm<T: Default + Send + 'static>(
        &self,
        id: String,
        mut act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        let name = id.clone();
        let (outcome, act) = self
            .at_door(move |inner, _| {
                let mut unstored = inner.unstored.lock().map_err(|_| broken())?;
                let outcome = match unstored.archive_of(&id)? {
                    Some(archive) => Some(act(archive)?),
                    None => None,
                };
                Ok((outcome, act))
            })
            .await?;
        match outcome {
            Some(outcome) => Ok(outcome),
            None if !self.has_alarm(name).await? => Ok(T::default()),
            None => self.write(act).await,
        }
    }

    /// The active alarms, the latest first; with `all`, those that have ended as well.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn alarms(&self, all: bool) -> Result<Vec<Alarm>, Failure> {
        self.read(move |archive| archive.alarms(all)).await
    }

    /// Records a reply of the user to the alarm with this id, or to all that were notified in
    /// the message with it; returns them as they were before.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn reply(&self, id: String, reply: AlarmReply) -> Result<Vec<Alarm>, Failure> {
        if !self.has_alarm(id.clone()).await? {
            return Ok(Vec::new());
        }
        self.write(move |archive| archive.reply(&id, reply, unix_now()))
            .await
    }

    /// `true` if an alarm or a message has this id; no archive is created.
    async fn has_alarm(&self, id: String) -> Result<bool, Failure> {
        self.read(move |archive| archive.has_alarm(&id)).await
    }

    /// Remembers why a request for a deployment failed, until a response is stored.
    pub(crate) fn remember_failure(&self, uuid: Uuid, reason: String) {
        if let Ok(mut unstored) = self.inner.unstored.lock() {
            unstored.failed(uuid, reason);
        }
    }

    /// `true` if the settings file lists a deployment.
    pub(crate) fn is_configured(&self, uuid: Uuid) -> bool {
        self.inner.configured.iter().any(|entry| entry.uuid == uuid)
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

    /// Claims pending notifications, in a round that began at `round` (UNIX seconds) also
    /// those that failed before it; none without an archive. Of alarms in memory only those that
    /// the archive does not have.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn claim(
        &self,
        of: AlarmsOf,
        round: Option<f64>,
    ) -> Result<Vec<Transition>, Failure> {
        let now = unix_now();
        let since = unix_now() - SHOWN_S;
        match of {
            AlarmsOf::Archive => {
                let look = move |archive: &Archive| archive.has_to_notify(round, now);
                if !self.read(look).await? {
                    return Ok(Vec::new());
                }
                self.write(move |archive| archive.claim(round, now)).await
            }
            AlarmsOf::Memory => {
                let archived = self.read(move |archive| archive.recent_alarms(since)).await;
                let archived = archived.unwrap_or_default();
                self.at_door(move |inner, _| {
                    let mut unstored = inner.unstored.lock().map_err(|_| broken())?;
                    Ok(unstored.claim(&archived, round, now)?)
                })
                .await
            }
        }
    }

    /// Reads the archive, or that in memory; `T`'s default if it is missing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) async fn read_alarms<T: Default + Send + 'static>(
        &self,
        of: AlarmsOf,
        act: impl FnOnce(&Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        match of {
            AlarmsOf::Archive => self.read(act).await,
            AlarmsOf::Memory => {
                self.at_door(move |inner, _| {
                    let unstored = inner.unstored.lock().map_err(|_| broken())?;
                    Ok(unstored.archive.as_ref().map_or(Ok(T::default()), act)?)
                })
                .await
            }
        }
    }

    /// Writes to the archive, or to that in memory.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) async fn write_alarms<T: Send + 'static>(
        &self,
        of: AlarmsOf,
        mut act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        match of {
            AlarmsOf::Archive => self.write(act).await,
            AlarmsOf::Memory => {
                self.at_door(move |inner, _| {
                    let mut unstored = inner.unstored.lock().map_err(|_| broken())?;
                    Ok(act(in_memory(&mut unstored.archive)?)?)
                })
                .await
            }
        }
    }
}
