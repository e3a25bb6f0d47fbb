//! Alarms in the archive: what stands, what a user says of it, and what is to be
//! told. Those that no archive takes are held in memory.

use std::collections::HashMap;

use tokio::sync::watch;
use uuid::Uuid;

use super::{Store, broken};
use crate::alarm::Alarm;
use crate::archive::{Archive, ArchiveError, ToTell};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::track::{Answer, Deployment};

/// An alarm that has ended is shown for this long, seconds.
const SHOWN_S: f64 = 7.0 * 86_400.0;

impl Store {
    /// The alarms that stand and those that have ended in the last 7 days, the
    /// latest first; `None` where no other program has written since this was
    /// asked last, unless `again` is set.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn recent_alarms(&self, again: bool) -> Result<Option<Vec<Alarm>>, Failure> {
        let since = unix_now() - SHOWN_S;
        let archived = self
            .read_if_written(again, move |archive| archive.recent_alarms(since))
            .await;
        self.at_door(move |inner, _| {
            let held = inner.held_alarms.lock().map_err(|_| broken())?;
            match archived {
                Ok(None) => Ok(None),
                Ok(Some(archived)) => Ok(Some(held.merged(archived, since)?)),
                // Without an archive there are those in memory.
                Err(failure) => match held.merged(Vec::new(), since)? {
                    none if none.is_empty() => Err(failure),
                    held => Ok(Some(held)),
                },
            }
        })
        .await
    }

    /// Takes a response that the archive has not taken into an archive in memory, where
    /// `judge` finds the alarms that are held of it; nothing where the deployment is not
    /// watched.
    pub(crate) async fn hold(
        &self,
        uuid: Uuid,
        answer: Answer,
        judge: impl FnOnce(&mut Archive) -> Result<(), ArchiveError> + Send + 'static,
    ) {
        let stored = self.entry(uuid).await.ok().flatten();
        let held = self.at_door(move |inner, _| {
            let mut held = inner.held_alarms.lock().map_err(|_| broken())?;
            let configured = || inner.configured.iter().find(|one| one.uuid == uuid);
            let entry = held.entry(uuid).or(stored).or(configured().cloned());
            if let Some(entry) = entry {
                judge(held.take_in(entry, &answer)?)?;
            }
            Ok(())
        });
        // The response itself was reported as not stored.
        let _ = held.await;
    }

    /// Forgets what is held in memory of a deployment: the archive takes its
    /// responses.
    pub(crate) fn is_stored(&self, uuid: Uuid) {
        if let Ok(mut failures) = self.inner.failures.lock() {
            failures.remove(&uuid);
        }
        if let Ok(mut held) = self.inner.held_alarms.lock() {
            held.stored(uuid);
        }
    }

    /// `true` if an alarm is in memory only, since the archive does not take it.
    pub(crate) fn is_held(&self, id: &str) -> bool {
        let mut held = self.inner.held_alarms.lock();
        (held.as_mut()).is_ok_and(|held| held.holding(id).is_ok_and(|found| found.is_some()))
    }

    /// Remembers an entry of the watch list that the archive has not taken, to
    /// judge alarms by.
    pub(crate) fn remember_entry(&self, entry: Deployment) {
        if let Ok(mut held) = self.inner.held_alarms.lock() {
            held.remember(entry);
        }
    }

    /// Why the last requests of deployments failed.
    pub(crate) fn failures(&self) -> HashMap<Uuid, String> {
        let failures = self.inner.failures.lock();
        failures.map_or_else(|_| HashMap::new(), |failures| failures.clone())
    }

    /// Acknowledges an alarm, or puts its reminders off until a time (UNIX
    /// seconds); returns it as it was before and as it is, `None` if there is none
    /// with this id.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn say_of_alarm(
        &self,
        id: String,
        snooze_until: Option<f64>,
    ) -> Result<Option<(Alarm, Alarm)>, Failure> {
        let now = unix_now();
        let before = self
            .with_alarm(id.clone(), move |archive| match snooze_until {
                Some(until) => archive.snooze(&id, until, now),
                None => archive.acknowledge(&id, now),
            })
            .await?;
        Ok(before.map(|before| {
            let mut after = before.clone();
            if before.cleared_at.is_none() {
                (after.acknowledged_at, after.snoozed_until) = match snooze_until {
                    Some(until) => (None, Some(until)),
                    None if before.acknowledged_at.is_some() => {
                        (before.acknowledged_at, before.snoozed_until)
                    }
                    None => (Some(now), None),
                };
            }
            (before, after)
        }))
    }

    /// Takes back what was said of an alarm; returns whether it was done: not where
    /// it has ended, or something else was said since.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn undo_said(&self, before: Alarm, after: Alarm) -> Result<bool, Failure> {
        self.with_alarm(before.id.clone(), move |archive| {
            archive.undo_said(&before, &after, unix_now())
        })
        .await
    }

    /// Runs `act` on the archive that has an alarm: the one in memory, else the
    /// user's; nothing where there is none with this id.
    async fn with_alarm<T: Default + Send + 'static>(
        &self,
        id: String,
        mut act: impl FnMut(&mut Archive) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        let name = id.clone();
        let (outcome, act) = self
            .at_door(move |inner, _| {
                let mut held = inner.held_alarms.lock().map_err(|_| broken())?;
                let outcome = match held.holding(&id)? {
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

    /// The alarms that stand, the latest first; with `all`, those that have ended
    /// as well.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn alarms(&self, all: bool) -> Result<Vec<Alarm>, Failure> {
        self.read(move |archive| archive.alarms(all)).await
    }

    /// Acknowledges the alarm with this id, with all that were told in one message with
    /// it; returns them as they were before, the one with this id first. Empty if there
    /// is none.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn acknowledge(&self, id: String) -> Result<Vec<Alarm>, Failure> {
        if !self.has_alarm(id.clone()).await? {
            return Ok(Vec::new());
        }
        self.write(move |archive| archive.acknowledge_message(&id, unix_now()))
            .await
    }

    /// Puts the reminders of the alarm with this id, and of all that were told in one
    /// message with it, off until a time (UNIX seconds); returns them as
    /// [`Store::acknowledge`] does.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn snooze(&self, id: String, until: f64) -> Result<Vec<Alarm>, Failure> {
        if !self.has_alarm(id.clone()).await? {
            return Ok(Vec::new());
        }
        self.write(move |archive| archive.snooze_message(&id, until, unix_now()))
            .await
    }

    /// `true` if there is an alarm with this id; no archive is created.
    async fn has_alarm(&self, id: String) -> Result<bool, Failure> {
        self.read(move |archive| Ok(archive.alarms(true)?.iter().any(|one| one.id == id)))
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
        self.inner.configured.iter().any(|one| one.uuid == uuid)
    }

    /// Says that alarms may differ from now on, to all who follow them.
    pub(crate) fn alarms_may_differ(&self) {
        self.inner.alarm_changes.send_replace(());
    }

    /// Changes whenever alarms may differ.
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

    /// Claims what is to be told, in a round that began at `round` (UNIX seconds) also
    /// what failed before; empty where there is no archive.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn claim(&self, round: Option<f64>) -> Result<Vec<ToTell>, Failure> {
        let now = unix_now();
        let look = move |archive: &Archive| archive.has_to_tell(round, now);
        if !self.read(look).await? {
            return Ok(Vec::new());
        }
        self.write(move |archive| archive.claim(round, now)).await
    }
}
