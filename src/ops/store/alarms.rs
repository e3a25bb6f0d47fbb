//! Alarms in the archive: what stands, what a user says of it, and what is to be
//! told.

use uuid::Uuid;

use super::Store;
use crate::alarm::Alarm;
use crate::archive::{Archive, ToTell};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};

impl Store {
    /// The alarms that stand, the latest first; with `all`, those that have ended
    /// as well.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn alarms(&self, all: bool) -> Result<Vec<Alarm>, Failure> {
        self.read(move |archive| archive.alarms(all)).await
    }

    /// Acknowledges an alarm; returns it as it was before, `None` if there is none
    /// with this id.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn acknowledge(&self, id: String) -> Result<Option<Alarm>, Failure> {
        self.with(move |archive| archive.acknowledge(&id, unix_now()))
            .await
    }

    /// Puts the reminders of an alarm off until a time (UNIX seconds); returns it
    /// as it was before, `None` if there is none with this id.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn snooze(&self, id: String, until: f64) -> Result<Option<Alarm>, Failure> {
        self.with(move |archive| archive.snooze(&id, until, unix_now()))
            .await
    }

    /// Records that a request for a deployment failed: what that means for the alarm
    /// that its service cannot be reached. Nothing of a deployment that is not
    /// watched.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(in crate::ops) async fn failed(
        &self,
        service: String,
        deployment: Uuid,
        failure: &Failure,
    ) -> Result<(), Failure> {
        let is_configured = (self.inner.configured.iter()).any(|one| one.uuid == deployment);
        if !is_configured && !self.is_watched(deployment).await? {
            return Ok(());
        }
        let (kind, answered) = (failure.kind, failure.service.is_some());
        let why = failure.reason.clone();
        self.with(move |archive| match kind {
            FailureKind::Unreachable => archive.unreached((&service, &why), deployment, unix_now()),
            _ if answered => archive.answered(&service, unix_now()),
            _ => Ok(()),
        })
        .await
    }

    /// How many deployments are watched, by the archive or the settings file, and
    /// neither recovered nor lost.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(in crate::ops) async fn count_active(&self) -> Result<usize, Failure> {
        let archived = self.watched().await?;
        let is_archived = |uuid| archived.iter().any(|one| one.uuid == uuid);
        let configured = self.inner.configured.iter();
        let others = configured.filter(|one| !is_archived(one.uuid)).count();
        Ok(others + archived.iter().filter(|one| one.state.is_active()).count())
    }

    /// Claims what is to be told; empty where there is no archive.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(in crate::ops) async fn claim(&self) -> Result<Vec<ToTell>, Failure> {
        let now = unix_now();
        if !self.read(move |archive| archive.has_to_tell(now)).await? {
            return Ok(Vec::new());
        }
        self.with(move |archive| archive.claim(now)).await
    }

    /// Records that transitions were told.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(in crate::ops) async fn told(&self, numbers: Vec<i64>) -> Result<(), Failure> {
        self.with(move |archive: &mut Archive| archive.told(&numbers, unix_now()))
            .await
    }
}
