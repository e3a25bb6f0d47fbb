//! Changes of the user, taken back.

use uuid::Uuid;

use super::Store;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::Position;
use crate::track::{Deployment, Flag};

impl Store {
    /// Takes back a change of a watch list entry; returns whether it was done,
    /// which it is not where something else has changed the same since.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn undo_change(
        &self,
        before: Deployment,
        after: Deployment,
    ) -> Result<bool, Failure> {
        self.write(move |archive| archive.undo_change(&before, &after, unix_now()))
            .await
    }

    /// Puts a removed deployment back on the watch list, as the archive had it at
    /// its removal; returns that entry, and none where it is on the list again.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn undo_removal(
        &self,
        removed: Deployment,
    ) -> Result<Option<Deployment>, Failure> {
        self.write(move |archive| archive.undo_removal(&removed, unix_now()))
            .await
    }

    /// Sets the override of a fix's flag from the second flag back to the first;
    /// returns whether it was done, which it is not where it is another by now.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn undo_override(
        &self,
        uuid: Uuid,
        fix: (f64, Position),
        flags: (Option<Flag>, Option<Flag>),
    ) -> Result<bool, Failure> {
        self.write(move |archive| archive.undo_override(uuid, fix, flags, unix_now()))
            .await
    }
}
