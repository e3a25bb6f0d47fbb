//! The plant log of the archive, for the use cases.

use super::Store;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::plant::ledger::{Entry, WrittenEntry};

impl Store {
    /// The plant log, oldest entry first.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn ledger(&self) -> Result<Vec<Entry>, Failure> {
        self.read(|archive| archive.ledger(unix_now())).await
    }

    /// The log entries of one plant, oldest first.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn ledger_of(&self, plant: String) -> Result<Vec<Entry>, Failure> {
        self.read(move |archive| archive.ledger_of(&plant, unix_now()))
            .await
    }

    pub(in crate::ops) async fn begin(&self, entry: Entry) -> Result<WrittenEntry, Failure> {
        self.write(move |archive| archive.begin(&entry)).await
    }

    pub(in crate::ops) async fn begin_if_free(
        &self,
        entry: Entry,
    ) -> Result<Option<WrittenEntry>, Failure> {
        self.write(move |archive| archive.begin_if_free(&entry))
            .await
    }

    pub(in crate::ops) async fn begin_again(
        &self,
        entry: Entry,
        line: i64,
    ) -> Result<Option<WrittenEntry>, Failure> {
        self.write(move |archive| archive.begin_again(&entry, line))
            .await
    }

    pub(in crate::ops) async fn complete(&self, entry: Entry) -> Result<(), Failure> {
        self.write_anyway(move |archive| archive.complete(&entry))
            .await
    }
}
