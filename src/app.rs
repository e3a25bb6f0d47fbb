//! The deeds of the program, one asynchronous function for each, for the dashboard and the
//! commands alike: requests, judges, notifies, collects, exports, and keeps the lists. Nothing
//! here prints.

pub(crate) mod alarms;
pub(crate) mod archive_copy;
pub(crate) mod collect;
pub(crate) mod export;
pub(crate) mod fleet;
pub(crate) mod overlay;
pub(crate) mod overviews;
pub(crate) mod plants;
mod rows;
pub(crate) mod session;
pub(crate) mod settings_file;
pub(crate) mod source;
pub(crate) mod store;
pub(crate) mod update;
pub(crate) mod watch_list;
