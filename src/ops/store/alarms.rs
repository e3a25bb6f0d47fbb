//! Alarms in the archive, and those in memory of responses that could not be stored.

use std::collections::HashMap;

use tokio::sync::watch;
use uuid::Uuid;

use super::{Store, broken};
use crate::alarm::{Alarm, AlarmReply};
use crate::archive::{Archive, ArchiveError, Replied, Transition};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::track::{Answer, Deployment};

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

    /// Adds a response that could not be stored to an archive in memory, and lets `judge`
    /// find its alarms there; does nothing if the deployment is not watched.
    pub(crate) async fn judge_unstored(
        &self,
        uuid: Uuid,
        answer: Answer,
        judge: impl FnOnce(&mut Archive) -> Result<(), ArchiveError> + Send + 'static,
    ) {
        let stored = self.entry(uuid).await.ok().flatten();
        let judged = self.at_door(move |inner, _| {
            let mut unstored = inner.unstored.lock().map_err(|_| broken())?;
            let mut configured = inner.configured.iter();
            let configured = configured.find(|entry| entry.uuid == uuid);
            let entry = unstored.entry(uuid).or(stored).or(configured.cloned());
            if let Some(entry) = entry {
                judge(unstored.ingested(entry, &answer)?)?;
            }
            Ok(())
        });
        // The caller reports that the response is not stored.
        let _ = judged.await;
    }

    /// Forgets the failure and the alarms in memory of a deployment whose response was
    /// stored.
    pub(crate) fn response_stored(&self, uuid: Uuid) {
        if let Ok(mut failures) = self.inner.failures.lock() {
            failures.remove(&uuid);
        }
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

    /// Why the last requests of deployments failed.
    pub(crate) fn failures(&self) -> HashMap<Uuid, String> {
        let failures = self.inner.failures.lock();
        failures.map_or_else(|_| HashMap::new(), |failures| failures.clone())
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
                Ok(archive.reply(&id, Replied::Alarm, reply, now)?.pop())
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

    /// Records a reply of the user to the alarm with this id, and to all that were notified in
    /// one message with it; returns them as they were before, the alarm with this id first.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn reply(&self, id: String, reply: AlarmReply) -> Result<Vec<Alarm>, Failure> {
        if !self.has_alarm(id.clone()).await? {
            return Ok(Vec::new());
        }
        self.write(move |archive| archive.reply(&id, Replied::Message, reply, unix_now()))
            .await
    }

    /// `true` if there is an alarm with this id; no archive is created.
    async fn has_alarm(&self, id: String) -> Result<bool, Failure> {
        self.read(move |archive| Ok(archive.alarms(true)?.iter().any(|alarm| alarm.id == id)))
            .await
    }

    /// Remembers why a request for a deployment failed, until a response is stored.
    pub(crate) fn remember_failure(&self, uuid: Uuid, reason: String) {
        if let Ok(mut failures) = self.inner.failures.lock() {
            failures.insert(uuid, reason);
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
    /// those that failed before it; none without an archive.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn claim(&self, round: Option<f64>) -> Result<Vec<Transition>, Failure> {
        let now = unix_now();
        let look = move |archive: &Archive| archive.has_to_notify(round, now);
        if !self.read(look).await? {
            return Ok(Vec::new());
        }
        self.write(move |archive| archive.claim(round, now)).await
    }
}
