//! The use cases: one asynchronous function each, called by the dashboard and
//! by the commands alike, so that the two cannot drift apart. Nothing here
//! prints.

pub mod connect;
pub mod export;
pub mod fetch;
pub mod login;
pub mod output;
pub mod plants;
pub mod session;
pub mod store;
pub mod watch_list;
