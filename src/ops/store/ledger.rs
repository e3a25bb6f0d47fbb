//! The plant log of the archive, for the use cases.

use super::Store;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::plant::ledger::Entry;

impl Store {
    /// The plant log, oldest entry first.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn ledger(&self) -> Result<Vec<Entry>, Failure> {
        self.read(|archive| archive.ledger(unix_now())).await
    }
}
