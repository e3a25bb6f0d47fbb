//! The tab of plants: the ledger of creates and deletes.

pub(super) mod state;
pub(super) mod table;
mod update;
