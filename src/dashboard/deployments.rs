//! The tab of deployments: the watch list, the map of all, and the detail of one.

mod archived;
pub(super) mod deployment;
pub(super) mod detail;
pub(super) mod fetch_state;
mod fetching;
mod harm;
mod limit_words;
pub(crate) mod moment;
pub(super) mod state;
mod status_cell;
pub(super) mod table;
mod update;
mod update_cell;
mod widest;
