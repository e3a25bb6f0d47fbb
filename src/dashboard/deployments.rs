//! The Deployments tab: the watch list, its map, and the details of the selected
//! deployment.

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
