//! The use cases: one asynchronous function each, called by the dashboard and
//! by the commands alike, so that the two cannot drift apart. Nothing here
//! prints.

pub(crate) mod connect;
pub(crate) mod export;
pub(crate) mod fetch;
pub(crate) mod login;
pub(crate) mod output;
pub(crate) mod plants;
pub(crate) mod session;
pub(crate) mod store;
pub(crate) mod watch_list;
