//! What a response has.

use crate::text;
use crate::track::Records;
use crate::track::answer::Unmet;
use crate::track::listed::DeploymentList;

/// The content of a response.
#[derive(Debug, Default)]
pub(in crate::service) struct Content {
    pub(in crate::service) records: Records,
    /// The deployments of a list.
    pub(in crate::service) listed: DeploymentList,
    /// The URL of the next page, if the body has one.
    pub(in crate::service) next: Option<String>,
    /// Sentences for the user about the response.
    pub(in crate::service) notes: Vec<String>,
    /// The number of records of other deployments.
    pub(in crate::service) others: usize,
    /// The records that the filter of the mapping left out.
    pub(in crate::service) unmet: Unmet,
    /// The last line, if it is an object with an error or a message and nothing of a fix.
    pub(in crate::service) stray: Option<String>,
    /// `true` if the last row of a table has no line end.
    pub(in crate::service) is_open: bool,
}

impl Content {
    /// The number of records or deployments, with its noun.
    pub(in crate::service) fn counted(&self) -> String {
        match self.listed.deployments.len() {
            0 => text::counted(self.records.count(), "record", "records"),
            count => text::counted(count, "deployment", "deployments"),
        }
    }
}
