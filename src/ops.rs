//! Use cases: one asynchronous function each, shared by the dashboard and the
//! commands, so that both behave alike. Nothing here prints.

pub(crate) mod archive_copy;
pub(crate) mod blocking;
pub(crate) mod connect;
pub(crate) mod export;
pub(crate) mod login;
pub(crate) mod notify;
pub(crate) mod output;
pub(crate) mod overlay;
pub(crate) mod own_files;
pub(crate) mod plants;
pub(crate) mod reading;
mod rows;
pub(crate) mod session;
pub(crate) mod settings_file;
pub(crate) mod store;
pub(crate) mod supervisor;
pub(crate) mod table_export;
pub(crate) mod watch_list;
