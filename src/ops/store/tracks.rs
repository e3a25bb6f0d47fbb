//! What is stored of deployments: their last answers, and the flags set by hand.

use std::collections::HashMap;

use uuid::Uuid;

use super::Store;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::Position;
use crate::track::agenda::LastAnswer;
use crate::track::{Flag, FlagOverrides};

impl Store {
    /// The last answers for all deployments that have one.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn last_answers(&self) -> Result<HashMap<Uuid, LastAnswer>, Failure> {
        self.read(|archive| archive.last_answers(unix_now())).await
    }

    /// When a deployment was added, UNIX seconds; `None` where that is not known.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn added_at(&self, uuid: Uuid) -> Result<Option<f64>, Failure> {
        self.read(move |archive| archive.added_at(uuid)).await
    }

    /// The flags that the user set for a deployment.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn overrides(&self, uuid: Uuid) -> Result<FlagOverrides, Failure> {
        self.read(move |archive| archive.overrides(uuid)).await
    }

    /// Overrides the flag of a fix, or clears the override.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn set_override(
        &self,
        uuid: Uuid,
        time: f64,
        position: Position,
        flag: Option<Flag>,
    ) -> Result<(), Failure> {
        self.write(move |archive| archive.set_override(uuid, (time, position), flag, unix_now()))
            .await
    }
}
