//! The use cases: one asynchronous function each, called by the dashboard and
//! by the commands alike, so that the two cannot drift apart. Nothing here
//! prints.

pub mod failure;
pub mod fetch;
pub mod login;
pub mod plants;
#[cfg(test)]
mod service_tests;
pub mod session;

pub use failure::{Failure, FailureKind, ServiceError};
pub use fetch::{RecordsAnswer, TrackAnswer, assemble, fetch_records, fetch_track};
pub use login::{
    LoggedOut, TokenKept, TokenStatus, Tried, authenticate, login, logout, token_status, try_token,
};
pub use plants::{Created, Deleted, check_plant_id, create_plant, delete_plant};
pub use session::{Session, Setup, TokenFrom};

// The vocabulary of the floors below, for those who may import this one alone.
pub use crate::api::{Address, AddressError, Exchange, Observer, Progress, ProgressSink};
pub use crate::auth::{KeyringError, Source, Token, TokenError};
pub use crate::plant::Draft;
pub use crate::track::{Assembly, Overrules, Platform, Records, Track};
