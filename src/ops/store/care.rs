//! Care of the archive: counts, check and vacuum.

use super::Store;
use crate::archive::Archive;
use crate::failure::Failure;

impl Store {
    /// The numbers of stored rows, as [`Archive::counts`]; `None` without an
    /// archive.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) async fn counts(&self) -> Result<Option<[(&'static str, u64); 6]>, Failure> {
        self.read(|archive| archive.counts().map(Some)).await
    }

    /// Runs SQLite's integrity check on the whole archive and verifies the
    /// checksums; returns the problems found.
    ///
    /// # Errors
    /// When the check cannot run.
    pub(crate) async fn check(&self) -> Result<Vec<String>, Failure> {
        self.read(Archive::check).await
    }

    /// Reclaims unused disk space.
    ///
    /// # Errors
    /// When there is no room for the copy, or another process has locked the
    /// archive.
    pub(crate) async fn vacuum(&self) -> Result<(), Failure> {
        self.with(|archive| archive.vacuum()).await
    }
}
