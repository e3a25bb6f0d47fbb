//! What is stored of a deployment: responses, the track that they make up, what
//! lists show of it, and the flags set by hand.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::Store;
use crate::archive::{MadeOverview, StoredRecords};
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::geo::Position;
use crate::track::agenda::LastAnswer;
use crate::track::field::FieldChoice;
use crate::track::overview::ReadOverview;
use crate::track::{Answer, FetchDelta, Flag, FlagOverrides, RequestBasis, TrackOptions};

impl Store {
    /// Stores a response, with what lists show of its track; returns what it added.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn ingest(
        &self,
        uuid: Uuid,
        answer: Answer,
        overview: Option<MadeOverview>,
    ) -> Result<FetchDelta, Failure> {
        self.write(move |archive| archive.ingest_with(uuid, &answer, overview.as_ref()))
            .await
    }

    /// What lists show of those of these deployments that have stored data, each
    /// with the choices of its track.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn overviews(
        &self,
        wanted: Vec<(Uuid, TrackOptions)>,
    ) -> Result<Vec<ReadOverview>, Failure> {
        let inner = Arc::clone(&self.inner);
        self.read(move |archive| {
            inner.received.begin(archive)?;
            archive.overviews(wanted)
        })
        .await
    }

    /// Stores what lists show of tracks, where the fixes that it was made of are
    /// still those that are stored.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn store_overviews(&self, made: Vec<MadeOverview>) -> Result<(), Failure> {
        self.write(move |archive| archive.store_overviews(&made))
            .await
    }

    /// The last answers for all deployments that have one.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn last_answers(&self) -> Result<HashMap<Uuid, LastAnswer>, Failure> {
        self.read(|archive| archive.last_answers(unix_now())).await
    }

    /// What the next request to `source` for the `fields` builds on.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn request_basis(
        &self,
        uuid: Uuid,
        source: String,
        fields: Option<FieldChoice>,
    ) -> Result<RequestBasis, Failure> {
        self.read(move |archive| archive.request_basis(uuid, &source, fields.as_ref()))
            .await
    }

    /// Records that the service confirmed the stored data as unchanged.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn confirm(&self, uuid: Uuid, at: f64) -> Result<(), Failure> {
        self.write(move |archive| archive.confirm(uuid, at)).await
    }

    /// The stored data of a deployment with the fields of its transmissions.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn stored_with_fields(
        &self,
        uuid: Uuid,
    ) -> Result<Option<StoredRecords>, Failure> {
        self.read(move |archive| archive.stored_with_fields(uuid))
            .await
    }

    /// The stored data of a deployment without the fields of its transmissions.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn stored(&self, uuid: Uuid) -> Result<Option<StoredRecords>, Failure> {
        let inner = Arc::clone(&self.inner);
        self.read(move |archive| {
            inner.received.begin(archive)?;
            archive.stored(uuid)
        })
        .await
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
