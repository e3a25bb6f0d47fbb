//! Checks that the archive exists.

use super::{Place, Store};
use crate::archive::ArchiveError;
use crate::failure::Failure;

impl Store {
    /// The archive that is not there yet, by its name: the first write makes it.
    /// `None` where it is there, or cannot be read.
    pub(crate) async fn missing(&self) -> Option<String> {
        let Place::At { place, .. } = &self.inner.place else {
            return None;
        };
        let is_there = self.read(|_| Ok(true)).await;
        matches!(is_there, Ok(false)).then(|| place.to_string())
    }

    /// Checks that a file that was named by whoever started this program is there: one
    /// that is not may be a typing error, or on a disk that is not mounted, and it does
    /// not tell that nothing is watched.
    ///
    /// # Errors
    /// When it is missing, or the archive cannot be read.
    pub(crate) async fn look_for_named(&self) -> Result<(), Failure> {
        let Place::At { place, named: true } = &self.inner.place else {
            return Ok(());
        };
        let is_there = self.read(|_| Ok(true)).await?;
        match place.file().filter(|_| !is_there) {
            Some(path) => Err(Failure::from(ArchiveError::Missing {
                path: path.to_owned(),
            })),
            None => Ok(()),
        }
    }
}
